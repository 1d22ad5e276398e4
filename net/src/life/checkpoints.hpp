// A node's checkpoints: what it signs, what the others signed, certificates, and whether this
// node's application differs from theirs. Private to net/.
//
//   checkpoints.reached(checkpoint, tree.open_results());       // after every commit that has one
//   checkpoints.frame(peer, frame);                             // kCheckpoint, kCertificate, ...
//   checkpoints.tick(now);                                      // a lost frame is made up for
//   if (checkpoints.difference()) ...                           // acknowledge nothing more
//
// A statement is written before it is sent, and one slot is signed once: a node that was restarted
// and computes another statement for a slot it has signed keeps what it signed, and says so.
//
// Guarantees: a certificate is kept only when a quorum signed what this node computed itself. Fewer
// than kValidity liars cause no difference(): it takes kValidity members that name this node's log
// hash with another root or another state, and more of them than name this node's own. Memory: the
// newest kMostOpen slots without a certificate, some of which may be older and needed, and two
// statements of each peer that are ahead. One signature of a peer is verified for each slot, and
// one certificate that does not hold. Does not compare logs: standing_check.hpp does.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "life/log_tree.hpp"
#include "links/conduct.hpp"
#include "thresher/net/checkpoint.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {

class Checkpoints {
 public:
  struct Hooks {
    std::function<void(NodeId, Frame)> send;
    /// Makes the record durable, then calls back on the node's thread.
    std::function<void(Persist, std::function<void()>)> persist;
    std::function<void(Persist)> persist_lazily;
    std::function<void(NodeId, Deed)> blame;
    std::function<void(const std::string&)> warn;
  };
  /// What makes this node stop.
  struct Difference {
    std::optional<Checkpoint> same;  ///< the last one before that was the same, if it is known
    Checkpoint here;
    Checkpoint there;           ///< the same slot and log
    std::vector<NodeId> peers;  ///< that signed it
  };
  /// Unit: microseconds.
  static constexpr std::uint64_t kPeriod = 1'000'000;
  static constexpr std::size_t kMostOpen = 64;
  /// Slots whose certificates are asked for until they are here.
  static constexpr std::size_t kMostNeeded = 4;

  Checkpoints(const Genesis& genesis, NodeId self, const crypto::SigningKey& key,
              const NodeStore& store, Hooks hooks);

  /// Reads what the store has. Before the first reached().
  void recall();
  /// The log has come to a checkpoint, from a peer, the order or the own disk.
  void reached(const Checkpoint& checkpoint, const std::vector<Digest>& open_results);
  /// A snapshot of this slot is on the disk or on its way there, and a start uses it only with a
  /// certificate. So the slot stays open however far the log goes on, and peers are asked for the
  /// certificate. If more than kMostNeeded are, the oldest is given up.
  void need(Round slot);
  /// From now on this node signs: the newest statement first, if it has not been signed.
  void may_sign();
  /// A link came up: the peer gets the newest statement.
  void meet(NodeId peer) const;
  /// False when malformed.
  bool frame(NodeId from, const Frame& frame);
  void tick(std::uint64_t now);

  const std::optional<Difference>& difference() const { return difference_; }
  const std::optional<Certificate>& newest_certificate() const { return certificate_; }
  /// The last one that this node has computed.
  const std::optional<Checkpoint>& newest() const { return newest_; }

 private:
  /// A slot that has no certificate yet.
  struct Open {
    Checkpoint own;
    Signature signature{};                         // of this node; zero: none yet
    bool durable = false;                          // and may be sent
    NodeSet heard;                                 // who has said something about it
    NodeSet forged;                                // who gave a certificate that does not hold
    SignatureList agree;                           // in the order of the signers
    std::map<Digest, std::vector<NodeId>> differ;  // by the digest of what they signed
    std::map<Digest, Checkpoint> statements;
  };
  void compare(const Checkpoint& again);
  void sign(Open& open, const std::vector<Digest>& open_results);
  void signed_durably(Round slot);
  void heard(const SignedCheckpoint& said);
  void count(Open& open, NodeId signer, const Signature& signature);
  void weigh(const Open& open);
  void certified(const Open& open);
  bool take_certificate(NodeId from, const Certificate& certificate);
  void answer(NodeId to, Round slot) const;
  void send_newest(NodeId to) const;
  void ask_all(Round slot) const;
  void forget_one();
  template <class F>
  void each_peer(F visit) const;

  Genesis genesis_;
  Committee committee_;
  NodeId self_;
  crypto::SigningKey key_;
  ChainContext chain_;
  const NodeStore& store_;
  Hooks hooks_;
  bool signs_ = false;
  std::optional<Checkpoint> newest_;
  std::vector<Digest> newest_results_;
  std::optional<Certificate> certificate_;
  std::optional<Checkpoint> last_same_;  // that a quorum certified as this node computed it
  std::map<Round, Open> open_;
  std::set<Round> needed_;  // that have no certificate yet
  std::map<NodeId, std::map<Round, SignedCheckpoint>> early_;
  std::uint64_t looked_us_ = 0;
  Round looked_at_{0};  // the newest slot at the last look
  std::optional<Difference> difference_;
};

}  // namespace thresher::net
