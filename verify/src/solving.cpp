#include "solving.hpp"

#include <algorithm>
#include <cstdio>

namespace thresher::verify {
namespace {

/// Unknowns of an encoding; a published automaton has a few thousand.
constexpr std::size_t kMostUnknowns = 600'000;
constexpr int kMostShrinks = 12;

}  // namespace

Clock::time_point deadline_after(Clock::time_point start, double seconds) {
  const double bounded = std::clamp(seconds, 0.0, 1e8);
  return start +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(bounded));
}
double seconds_until(Clock::time_point deadline) {
  return std::chrono::duration<double>(deadline - Clock::now()).count();
}
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void limit(z3::solver& solver, z3::context& context, double seconds) {
  z3::params options(context);
  options.set("timeout", static_cast<unsigned>(std::clamp(seconds * 1000, 1.0, 4e9)));
  solver.set(options);
}

std::string too_large(const Automaton& ta, const Prepared& prepared, std::size_t stretches,
                      std::size_t extra) {
  std::size_t segments = 1 + extra;
  for (const Atom& a : prepared.atoms) segments += a.flips ? 2 : 0;
  const std::size_t each = prepared.moves.size() + ta.locations.size() + ta.shared.size();
  const std::size_t unknowns = stretches * segments * each;
  if (unknowns <= kMostUnknowns) return {};
  return "the automaton is too large to encode: " + std::to_string(unknowns) + " unknowns, " +
         std::to_string(kMostUnknowns) + " are the most";
}

void shrink(Encoding& encoding, z3::context& context, std::vector<std::int64_t> parameters,
            Clock::time_point deadline,
            const std::function<std::vector<std::int64_t>(const z3::model&)>& found) {
  z3::expr_vector all(context);
  for (const z3::expr& p : encoding.parameters()) all.push_back(p);
  for (int tries = 0; tries < kMostShrinks && !all.empty(); ++tries) {
    const double left = seconds_until(deadline);
    std::int64_t size = 0;
    for (const std::int64_t p : parameters) size += p;
    if (left <= 0 || size <= 1) return;
    encoding.solver().add(z3::sum(all) < context.int_val(size));
    limit(encoding.solver(), context, std::min(left, 1.0));
    if (encoding.solver().check() != z3::sat) return;
    parameters = found(encoding.solver().get_model());
  }
}

std::string out_of_time(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "no answer within %.3g s", seconds);
  return text;
}

}  // namespace thresher::verify
