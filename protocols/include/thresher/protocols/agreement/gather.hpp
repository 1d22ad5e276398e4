// `gather`: every node outputs a set of members, and all these sets have n-f members in common.
// No agreement, so no coin and two delays.
//
//   Gather node({.committee = c, .self = id});
//   executor.run(Requested<gather::Have>{{instance, member}});   // its dealing is complete here
//   // later, once: Deliver<gather::Gathered>{instance, members}
//
// Pre: what one correct node has, all correct nodes have in the end (totality of a broadcast or of
// a secret sharing), n-f members among it.
// Guarantees, with up to f Byzantine nodes of n >= 3f+1 at any timing: every correct node outputs;
// there are n-f members that every correct node's output has (the common core); a node outputs only
// members that it has. After a restart the owner says again what it has, and the output may have
// more members than before; what was said to others is durable first and stays.
// The core is not fixed when the first node outputs: a protocol that needs that takes a round more.
// Source: Canetti, Rabin, "Fast asynchronous Byzantine agreement with optimal resilience" (STOC
// 1993), section 4, for the rounds; Abraham, Jovanovic, Maller, Meiklejohn, Stern, Tomescu (PODC
// 2021) for the name. Rules: docs/protocols/setup-free-coin.md.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "thresher/core/bounded.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher {

namespace gather {

struct Have {
  std::uint64_t instance = 0;
  NodeId member;
};
struct Gathered {
  std::uint64_t instance = 0;
  NodeSet members;
};
enum class Stage : std::uint8_t { kFirst, kSecond };
/// What the sender had when it came to a stage.
struct Members {
  std::uint64_t instance = 0;
  Stage stage = Stage::kFirst;
  NodeSet members;
  bool asks = false;  ///< it has no output, and wants to hear what the receiver said
};
/// n/8 bytes and ten, and the mirror: empty when malformed.
void encode_members(const Members& m, std::uint32_t n, Writer& out);
std::optional<Members> decode_members(Reader& in, std::uint32_t n);

/// Durable records: what this node said, by instance and stage.
enum Table : std::uint32_t { kSaid = 14 };
/// Questions of a peer that are answered in 4 Delta, however often it asks.
inline constexpr std::size_t kAnswers = 64;
/// Unit: 1/1000 of Delta.
inline constexpr Delay kRepeat{4000};

}  // namespace gather

class Gather {
 public:
  using Message = gather::Members;
  using Output = gather::Gathered;
  using Request = gather::Have;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::uint64_t window = 16;  ///< instances kept, from the first not forgotten
  };

  explicit Gather(const Config& config) : config_(config), served_(config.committee.size()) {}

  void on(const Restored&, Fx&);
  void on(const Start&, Fx&);
  void on(const Received<Message>&, Fx&);
  void on(const Requested<gather::Have>&, Fx&);
  void on(const Expired&, Fx&);

  /// Instances below matter no more. The owner says so after a restart too.
  void forget_below(std::uint64_t instance, Fx& fx);
  /// The owner needs no output of the instance any more: nothing is asked about it.
  void settle(std::uint64_t instance);
  std::uint64_t refused() const { return refused_; }
  /// Sets of peers that are held, and the most that there may be.
  std::size_t held() const;
  std::size_t most_held() const { return 2 * config_.window * config_.committee.size(); }

 private:
  struct State {
    explicit State(std::uint32_t n) : here(n) {}
    NodeSet here;
    std::array<std::map<NodeId, NodeSet>, 2> said{};  // by stage and node, this one included
    bool settled = false;
    std::map<NodeId, NodeSet>& at(gather::Stage stage) {
      return said[static_cast<std::size_t>(stage)];
    }
    const std::map<NodeId, NodeSet>& at(gather::Stage stage) const {
      return said[static_cast<std::size_t>(stage)];
    }
  };

  bool reaches(std::uint64_t instance) const {
    return instance >= floor_ && instance - floor_ < config_.window;
  }
  State& state_of(std::uint64_t instance) {
    return states_.try_emplace(instance, config_.committee.size()).first->second;
  }
  bool enough(std::size_t nodes) const {
    return nodes >= config_.committee.at_least(kAvailability);
  }
  bool accepted(const State& s, gather::Stage stage) const;
  bool waits(const State& s) const {
    return !s.settled && s.at(gather::Stage::kFirst).contains(config_.self);
  }
  void say(std::uint64_t instance, State& s, gather::Stage stage, Fx& fx);
  template <class Tell>
  void repeat(std::uint64_t instance, const State& s, bool asks, Tell tell) const;
  void advance(std::uint64_t instance, State& s, Fx& fx);
  void arm(Fx& fx);

  Config config_;
  std::map<std::uint64_t, State> states_;  // of instances that somebody spoke of
  std::uint64_t floor_ = 0;
  PeerQuota<gather::kAnswers> served_;  // questions answered since the last tick
  bool serves_ = false;                 // some were
  bool armed_ = false;
  std::uint64_t refused_ = 0;
};

}  // namespace thresher
