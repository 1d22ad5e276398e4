// What the checkers on the encoding share: time, size, smaller counterexamples. Private to verify/.
#pragma once

#include <z3++.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "encoding.hpp"

namespace thresher::verify {

using Clock = std::chrono::steady_clock;

Clock::time_point deadline_after(Clock::time_point start, double seconds);
double seconds_until(Clock::time_point deadline);
double seconds_since(Clock::time_point start);

/// The next check of the solver ends after so many seconds.
void limit(z3::solver& solver, z3::context& context, double seconds);

/// Why an encoding with so many stretches and extra boundaries would be too large; else empty.
std::string too_large(const Automaton& automaton, const Prepared& prepared, std::size_t stretches,
                      std::size_t extra);

/// The same violation with fewer processes, as far as a short search finds one: `found` gets each
/// model, the last one is the smallest.
void shrink(Encoding& encoding, z3::context& context, std::vector<std::int64_t> parameters,
            Clock::time_point deadline,
            const std::function<std::vector<std::int64_t>(const z3::model&)>& found);

/// "no answer within 5 s"
std::string out_of_time(double seconds);

}  // namespace thresher::verify
