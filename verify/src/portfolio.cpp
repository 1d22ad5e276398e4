#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "thresher/verify/checker.hpp"

namespace thresher::verify {
namespace {

using Clock = std::chrono::steady_clock;

bool lowers(const Automaton& ta) {
  return std::any_of(ta.rules.begin(), ta.rules.end(), [](const Rule& r) {
    return std::any_of(r.updates.begin(), r.updates.end(),
                       [](const Update& u) { return u.reset || u.amount < 0; });
  });
}

Outcome check_one(const Automaton& ta, const Property& p, const std::string& checker,
                  double seconds) {
  Outcome none;
  if (seconds <= 0) {
    none.why = "the time for the whole call was over";
    return none;
  }
  if (checker == "explicit") return check_explicit(ta, p, seconds);
  if (checker == "binding") return check_binding(ta, p, seconds);
  if (checker == "auto" && p.fork) {
    return lowers(ta) ? check_explicit(ta, p, seconds) : check_binding(ta, p, seconds);
  }
  if (p.fork) {
    none.why = "it speaks of two futures: use the binding checker or auto";
    return none;
  }
  const bool safety = p.category() == "safety";
  if (checker == "smt" && !safety) {
    none.why = "the smt checker decides safety; this is a liveness property: use live or auto";
    return none;
  }
  if (checker == "live" && safety) {
    none.why = "the live checker decides liveness; this is a safety property: use smt or auto";
    return none;
  }
  if (checker == "auto" && lowers(ta) && safety) return check_explicit(ta, p, seconds);
  return check_smt(ta, p, seconds);
}

}  // namespace

std::vector<Outcome> check_all(const Automaton& ta, const CheckOptions& options) {
  std::vector<const Property*> wanted;
  for (const Property& p : ta.properties) {
    const bool asked = options.only.empty() || std::find(options.only.begin(), options.only.end(),
                                                         p.name) != options.only.end();
    if (asked) wanted.push_back(&p);
  }
  std::vector<Outcome> outcomes(wanted.size());
  std::atomic<std::size_t> next{0};
  const auto start = Clock::now();
  const auto work = [&] {
    for (std::size_t i = next++; i < wanted.size(); i = next++) {
      const double used = std::chrono::duration<double>(Clock::now() - start).count();
      outcomes[i] = check_one(ta, *wanted[i], options.checker, options.seconds - used);
    }
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < std::max(1u, options.threads); ++t) others.emplace_back(work);
  work();
  others.clear();
  return outcomes;
}

}  // namespace thresher::verify
