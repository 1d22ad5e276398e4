#include "backward.hpp"

namespace thresher::verify {
namespace {

/// Abstract configurations name each location; published automata have some 300.
constexpr std::size_t kMostLocations = 4'000;

CheckResult check_query(const Automaton& ta, const Property& property, const Query& query,
                        const Budget& budget, const CheckControl& control,
                        const Explore& explore) try {
  CheckResult out;
  auto cells =
      Cells::build(ta, query, budget, control.keep_proofs ? Proofs::kKept : Proofs::kLeftOut);
  if (!cells) {
    out.why = cells.error().text();
    return out;
  }
  const bool no_start =
      std::any_of(cells->start.begin(), cells->start.end(), [](CellSet s) { return s == 0; });
  if (no_start) {
    out.verdict = Safety::kSafe;
  } else {
    const auto guide = explore(ta, query, *cells, budget);
    if (!guide) {
      out.why = guide.error().text();
      return out;
    }
    if (*guide == nullptr) {
      out.verdict = Safety::kSafe;
    } else {
      out = search_paths(ta, property, query, *cells, **guide, budget, control);
    }
  }
  out.proofs.insert(out.proofs.end(), cells->proofs.begin(), cells->proofs.end());
  return out;
} catch (const OutOfTime&) {
  CheckResult out;
  out.why = budget.reason({});
  return out;
}

}  // namespace

CheckResult check_backward(const std::string& checker, const Automaton& ta,
                           const Property& property, double seconds, const CheckControl& control,
                           const Explore& explore) {
  const Budget budget(seconds, control.stop);
  CheckResult out;
  const auto queries = queries_of(normal(negate(property.formula)));
  if (property.category() != "safety") {
    out.why = "the " + checker + " checker decides safety; this is a liveness property: use live";
  } else if (!queries) {
    out.why = queries.error().text();
  } else if (ta.locations.size() > kMostLocations) {
    out.why = "the automaton is too large for the abstraction: it has more than " +
              std::to_string(kMostLocations) + " locations";
  } else {
    out.verdict = Safety::kSafe;
    for (const Query& query : *queries) {
      CheckResult one = check_query(ta, property, query, budget, control, explore);
      if (one.verdict == Safety::kViolated) {
        out = std::move(one);
        break;
      }
      if (one.verdict == Safety::kUnknown && out.verdict == Safety::kSafe) {
        out = std::move(one);
      } else {
        out.proofs.insert(out.proofs.end(), one.proofs.begin(), one.proofs.end());
      }
    }
  }
  if (out.verdict != Safety::kSafe) out.proofs.clear();
  out.checker = checker;
  out.seconds = budget.used();
  return out;
}

}  // namespace thresher::verify
