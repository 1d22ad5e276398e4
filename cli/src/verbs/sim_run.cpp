#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "../ctrl_c.hpp"
#include "../output_file.hpp"
#include "../sim/experiment_args.hpp"
#include "../sim/memory.hpp"
#include "../sim/predict.hpp"
#include "../sim/run_progress.hpp"
#include "../sim/sockets.hpp"
#include "../text.hpp"
#include "thresher/sim/faults.hpp"
#include "thresher/sim/report.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/told.hpp"

namespace thresher::cli {
namespace {

struct Args {
  ExperimentArgs experiment;
  OptionalNumber cell;
  std::string trace;
  std::string report;
  std::string out;
  std::string counterexample;
  bool explain = false;
  bool dry_run = false;
  bool check = false;
  bool json = false;
};

int print_prediction(const sim::Experiment& e, bool json) {
  const Prediction p = predict(e);
  if (json) {
    text::Value probes = text::Value::list();
    for (const std::uint32_t n : p.probes) probes.push(n);
    text::Value out;
    out.set("messages", counted(p.messages));
    out.set("bytes", counted(p.bytes));
    out.set("memory_bytes", counted(p.memory_bytes));
    out.set("cpu_s", p.cpu_s).set("probes", std::move(probes));
    std::puts(text::write(out).c_str());
    return kDone;
  }
  std::printf("about %.0f messages of %.1f MB in all, ", p.messages, p.bytes / 1e6);
  if (p.memory_bytes > 0) {
    std::printf("about %.1f MB of memory, ", p.memory_bytes / 1e6);
  } else {
    std::printf("too little memory to measure, ");
  }
  std::printf("%.2f s of CPU (from committees of", p.cpu_s);
  for (const std::uint32_t n : p.probes) std::printf(" %u", n);
  std::puts(")");
  return kDone;
}

std::string what_failed(const sim::Experiment& e, const sim::Outcome& o) {
  return o.oracle + " is violated: " + o.why +
         (e.beyond_f ? " (with more than f faulty allowed)" : "");
}

// Is the file already what would be written of `e`?
bool is_resolved(const std::string& file, const sim::Experiment& e) {
  const auto content = sim::load_file(file);
  const auto tree = text::parse(content ? content->text : "");
  return tree && text::write(*tree) == sim::write_experiment(e, -1);
}

// The experiment itself is the counterexample: it is resolved, so it replays.
int report_violation(const sim::Experiment& e, const sim::Outcome& o, const Args& a) {
  if (const std::string& given = a.experiment.file;
      a.counterexample.empty() && is_resolved(given, e)) {
    return fail(kSafetyViolated, what_failed(e, o) + "\nreplay: thresher sim run " + given);
  }
  std::string path = a.counterexample;
  if (path.empty())
    path = "counterexample-" + sim::run_id(e, THRESHER_VERSION).substr(0, 8) + ".json";
  const std::string content = "// " + o.oracle + " is violated: " + o.why +
                              "\n// replay: thresher sim run " + path + "\n" +
                              sim::write_experiment(e) + "\n";
  const auto saved = sim::save_file(path, content);
  const std::string after = saved ? "replay: thresher sim run " + path
                                  : saved.error().text() + "; the same command finds it again";
  return fail(kSafetyViolated, what_failed(e, o) + "\n" + after);
}

int exit_of(const sim::Experiment& e, const sim::Outcome& o, const Args& a) {
  switch (o.verdict) {
    case sim::Verdict::kPass:
      if (!sim::undecided(o)) return kDone;
      return fail(kNoProgress, "undecided: " + sim::why_undecided(o));
    case sim::Verdict::kNoProgress:
      return fail(kNoProgress, "no progress: " + o.why);
    case sim::Verdict::kViolated:
      return report_violation(e, o, a);
  }
  return kFailed;
}

// Whether nodes lie under a protocol that knows no liars and has no field that can be changed.
bool lies_where_nobody_may(const sim::Experiment& e) {
  const sim::ProtocolInfo* info = sim::simulated_protocol(e.protocol);
  return info != nullptr && !info->byzantine() && info->fields.empty() &&
         std::ranges::any_of(e.faults,
                             [](const sim::FaultAction& a) { return sim::byzantine(a.what); });
}

// What the file asks for and never came about: a label that no message has, a time that nobody
// sends in. Else it would look as if the protocol had borne it.
void print_idle(const sim::Experiment& e, const sim::Outcome& o) {
  constexpr std::size_t kMost = 8;
  std::size_t told = 0;
  for (const std::size_t at : o.idle_faults) {
    if (told++ >= kMost) continue;
    const sim::FaultAction& a = e.faults[at];
    const std::string of = a.field.empty() ? "" : " of `" + a.field + "`";
    std::printf("faults[%zu], %s%s, changed nothing\n", at,
                std::string(sim::to_string(a.what)).c_str(), of.c_str());
  }
  for (const std::size_t at : o.idle_partitions) {
    if (told++ < kMost) std::printf("network.partitions[%zu] changed nothing\n", at);
  }
  if (told > kMost) std::printf("%zu more changed nothing\n", told - kMost);
}

void print_words(const sim::Experiment& e, const sim::Outcome& o) {
  const text::Value row = sim::outcome_json(e, o, {.per_node = false, .costs = false});
  const auto shown = [&](const char* key) {
    const text::Value& value = *row.find(key);
    return value.as_text() != nullptr ? *value.as_text() : text::write(value);
  };
  const auto latency = [&](const char* key) {
    const auto value = row.find("latency_ms")->find(key)->as_real();
    char out[32] = "-";
    if (value) (void)std::snprintf(out, sizeof out, "%.4g", *value);
    return std::string(out);
  };
  std::printf("%s: %s, n=%u, f=%u, seed %llu: %s decisions, %s messages (%s bytes), %s rounds\n",
              shown("verdict").c_str(), e.protocol.c_str(), e.n, e.f,
              static_cast<unsigned long long>(e.seed), shown("decisions").c_str(),
              shown("messages").c_str(), shown("bytes").c_str(), shown("rounds").c_str());
  std::printf("latency %s mean, %s median, %s p99 (%s); %.3f s of CPU, %.1f MB\ntrace %s\n",
              latency("mean").c_str(), latency("p50").c_str(), latency("p99").c_str(),
              e.engine == sim::Engine::kRounds ? "rounds" : "ms", o.cpu_s,
              static_cast<double>(o.rss_bytes) / 1e6, shown("trace_hash").c_str());
  for (const sim::Measure& m : o.measures) std::printf("%s %.4g\n", m.name.c_str(), m.value);
  if (o.verdict == sim::Verdict::kPass && !o.why.empty())
    std::printf("liveness was not judged: %s\n", o.why.c_str());
  if (o.healed && o.decisions == 0)
    std::puts("after the stop it was waited until every correct node had decided something");
  print_idle(e, o);
  if (lies_where_nobody_may(e))
    std::printf("nodes lie here, which is beyond what %s promises\n", e.protocol.c_str());
  if (e.beyond_f) std::puts("more faults than f were asked for (beyond_f): nothing is promised");
}

// To the file and to the page, as far as they were asked for.
class Sinks final : public sim::TraceSink {
 public:
  std::unique_ptr<sim::TraceFile> file;
  std::unique_ptr<sim::TraceRecorder> recorder;
  void event(const sim::TraceEvent& event) override {
    if (file) file->event(event);
    if (recorder) recorder->event(event);
  }
  bool any() const { return file || recorder; }
};

Result<Unit, Error> save_report(const sim::Experiment& e, const sim::Outcome& o,
                                const sim::TraceRecorder& trace, const std::string& path) {
  sim::Report page;
  page.title = e.protocol + ", n=" + std::to_string(e.n) + ", seed " + std::to_string(e.seed);
  page.version = THRESHER_VERSION;
  page.experiment = &e;
  page.outcome = &o;
  page.trace = &trace;
  page.experiment_text = sim::write_experiment(e);
  page.command = "thresher sim run experiment.json   # the experiment below";
  return sim::save_file(path, sim::report_html(page));
}

// Why page and folder could not be written, as far as they were asked for. The verdict is told all
// the same.
Errors save(const sim::Experiment& e, const sim::Outcome& o, const Sinks& sinks, const Args& a) {
  Errors problems;
  const auto note = [&](const Result<Unit, Error>& saved) {
    if (!saved) problems.push_back(saved.error());
  };
  if (sinks.recorder) note(save_report(e, o, *sinks.recorder, a.report));
  if (!a.out.empty()) note(sim::save_run(a.out, {e, o, THRESHER_VERSION}));
  return problems;
}

// Before a run that may take hours, and may be what is lost.
std::string outputs_problem(const Args& a) {
  const std::pair<const char*, const std::string*> files[] = {
      {"--report", &a.report}, {"--counterexample", &a.counterexample}, {"--trace", &a.trace}};
  for (const auto& [option, path] : files) {
    // A trace is written in its place, so opening it tells more.
    std::string why = path == &a.trace ? std::string() : output_problem(option, *path);
    if (why.empty()) why = same_file_problem(option, *path, a.experiment.file);
    if (!why.empty()) return why;
  }
  return new_folder_problem("--out", a.out);
}

int run_one(const sim::Experiment& e, const Args& a) {
  if (const std::string why = memory_problem(e); !why.empty()) return fail(kResourceMissing, why);
  if (const std::string why = outputs_problem(a); !why.empty()) return fail(kUsage, why);
  Sinks sinks;
  if (!a.trace.empty()) {
    sinks.file = std::make_unique<sim::TraceFile>(a.trace);
    if (!sinks.file->opened()) {
      return fail(kUsage, "cannot write the trace to '" + a.trace + "': " + std::strerror(errno) +
                              "; check the folder");
    }
  }
  if (!a.report.empty()) sinks.recorder = std::make_unique<sim::TraceRecorder>();
  CtrlC ctrl_c([&] {
    return std::string("the run has no verdict") +
           (sinks.file ? "; '" + a.trace + "' ends in its middle" : "");
  });
  RunProgress progress(::isatty(STDERR_FILENO) != 0 && std::getenv("CI") == nullptr);
  const sim::Outcome o =
      sim::simulate(e, {.trace = sinks.any() ? &sinks : nullptr, .done_ppm = progress.told()});
  progress.end();
  if (sinks.file && !sinks.file->close()) {
    return fail(kResourceMissing,
                "cannot write the trace to '" + a.trace + "', so there is none; check the disk");
  }
  if (a.check && sim::simulate(e, {}).trace_hash != o.trace_hash) {
    return fail(kFailed, "the same seed gave another trace: this is a bug, please report it");
  }
  if (a.check) (void)std::fputs("thresher: two runs, the same trace\n", stderr);
  const Errors unsaved = save(e, o, sinks, a);
  ctrl_c.hold();
  if (a.json) {
    std::puts(text::write(sim::outcome_json(e, o)).c_str());
  } else {
    print_words(e, o);
  }
  (void)std::fflush(stdout);
  const int verdict = exit_of(e, o, a);
  const int kept = unsaved.empty() ? int{kDone} : fail_all(kUsage, unsaved);
  return verdict != kDone ? verdict : kept;
}

// Options of simulated runs, each of which would have nothing to show of a real one.
std::vector<std::string> problems_of_real(const Args& a) {
  std::vector<std::string> out;
  const auto refuse = [&](bool given, const char* option, const char* why) {
    if (given) out.push_back(std::string(option) + ": real nodes cannot be told so; " + why);
  };
  refuse(a.check, "--check-determinism", "a real run has no seed, so none is like another");
  refuse(!a.trace.empty(), "--trace",
         "nobody sees all their events; thresher cluster --trace-commits times them");
  refuse(!a.report.empty(), "--report",
         "the page shows what the simulator saw of each message; use --engine events");
  refuse(!a.out.empty(), "--out",
         "the folder is one of simulated nodes; --json prints what was measured");
  refuse(!a.counterexample.empty(), "--counterexample", "a real run does not replay");
  return out;
}

int run_real(const sim::Experiment& e, const Args& a) {
  std::vector<std::string> problems = sockets_problems(e);
  for (std::string& problem : problems_of_real(a)) problems.push_back(std::move(problem));
  if (!problems.empty()) return fail_all(kUsage, problems);
  if (a.dry_run) return print_prediction(simulated_side(e), a.json);
  return print_sockets(e, run_on_sockets(e), a.json);
}

int run_sim(const Args& a) {
  const auto cells = cells_of(a.experiment);
  if (!cells) return fail_all(kUsage, cells.error());
  if (a.cell && *a.cell > 0 && cells->size() == 1)
    return fail(kUsage,
                "this is one run, so --cell must be 0 or left out, not " + std::to_string(*a.cell));
  if (a.cell && *a.cell >= cells->size()) {
    return fail(kUsage, "--cell must be 0 to " + std::to_string(cells->size() - 1) + ", not " +
                            std::to_string(*a.cell));
  }
  if (!a.cell && cells->size() > 1) {
    return fail(kUsage, "these are " + std::to_string(cells->size()) +
                            " runs; do them all with `thresher sim sweep`, or one with --cell 0 "
                            "to " +
                            std::to_string(cells->size() - 1));
  }
  const sim::Experiment& e = (*cells)[a.cell.value_or(0)].experiment;
  if (a.explain) {
    std::puts(sim::write_experiment(e, a.json ? -1 : 2).c_str());
    return kDone;
  }
  if (e.engine == sim::Engine::kSockets) return run_real(e, a);
  return a.dry_run ? print_prediction(e, a.json) : run_one(e, a);
}

}  // namespace

Verb make_sim_run() {
  auto a = std::make_shared<Args>();
  std::vector<Option> options = experiment_options(a->experiment);
  const std::vector<Option> own{
      {"--cell", "of a file with a sweep: which of its runs", &a->cell},
      {"--explain", "print the experiment with every default filled in, and run nothing",
       &a->explain},
      {"--dry-run", "predict messages and memory from small committees", &a->dry_run},
      {"--check-determinism", "run twice and compare the traces", &a->check},
      {"--trace", "write every event to this file, one JSON object a line", &a->trace},
      {"--report", "write charts and pictures of the run to this page", &a->report},
      {"--out", "a folder for the experiment, its measures and those of every node", &a->out},
      {"--counterexample", "where a violated run is written to", &a->counterexample},
      {"--json", "one object on one line", &a->json}};
  options.insert(options.end(), own.begin(), own.end());
  return {{"sim", "run"},
          "Simulate one seeded run and judge it. Example: thresher sim run --n 100 --rounds 200 "
          "--seed 1",
          std::move(options),
          [a] { return run_sim(*a); },
          {{{"--dry-run"}, [a] { return a->explain; }, kExplainsAlone}}};
}

}  // namespace thresher::cli
