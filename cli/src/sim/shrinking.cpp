#include "shrinking.hpp"

#include <unistd.h>

#include <cstdio>

#include "../text.hpp"
#include "thresher/sim/results.hpp"

namespace thresher::cli {
namespace {

bool needs_thirds(const std::string& protocol) {
  for (const sim::ProtocolInfo& info : sim::simulated_protocols()) {
    if (info.name == protocol) return info.byzantine;
  }
  return true;
}

}  // namespace

Result<Scenario, std::string> shrink_to_file(const sim::Experiment& failing, const sim::Runner& run,
                                             std::string path, std::uint64_t most_runs) {
  sim::ShrinkOptions options;
  options.most_runs = most_runs;
  options.byzantine = needs_thirds(failing.protocol);
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  if (terminal) {
    options.progress = [](const sim::ShrinkProgress& p) {
      (void)std::fprintf(stderr, "\rshrinking: %zu runs, %zu actions, %u nodes\x1b[K", p.runs,
                         p.actions, p.n);
    };
  }
  Scenario out{sim::shrink(failing, run, options), std::move(path), {}};
  if (terminal) (void)std::fputs("\n", stderr);
  const sim::Experiment& e = out.small.experiment;
  if (out.path.empty())
    out.path = "scenario-" + sim::run_id(e, THRESHER_VERSION).substr(0, 8) + ".json";
  out.replay = "thresher sim replay " + out.path;
  const auto saved =
      sim::save_file(out.path, sim::write_scenario(e, out.small.outcome, out.replay));
  if (!saved) return saved.error();
  return out;
}

void add_scenario(text::Value& out, const Scenario& s) {
  const sim::Experiment& e = s.small.experiment;
  const sim::Outcome& o = s.small.outcome;
  out.set("scenario", s.path).set("replay", s.replay);
  out.set("oracle", o.oracle).set("why", o.why);
  out.set("n", e.n).set("actions", sim::actions_in(e)).set("shrink_runs", s.small.runs);
}

int tell_scenario(const Scenario& s) {
  const sim::Outcome& o = s.small.outcome;
  const bool violated = o.verdict == sim::Verdict::kViolated;
  return fail(violated ? kSafetyViolated : kNoProgress,
              (violated ? o.oracle + " is violated: " : "no progress: ") + o.why + "\n" +
                  std::to_string(sim::actions_in(s.small.experiment)) + " fault actions, " +
                  std::to_string(s.small.experiment.n) + " nodes, after " +
                  std::to_string(s.small.runs) + " runs of shrinking\nreplay: " + s.replay);
}

}  // namespace thresher::cli
