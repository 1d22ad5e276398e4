// Threshold automata as text: the union of ByMC's .ta/.eta and TACO's dialect, and a subset of
// TLA+.
//
//   auto ta = verify::parse_automaton(text, "bracha.ta");
//   if (!ta) std::cerr << ta.error();             // bracha.ta:12:5: what, why, nearest name
//   std::cout << verify::print_automaton(*ta);
//
// Guarantees: parse(print(a)) == a; never crashes or loops on any input; nesting and sizes are
// bounded. Two-future properties stand in marked comments, `/*@ two_futures NAME: after (..) not
// (..) and (..); @*/`, which other tools skip. Source: the grammar in docs/verify/automata.md.
#pragma once

#include <string>
#include <string_view>

#include "thresher/core/error.hpp"
#include "thresher/verify/automaton.hpp"

namespace thresher::verify {

/// More than any file needs.
inline constexpr double kNoDeadline = 1e6;

/// `file` only names the place in errors: `where` is "bracha.ta:12:5". kMalformed: the text is not
/// an automaton. kRejected, whatever the text is, after `seconds`; `where` is the file then.
Result<Automaton, Error> parse_automaton(std::string_view text, const std::string& file,
                                         double seconds = kNoDeadline);

/// TACO's subset of TLA+; export.hpp writes it. A rule that Next does not name is left out. Layout
/// is not read: where '/\' and '\/' would be told apart by it, brackets are demanded. Errors
/// as above.
Result<Automaton, Error> parse_tla(std::string_view text, const std::string& file,
                                   double seconds = kNoDeadline);

std::string print_automaton(const Automaton& automaton);
/// One formula with the automaton's names, for witnesses and errors.
std::string print_formula(const Automaton& automaton, const Formula& formula);
/// What a property says: its formula, or `after (..) not (..) and (..)` of two futures.
std::string print_property(const Automaton& automaton, const Property& property);

}  // namespace thresher::verify
