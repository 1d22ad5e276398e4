// `threshold-coin`: tosses common coins, one for each instance, among n nodes.
//
//   ThresholdCoin coin({.committee = *Committee::of(4), .self = NodeId{0}, .scheme = scheme});
//   Executor<ThresholdCoin, Backend> executor(std::move(coin), backend);
//   executor.run(Requested<Toss>{{7}});            // later: Deliver<Tossed>{7, value}
//
// Guarantees: all correct nodes that toss an instance get the same value, each once, when
// scheme.threshold() nodes tossed it and at most n - threshold() stay silent; before a correct node
// tosses, its share is nowhere. Shares for instances not tossed yet are bounded for each peer, and
// so are the answers that it gets. Nothing is persisted: a share is the same at every try, so a
// restarted node tosses again. Does not hide anything that the scheme does not. Source:
// docs/protocols/threshold-coin.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "thresher/core/bounded.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/coin_scheme.hpp"

namespace thresher::coin {

/// A share on its way. `ask`: the sender lacks shares and wants the receiver's.
struct Share {
  std::uint64_t instance = 0;
  crypto::CoinShare share;
  bool ask = false;
};
/// 105 bytes, and the mirror: empty when malformed.
void encode_share(const Share& share, Writer& out);
std::optional<Share> decode_share(Reader& in);

/// Reveals the own share of an instance. Instances may come in any order; one that is more than
/// Config::keep below the highest tossed one is not tossed any more.
struct Toss {
  std::uint64_t instance = 0;
};
struct Tossed {
  std::uint64_t instance = 0;
  Digest value;
  /// Those that made it, each verified: as many as the threshold, the own one first.
  std::vector<crypto::CoinClaim> shares{};
};

/// The bit that a value tosses: the last one. Being the lowest ticket says nothing of that
/// bit.
inline bool coin_bit(const Digest& value) {
  return (value.bytes.back() & std::byte{1}) != std::byte{0};
}
/// The value of a coin that has two alone.
inline Digest value_of_bit(bool bit) {
  Digest out{};
  out.bytes.back() = std::byte{bit ? std::uint8_t{1} : std::uint8_t{0}};
  return out;
}

/// Quota of a peer where instances are tossed one after the other.
inline constexpr std::size_t kEarlyShares = 64;
/// And the largest that there is.
inline constexpr std::size_t kMostEarlyShares = 4096;
/// The quota where up to `open` instances may be tossed at the same time.
constexpr std::size_t early_shares_for(std::uint64_t open) {
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(open, kEarlyShares, kMostEarlyShares));
}

struct Config {
  Committee committee = *Committee::make(4, 1);
  NodeId self{};
  std::shared_ptr<const crypto::CoinScheme> scheme;
  Delay resend{4000};         ///< the own share again while the value is missing
  std::uint64_t keep = 1024;  ///< instances below the highest tossed one that are remembered
  /// Shares of one peer that wait for instances not tossed here, and answers that it gets in 4
  /// Delta, however often it asks. At most kMostEarlyShares.
  std::size_t early = kEarlyShares;
};

/// A share of an instance whose value is no secret for the owner any more: it does not wait, and a
/// peer that asks is told the own one, alone, though it was not tossed in this start.
struct Late {
  NodeId from;
  Share share;
};

struct Stats {
  /// Shares that no correct node sends: false ones, a second one of an instance that says something
  /// else, and those of nobody.
  std::uint64_t refused = 0;
  /// Shares over the quota, too old, or said before: correct nodes on slow links send them too.
  std::uint64_t unused = 0;
  std::uint64_t batches = 0;  ///< calls of verify()
  /// The refused ones that a call of verify() found to be false, by sender. The message
  /// that made the call is mostly another node's.
  std::vector<std::uint64_t> false_shares{};
};

class ThresholdCoin {
 public:
  using Message = Share;
  using Output = Tossed;
  using Request = Toss;
  using Fx = Effects<Message, Output>;

  /// Pre: config.scheme is not null.
  explicit ThresholdCoin(Config config);

  void on(const Received<Share>&, Fx&);
  void on(const Late&, Fx&);
  void on(const Requested<Toss>&, Fx&);
  void on(const Expired&, Fx&);

  /// The value of no instance below `first` is a secret, and none of them will be tossed that was
  /// not yet: from now on their shares are Late.
  void settle_below(std::uint64_t first);
  /// Instances from `first` to before `last` matter no more to the owner: nothing is repeated or
  /// kept of them. Shares of them that come later are the owner's to keep away.
  void forget(std::uint64_t first, std::uint64_t last);

  const Stats& stats() const { return stats_; }
  std::size_t early_shares() const { return early_.size(); }
  std::size_t instances() const { return tosses_.size(); }

 private:
  struct Pending {
    std::vector<crypto::CoinClaim> good;
    std::vector<crypto::CoinClaim> unverified;
    NodeSet heard;
    bool done = false;
  };
  bool is_peer(NodeId from);
  void answer(NodeId to, std::uint64_t instance, const crypto::CoinShare& share, Fx& fx);
  void count(Pending& toss, NodeId from, const crypto::CoinShare& share);
  void wait(NodeId from, std::uint64_t instance, const crypto::CoinShare& share);
  void repeated(const Pending& toss, NodeId from, const crypto::CoinShare& share);
  void settle(std::uint64_t instance, Pending& toss, Fx& fx);
  void forget();

  Config config_;
  Stats stats_;
  std::map<std::uint64_t, Pending> tosses_;
  PerPeerMap<std::pair<std::uint64_t, NodeId>, crypto::CoinShare, kMostEarlyShares> early_;
  PeerQuota<kMostEarlyShares> served_;  // answers since the last tick
  bool serves_ = false;                 // some were
  std::uint64_t highest_ = 0;
  std::uint64_t settled_ = 0;  // see settle_below()
  bool timer_armed_ = false;
};

}  // namespace thresher::coin
