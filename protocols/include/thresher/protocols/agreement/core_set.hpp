// `core-set`: agreement on which members count, of those that enough nodes vouch for. The voting
// half of the common subset, for owners whose reason to vouch for a member comes in its own time.
//
//   CoreSet<BcaAgreement> set({.committee = c, .self = id, .coin = scheme, .members = dealers,
//                              .enough = c.at_least(kAvailability)});
//   executor.run(Requested<core_set::Vouch>{{dealer}});      // when its dealing is acknowledged
//   // later, once: Deliver<core_set::Agreed>{members}
//
// One binary agreement a member: a node votes 1 when its owner vouches, and 0 for all that are left
// once `enough` members are in.
// Guarantees, with up to f Byzantine nodes at any timing:
//   agreement    all correct nodes output the same set;
//   validity     for each of its members some correct node's owner vouched;
//   size         it has `enough` members or more;
//   termination  if there are `enough` members for each of which every correct node's owner vouches
//                in the end, every correct node outputs a set, with probability one.
// An owner must vouch again after a restart for all that it has vouched for; the agreement keeps
// the votes themselves. A restarted node may output the set again.
// Source: Ben-Or, Kelmer, Rabin, "Asynchronous secure computations with optimal resilience" (PODC
// 1994), figure 3; in figure 4 of HoneyBadger (CCS 2016) it stands over broadcasts.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "thresher/core/compose.hpp"
#include "thresher/protocols/agreement/agreement.hpp"

namespace thresher {

namespace core_set {

struct Vouch {
  NodeId member;
};
struct Agreed {
  NodeSet members;
};

}  // namespace core_set

template <agreement::BinaryAgreement A>
class CoreSet {
 public:
  using Message = typename A::Message;
  using Output = core_set::Agreed;
  using Request = core_set::Vouch;
  using Fx = Effects<Message, Output>;

  struct Config {
    Committee committee = *Committee::make(4, 1);
    NodeId self{};
    std::shared_ptr<const crypto::CoinScheme> coin;  ///< for agreements that toss common ones
    std::vector<NodeId> members;                     ///< distinct; the same list at every node
    std::uint32_t enough = 3;                        ///< at most as many as there are members
  };

  explicit CoreSet(Config config)
      : config_(std::move(config)),
        votes_(votes_config(config_)),
        decided_(config_.members.size()) {}

  void on(const Restored& e, Fx& fx) { feed(e, fx); }
  void on(const Start& e, Fx& fx) {
    feed(e, fx);
    for (std::size_t i = 0; i < decided_.size(); ++i) {
      if (const auto value = votes_.decided(i)) decided_[i] = value;
    }
    count(fx);
  }
  void on(const Received<Message>& e, Fx& fx) { feed(e, fx); }
  void on(const Requested<core_set::Vouch>& e, Fx& fx) {
    const auto at = std::find(config_.members.begin(), config_.members.end(), e.request.member);
    if (at == config_.members.end()) return;
    vote(static_cast<std::size_t>(at - config_.members.begin()), true, fx);
  }
  void on(const Expired& e, Fx& fx) {
    TimerId id = e.id;
    if (id.route.depth == 0) return;
    (void)pop_hop(id.route);
    feed(Expired{id}, fx);
  }
  void on(const Verified& e, Fx& fx) { feed_ticket(e, fx); }
  void on(const Endorsed& e, Fx& fx) { feed_ticket(e, fx); }

  std::uint64_t refused() const { return votes_.refused(); }
  agreement::Footprint footprint() const { return votes_.footprint(); }
  static agreement::Footprint most_held(const Config& config) {
    return A::most_held(votes_config(config));
  }
  /// Members that are in so far, or will never be.
  std::size_t decided() const {
    return static_cast<std::size_t>(std::count_if(decided_.begin(), decided_.end(),
                                                  [](const auto& d) { return d.has_value(); }));
  }

 private:
  static constexpr std::uint32_t kHop = 0;

  static typename A::Config votes_config(const Config& config) {
    typename A::Config out;
    out.committee = config.committee;
    out.self = config.self;
    out.coin = config.coin;
    out.window = config.members.size();
    return out;
  }
  void vote(std::size_t member, bool value, Fx& fx) {
    if (decided_[member]) return;
    feed(Requested<agreement::Propose>{{member, value}}, fx);
  }
  template <class Input>
  void feed_ticket(Input e, Fx& fx) {
    if (e.ticket.route.depth == 0) return;
    (void)pop_hop(e.ticket.route);
    feed(e, fx);
  }
  template <class Input>
  void feed(const Input& input, Fx& fx) {
    EffectsOf<A> child;
    if constexpr (requires { votes_.on(input, child); }) votes_.on(input, child);
    bool news = false;
    lift(
        child, fx, kHop, [](Message m) { return m; },
        [&](const agreement::Decision& d) {
          if (d.instance >= decided_.size() || decided_[d.instance]) return;
          decided_[d.instance] = d.value;
          news = true;
        });
    if (news) count(fx);
  }
  void count(Fx& fx) {
    NodeSet in(config_.committee.size());
    for (std::size_t i = 0; i < decided_.size(); ++i) {
      if (decided_[i] == true) in.insert(config_.members[i]);
    }
    if (in.size() < config_.enough) return;
    for (std::size_t i = 0; i < decided_.size(); ++i) vote(i, false, fx);
    if (done_ || decided() < decided_.size()) return;
    done_ = true;
    // The last votes may have decided more while this was counted.
    for (std::size_t i = 0; i < decided_.size(); ++i) {
      if (decided_[i] == true) in.insert(config_.members[i]);
    }
    fx.deliver(core_set::Agreed{std::move(in)});
  }

  Config config_;
  A votes_;
  std::vector<std::optional<bool>> decided_;  // by place in `members`
  bool done_ = false;
};

}  // namespace thresher
