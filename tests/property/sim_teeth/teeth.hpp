// What the teeth tests share: every rule that can be taken away, how to run a protocol without it,
// and the experiments that schedules are drawn into.
//
//   for (const Tooth& tooth : teeth()) fuzz(tooth.bases(), tooth.runner(), tooth.options());
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../certified/policies.hpp"
#include "../dag/mutants.hpp"
#include "thresher/sim/certified_run.hpp"
#include "thresher/sim/dag_run.hpp"
#include "thresher/sim/fuzz.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {

inline constexpr std::size_t kMostActions = 12;
inline constexpr std::uint64_t kMostSeeds = 10'000;

/// A protocol with a rule taken away, and with all of them.
struct Tooth {
  std::string protocol;
  std::string name;  ///< of the rule's mutant
  std::vector<std::uint32_t> sizes;
  Runner mutant{};
  Runner whole{};

  std::vector<Experiment> bases() const {
    std::vector<Experiment> out;
    // Timers that wait for less than Delta blame as no clock would: which rule breaks does not
    // depend on time.
    for (const std::int64_t timeout : {500, 2000, 6000}) {
      for (const std::uint32_t n : sizes) {
        Experiment e;
        e.protocol = protocol;
        e.parameters["timeout"] = timeout;
        e.n = n;
        e.f = (n - 1) / 3;
        e.stop.time = 80 * kUnit;
        if (protocol == "anchored-bullshark") {  // a round takes three times as long
          e.parameters["D"] = std::int64_t{0};
          e.parameters["schedule"] = std::string("in-order");
          e.stop.time = 240 * kUnit;
        }
        if (name == "FewVotes") starve_a_voter(e);
        out.push_back(e);
      }
    }
    return out;
  }
  // A liar, and a node that hears everybody and is heard late: the two that can commit an anchor
  // which nobody else votes for.
  static void starve_a_voter(Experiment& e) {
    e.network.gst = 240 * kUnit;
    e.faults.push_back({.who = {NodeId{0}}, .what = FaultKind::kForge});
    FaultAction late{.who = {NodeId{1}}, .what = FaultKind::kStarve};
    late.group = {NodeId{2}, NodeId{3}};
    late.amount = 24 * kUnit;
    e.faults.push_back(late);
  }
  FuzzOptions options() const {
    FuzzOptions options;
    options.last = kMostSeeds;
    options.jobs = 2;
    options.menu = menu_of(protocol);
    return options;
  }
  std::string file() const {
    const std::filesystem::path folder = GOLDEN_SCENARIOS;
    return folder / (protocol + "-" + name + ".json");
  }
};

inline void PrintTo(const Tooth& tooth, std::ostream* out) {
  *out << tooth.protocol << " " << tooth.name;
}

inline std::vector<Tooth> teeth() {
  std::vector<Tooth> all;
  const dag::Rules dag_rules = in_turn(dag::Rules::thresher(), "thresher");
  for (const Mutant& m : mutants()) {
    all.push_back({"thresher", m.name, m.sizes,
                   [rules = m.rules](const Experiment& e) { return simulate_dag(e, rules, {}); },
                   [dag_rules](const Experiment& e) { return simulate_dag(e, dag_rules, {}); }});
  }
  const certified::Rules anchored = certified::Rules::anchored_in_order(0);
  const auto add = [&](const char* name, std::vector<std::uint32_t> sizes, auto change) {
    certified::Rules rules = anchored;
    change(rules);
    all.push_back(
        {"anchored-bullshark", name, std::move(sizes),
         [rules](const Experiment& e) { return simulate_certified(e, rules, {}); },
         [anchored](const Experiment& e) { return simulate_certified(e, anchored, {}); }});
  };
  add("AnchorNotDense", {4, 5, 6, 7, 10}, [](auto& r) { r.dense_anchor = false; });
  add("NoSelfEdge", {4, 5, 6, 7, 10},
      [](auto& r) { r.policy = &certified::kOne<certified::NoSelfEdge>; });
  return all;
}

/// With f+1 votes. One correct voter and f liars: the fewer nodes there are, the likelier they
/// meet. Not among teeth(): 10,000 seeds no longer find the schedule that forks
/// (docs/protocols/anchored.md says which one); unit_certified_graph does, on graphs.
inline Tooth few_votes() {
  const certified::Rules whole = certified::Rules::anchored_in_order(0);
  certified::Rules rules = whole;
  rules.commit = kValidity;
  return {"anchored-bullshark",
          "FewVotes",
          {4},
          [rules](const Experiment& e) { return simulate_certified(e, rules, {}); },
          [whole](const Experiment& e) { return simulate_certified(e, whole, {}); }};
}

/// For the names of tests.
inline std::string title(const Tooth& tooth) {
  std::string out = tooth.protocol + "_" + tooth.name;
  std::erase(out, '-');
  return out;
}

}  // namespace thresher::sim
