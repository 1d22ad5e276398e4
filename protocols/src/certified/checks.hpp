// Signatures whose verdicts are awaited: one verdict on all of a vertex, or on each. Rule R10.
//
//   Checks checks(committee, self, limits);
//   if (!checks.room(check)) refuse();                   // its sender has too much of it pending
//   checks.keep(std::move(check), first_ticket, verdicts);        // with tickets in a row
//   if (auto done = checks.verdict(ticket, ok)) conclude(*done);  // it was the last one
//
// Guarantees: each check is concluded once, when all of its verdicts are here. Of each peer so many
// are pending; a whole answer is taken on top of what it says unasked, and own checks always have
// room. Memory follows these quotas.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "thresher/protocols/certified/message.hpp"

namespace thresher::certified {

struct Check {
  enum class Kind : std::uint8_t { kVertex, kVotes, kTwo };
  Kind kind = Kind::kVertex;
  NodeId from{};                                           ///< who caused the work
  bool answer = false;                                     ///< to a question of this node
  VertexPtr vertex{};                                      ///< kVertex
  ProposalPtr first{}, second{};                           ///< kTwo: two headers for one name
  std::vector<std::pair<NodeId, Signature>> signatures{};  ///< kVotes, for `first`
};

class Checks {
 public:
  struct Concluded {
    Check what;
    std::uint64_t bad = 0;     ///< verdicts
    std::vector<bool> good{};  ///< kVotes: by signature
  };

  Checks(const Committee& committee, NodeId self, const Limits& limits);

  bool room(const Check& check) const;
  /// Pre: room(check); the tickets [first, first + verdicts) are new.
  void keep(Check&& check, std::uint64_t first, std::uint64_t verdicts);
  /// Empty: others are missing still, or nothing waits for this ticket.
  std::optional<Concluded> verdict(std::uint64_t ticket, bool ok);
  std::size_t size() const { return pending_.size(); }

  /// What one input makes a node ask for is answered in one call.
  void next_input() { asked_ = false; }
  /// True once for each input.
  bool begins_call() { return !std::exchange(asked_, true); }

 private:
  struct Pending {
    Concluded so_far;
    std::uint64_t asked = 0;  // verdicts
    std::uint64_t left = 0;   // not here yet
  };
  NodeId self_;
  std::uint32_t most_;
  std::uint32_t of_an_answer_;
  std::map<std::uint64_t, Pending> pending_;  // by their first ticket
  std::vector<std::uint32_t> of_;             // by whom they are for
  bool asked_ = false;                        // for certificates, since the last input
};

}  // namespace thresher::certified
