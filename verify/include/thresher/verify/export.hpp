// From the table that runs to the automaton that is proved.
//
//   auto ta = verify::export_broadcast(bracha::kTable);
//   std::cout << verify::print_automaton(ta);
//
// The automaton describes one instance in which every correct node has input 0 or 1; two values are
// enough, because guards never compare values. "At least c distinct senders" becomes
// `counter + F >= c`: the counter is of correct senders, and each of the F faulty ones may add one.
// Guarantees: fairness is generated (a rule whose guard stays true by correct senders alone is
// taken in the end), never written by hand. The properties are those of reliable broadcast.
#pragma once

#include <string>

#include "thresher/core/error.hpp"
#include "thresher/core/rule.hpp"
#include "thresher/core/rule_votes.hpp"
#include "thresher/verify/automaton.hpp"

namespace thresher::verify {

/// Pre: well_formed(table). Properties: agreement, unforgeability0/1, totality, validity0/1.
Automaton export_broadcast(const RuleTable& table);

/// Pre: well_formed(table). Values are written out in the table, the properties are its claims. For
/// a round of many they are also the conditions on one round from which the rest follows: lock,
/// keep, finish, round_ends, and one_side or (common coin: a parameter COIN of 0 or 1) binding.
Automaton export_votes(const VoteTable& table);

struct TlaModule {
  std::string text;
};
/// The automaton in TACO's subset of TLA+: one file for TLC at a small n and for TACO at every n.
/// Parsed again by parse_tla it is the same automaton, but for the order of initial constraints and
/// for properties of two futures, which are left out with a comment. kUnsupported: TLA+ cannot
/// express it in this subset, and what of it; `where` is the automaton's name.
Result<TlaModule, Error> export_tla(const Automaton& automaton);

}  // namespace thresher::verify
