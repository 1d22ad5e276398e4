// What every export of a rule table shares: parameters, resilience, start, thresholds.
#pragma once

#include <utility>

#include "thresher/core/threshold.hpp"
#include "thresher/verify/automaton.hpp"

namespace thresher::verify {

inline constexpr Symbol kParameterN{Symbol::Kind::kParameter, 0};
inline constexpr Symbol kParameterT{Symbol::Kind::kParameter, 1};
inline constexpr Symbol kParameterF{Symbol::Kind::kParameter, 2};

inline Symbol location_symbol(std::uint32_t index) {
  return {Symbol::Kind::kLocation, index};
}
inline Symbol shared_symbol(std::uint32_t index) {
  return {Symbol::Kind::kShared, index};
}

/// terms + constant >= 0.
Formula at_least(std::map<Symbol, std::int64_t> terms, std::int64_t constant);
/// The conjunction; of one part, that part. Pre: not empty.
Formula all_of(std::vector<Formula> parts);
Formula implies(Formula a, Formula b);
Formula always(Formula f);
Formula eventually(Formula f);
/// Nobody is there.
Formula empty_location(std::uint32_t index);

/// d * (sum of symbols + F) >= a N + b T + c; without `faulty` the F is left out.
Formula reaches(const std::vector<Symbol>& symbols, const Threshold& threshold, bool faulty);

/// N, T, F with n > nodes_per_fault * t and at most t faulty, of whom there are F.
void add_parameters(Automaton& ta, std::uint8_t nodes_per_fault = 3);
/// N - F correct nodes, all in `starts`; nothing said yet. Pre: locations and shared are there.
void add_start(Automaton& ta, const std::vector<std::uint32_t>& starts);

}  // namespace thresher::verify
