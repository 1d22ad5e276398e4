// The abstraction under the acs and zcs checkers: each sum of variables that a guard speaks of is
// in one of finitely many cells. Private to verify/.
//
//   const auto queries = queries_of(normal(negate(property.formula)));
//   const auto cells = Cells::build(ta, queries->front(), budget, Proofs::kKept);
//   cells->forms[0].cells     // truth of its atoms, one vector a cell
//   cells->moves[3].guards    // by form, the cells in which the move is enabled
//
// A form is a sum of shared variables without its parameters; a cell is a satisfiable valuation of
// the atoms over it. Where the parameters order the thresholds, the cells are intervals; where they
// do not, cells of several orders stand side by side and the search with Z3 tells them apart.
// Guarantees: whatever a concrete step does to a form is in `steps`, for all parameters; each move
// changes forms independently of each other, so that sets of cells multiply.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "budget.hpp"
#include "thresher/core/error.hpp"
#include "thresher/verify/automaton.hpp"

namespace thresher::verify {

/// What a violating run looks like: `start` holds at first, `target` in the end.
struct Query {
  std::vector<Formula> start;
  Formula target;
};

/// What a refusal ends with that another checker may not share.
inline constexpr std::string_view kAskAnother =
    ": use the smt checker, which orders eventualities, or explicit where a rule resets or lowers "
    "a "
    "variable";

/// A safety property's negation as a disjunction of queries. kUnsupported: it is none; kRejected:
/// of too many.
Result<std::vector<Query>, Error> queries_of(const Formula& negated_normal_form);

/// Sets of cells of one form, a bit each.
using CellSet = std::uint64_t;
/// The cell of every form.
using Context = std::vector<std::uint8_t>;

/// How a rule changes a form.
struct Effect {
  enum class Kind : std::uint8_t { kAdd, kSet, kAny };
  Kind kind = Kind::kAdd;
  std::int64_t amount = 0;
  friend auto operator<=>(const Effect&, const Effect&) = default;
};

struct Form {
  Linear sum;  ///< of shared variables; without terms for atoms over parameters alone
  struct Atom {
    std::int64_t factor = 1;
    Linear rest;  ///< factor * sum + rest >= 0
    friend bool operator==(const Atom&, const Atom&) = default;
  };
  std::vector<Atom> atoms;
  std::vector<std::vector<bool>> cells;  ///< by cell, by atom
};

struct AbstractMove {
  std::uint32_t rule = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::vector<CellSet> guards;              ///< by form
  std::vector<std::vector<CellSet>> steps;  ///< by form, by cell; empty: the form stays as it is
};

/// One way for the target to hold.
struct AbstractTarget {
  std::vector<CellSet> cells;     ///< by form
  std::vector<Linear> processes;  ///< form >= 0 over locations and a constant
};

enum class Proofs : std::uint8_t { kLeftOut, kKept };

struct Cells {
  std::vector<Form> forms;
  std::vector<AbstractMove> moves;
  std::vector<AbstractTarget> targets;
  std::vector<CellSet> start;        ///< by form
  std::vector<bool> may_be_started;  ///< by location
  std::vector<std::string> proofs;   ///< that no cell and no step is missing

  /// kRejected: the automaton, the property or the time were beyond what is tried.
  static Result<Cells, Error> build(const Automaton& automaton, const Query& query,
                                    const Budget& budget, Proofs proofs);
};

}  // namespace thresher::verify
