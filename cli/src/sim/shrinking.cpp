#include "shrinking.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "../output_file.hpp"
#include "../text.hpp"
#include "thresher/sim/results.hpp"

namespace thresher::cli {
namespace {

sim::ShrinkOptions options_of(const std::string& protocol) {
  sim::ShrinkOptions out;
  if (const sim::ProtocolInfo* info = sim::simulated_protocol(protocol)) {
    out.nodes_per_fault = info->nodes_per_fault;
    out.least_nodes = info->least_nodes;
  }
  return out;
}

}  // namespace

std::string scenario_problem(const std::string& path, const std::string& experiment) {
  if (std::string why = output_problem("--out", path); !why.empty()) return why;
  if (!path.empty()) return same_file_problem("--out", path, experiment);
  if (::access(".", W_OK) == 0) return {};
  const std::string why = std::generic_category().message(errno);
  return "cannot write a scenario here: " + why + "; say where with --out";
}

Scenario shrink_to_file(const sim::Experiment& failing, const sim::Runner& run, std::string path,
                        std::uint64_t most_runs) {
  sim::ShrinkOptions options = options_of(failing.protocol);
  options.most_runs = most_runs;
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  if (terminal) {
    options.progress = [](const sim::ShrinkProgress& p) {
      (void)std::fprintf(stderr, "\rshrinking: %zu runs, %zu actions, %u nodes\x1b[K", p.runs,
                         p.actions, p.n);
    };
  }
  Scenario out{sim::shrink(failing, run, options), std::move(path), {}, {}};
  if (terminal) (void)std::fputs("\n", stderr);
  const sim::Experiment& e = out.small.experiment;
  if (out.path.empty())
    out.path = "scenario-" + sim::run_id(e, THRESHER_VERSION).substr(0, 8) + ".json";
  out.replay = "thresher sim replay " + out.path;
  const auto saved =
      sim::save_file(out.path, sim::write_scenario(e, out.small.outcome, out.replay));
  if (!saved) out.unsaved = saved.error().text();
  return out;
}

void add_scenario(text::Value& out, const Scenario& s) {
  const sim::Experiment& e = s.small.experiment;
  const sim::Outcome& o = s.small.outcome;
  if (s.unsaved.empty()) {
    out.set("scenario", s.path).set("replay", s.replay);
  } else {
    out.set("scenario", text::Value()).set("problem", s.unsaved);
  }
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
                  std::to_string(s.small.runs) + " runs of shrinking\n" +
                  (s.unsaved.empty() ? "replay: " + s.replay
                                     : s.unsaved + "; the same command finds it again"));
}

}  // namespace thresher::cli
