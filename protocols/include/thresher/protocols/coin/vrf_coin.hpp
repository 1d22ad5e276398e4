// `vrf-coin`: weak common coins from tickets that nodes cannot choose: the lowest one's last bit.
//
//   VrfCoin coin({.committee = *Committee::of(4), .self = NodeId{0}, .scheme = scheme});
//   Executor<VrfCoin, Backend> executor(std::move(coin), backend);
//   executor.run(Requested<Toss>{{7}});            // later: Deliver<Tossed>{7, value}
//
// Guarantees: each correct node that tosses an instance gets a value when n-f nodes toss it. All
// get the same one with the probability that agreement_bound() gives at least, and then its last
// bit (coin_bit) is 0 or 1 alike, if the scheduler does not look into tickets and keys were fixed
// before the instance was known. Weak: near n = 3f+1 the bound falls to 2/n, so only agreements
// that bear different coins may use it. What was said and given is durable first, so a restarted
// node says it again. Early messages and instances are bounded. Source: Cohen, Keidar, Spiegelman,
// "Not a COINcidence" (DISC 2020), algorithm 1; docs/protocols/vrf-coin.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <variant>

#include "thresher/core/bounded.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/vrf_scheme.hpp"
#include "thresher/protocols/coin/threshold_coin.hpp"

namespace thresher::coin {

/// The sender's own ticket. `asks`: it lacks a value and wants to hear what the receiver said.
struct Ticket {
  std::uint64_t instance = 0;
  crypto::VrfProof proof{};
  bool asks = false;
};
/// The lowest ticket that the sender had when it had n-f of them.
struct Lowest {
  std::uint64_t instance = 0;
  NodeId origin;
  crypto::VrfProof proof{};
};
using VrfMessage = std::variant<Ticket, Lowest>;

/// 90 and 91 bytes, and the mirror: empty when malformed.
void encode_vrf(const VrfMessage& message, Writer& out);
std::optional<VrfMessage> decode_vrf(Reader& in);

std::uint64_t instance_of(const VrfMessage& message);

/// In at least this many tosses out of 1,000,000 all correct nodes get the same value.
std::uint64_t agreement_bound_ppm(const Committee& committee);

struct VrfConfig {
  Committee committee = *Committee::make(4, 1);
  NodeId self{};
  std::shared_ptr<const crypto::VrfScheme> scheme;
  Delay resend{4000};         ///< what was said goes out again while the value is missing
  std::uint64_t keep = 1024;  ///< instances below the highest tossed one that are remembered
};

class VrfCoin {
 public:
  using Message = VrfMessage;
  using Output = Tossed;
  using Request = Toss;
  using Fx = Effects<Message, Output>;
  using Config = VrfConfig;

  /// Durable records, by instance: what was said of the lowest ticket; the value.
  enum Table : std::uint32_t { kSaid = 1, kValues = 2 };

  /// Pre: config.scheme is not null.
  explicit VrfCoin(Config config);

  void on(const Restored&, Fx&);
  /// Forgets what was forgotten before the restart, but not on disk.
  void on(const Start&, Fx& fx) { forget(fx); }
  void on(const Received<Message>&, Fx&);
  void on(const Requested<Toss>&, Fx&);
  void on(const Expired&, Fx&);

  const Stats& stats() const { return stats_; }
  /// If instances are tossed one after the other: those below were tossed, or may be now.
  std::uint64_t due() const {
    const auto last = tosses_.rbegin();
    return last == tosses_.rend() ? 0 : last->first + (last->second.value ? 2 : 1);
  }
  std::size_t early_messages() const { return early_.size(); }
  std::size_t instances() const { return tosses_.size(); }

 private:
  struct Drawn {
    NodeId origin;
    crypto::VrfProof proof{};
    Digest value{};
  };
  struct Pending {
    bool tossed = false;  // else it was restored, and waits to be asked for
    crypto::VrfProof mine{};
    std::map<NodeId, Drawn> checked{};  // tickets that are known to be right, by origin
    NodeSet first{};                    // whose own ticket counted
    NodeSet second{};                   // whose Lowest counted
    NodeSet liars{};                    // who said what was false: no more is checked
    std::optional<Drawn> lowest{};
    std::optional<Lowest> said{};
    std::optional<Digest> value{};
  };
  /// The message's sender, its instance, its kind.
  struct Early {
    std::uint64_t instance = 0;
    NodeId from;
    std::size_t kind = 0;
    friend auto operator<=>(const Early&, const Early&) = default;
  };

  void count(std::uint64_t instance, Pending& toss, NodeId from, const Message& message, Fx& fx);
  const Drawn* checked(std::uint64_t instance, Pending& toss, NodeId origin,
                       const crypto::VrfProof& proof);
  void settle(std::uint64_t instance, Pending& toss, Fx& fx);
  void answer(NodeId to, std::uint64_t instance, const Pending& toss, Fx& fx) const;
  void forget(Fx& fx);
  void arm(Fx& fx);

  Config config_;
  Stats stats_;
  std::map<std::uint64_t, Pending> tosses_;
  PerPeerMap<Early, Message, kEarlyShares> early_;
  std::uint64_t highest_ = 0;
  bool armed_ = false;
};

}  // namespace thresher::coin
