#include "thresher/testing/check.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

#include "thresher/sim/read.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/shrink.hpp"
#include "thresher/sim/story.hpp"

namespace thresher::testing {
namespace {

using Kind = Property::Kind;
constexpr std::uint64_t kDecisions = 12;
constexpr std::uint64_t kRounds = 100;

const Property* find(const std::vector<Property>& properties, Kind kind) {
  const auto it = std::find_if(properties.begin(), properties.end(),
                               [kind](const Property& p) { return p.kind == kind; });
  return it == properties.end() ? nullptr : &*it;
}

sim::Outcome judged(sim::Outcome o, const Property* memory) {
  if (memory == nullptr || o.verdict == sim::Verdict::kViolated) return o;
  for (std::size_t i = 0; i < o.nodes.size(); ++i) {
    if (o.nodes[i].faulty || o.nodes[i].held <= memory->bound) continue;
    o.verdict = sim::Verdict::kViolated;
    o.oracle = "bounded memory";
    o.why = "node " + std::to_string(i) + " held " + std::to_string(o.nodes[i].held) +
            ", more than " + std::to_string(memory->bound);
    return o;
  }
  return o;
}

// What its scenarios may say: a protocol of the simulator's own has parameters.
sim::ProtocolInfo info_of(const std::string& name, const sim::Menu& menu) {
  if (const sim::ProtocolInfo* known = sim::simulated_protocol(name)) return *known;
  sim::ProtocolInfo info;
  info.name = name;
  info.fields = menu.fields;
  return info;
}

Report replay(const std::string& path, const std::string& name, const TracedRunner& run,
              const Options& options, const Property* memory) {
  const auto content = sim::load_file(path);
  if (!content) return {false, content.error().text(), 0, path};
  const std::vector<sim::ProtocolInfo> known{info_of(name, options.menu)};
  const auto cells = sim::read_experiments(content->text, {path, {}, known});
  if (!cells) {
    std::string all = "THRESHER_SCENARIO is not for this test:";
    for (const Error& problem : cells.error()) all += "\n" + problem.text();
    return {false, all, 0, path};
  }
  const sim::Experiment& e = cells->front().experiment;
  const bool full = std::getenv("THRESHER_FULL") != nullptr;
  sim::Story story([](std::string_view line) { std::cout << line << '\n'; },
                   {.experiment = &e,
                    .most_lines = full ? 0 : sim::kStoryLines,
                    .all_by = "THRESHER_FULL=1 before the command"});
  const sim::Outcome o = judged(run(e, {.trace = &story}), memory);
  story.end();
  std::cout.flush();
  if (o.verdict == sim::Verdict::kPass) return {true, "the scenario passes", 1, path};
  return {false, o.oracle + ": " + o.why, 1, path};
}

std::string file_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
    out += plain ? c : '-';
  }
  return out + ".scenario.json";
}

// A schedule is a function of its seed, and the simulator reads no clock: what differs is the
// protocol's, and then neither shrinking nor a replay shows what happened.
std::string differently(const sim::Failure& failure, const sim::Runner& run) {
  const sim::Outcome again = run(failure.experiment);
  const sim::Outcome& first = failure.outcome;
  if (again.verdict == first.verdict && again.oracle == first.oracle &&
      again.trace_hash == first.trace_hash)
    return {};
  const bool passes = again.verdict == sim::Verdict::kPass;
  return "the protocol is not deterministic: seed " + std::to_string(failure.experiment.seed) +
         " failed (" + first.oracle + ": " + first.why +
         "), and a second run of the same schedule " +
         (passes ? "passes" : "went differently (" + again.oracle + ": " + again.why + ")") +
         ". Look for static or global state, clocks, random devices, and orders that depend on "
         "addresses or on unordered containers";
}

Report shrunk(const std::string& name, const sim::Failure& failure, const sim::Runner& run,
              const Options& options, const std::string& again) {
  if (std::string why = differently(failure, run); !why.empty()) return {false, why, 0, {}};
  const sim::ProtocolInfo info = info_of(name, options.menu);
  const sim::Shrunk small = sim::shrink(failure.experiment, run,
                                        {.most_runs = options.shrink_runs,
                                         .nodes_per_fault = info.nodes_per_fault,
                                         .least_nodes = info.least_nodes,
                                         .progress = {}});
  Report report;
  const auto folder = std::filesystem::absolute(options.folder).lexically_normal();
  report.scenario = (folder / file_name(name)).string();
  const std::string command = "THRESHER_SCENARIO=" + for_shell(report.scenario) + " " + again;
  const auto saved = sim::save_file(report.scenario,
                                    sim::write_scenario(small.experiment, small.outcome, command));
  report.text = small.outcome.oracle + ": " + small.outcome.why + "\n  found at seed " +
                std::to_string(failure.experiment.seed) + ", shrunk from " +
                std::to_string(sim::actions_in(failure.experiment)) + " to " +
                std::to_string(sim::actions_in(small.experiment)) + " fault actions among " +
                std::to_string(small.experiment.n) + " nodes\n  " +
                (saved ? "replay: " + command : saved.error().text());
  return report;
}

// Below so many runs chance may leave a kind of fault out, or runs in which nobody lies.
constexpr std::uint64_t kEnoughRuns = 200;
constexpr std::uint64_t kEnoughDrawn = 20;

// "twins 130 of 140": of the actions that were drawn, those that did something.
std::string kinds_text(const sim::FuzzReport& r) {
  std::string out;
  for (std::size_t k = 0; k < sim::kFaultKinds; ++k) {
    if (r.drawn_of[k] == 0) continue;
    out += (out.empty() ? "" : ", ") + std::string(to_string(static_cast<sim::FaultKind>(k))) +
           " " + std::to_string(r.fired_of[k]) + " of " + std::to_string(r.drawn_of[k]);
  }
  return out.empty() ? "none" : out;
}

std::uint64_t forks_of(const sim::FuzzReport& r) {
  std::uint64_t forks = 0;
  for (const auto kind : {sim::FaultKind::kEquivocate, sim::FaultKind::kTwins,
                          sim::FaultKind::kMutate, sim::FaultKind::kForge})
    forks += r.fired_of[static_cast<std::size_t>(kind)];
  return forks;
}

// An oracle that looks at the requests in outputs.
struct OfRequests {
  Kind kind;
  const char* name;
  std::uint64_t sim::Judged::*count;
  const char* idle;  // why it may have judged nothing
};
constexpr OfRequests kOfRequests[] = {
    {Kind::kValidity, "validity", &sim::Judged::validity,
     "no output showed a payload, or none said whose it was, which is judged only where nobody "
     "lies"},
    {Kind::kOnce, "once", &sim::Judged::once, "no output showed a request"},
};

// ", judged of requests: validity 120, once 120"; empty where neither was asked for.
std::string judged_text(const sim::FuzzReport& r, const std::vector<Property>& properties) {
  std::string out;
  for (const OfRequests& oracle : kOfRequests) {
    if (find(properties, oracle.kind) == nullptr) continue;
    out += (out.empty() ? ", judged of requests: " : ", ") + std::string(oracle.name) + " " +
           std::to_string(r.judged.*oracle.count);
  }
  return out;
}

std::string coverage(const sim::FuzzReport& r, const std::vector<Property>& properties) {
  return std::to_string(r.runs) + " schedules, " + std::to_string(r.decisions) + " decisions, " +
         std::to_string(r.liars_requests) + " requests handed to liars, " +
         std::to_string(forks_of(r)) + " forks offered, " + std::to_string(r.restarts) +
         " restarts, " + std::to_string(r.healed) + " runs healed" + judged_text(r, properties) +
         "; faults that did something: " + kinds_text(r);
}

// Why no campaign can be run with these; empty: one can.
std::string unusable(const Options& options) {
  constexpr std::uint32_t kMost = 4096;
  if (options.sizes.empty())
    return "Options::sizes is empty; name the sizes of committees, as {4, 5, 7}";
  for (const std::uint32_t n : options.sizes) {
    if (n < 1 || n > kMost)
      return "Options::sizes has " + std::to_string(n) + "; a committee has 1 to " +
             std::to_string(kMost) + " nodes";
  }
  if (options.runs == 0) return "Options::runs is 0, so nothing would be run";
  return {};
}

// The labels of the messages of a protocol, which tactics single out: those of a run that nothing
// disturbs. A run that breaks off tells none, and breaks off again as a run of the campaign.
std::vector<std::string> labels_of(const sim::Experiment& base, const TracedRunner& run) {
  std::vector<std::string> labels;
  try {
    for (const sim::SentKind& kind : run(base, {}).sent) labels.emplace_back(kind.label);
  } catch (const std::exception&) {
  }
  return labels;
}

// Things the runs were asked to do and never did: they have shown nothing about them.
std::string unexercised(const sim::FuzzReport& r, const Options& options,
                        const std::vector<Property>& properties, bool held) {
  if (!properties.empty() && r.decisions == 0)
    return "nothing was exercised: no correct node output anything in " + std::to_string(r.runs) +
           " runs, so the properties were judged of nothing; is the workload served?";
  if (!held && find(properties, Kind::kBoundedMemory) != nullptr)
    return "not exercised: no node ever held anything, so its memory was not judged; give the "
           "subject a `held` (thresher/testing/subject.hpp)";
  for (const OfRequests& oracle : kOfRequests) {
    if (find(properties, oracle.kind) == nullptr || r.judged.*oracle.count > 0) continue;
    if (r.judged.shown > 0 && r.runs < kEnoughRuns) continue;
    return "not exercised: `" + std::string(oracle.name) + "` judged nothing: " + oracle.idle +
           "; give outputs a member `payload`, or the subject a `payloads` that says whose they "
           "are (sim/subject.hpp)";
  }
  if (options.draw) return {};
  if (r.actions > 0 && r.fired == 0)
    return "nothing was exercised: " + std::to_string(r.actions) +
           " fault actions were drawn and none did anything";
  for (const sim::FaultKind kind : options.menu.faults) {
    const auto k = static_cast<std::size_t>(kind);
    if (r.fired_of[k] > 0 || (r.drawn_of[k] < kEnoughDrawn && r.runs < kEnoughRuns)) continue;
    return "not exercised: the menu asks for `" + std::string(to_string(kind)) +
           "`, which was "
           "drawn " +
           std::to_string(r.drawn_of[k]) +
           " times and never did anything; leave it out "
           "of the menu, or tell the subject what it needs (sim/subject.hpp)";
  }
  const bool plain = options.menu.faults.empty();
  if (plain && r.runs >= kEnoughRuns && r.fired > 0 && forks_of(r) == 0)
    return "not exercised: no liar ever said two things; give the subject a `mutate`, or name the "
           "faults to draw in the menu";
  return {};
}

}  // namespace

std::string for_shell(const std::string& word) {
  constexpr std::string_view kPlain = "_-./:=+,@%";
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           kPlain.find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string this_test(const std::string& binary) {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  if (info == nullptr) return for_shell(binary);
  return for_shell(binary) +
         " --gtest_filter=" + for_shell(std::string(info->test_suite_name()) + "." + info->name());
}

std::string this_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "./test" : path.string();
}

std::vector<sim::Experiment> bases_of(const std::string& name,
                                      const std::vector<Property>& properties,
                                      const Options& options) {
  std::vector<sim::Experiment> out;
  for (const std::uint32_t n : options.sizes) {
    sim::Experiment e = options.base;
    e.protocol = name;
    e.n = n;
    e.f = info_of(name, options.menu).faults_of(n);
    const auto has = [&](Kind kind) { return find(properties, kind) != nullptr; };
    e.oracles = {.agreement = has(Kind::kAgreement),
                 .prefix = has(Kind::kPrefixOrder),
                 .integrity = has(Kind::kIntegrity),
                 .validity = has(Kind::kValidity),
                 .totality = has(Kind::kTotality),
                 .accountability = has(Kind::kAccountability),
                 .liveness = {},
                 .liveness_on = has(Kind::kBoundedLiveness),
                 .acceptance = has(Kind::kTotality) && has(Kind::kBoundedLiveness),
                 .once = has(Kind::kOnce),
                 .inclusion = {}};
    if (const Property* inclusion = find(properties, Kind::kInclusion); inclusion != nullptr)
      e.oracles.inclusion = inclusion->bound * sim::kUnit;
    const Property* liveness = find(properties, Kind::kBoundedLiveness);
    if (liveness != nullptr && liveness->bound != 0)
      e.oracles.liveness = liveness->bound * sim::kUnit;
    if (!e.stop.time && !e.stop.rounds && !e.stop.decisions) {
      if (liveness != nullptr) {
        e.stop.decisions = kDecisions;
      } else {
        e.stop.time = kRounds * sim::kUnit;
      }
    }
    out.push_back(e);
  }
  return out;
}

Report check(const std::string& name, const TracedRunner& run,
             const std::vector<Property>& properties, const Options& options,
             const std::string& again) {
  if (std::string why = unusable(options); !why.empty()) return {false, why, 0, {}};
  const Property* memory = find(properties, Kind::kBoundedMemory);
  if (const char* scenario = std::getenv("THRESHER_SCENARIO"); scenario != nullptr)
    return replay(scenario, name, run, options, memory);
  std::atomic<bool> held = false;
  const sim::Runner quiet = [&](const sim::Experiment& e) {
    sim::Outcome o = run(e, {});
    if (std::any_of(o.nodes.begin(), o.nodes.end(), [](const auto& n) { return n.held > 0; }))
      held = true;
    return judged(std::move(o), memory);
  };
  sim::FuzzOptions fuzzing;
  fuzzing.first = options.first_seed;
  fuzzing.last = options.first_seed + options.runs - 1;
  fuzzing.jobs =
      options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  fuzzing.menu = options.menu;
  fuzzing.draw = options.draw;
  fuzzing.observe = options.observe;
  const auto bases = bases_of(name, properties, options);
  if (fuzzing.menu.tactics && fuzzing.menu.labels.empty() && !options.draw)
    fuzzing.menu.labels = labels_of(bases.front(), run);
  const auto found = sim::fuzz(bases, quiet, fuzzing);
  if (!found) return {false, found.error().text(), 0, {}};
  const auto& failure = found->violation ? found->violation : found->stall;
  Report report;
  if (failure) {
    report = shrunk(name, *failure, quiet, options, again);
  } else {
    const std::string idle = unexercised(*found, options, properties, held);
    report.passed = idle.empty();
    const std::string covered = coverage(*found, properties);
    report.text = idle.empty() ? covered : idle + "\n  " + covered;
  }
  report.runs = found->runs;
  return report;
}

bool check_simulated(const std::string& protocol, const std::vector<Property>& properties,
                     const Options& options) {
  Options own = options;
  own.menu.tactics = false;  // as `thresher sim fuzz` draws
  if (own.menu.faults.empty() && own.menu.fields.empty()) {
    const bool network = own.menu.network;
    own.menu = sim::menu_of(protocol);
    own.menu.network = network;
  }
  const Report report = check(protocol, sim::simulate, properties, own, this_test(this_program()));
  if (!report.passed) ADD_FAILURE() << report.text;
  return report.passed;
}

}  // namespace thresher::testing
