// The examples of testing's headers, compiled (held_test.py says how they are found).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "thresher/protocols/dag/dag.hpp"
#include "thresher/sim/run.hpp"
#include "thresher/testing/draw.hpp"
#include "thresher/testing/generators.hpp"
#include "thresher/testing/journal.hpp"

namespace thresher::testing {
namespace {

// <thresher/testing/generators.hpp>
RC_GTEST_PROP(Mine, ToleratesAnyPlan, ()) {
  sim::Experiment base;
  base.protocol = "pbft";
  sim::Experiment e = *experiments(base);
  RC_ASSERT(sim::simulate(e, {}).verdict == sim::Verdict::kPass);
}
// </>

void draws() {
  // <thresher/testing/draw.hpp>
  sim::Network network = draw_network(*Committee::of(7), 42);
  // </>
}

using dag::Dag;

void journals(const dag::Config& config, Dag& node, const InputOf<Dag>& input, EffectsOf<Dag>& fx) {
  // <thresher/testing/journal.hpp>
  Journal<Dag> journal;
  journal.record(input);
  step(node, input, fx);
  journal.replay(Dag(config), [&](const auto& again) { static_cast<void>(again); });
  // </>
}

}  // namespace
}  // namespace thresher::testing
