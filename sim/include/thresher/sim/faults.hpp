// The faults of an experiment, ready to be asked: the faulty nodes, and what befalls a
// message.
//
//   FaultPlan plan(experiment);
//   plan.deeds({.from = from, .to = to, .now = now}, deeds);      // in the order of the file
//
// Guarantees: chance is a function of (seed, action, link, number). Only says what is to be done;
// the engine does it, and reports with fired() what changed something.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/sim/experiment.hpp"

namespace thresher::sim {

/// As files spell it: "silent", "crash", ..., "no-share".
std::string_view to_string(FaultKind kind);
std::optional<FaultKind> fault_from_name(std::string_view name);

/// Anything that is not in the fault model of a correct node: all but stops and the network's.
bool byzantine(FaultKind kind);
/// A node that does it is one of the f: all but restarts and the network's.
bool faulty(FaultKind kind);
/// The node goes down: crash, amnesia, restart.
bool stops(FaultKind kind);
/// A restart that strikes when the node says something, and not at an instant.
bool waits_for_moment(const FaultAction& action);
/// Whether some node goes down in an experiment, so that its records may be read back.
bool stops_somebody(const Experiment& experiment);

class FaultPlan {
 public:
  /// A message on its way out, as far as faults look at it.
  struct Sent {
    NodeId from;
    NodeId to;
    std::uint64_t number = 0;  ///< the sender's count
    std::uint64_t round = 0;
    bool anchor = false;
    bool share = false;
    Ticks now = 0;
    bool answer = false;
    std::string_view label{};
  };
  struct Deed {
    const FaultAction* action;
    std::size_t index;
    std::uint64_t salt;  ///< randomness of this action for this message, any receiver
  };
  /// A chance to forge: a node that does heard something.
  struct Chance {
    const FaultAction* action;
    std::size_t index;
    std::uint64_t mood;  ///< randomness of the liar for a while
    std::uint64_t salt;  ///< and of this chance
  };

  explicit FaultPlan(const Experiment& experiment);

  /// Nodes that a crash or anything worse befalls.
  const NodeSet& faulty() const { return faulty_; }
  bool correct(NodeId id) const { return !byzantine_.contains(id); }
  /// No node lies: what is delivered was submitted.
  bool all_honest() const { return byzantine_.empty(); }
  bool two_faced(NodeId id) const { return twins_.contains(id); }
  /// Whether messages of `id` have to be shown to deeds().
  bool touches(NodeId id) const { return starves_ || senders_.contains(id); }
  /// Replays or answers with old messages.
  bool remembers(NodeId id) const { return hoarders_.contains(id); }
  /// Signs proposals of its own making.
  bool forges(NodeId id) const { return forgers_.contains(id); }
  /// Fills answers with what it made up.
  bool stuffs(NodeId id) const { return stuffers_.contains(id); }
  /// The action by which `id` says something to fill memory on hearing its `number`th message, if
  /// it does. Whether there is anything to say is not known here.
  std::optional<Deed> stuffs(NodeId id, std::uint64_t number, Ticks now) const;
  /// Says what others say.
  bool mimics(NodeId id) const { return mimics_.contains(id); }
  /// The action by which `id` says what it `heard` as its own, if it does.
  std::optional<Deed> mimics(NodeId id, const Sent& heard);
  /// Comes back after a crash.
  bool returns(NodeId id) const { return returning_.contains(id); }
  bool restarts() const { return !returning_.empty(); }

  /// The restart that strikes a node which says something that its `moment` stands for or has that
  /// label, if one waits for that. Each strikes one node, once.
  std::optional<std::size_t> strikes(NodeId id, std::string_view moment, std::string_view label,
                                     Ticks now);
  /// Whether one waits at all.
  bool strikes() const { return !striking_.empty(); }

  /// Appends what befalls a message, in the order of the file. Actions with an audience are only
  /// named when `to` is in it (equivocate, twins) or not in it (selective, withhold).
  void deeds(const Sent& sent, std::vector<Deed>& out);

  /// Whether some messages to `id` are not taken.
  bool deaf(NodeId id) const { return !deaf_[id.value].empty(); }
  /// The action that makes the receiver miss a message that arrives at `sent.now`, if one does.
  std::optional<std::size_t> unheard(const Sent& sent) const;

  /// Appends the chances that `id` takes on hearing its `number`th message, in the order of the
  /// file. They depend on the node, not on the place of the action: dropping others changes none.
  void chances(NodeId id, std::uint64_t number, Ticks now, std::vector<Chance>& out) const;
  /// Whether a forged proposal is for `to`.
  bool audience(std::size_t action, NodeId to) const;

  void note_fired(std::size_t action) { fired_[action] = true; }
  std::uint64_t fired() const;
  /// The actions that did nothing.
  std::vector<std::size_t> idle() const;
  /// How many actions of a kind did something.
  std::uint64_t fired(FaultKind kind) const;
  /// The last instant at which a fault that ends does so.
  Ticks quiet_from() const { return quiet_from_; }
  const std::vector<FaultAction>& actions() const { return actions_; }

 private:
  bool concerns(std::size_t index, const Sent& sent);
  std::uint64_t salt_of(std::size_t index, NodeId from, std::uint64_t number) const;
  static bool about(const FaultAction& action, std::string_view label);
  const NodeSet& chosen_few(std::size_t index, const Sent& sent);

  std::vector<FaultAction> actions_;
  std::vector<std::vector<std::size_t>> of_;    // by node: its actions that meet messages
  std::vector<std::vector<std::size_t>> deaf_;  // by node: what keeps it from hearing
  std::vector<std::size_t> striking_;           // restarts that wait for a moment
  std::vector<std::size_t> starving_;
  std::vector<NodeSet> who_;    // by action
  std::vector<NodeSet> group_;  // by action
  std::uint32_t n_;
  std::uint32_t f_;
  std::uint64_t seed_;
  bool starves_ = false;
  NodeSet faulty_;
  NodeSet byzantine_;
  NodeSet twins_;
  NodeSet senders_;
  NodeSet hoarders_;
  NodeSet forgers_;
  NodeSet stuffers_;
  NodeSet mimics_;
  NodeSet returning_;
  std::vector<bool> fired_;
  Ticks quiet_from_ = 0;
  struct Few {
    std::size_t action = ~std::size_t{0};
    NodeId from;
    std::uint64_t round = 0;
    NodeSet nodes;
  } few_;
};

}  // namespace thresher::sim
