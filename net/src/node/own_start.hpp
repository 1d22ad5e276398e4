// Which start of this node this is, and whether its key was started elsewhere. Private to net/.
//
//   OwnStart own(committee, key, chain);
//   own.begin(sign_once.incarnation(), sign_once.signed_last());
//   transport.introduce(own.incarnation());
//   if (own.outdone_by(heard)) halt();                  // peers heard of a start that signed since
//   switch (own.other_process(peer, incarnation)) ...   // a peer is connected to another process
//   tell_all(own.sign());                               // from now on this start signs
//
// Guarantees: nothing but a statement under this node's own key outdoes it, so no peer can make a
// node stop by its word. Only the words of kValidity peers make another process certain; what its
// incarnation proves by itself is certain at once. Until sign() the start is held against the last
// one before it that signed: starts that ended earlier have said nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "thresher/core/committee.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/incarnation.hpp"

namespace thresher::net {

class OwnStart {
 public:
  enum class Other : std::uint8_t { kForged, kItself, kDoubtful, kCertain };

  OwnStart(const Committee& committee, const crypto::SigningKey& key, const Digest& chain)
      : committee_(committee), key_(key), chain_(chain), told_(committee) {}

  /// `signed_before`: the last start that signed; count 0: none did.
  void begin(const Incarnation& start, const Incarnation& signed_before) {
    start_ = signed_incarnation(key_, chain_, start);
    signed_before_ = signed_before;
  }
  /// Of no count: the key is not started, and peers remember nothing.
  void begin_observing() { begin({0, random_nonce(), {}}, {}); }

  /// Signed as one that connects.
  const Incarnation& incarnation() const { return start_; }
  /// From now on it signs. What it says of that to its peers.
  const Incarnation& sign() { return said_.emplace(started_incarnation(key_, chain_, start_)); }
  /// What sign() gave; empty: it has not signed.
  const std::optional<Incarnation>& said() const { return said_; }

  /// Whether `heard`, which a peer was told by a start that signs, proves that the key was started
  /// elsewhere than in the folder that has come to this start.
  bool outdone_by(const Incarnation& heard) const {
    return !heard.same_start(start_) && excludes(heard, said_ ? start_ : signed_before_) &&
           started_with(key_.public_key(), chain_, heard);
  }
  /// A peer is connected to another process that gave it this incarnation. kForged: not this key's;
  /// kDoubtful: it may be an old link of this node's own folder.
  Other other_process(NodeId from, const Incarnation& other) {
    if (!signed_with(key_.public_key(), chain_, other)) return Other::kForged;
    if (other.same_start(start_)) return Other::kItself;
    told_.add(from);
    const bool certain = excludes(other, start_) || told_.reached(kValidity, committee_);
    return certain ? Other::kCertain : Other::kDoubtful;
  }

 private:
  Committee committee_;
  crypto::SigningKey key_;
  Digest chain_;
  Incarnation start_;
  Incarnation signed_before_;
  std::optional<Incarnation> said_;
  Tally told_;  // who told of another process
};

}  // namespace thresher::net
