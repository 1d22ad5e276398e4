// The network of an experiment: when, whether and how often a message arrives.
//
//   Links links(experiment, faulty);
//   Transit t = links.transit({.from = a, .to = b, .number = 7, .sent = now});
//
// Guarantees: the answer is a function of the experiment and the letter (and, for the adaptive
// scheduler, of the leaders seen so far): draws are keyed by (seed, link, number), in integers
// only. On a topology that is not complete a message takes a shortest path, one delay a hop.
// With a gst, what is not lost arrives by max(sent, gst) + delta, or that much after the last
// partition that it waits for has healed: reordering, schedulers, starvation and cut links hold a
// message no longer. Only two things take more: a link whose own law draws a longer way, and a liar
// that holds its own messages back. A copy made by duplication may come later, since the message
// itself is there by then. Does not know bandwidth: the engine does, since that depends on what
// else is sent.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/sim/experiment.hpp"

namespace thresher::sim {

/// A draw of `law`, cut to its bounds. Exact integer arithmetic: a normal one is a sum of twelve
/// uniform draws, an exponential one the negated binary logarithm of one.
Ticks draw(const DelayLaw& law, Prng& rng);

struct Letter {
  NodeId from;
  NodeId to;
  std::uint64_t number = 0;  ///< tells the messages of a link apart
  Ticks sent = 0;
  bool anchor = false;    ///< a leader's proposal
  bool withheld = false;  ///< comes as late as allowed
  Ticks hold = 0;         ///< or only this much later; 0: as late as allowed
  Ticks extra = 0;        ///< the sender holds it back
  /// It was sent then, and a scheduler let it set out only at `sent`. Empty: it was not held.
  std::optional<Ticks> held_since{};
};

struct Transit {
  bool lost = false;
  std::string_view why;        ///< of a loss
  Ticks at = 0;                ///< when it arrives
  std::optional<Ticks> again;  ///< when a duplicate does
};

class Links {
 public:
  Links(const Experiment& experiment, const NodeSet& faulty);

  Transit transit(const Letter& letter) const;
  /// The delay of every link at instant `now`, when it is one constant and nothing else happens to
  /// messages: then a broadcast needs no look at links.
  std::optional<Ticks> plain(Ticks now) const;
  /// Whether some link loses messages by chance.
  bool lossy() const;
  /// For the adaptive scheduler: a leader's proposal was sent.
  void saw_leader(NodeId id);
  /// From here on everything arrives in time: gst is over and partitions are healed.
  Ticks quiet_from() const { return quiet_from_; }
  /// The longest delay that a law allows on one hop.
  Ticks longest() const { return longest_; }
  /// The longest that a message takes all its way, by what laws allow and, where nothing is
  /// promised, reordering adds.
  Ticks slowest() const { return slowest_; }
  /// The last instant at which what was sent at `sent` may set out and still be in time.
  Ticks latest_start(Ticks sent) const;
  /// No message takes less, whatever happens; 0 when the order of sending at different nodes
  /// matters to the scheduler.
  Ticks lookahead() const;
  /// Hops from one node to another; 0: no path.
  std::uint32_t hops(NodeId from, NodeId to) const;
  /// The partitions that no message met.
  std::vector<std::size_t> idle_partitions() const;

 private:
  /// The rule of this link that counts, or none.
  const LinkRule* rule(NodeId from, NodeId to) const;
  const DelayLaw& law(NodeId from, NodeId to) const;
  // What the laws of a letter's way draw, and how much longer it takes for others to overtake it.
  Ticks travel(const Letter& letter, Prng& rng) const;
  Ticks overtaken(Prng& rng) const;
  // The promise: what takes so long by itself arrives by then. Empty: nothing is promised.
  std::optional<Ticks> promised(const Letter& letter, Ticks takes) const;
  Ticks scheduled(const Letter& letter, Ticks at, Prng& rng) const;
  bool parted(std::size_t which, const Letter& letter) const;
  bool lost_by_partitions(const Letter& letter) const;
  Ticks held_by_partitions(const Letter& letter, Ticks at) const;
  Ticks rounded(Ticks sent, Ticks at) const;
  // When something that is due at an instant happens: in rounds at the end of one.
  Ticks on_the_clock(Ticks at) const;
  void classify();
  void measure_paths();
  void measure_slowest();

  Network net_;
  std::uint32_t n_;
  std::uint32_t f_;
  std::uint64_t seed_;
  bool rounds_;
  NodeSet faulty_;
  std::vector<std::uint16_t> class_;  // of a node: the set of link rules that name it
  std::vector<std::uint32_t> rule_;   // of a pair of classes: the rule that counts, or none
  std::size_t classes_ = 1;
  std::vector<std::vector<std::uint16_t>> side_;  // by partition, node: its group + 1, or 0
  mutable std::vector<bool> met_;                 // by partition; only told, it decides nothing
  std::vector<std::uint16_t> hops_;               // by from, to; empty: one hop everywhere
  std::vector<NodeId> led_;                       // latest last
  Ticks quiet_from_ = 0;
  Ticks longest_ = kUnit;
  Ticks slowest_ = kUnit;
};

/// The nodes that each node reaches in one hop; empty for a complete graph.
std::vector<std::vector<NodeId>> neighbours(const Network& network, std::uint32_t n,
                                            std::uint64_t seed);

}  // namespace thresher::sim
