// The nodes that decided slots speak against as leaders, and those passed over for that.
//
//   Standing standing(committee, rules.leaders);
//   standing.committed(slot, leader, before, named);  // the authors of slot - 1 that it names
//   standing.skipped(slot, leader);
//   for (NodeId id : standing.out(slot)) pass_over(id);  // at most f, ascending
//
// Guarantees: a function of the decided slots alone. By kPrompt a node is out while it was named in
// time by fewer than three of the last eight committed leaders, and for a while after a slot of its
// own was skipped, twice as long after each further one until one commits; so who behaves comes
// back without any slot of its own. By kMisses who missed two slots is out until it commits one.
// When more than f would be out, the worst are. Does not say whose turn it is. Source:
// docs/protocols/thresher.md, "Leaders".
#pragma once

#include <cstdint>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/dag/rules.hpp"

namespace thresher::dag {

class Standing {
 public:
  Standing(const Committee& committee, Leaders rule);

  /// The slot was committed; `named` are the authors of the round before that the leader's block
  /// refers to, and `before` led that round: it says nothing about either leader, since who leads
  /// is waited for.
  void committed(Round slot, NodeId leader, NodeId before, const NodeSet& named);
  void skipped(Round slot, NodeId leader);
  /// The nodes that are passed over by what is decided up to `slot`.
  std::vector<NodeId> out(Round slot) const;
  /// All against whom it speaks, however many, the worst first.
  std::vector<NodeId> ranked(Round slot) const;

  void encode(Writer& out) const;
  /// False when malformed; this is not to be used then.
  bool decode(Reader& in);

  friend bool operator==(const Standing&, const Standing&) = default;

 private:
  static constexpr std::uint8_t kNamedByAll = 0xff;
  struct Record {
    std::uint8_t missed = 0;           // slots in a row; saturates
    std::uint8_t named = kNamedByAll;  // by the last committed leaders: a bit each
    Round missed_at{0};                // the last slot it missed
    friend bool operator==(const Record&, const Record&) = default;
  };
  bool is_out(const Record& record, Round slot) const;
  bool worse(NodeId a, NodeId b, Round slot) const;
  bool resting(const Record& record, Round slot) const;

  Leaders rule_;
  std::uint32_t faults_;
  std::vector<Record> records_;  // by node; empty where leaders follow in turn
};

}  // namespace thresher::dag
