// The arithmetic of distributed key generation behind one interface: what a node deals, how it
// judges what others dealt, and what becomes of the dealings that all agree on.
//
//   Bytes mine = *scheme.deal();                              // broadcast it
//   if (scheme.check(dealer, dealing) == Dealt::kBadForMe) send(scheme.complain(dealer, dealing));
//   auto key = scheme.settle(chosen);                         // once all agree on the dealers
//   send(to, key->point_for(to));  ...  key->finish(points);
//
// Guarantees, of every implementation: functions of their arguments and the node's keys, so a
// restarted node says the same again. How the key is hidden, each implementation says (dkg.hpp).
// Protocols know key generation by this header alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/crypto/contribution.hpp"
#include "thresher/crypto/secret.hpp"
#include "thresher/crypto/threshold_coin.hpp"

namespace thresher::crypto {

/// What a node can say of a dealing.
enum class Dealt : std::uint8_t {
  kGood,      ///< well formed, and this node's shares fit what the dealer committed to
  kBadForMe,  ///< well formed, but this node's shares do not fit: complain() proves it
  kMalformed  ///< everybody sees that it is none
};

/// A dealing that all agreed on. `revealed`: where this node's shares are bad, shares of others,
/// each checked by DkgScheme::check_reveal; as many as revealers() says.
struct ChosenDealing {
  NodeId dealer;
  Bytes dealing;
  std::vector<Contribution> revealed{};
};

/// What a node has of a key that was generated.
struct GeneratedKey {
  CoinKeys keys;                  ///< of all nodes
  RistrettoPoint group{};         ///< the public key of the shared secret
  Secret<RistrettoScalar> share;  ///< this node's
};

/// The key of a set of dealings, and the points by which nodes get their shares of it.
class SettledKey {
 public:
  virtual ~SettledKey() = default;
  virtual const CoinKeys& keys() const = 0;
  virtual const RistrettoPoint& group() const = 0;
  /// What this node owes `to`, sealed for it.
  virtual Bytes point_for(NodeId to) const = 0;
  /// Whether `point` is what `from` owes this node.
  virtual bool check_point(NodeId from, ByteView point) const = 0;
  /// This node's share. Empty with fewer than revealers() points of distinct nodes. Pre: each was
  /// checked; its own is among them if point_for(self) is.
  virtual std::optional<GeneratedKey> finish(std::span<const Contribution> points) const = 0;
};

class DkgScheme {
 public:
  virtual ~DkgScheme() = default;
  /// This node's dealing; empty when it deals none.
  virtual std::optional<Bytes> deal() const = 0;
  virtual std::uint32_t dealing_bytes() const = 0;  ///< of every well-formed dealing
  /// Whether the node may deal.
  virtual bool deals(NodeId node) const = 0;
  /// Dealings that are enough for a key.
  virtual std::uint32_t enough_dealings() const = 0;
  /// Nodes whose shares of a dealing, or points of a key, give another node's: f+1.
  virtual std::uint32_t revealers() const = 0;

  /// Pre: none; anybody may have made the bytes.
  virtual Dealt check(NodeId dealer, ByteView dealing) const = 0;
  /// The proof that the own shares are bad. Pre: check() says kBadForMe.
  virtual Bytes complain(NodeId dealer, ByteView dealing) const = 0;
  /// Whether `complaint` proves that the dealer gave `accuser` shares that do not fit. Pre: check()
  /// does not say kMalformed.
  virtual bool judge(NodeId dealer, ByteView dealing, NodeId accuser, ByteView complaint) const = 0;
  /// The own shares of a dealing, in the clear: only of a dealer that is known to have lied. Pre:
  /// check() says kGood.
  virtual Bytes reveal(NodeId dealer, ByteView dealing) const = 0;
  virtual bool check_reveal(NodeId dealer, ByteView dealing, NodeId from,
                            ByteView shares) const = 0;

  /// Pre: distinct dealers, as many as enough_dealings() or more, none of kMalformed; all correct
  /// nodes settle the same ones. Null when what was revealed is not enough.
  virtual std::shared_ptr<const SettledKey> settle(std::span<const ChosenDealing> chosen) const = 0;
};

}  // namespace thresher::crypto
