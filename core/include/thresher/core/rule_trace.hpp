// What a protocol that runs from rule tables did, one event a step, for the conformance checkers:
// RuleEvent of a RuleTable, VoteEvent of a round of VoteTables.
//
//   RuleLog log;                                  // one for all nodes of a simulated world
//   Bracha node({..., .trace = &log});
//   verify::Conformance check(bracha::kTable, committee, faulty);
//   for (const RuleEvent& e : log.events) ...
//
// Guarantees: a protocol with no log pays one comparison with null for a step and nothing for a
// message; an event says what was really counted and sent, not what the table says. Values are
// prefixes of digests (Digest::prefix): two values that share them are taken for one, which can
// hide a fault from the checker but never invent one. A log is for tests and tools: it grows
// without end.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "thresher/core/ids.hpp"

namespace thresher {

struct RuleEvent {
  /// `rule` of an event that says where a node stands after a restart; `location` is then set.
  static constexpr std::uint8_t kRestart = 255;

  std::uint64_t clock = 0;  ///< larger than that of every event that could have caused it
  std::uint64_t instance = 0;
  std::uint64_t round = 0;
  NodeId node;
  std::uint8_t rule = 0;                ///< index into the table's rules
  std::uint8_t location = 0;            ///< of a restart
  std::uint32_t tally = 0;              ///< distinct senders counted for the rule's guard
  std::uint64_t value = 0;              ///< the value counted
  std::optional<std::uint64_t> said{};  ///< the value of the statement sent by this step
};

/// A step of a round that runs from a VoteTable, or from the one that it stands on.
struct VoteEvent {
  /// `rule` of an event that says where a node stands after a restart.
  static constexpr std::uint8_t kRestart = 255;

  std::uint64_t clock = 0;  ///< as of RuleEvent
  std::uint64_t instance = 0;
  std::uint64_t round = 0;
  NodeId node;
  bool under = false;                      ///< of the table that the round stands on
  std::uint8_t rule = 0;                   ///< index into the table's rules
  std::uint8_t location = 0;               ///< of a restart
  std::array<std::uint32_t, 3> tallies{};  ///< distinct senders counted, by guard of the rule
  std::optional<std::uint8_t> said{};      ///< the counter of the statement sent by this step
  std::optional<bool> coin{};              ///< what the coin showed here, if it is known
};

/// Stamps events in the order they come. One log for all nodes of a single-threaded world is a
/// Lamport clock of that world: whatever caused an event was logged before it.
template <class Event>
struct EventLog {
  std::vector<Event> events;

  void add(Event event) {
    event.clock = events.size() + 1;
    events.push_back(event);
  }
};
using RuleLog = EventLog<RuleEvent>;
using VoteLog = EventLog<VoteEvent>;

}  // namespace thresher
