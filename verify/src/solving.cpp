#include "solving.hpp"

#include <algorithm>
#include <cstdio>

#include "smallest.hpp"

namespace thresher::verify {
namespace {

/// Unknowns of an encoding; a published automaton has a few thousand.
constexpr std::size_t kMostUnknowns = 300'000;
constexpr int kMostShrinks = 12;
/// Making a violation small takes at most twice as long as finding it, within these seconds.
constexpr double kLeastShrinking = 0.1;
constexpr double kMostShrinking = 1;

}  // namespace

void limit(z3::solver& solver, z3::context& context, double seconds) {
  z3::params options(context);
  options.set("timeout", static_cast<unsigned>(std::clamp(seconds * 1000, 1.0, 4e9)));
  solver.set(options);
}

std::string too_large(const Automaton& ta, const Prepared& prepared, std::size_t stretches,
                      std::size_t extra) {
  std::size_t segments = 1 + 2 * extra;
  for (const Atom& a : prepared.atoms) segments += a.flips ? 2 : 0;
  const std::size_t each = prepared.moves.size() + ta.locations.size() + ta.shared.size();
  const std::size_t unknowns = stretches * segments * each;
  if (unknowns <= kMostUnknowns) return {};
  return "the automaton is too large to encode: " + std::to_string(unknowns) + " unknowns, " +
         std::to_string(kMostUnknowns) + " are the most";
}

void shrink(Encoding& encoding, z3::context& context, const std::vector<std::int64_t>& parameters,
            const Budget& budget,
            const std::function<std::vector<std::int64_t>(const z3::model&)>& found) {
  z3::expr_vector all(context);
  for (const z3::expr& p : encoding.parameters()) all.push_back(p);
  if (all.empty()) return;
  z3::solver& solver = encoding.solver();
  const double allowed = std::clamp(2 * budget.used(), kLeastShrinking, kMostShrinking);
  const Budget own(std::min(allowed, budget.left()), nullptr);
  smallest(sum_up(parameters), kMostShrinks, [&](std::int64_t sum) -> std::optional<std::int64_t> {
    if (own.over() || budget.over()) return std::nullopt;
    std::optional<std::int64_t> smaller;
    solver.push();
    solver.add(z3::sum(all) <= context.int_val(sum));
    limit(solver, context, std::min(own.left(), allowed / 2));
    if (solver.check() == z3::sat) smaller = sum_up(found(solver.get_model()));
    solver.pop();
    return smaller;
  });
}

std::string out_of_time(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "no answer within %.3g s", seconds);
  return text;
}

}  // namespace thresher::verify
