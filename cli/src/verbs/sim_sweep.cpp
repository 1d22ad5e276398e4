#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <thread>

#include "../ctrl_c.hpp"
#include "../output_file.hpp"
#include "../sim/experiment_args.hpp"
#include "../sim/predict.hpp"
#include "../sim/progress.hpp"
#include "../sim/table.hpp"
#include "../text.hpp"
#include "thresher/sim/sweep.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

struct Args {
  ExperimentArgs experiment;
  std::string out;
  std::uint64_t jobs = 0;
  std::string shard;
  OptionalNumber shards;
  bool explain = false;
  bool dry_run = false;
  bool json = false;
};

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

std::optional<std::uint32_t> from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : number(value);
}

// Which shard: the flag, or what Slurm and Kubernetes say.
std::string pick_shard(const Args& a, sim::SweepOptions& options) {
  if (!a.shard.empty()) {
    const auto slash = a.shard.find('/');
    const auto index = number(std::string_view(a.shard).substr(0, slash));
    const auto count = slash == std::string::npos
                           ? std::nullopt
                           : number(std::string_view(a.shard).substr(slash + 1));
    if (!index || !count || *index >= *count) {
      return "--shard must be i/N with i from 0 to N-1, as in --shard 0/8, not '" + a.shard + "'";
    }
    options.shard = *index;
    options.shards = *count;
    return {};
  }
  const auto task = from_environment("SLURM_ARRAY_TASK_ID");
  const auto index = task ? task : from_environment("JOB_COMPLETION_INDEX");
  const auto known = from_environment("SLURM_ARRAY_TASK_COUNT");
  if (a.shards == 0u) return "--shards must be 1 or more";
  const std::uint64_t count = a.shards ? *a.shards : task && known ? *known : 0;
  if (!index && !a.shards) return {};
  if (!index) {
    return "--shards needs SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX; or say --shard i/N";
  }
  if (count == 0) return "this is one task of an array: say of how many with --shards N";
  const std::uint32_t first = task ? from_environment("SLURM_ARRAY_TASK_MIN").value_or(0) : 0;
  if (*index < first || *index - first >= count || count > UINT32_MAX) {
    return "task " + std::to_string(*index) + " is not one of " + std::to_string(count) +
           " shards counted from " + std::to_string(first);
  }
  options.shard = *index - first;
  options.shards = static_cast<std::uint32_t>(count);
  (void)std::fprintf(stderr, "thresher: shard %u of %u, from the environment\n", options.shard,
                     options.shards);
  return {};
}

// Repeats differ by their seed only: one of them stands for all.
int print_prediction(const std::vector<sim::Cell>& cells, bool json) {
  double messages = 0, cpu_s = 0, memory = 0;
  Prediction latest;
  for (const sim::Cell& cell : cells) {
    if (cell.repeat == 0) latest = predict(cell.experiment, kEach);
    messages += latest.messages;
    cpu_s += latest.cpu_s;
    memory = std::max(memory, latest.memory_bytes);
  }
  if (json) {
    text::Value out;
    out.set("cells", cells.size()).set("messages", counted(messages));
    out.set("memory_bytes", counted(memory)).set("cpu_s", cpu_s);
    std::puts(text::write(out).c_str());
  } else {
    std::printf(
        "%zu runs, about %.0f messages and %.1f s of CPU in all; the largest run takes "
        "about %.1f MB of memory\n",
        cells.size(), messages, cpu_s, memory / 1e6);
  }
  return kDone;
}

int conclude(const sim::SweepReport& r, const Args& a) {
  if (a.json) {
    text::Value files = text::Value::list();
    for (const std::string& path : r.counterexamples) files.push(path);
    text::Value out;
    out.set("cells", r.cells).set("ran", r.ran).set("reused", r.reused).set("missing", r.missing);
    out.set("no_progress", r.no_progress).set("violated", r.violated);
    out.set("undecided", r.undecided).set("unjudged", r.unjudged);
    out.set("counterexamples", std::move(files));
    std::puts(text::write(out).c_str());
  } else if (r.missing != 0) {
    std::printf("%zu runs done, %zu found done; %zu of %zu are left to other shards\n", r.ran,
                r.reused, r.missing, r.cells);
  } else {
    const auto table = sim::summary_of(a.out);
    if (!table) return fail(kFailed, table.error());
    print_table(*table);
  }
  (void)std::fflush(stdout);
  if (r.unjudged != 0) {
    (void)std::fprintf(stderr,
                       "thresher: liveness was not judged in %zu runs; `unjudged` in their "
                       "result.json says why\n",
                       r.unjudged);
  }
  for (const std::string& path : r.counterexamples) {
    (void)fail(0, "violated; replay: thresher sim run " + path);
  }
  if (r.violated != 0) return kSafetyViolated;
  if (r.no_progress != 0) {
    return fail(kNoProgress, std::to_string(r.no_progress) + " runs made no progress");
  }
  if (r.undecided != 0) {
    return fail(kNoProgress, std::to_string(r.undecided) +
                                 " runs are undecided: nobody decided anything before their stop, "
                                 "or no oracle was on");
  }
  return kDone;
}

// An experiment may lie in the folder of the results, but not under the name of one of them.
std::string out_problem(const Args& a) {
  if (a.out.empty()) return "--out is missing: a folder for the results";
  for (const char* name : sim::kSweepFiles) {
    const std::string path = (std::filesystem::path(a.out) / name).string();
    if (std::string why = same_file_problem("--out", path, a.experiment.file); !why.empty())
      return why;
  }
  return output_folder_problem("--out", a.out);
}

int sweep(const Args& a) {
  const auto cells = cells_of(a.experiment);
  if (!cells) return fail_all(kUsage, cells.error());
  if (a.explain) {
    for (const sim::Cell& cell : *cells) {
      std::puts(sim::write_experiment(cell.experiment, -1).c_str());
    }
    return kDone;
  }
  for (const sim::Cell& cell : *cells) {
    if (cell.experiment.engine != sim::Engine::kSockets) continue;
    return fail(kUsage, "a sweep has no sockets engine; use \"rounds\" or \"events\"");
  }
  if (a.dry_run) return print_prediction(*cells, a.json);
  if (const std::string why = out_problem(a); !why.empty()) return fail(kUsage, why);
  sim::SweepOptions options;
  if (const std::string why = pick_shard(a, options); !why.empty()) return fail(kUsage, why);
  if (a.jobs > 1024) return fail(kUsage, "--jobs must be at most 1024; 0 is all cores");
  options.out = a.out;
  options.version = THRESHER_VERSION;
  options.jobs = a.jobs != 0 ? static_cast<unsigned>(a.jobs)
                             : std::max(1U, std::thread::hardware_concurrency());
  Progress progress(::isatty(STDERR_FILENO) != 0 && std::getenv("CI") == nullptr);
  std::atomic<std::size_t> done{0}, total{0};
  options.progress = [&](const sim::SweepProgress& p) {
    progress.show(p);
    done = p.done;
    total = p.total;
  };
  CtrlC ctrl_c([&] {
    const std::string of = total == 0 ? "" : " of " + std::to_string(total.load());
    return std::to_string(done.load()) + of + " runs are done and stay in '" + a.out +
           "'; the same command goes on from there";
  });
  const auto report = sim::run_sweep(
      *cells, [](const sim::Experiment& e) { return sim::simulate(e, {}); }, options);
  ctrl_c.hold();
  if (!report) return fail(kUsage, report.error());
  return conclude(*report, a);
}

}  // namespace

Verb make_sim_sweep() {
  auto a = std::make_shared<Args>();
  std::vector<Option> options = experiment_options(a->experiment);
  const std::vector<Option> own{
      {"--out", "the folder of the results; runs that stand there are not run again", &a->out},
      {"--jobs", "threads; absent or 0: all cores", &a->jobs},
      {"--shard", "i/N: every N-th run from the i-th; `sim merge` joins the folders", &a->shard},
      {"--shards", "N: with the index from SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX",
       &a->shards},
      {"--explain", "print every run's experiment, a line each, and run nothing", &a->explain},
      {"--dry-run", "predict messages, CPU and memory from small committees", &a->dry_run},
      {"--json", "one object on one line in place of the table", &a->json}};
  options.insert(options.end(), own.begin(), own.end());
  return {{"sim", "sweep"},
          "Run a file's sweep and repeats on all cores; resumes after a kill. Example: thresher "
          "sim sweep exp.json --set repeats=5 --out results",
          std::move(options),
          [a] { return sweep(*a); },
          {{{"--shards"}, [a] { return !a->shard.empty(); }, "--shard i/N says of how many"},
           {{"--dry-run"}, [a] { return a->explain; }, kExplainsAlone}}};
}

}  // namespace thresher::cli
