// rapidcheck generators of what experiments are made of, for properties of one's own.
//
//   RC_GTEST_PROP(Mine, ToleratesAnyPlan, ()) {
//     sim::Experiment base;
//     base.protocol = "pbft";
//     sim::Experiment e = *experiments(base);
//     RC_ASSERT(sim::simulate(e, {}).verdict == sim::Verdict::kPass);
//   }
//
// Guarantees: what is generated is valid, and no plan has more than f faulty nodes. rapidcheck
// makes fault plans shorter when a property fails; sim/shrink.hpp makes whole runs small.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/sim/experiment.hpp"
#include "thresher/sim/fuzz.hpp"
#include "thresher/testing/draw.hpp"

namespace thresher::testing {

/// Of `least` to `most` nodes, with the largest f. Pre: 1 <= least <= most.
inline rc::Gen<Committee> committees(std::uint32_t least = 4, std::uint32_t most = 10) {
  return rc::gen::map(rc::gen::inRange(least, most + 1),
                      [](std::uint32_t n) { return *Committee::of(n); });
}

/// Seeds do not shrink: a smaller one is another run, not a smaller one.
inline rc::Gen<std::uint64_t> seeds() {
  return rc::gen::noShrink(rc::gen::map(rc::gen::arbitrary<std::uint32_t>(),
                                        [](std::uint32_t seed) { return std::uint64_t{seed}; }));
}

/// What clients submit.
inline rc::Gen<sim::Workload> inputs() {
  return rc::gen::map(seeds(), draw_input);
}

/// Delays, schedulers, partitions, GST: a network for `committee`.
inline rc::Gen<sim::Network> schedules(const Committee& committee) {
  return rc::gen::map(seeds(),
                      [committee](std::uint64_t seed) { return draw_network(committee, seed); });
}

/// Any number of actions of at most f nodes; none where f is 0.
inline rc::Gen<std::vector<sim::FaultAction>> fault_plans(const Committee& committee,
                                                          const sim::Menu& menu = {}) {
  if (committee.faults() == 0) return rc::gen::just(std::vector<sim::FaultAction>{});
  const auto action = rc::gen::map(seeds(), [committee, menu](std::uint64_t seed) {
    return draw_action(committee, seed, menu);
  });
  return rc::gen::map(rc::gen::container<std::vector<sim::FaultAction>>(action),
                      [committee](std::vector<sim::FaultAction> plan) {
                        return within_faults(std::move(plan), committee);
                      });
}

/// `base` with a committee, inputs, a network, a fault plan and a seed.
inline rc::Gen<sim::Experiment> experiments(const sim::Experiment& base,
                                            const sim::Menu& menu = {}) {
  return rc::gen::mapcat(committees(), [base, menu](const Committee& committee) {
    return rc::gen::map(
        rc::gen::tuple(inputs(), schedules(committee), fault_plans(committee, menu), seeds()),
        [base, committee](const auto& parts) {
          sim::Experiment e = base;
          e.n = committee.size();
          e.f = committee.faults();
          std::tie(e.workload, e.network, e.faults, e.seed) = parts;
          return e;
        });
  });
}

}  // namespace thresher::testing
