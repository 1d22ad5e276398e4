// What the SMT encoding works on: rules with conjunctive guards of numbered atoms. Private to
// verify/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "budget.hpp"
#include "thresher/core/error.hpp"
#include "thresher/verify/automaton.hpp"

namespace thresher::verify {

/// A comparison of guards. Lower: once true it stays true. Upper: once false it stays false.
struct Atom {
  Linear form;  ///< form >= 0
  bool lower = true;
  /// Upper only, when the rules it guards are just those that change it and all by `step`: it needs
  /// no segment of its own, the last firing may find it true with `step` less.
  std::int64_t step = 0;
  bool flips = false;  ///< needs a boundary of its own where its truth changes
};

/// A rule after the splitting of its guard into conjunctions.
struct Move {
  std::uint32_t rule = 0;  ///< index into Automaton::rules
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::vector<std::uint32_t> atoms;
  std::vector<std::int64_t> adds;  ///< by shared variable
  bool turns = false;              ///< may make an upper comparison with `flips` false
};

struct Prepared {
  std::vector<Atom> atoms;
  std::vector<Move> moves;
  bool acyclic = true;               ///< but for self-loops
  bool settles = true;               ///< acyclic, and no self-loop changes a variable
  std::vector<std::uint32_t> order;  ///< locations in topological order, if acyclic
};

/// The rules that can matter to these formulas, which are in normal form. kUnsupported: the
/// automaton is outside the fragment; kRejected: it is too large. Throws OutOfTime.
Result<Prepared, Error> prepare(const Automaton& automaton, const std::vector<Formula>& formulas,
                                const Budget& budget);

/// A positive state formula as a disjunction of conjunctions; nothing when there would be too many.
std::optional<std::vector<std::vector<Formula>>> disjunctive(const Formula& normal_form);

}  // namespace thresher::verify
