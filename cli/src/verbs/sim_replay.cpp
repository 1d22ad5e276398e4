#include <algorithm>
#include <memory>
#include <optional>

#include "../sim/experiment_args.hpp"
#include "../text.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/story.hpp"
#include "thresher/sim/told.hpp"

namespace thresher::cli {
namespace {

struct Args {
  ExperimentArgs experiment;
  OptionalNumber until;
  OptionalNumber node;
  std::string about;
  bool full = false;
  bool json = false;
};

int replay(const Args& a) {
  const auto cells = cells_of(a.experiment);
  if (!cells) return fail_all(kUsage, cells.error());
  if (cells->size() != 1) return fail(kUsage, "the file holds several runs; replay one");
  const sim::Experiment& e = cells->front().experiment;
  if (e.engine == sim::Engine::kSockets)
    return fail(kUsage, "a run over sockets cannot be replayed; use \"rounds\" or \"events\"");
  if (a.node && *a.node >= e.n) {
    return fail(kUsage, "there is no node " + std::to_string(*a.node) + "; --node is 0 to " +
                            std::to_string(e.n - 1));
  }
  std::optional<NodeId> only;
  if (a.node) only = NodeId{static_cast<std::uint16_t>(*a.node)};
  std::FILE* to = a.json ? stderr : stdout;
  const std::uint64_t last = ~sim::Ticks{0} / sim::kUnit;
  const std::uint64_t until = std::min(a.until.value_or(last), last);
  sim::Story story(
      [to](std::string_view line) {
        (void)std::fprintf(to, "%.*s\n", static_cast<int>(line.size()), line.data());
      },
      {.until = until * sim::kUnit,
       .node = only,
       .about = a.about,
       .experiment = &e,
       .most_lines = a.full ? 0 : sim::kStoryLines,
       .all_by = "--full"});
  const sim::Outcome o = sim::simulate(e, {.trace = &story});
  story.end();
  if (story.left_out() != 0)
    (void)std::fprintf(to, "%llu steps after %llu are left out\n",
                       static_cast<unsigned long long>(story.left_out()),
                       static_cast<unsigned long long>(until));
  if (a.json) std::puts(text::write(sim::outcome_json(e, o)).c_str());
  (void)std::fflush(to);
  if (o.verdict == sim::Verdict::kViolated)
    return fail(kSafetyViolated, o.oracle + " is violated: " + o.why);
  if (o.verdict == sim::Verdict::kNoProgress) return fail(kNoProgress, "no progress: " + o.why);
  if (!o.why.empty()) (void)std::fprintf(to, "liveness was not judged: %s\n", o.why.c_str());
  if (sim::undecided(o)) return fail(kNoProgress, "undecided: " + sim::why_undecided(o));
  (void)std::fprintf(to, "the run passes: %llu decisions by %s\n",
                     static_cast<unsigned long long>(o.decisions), sim::in_units(o.time).c_str());
  return kDone;
}

}  // namespace

Verb make_sim_replay() {
  auto a = std::make_shared<Args>();
  return {{"sim", "replay"},
          "Tell a run step by step: who sends what to whom, what is lost, which fault fires, who "
          "decides. Example: thresher sim replay scenario.json --until 12",
          {{"experiment", "a scenario or any experiment file", &a->experiment.file, true},
           {"--set", "KEY=VALUE for any key of the file; repeatable", &a->experiment.set},
           {"--until", "the last round or millisecond that is told", &a->until},
           {"--node", "tell only what this node does, or what is done to it", &a->node},
           {"--about", "tell only of messages, faults or decisions called so, as in prepare",
            &a->about},
           {"--full", "all steps; else of more than 200 the first 50 and the last 150", &a->full},
           {"--json", "the outcome as one object on stdout, the steps on stderr", &a->json}},
          [a] { return replay(*a); }};
}

}  // namespace thresher::cli
