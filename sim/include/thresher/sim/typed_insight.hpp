// What a run asks of the nodes of any subject. Like typed_nodes.hpp it is instantiated for each
// protocol, so that it only asks the subject and decides nothing.
//
//   TypedNodes<Mine> nodes(Mine{experiment});
//   TypedInsight<Mine> insight(nodes);
//   Outcome outcome = run_nodes(nodes, insight, experiment, {});
//
// Guarantees: as Insight.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thresher/sim/insight.hpp"
#include "thresher/sim/typed_nodes.hpp"

namespace thresher::sim {

/// For subjects that have `vouched`, `accepts` and `text_of`.
template <Subject S>
class TypedVouched final : public Vouched {
 public:
  TypedVouched(const TypedNodes<S>& nodes, const std::vector<NodeId>& good) : nodes_(nodes) {
    for (const NodeId id : good) {
      auto list = nodes_.subject().vouched(nodes_.of(id));
      entries_.insert(entries_.end(), list.begin(), list.end());
    }
    std::sort(entries_.begin(), entries_.end());
    entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
  }
  std::size_t size() const override { return entries_.size(); }
  bool accepted(NodeId id, std::size_t at) const override {
    return nodes_.subject().accepts(nodes_.of(id), entries_[at]);
  }
  std::string text_of(std::size_t at) const override {
    return nodes_.subject().text_of(entries_[at]);
  }

 private:
  using List = decltype(std::declval<const S&>().vouched(std::declval<const typename S::Node&>()));

  const TypedNodes<S>& nodes_;
  std::vector<typename List::value_type> entries_;
};

template <Subject S>
class TypedInsight final : public Insight {
 public:
  using Node = typename S::Node;
  using Message = typename Node::Message;

  /// `nodes` outlives it.
  explicit TypedInsight(const TypedNodes<S>& nodes) : nodes_(nodes), subject_(nodes.subject()) {}

  Traits traits() const override {
    return {.ordered = S::kOrdered,
            .includes = kIncludes,
            .counts_rounds = kCountsRounds,
            .names_vertices = kNamesVertices,
            .extends = kExtends,
            .heals = kHeals,
            .accepts = kAccepts};
  }
  std::shared_ptr<const Question> request(const Bytes& payload) const override {
    return nodes_.question(subject_.request(payload));
  }
  std::shared_ptr<const Question> extend(const Bytes& payload,
                                         const Bytes& replaced) const override {
    if constexpr (kExtends) return nodes_.question(subject_.extend(payload, replaced));
    return nullptr;
  }
  std::uint64_t round(NodeId id) const override { return subject_.round(nodes_.of(id)); }
  std::uint64_t refused(NodeId id) const override { return subject_.refused(nodes_.of(id)); }
  std::optional<std::uint64_t> queued(NodeId id) const override {
    if constexpr (requires { subject_.queued(nodes_.of(id)); })
      return subject_.queued(nodes_.of(id));
    return std::nullopt;
  }
  std::optional<NodeId> leader(NodeId id) const override {
    if constexpr (requires { subject_.leader(nodes_.of(id)); })
      return subject_.leader(nodes_.of(id));
    return std::nullopt;
  }
  std::optional<std::uint64_t> held(NodeId id) const override {
    if constexpr (requires { subject_.held(nodes_.of(id)); }) return subject_.held(nodes_.of(id));
    return std::nullopt;
  }
  std::vector<Bound> bounds(NodeId id) const override {
    if constexpr (requires { subject_.bounds(nodes_.of(id)); })
      return subject_.bounds(nodes_.of(id));
    return {};
  }
  std::uint64_t heals_within(NodeId id) const override {
    if constexpr (kHeals) return subject_.heals_within(nodes_.of(id));
    return 0;
  }
  std::uint64_t reached(NodeId id) const override {
    if constexpr (requires { subject_.reached(nodes_.of(id)); })
      return subject_.reached(nodes_.of(id));
    return round(id);
  }
  std::uint64_t catches_up_within(std::uint64_t rounds) const override {
    if constexpr (requires { subject_.catches_up_within(rounds); })
      return subject_.catches_up_within(rounds);
    return 0;
  }
  std::optional<Ticks> patience(const Experiment& experiment) const override {
    if constexpr (requires { subject_.patience(experiment); }) return subject_.patience(experiment);
    return std::nullopt;
  }
  std::string unpromised(const Experiment& experiment) const override {
    if constexpr (requires { subject_.unpromised(experiment); })
      return subject_.unpromised(experiment);
    return {};
  }
  std::optional<Reach> reach(NodeId id) const override {
    if constexpr (requires { subject_.reach(nodes_.of(id)); }) return subject_.reach(nodes_.of(id));
    return std::nullopt;
  }
  std::optional<Finding> audit(const std::vector<NodeId>& good) const override {
    if constexpr (requires { subject_.audit(std::vector<const Node*>{}); }) {
      return subject_.audit(of(good));
    } else if constexpr (requires { subject_.audit(); }) {
      return subject_.audit();
    }
    return std::nullopt;
  }
  std::vector<Measure> measures(const std::vector<NodeId>& good) const override {
    if constexpr (requires { subject_.measures(std::vector<const Node*>{}); })
      return subject_.measures(of(good));
    return {};
  }
  std::unique_ptr<const Vouched> vouched(const std::vector<NodeId>& good) const override {
    if constexpr (kAccepts) return std::make_unique<const TypedVouched<S>>(nodes_, good);
    return nullptr;
  }

 private:
  static constexpr bool kIncludes = requires { S::kIncludes; };
  static constexpr bool kCountsRounds = requires { S::kRounds; };
  static constexpr bool kNamesVertices = requires(const S& s, const Message& m) { s.born(m); };
  static constexpr bool kExtends = requires(const S& s, const Bytes& b) { s.extend(b, b); };
  static constexpr bool kHeals = requires(const S& s, const Node& n) { s.heals_within(n); };
  static constexpr bool kAccepts = requires(const S& s, const Node& n) {
    s.accepts(n, s.vouched(n).front());
  };

  std::vector<const Node*> of(const std::vector<NodeId>& ids) const {
    std::vector<const Node*> nodes;
    nodes.reserve(ids.size());
    for (const NodeId id : ids) nodes.push_back(&nodes_.of(id));
    return nodes;
  }

  const TypedNodes<S>& nodes_;
  const S& subject_;
};

}  // namespace thresher::sim
