// What the checkers on the encoding share: time, size, smaller counterexamples. Private to verify/.
#pragma once

#include <z3++.h>

#include <functional>
#include <string>
#include <vector>

#include "budget.hpp"
#include "encoding.hpp"

namespace thresher::verify {

/// The next check of the solver ends after so many seconds.
void limit(z3::solver& solver, z3::context& context, double seconds);

/// Why an encoding with so many stretches and extra boundaries would be too large; else empty.
std::string too_large(const Automaton& automaton, const Prepared& prepared, std::size_t stretches,
                      std::size_t extra);

/// The same violation with fewer processes, as far as a short search finds one: `found` gets each
/// model, the last one is the smallest.
void shrink(Encoding& encoding, z3::context& context, const std::vector<std::int64_t>& parameters,
            const Budget& budget,
            const std::function<std::vector<std::int64_t>(const z3::model&)>& found);

/// "no answer within 5 s"
std::string out_of_time(double seconds);

}  // namespace thresher::verify
