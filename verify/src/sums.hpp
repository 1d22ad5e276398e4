// What a firing does to a sum of variables and locations, exactly. Private to verify/.
//
//   const std::int64_t by = added(atom.form, move.adds, move.from, move.to);
//
// Guarantees: in an automaton without numbers_problem() no such sum leaves 64 bits, no difference
// of two coefficients does, and neither does a variable in as many firings as are replayed or
// explored. The readers and check_shape() refuse the others.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thresher/verify/automaton.hpp"

namespace thresher::verify {

/// By how much the sum changes when one process goes from `from` to `to` and each shared variable
/// grows by what `adds` says of it. Pre: the automaton of both has no numbers_problem().
std::int64_t added(const Linear& sum, const std::vector<std::int64_t>& adds, std::uint32_t from,
                   std::uint32_t to);

/// Which part of the automaton has numbers with which sums might not fit into 64 bits, if one has.
/// Pre: its indices are in range.
std::optional<Error> numbers_problem(const Automaton& automaton);

}  // namespace thresher::verify
