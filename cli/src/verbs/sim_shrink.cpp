#include <memory>

#include "../sim/experiment_args.hpp"
#include "../sim/shrinking.hpp"
#include "../text.hpp"

namespace thresher::cli {
namespace {

struct Args {
  ExperimentArgs experiment;
  std::string out;
  std::uint64_t most_runs = 4000;
  bool json = false;
};

int shrink(const Args& a) {
  if (a.experiment.file.empty()) return fail(kUsage, "name the file of a run that fails");
  if (const std::string why = scenario_problem(a.out, a.experiment.file); !why.empty())
    return fail(kUsage, why);
  const auto cells = cells_of(a.experiment);
  if (!cells) return fail_all(kUsage, cells.error());
  if (cells->size() != 1) return fail(kUsage, "the file holds several runs; shrink one");
  const sim::Experiment& e = cells->front().experiment;
  if (e.engine == sim::Engine::kSockets)
    return fail(kUsage, "a run over sockets cannot be repeated, so it cannot be shrunk");
  const sim::Runner run = [](const sim::Experiment& x) { return sim::simulate(x, {}); };
  if (run(e).verdict == sim::Verdict::kPass)
    return fail(kFailed, "this run passes: there is nothing to shrink");
  const Scenario scenario = shrink_to_file(e, run, a.out, a.most_runs);
  if (a.json) {
    text::Value out;
    out.set("verdict", std::string(sim::to_string(scenario.small.outcome.verdict)));
    add_scenario(out, scenario);
    std::puts(text::write(out).c_str());
  }
  return tell_scenario(scenario);
}

}  // namespace

Verb make_sim_shrink() {
  auto a = std::make_shared<Args>();
  return {{"sim", "shrink"},
          "Make a failing run small: fewer faults, nodes and rounds, shorter intervals. Example: "
          "thresher sim shrink counterexample.json --out scenario.json",
          {{"experiment", "a file whose run fails", &a->experiment.file, true},
           {"--set", "KEY=VALUE for any key of the file; repeatable", &a->experiment.set},
           {"--out", "where the small scenario is written to", &a->out},
           {"--shrink-runs", "most runs that it may take", &a->most_runs},
           {"--json", "one object on one line", &a->json}},
          [a] { return shrink(*a); }};
}

}  // namespace thresher::cli
