// What a run asks of its nodes beside what the engine does: requests of the workload, what to judge
// and to measure. The second seam between what is compiled once (run_nodes) and what is typed.
//
//   TypedInsight<Mine> insight(nodes);                // typed_insight.hpp: of any subject
//   Outcome outcome = run_nodes(nodes, insight, experiment, {});
//
// Guarantees (of each implementation): looks at nodes, changes none. A question that a subject
// has no member for (subject.hpp) has an empty answer. Asked once a unit of time or request, never
// once a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thresher/sim/nodes.hpp"
#include "thresher/sim/subject.hpp"

namespace thresher::sim {

/// What the nodes vouched for when it was made: each entry once, told apart by its place.
class Vouched {
 public:
  virtual ~Vouched() = default;
  virtual std::size_t size() const = 0;
  /// Whether the node accepts an entry by now.
  virtual bool accepted(NodeId id, std::size_t at) const = 0;
  virtual std::string text_of(std::size_t at) const = 0;
};

class Insight {
 public:
  /// What the subject is and has.
  struct Traits {
    bool ordered = false;
    bool includes = false;
    bool counts_rounds = false;
    bool names_vertices = false;
    bool extends = false;
    bool heals = false;
    bool accepts = false;
  };

  virtual ~Insight() = default;
  virtual Traits traits() const = 0;
  virtual std::shared_ptr<const Question> request(const Bytes& payload) const = 0;
  /// Pre: traits().extends.
  virtual std::shared_ptr<const Question> extend(const Bytes& payload,
                                                 const Bytes& replaced) const = 0;
  virtual std::uint64_t round(NodeId id) const = 0;
  virtual std::uint64_t refused(NodeId id) const = 0;
  virtual std::optional<std::uint64_t> queued(NodeId id) const = 0;
  virtual std::optional<NodeId> leader(NodeId id) const = 0;
  virtual std::optional<std::uint64_t> held(NodeId id) const = 0;
  virtual std::vector<Bound> bounds(NodeId id) const = 0;
  /// In Delta. Pre: traits().heals.
  virtual std::uint64_t heals_within(NodeId id) const = 0;
  /// How far it is in what catches_up_within() counts.
  virtual std::uint64_t reached(NodeId id) const = 0;
  /// In Delta: what a node needs beside it for so many rounds, or slots, that others have.
  virtual std::uint64_t catches_up_within(std::uint64_t rounds) const = 0;
  virtual std::optional<Ticks> patience(const Experiment& experiment) const = 0;
  virtual std::optional<Reach> reach(NodeId id) const = 0;
  /// Why the run is promised nothing, so that nothing of it was judged; empty: it is.
  virtual std::string unpromised(const Experiment& experiment) const = 0;
  virtual std::optional<Finding> audit(const std::vector<NodeId>& good) const = 0;
  /// Pre: `good` is not empty.
  virtual std::vector<Measure> measures(const std::vector<NodeId>& good) const = 0;
  /// Pre: traits().accepts.
  virtual std::unique_ptr<const Vouched> vouched(const std::vector<NodeId>& good) const = 0;
};

}  // namespace thresher::sim
