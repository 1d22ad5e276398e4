#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <memory>
#include <thread>

#include "../ctrl_c.hpp"
#include "../sim/experiment_args.hpp"
#include "../sim/progress.hpp"
#include "../sim/shrinking.hpp"
#include "../text.hpp"
#include "thresher/sim/faults.hpp"

namespace thresher::cli {
namespace {

struct Args {
  ExperimentArgs experiment;
  std::string seeds = "1..1000";
  std::uint64_t jobs = 0;
  std::uint64_t shrink_runs = 4000;
  std::string out;
  bool keep_going = false;
  bool json = false;
};

// "1..1000", or one seed alone.
bool read_seeds(std::string_view text, sim::FuzzOptions& options) {
  const auto dots = text.find("..");
  const auto number = [](std::string_view part, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc{} && end == part.data() + part.size();
  };
  const std::string_view last = dots == std::string_view::npos ? text : text.substr(dots + 2);
  return number(text.substr(0, dots), options.first) && number(last, options.last) &&
         options.first <= options.last && options.last < ~std::uint64_t{0} - 1024;
}

text::Value report_json(const sim::FuzzReport& r) {
  text::Value out;
  const char* verdict = r.violated != 0 ? "Violated" : r.no_progress != 0 ? "NoProgress" : "Pass";
  out.set("verdict", verdict).set("runs", r.runs).set("violated", r.violated);
  out.set("no_progress", r.no_progress).set("messages", r.messages).set("decisions", r.decisions);
  out.set("actions_drawn", r.actions).set("actions_fired", r.fired);
  out.set("restarts", r.restarts).set("liars_requests", r.liars_requests).set("healed", r.healed);
  text::Value judged;
  judged.set("shown", r.judged.shown).set("validity", r.judged.validity).set("once", r.judged.once);
  out.set("judged", std::move(judged));
  text::Value fired;
  for (std::size_t k = 0; k < sim::kFaultKinds; ++k) {
    if (r.drawn_of[k] == 0) continue;
    fired.set(std::string(to_string(static_cast<sim::FaultKind>(k))), r.fired_of[k]);
  }
  out.set("fired", std::move(fired));
  return out;
}

int conclude(const sim::FuzzReport& r, const sim::Runner& run, const Args& a) {
  text::Value out = report_json(r);
  const auto& failure = r.violation ? r.violation : r.stall;
  int status = kDone;
  if (failure) {
    const Scenario scenario = shrink_to_file(failure->experiment, run, a.out, a.shrink_runs);
    out.set("seed", failure->experiment.seed);
    add_scenario(out, scenario);
    (void)std::fprintf(stderr, "thresher: seed %llu fails\n",
                       static_cast<unsigned long long>(failure->experiment.seed));
    status = tell_scenario(scenario);
  }
  if (a.json) {
    std::puts(text::write(out).c_str());
  } else {
    std::printf(
        "%llu schedules: %llu violated, %llu without progress; %llu messages, %llu of "
        "%llu fault actions changed something, %llu restarts, %llu runs went on until they had "
        "healed\n",
        static_cast<unsigned long long>(r.runs), static_cast<unsigned long long>(r.violated),
        static_cast<unsigned long long>(r.no_progress), static_cast<unsigned long long>(r.messages),
        static_cast<unsigned long long>(r.fired), static_cast<unsigned long long>(r.actions),
        static_cast<unsigned long long>(r.restarts), static_cast<unsigned long long>(r.healed));
  }
  return status;
}

// What an interrupted campaign would have told at its end: a run without progress does not end it.
std::string stalls_text(std::uint64_t stalls, std::uint64_t first) {
  const std::string out = ", " + std::to_string(stalls) + " made no progress";
  return stalls == 0 ? out : out + " (among them seed " + std::to_string(first) + ")";
}

// Seeds are taken in their order: all are done up to the last, but for as many as run side by side.
Result<sim::FuzzReport, Error> run_all(const std::vector<sim::Experiment>& bases,
                                       const sim::Runner& run, sim::FuzzOptions options) {
  Progress progress(::isatty(STDERR_FILENO) != 0 && std::getenv("CI") == nullptr);
  std::atomic<std::uint64_t> done{0}, violated{0}, stalls{0};
  std::atomic<std::uint64_t> first{options.last};
  options.observe = [&](const sim::Experiment& e, const sim::Outcome& o) {
    if (o.verdict == sim::Verdict::kNoProgress) first = std::min(first.load(), e.seed);
  };
  options.progress = [&](const sim::FuzzProgress& p) {
    progress.show({p.done, p.total, 0});
    done = p.done;
    violated = p.violated;
    stalls = p.no_progress;
  };
  const CtrlC ctrl_c([&] {
    const std::uint64_t sure = done > options.jobs ? done - options.jobs : 0;
    return std::to_string(done) + " schedules ran, " + std::to_string(violated) + " were violated" +
           stalls_text(stalls, first) + "; go on with --seeds " +
           std::to_string(options.first + sure) + ".." + std::to_string(options.last);
  });
  return sim::fuzz(bases, run, options);
}

int fuzz(const Args& a) {
  sim::FuzzOptions options;
  if (!read_seeds(a.seeds, options))
    return fail(kUsage, "--seeds must be FIRST..LAST, as in 1..100000, not '" + a.seeds + "'");
  if (a.jobs > 1024) return fail(kUsage, "--jobs must be at most 1024; 0 is all cores");
  // Not after hours of it.
  if (const std::string why = scenario_problem(a.out, a.experiment.file); !why.empty())
    return fail(kUsage, why);
  const auto cells = cells_of(a.experiment);
  if (!cells) return fail_all(kUsage, cells.error());
  std::vector<sim::Experiment> bases;
  for (const sim::Cell& cell : *cells) bases.push_back(cell.experiment);
  for (const sim::Experiment& e : bases) {
    if (e.engine == sim::Engine::kSockets)
      return fail(kUsage, "real sockets cannot be fuzzed; use \"rounds\" or \"events\"");
    if (!e.oracles.any())
      return fail(kUsage, "every oracle is off, so no schedule could fail; leave one on");
    if (e.protocol != bases.front().protocol)
      return fail(kUsage, "these are several protocols; fuzz one at a time");
  }
  options.menu = sim::menu_of(bases.front().protocol);
  options.keep_going = a.keep_going;
  options.jobs = a.jobs != 0 ? static_cast<unsigned>(a.jobs)
                             : std::max(1U, std::thread::hardware_concurrency());
  const sim::Runner run = [](const sim::Experiment& e) { return sim::simulate(e, {}); };
  const auto report = run_all(bases, run, options);
  if (!report) return fail(kFailed, report.error());
  return conclude(*report, run, a);
}

}  // namespace

Verb make_sim_fuzz() {
  auto a = std::make_shared<Args>();
  std::vector<Option> options = experiment_options(a->experiment);
  const std::vector<Option> own{
      {"--seeds",
       "FIRST..LAST, each one schedule of faults, delays and partitions; a file's sweep "
       "is taken in turn",
       &a->seeds},
      {"--jobs", "threads; absent or 0: all cores", &a->jobs},
      {"--keep-going", "run the other seeds after a violation too", &a->keep_going},
      {"--shrink-runs", "most runs that shrinking may take", &a->shrink_runs},
      {"--out", "where the shrunk scenario is written to", &a->out},
      {"--json", "one object on one line", &a->json}};
  options.insert(options.end(), own.begin(), own.end());
  return {{"sim", "fuzz"},
          "Draw schedules of faults, judge each, and shrink the first that fails to a small "
          "scenario file. Example: thresher sim fuzz exp.json --seeds 1..100000",
          std::move(options),
          [a] { return fuzz(*a); },
          {{{"--seed"}, [] { return true; }, "--seeds says from which seeds schedules are drawn"}}};
}

}  // namespace thresher::cli
