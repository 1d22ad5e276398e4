// What must come about once network and faults leave a run alone.
//
//   Healing<S> healing(machine, judge, oracles, nodes, now);   // of the correct nodes that run
//   while (!healing.done() && now < end) ...                   // with a fresh request at each node
//   if (auto finding = healing.missing(now)) ...               // at the end of the bound
//
// Demands, of each of the nodes:
//   liveness    it outputs something;
//   inclusion   a request that it got since then comes back to it, of subjects that promise so:
//   they
//               have a member kIncludes;
//   acceptance  it accepts what any of them vouched for at the start. Of subjects with
//               `vouched(node)`, a list of anything, `accepts(node, entry)` and `text_of(entry)`.
//
// Guarantees: looks at nodes, changes none. Work is in proportion to what is vouched for, once, and
// then to what is still missing. Does not say how long to wait: the run does (Judge::bound()).
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thresher/sim/machine.hpp"
#include "thresher/sim/oracles.hpp"

namespace thresher::sim {

template <Subject S>
class Healing {
  using Node = typename S::Node;

 public:
  static constexpr bool kAccepts = requires(const S& s, const Node& n) {
    s.accepts(n, s.vouched(n).front());
  };
  static constexpr bool kIncludes = requires { S::kIncludes; };

  /// Pre: `nodes` are correct and up.
  Healing(const Machine<S>& machine, const Judge& judge, const Oracles& on,
          const std::vector<NodeId>& nodes, Ticks now)
      : machine_(machine), judge_(judge), on_(on), since_(now) {
    for (const NodeId id : nodes) waits_.push_back({id, judge.length(id), {}});
    if constexpr (kAccepts) {
      if (on_.acceptance) note_vouched();
    }
  }

  /// Whether all of it came about.
  bool done() {
    std::erase_if(waits_, [this](Waiting& w) {
      accept(w);
      return outputs(w) && included(w) && w.unaccepted.empty();
    });
    return waits_.empty();
  }

  /// What did not come about, of the first node that waits.
  std::optional<Finding> missing(Ticks now) {
    if (done()) return std::nullopt;
    const Waiting& w = waits_.front();
    const std::string node = "node " + std::to_string(w.id.value);
    const std::string span = " between " + in_units(since_) + " and " + in_units(now) +
                             ", though the network and the faults left it alone";
    if (!outputs(w)) return Finding{"liveness", node + " decided nothing" + span};
    if (!included(w)) return Finding{"inclusion", node + " got no request of its own back" + span};
    return lacking(w, node, now);
  }

 private:
  struct Waiting {
    NodeId id;
    std::uint64_t length = 0;             // outputs at the start
    std::vector<std::size_t> unaccepted;  // of vouched_
  };

  bool outputs(const Waiting& w) const {
    return !on_.liveness_on || judge_.length(w.id) > w.length;
  }
  bool included(const Waiting& w) const {
    return !kIncludes || !on_.liveness_on || judge_.served(w.id, since_);
  }
  void accept(Waiting& w) {
    if constexpr (kAccepts) {
      std::erase_if(w.unaccepted, [&](std::size_t at) {
        return machine_.subject().accepts(machine_.node(w.id), vouched_[at]);
      });
    }
  }
  void note_vouched() {
    if constexpr (kAccepts) {
      for (const Waiting& w : waits_) {
        auto list = machine_.subject().vouched(machine_.node(w.id));
        vouched_.insert(vouched_.end(), list.begin(), list.end());
      }
      std::sort(vouched_.begin(), vouched_.end());
      vouched_.erase(std::unique(vouched_.begin(), vouched_.end()), vouched_.end());
      for (Waiting& w : waits_) {
        for (std::size_t at = 0; at < vouched_.size(); ++at) {
          if (!machine_.subject().accepts(machine_.node(w.id), vouched_[at]))
            w.unaccepted.push_back(at);
        }
      }
    }
  }
  std::optional<Finding> lacking(const Waiting& w, const std::string& node, Ticks now) const {
    if constexpr (kAccepts) {
      return Finding{"acceptance", node + " did not accept " +
                                       machine_.subject().text_of(vouched_[w.unaccepted.front()]) +
                                       ", which another correct node had accepted and named by " +
                                       in_units(since_) + ", until " + in_units(now)};
    }
    return std::nullopt;
  }

  struct Nothing {
    auto operator<=>(const Nothing&) const = default;
  };
  static auto entry() {
    if constexpr (kAccepts) {
      using List = decltype(std::declval<const S&>().vouched(std::declval<const Node&>()));
      return typename List::value_type{};
    } else {
      return Nothing{};
    }
  }

  const Machine<S>& machine_;
  const Judge& judge_;
  const Oracles& on_;
  Ticks since_;
  std::vector<Waiting> waits_;
  std::vector<decltype(entry())> vouched_;
};

}  // namespace thresher::sim
