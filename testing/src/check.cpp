#include "thresher/testing/check.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <thread>

#include "exercised.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/shrink.hpp"
#include "thresher/sim/story.hpp"
#include "valid.hpp"
#include "watch.hpp"

namespace thresher::testing {
namespace {

using Kind = Property::Kind;
constexpr std::uint64_t kDecisions = 12;
constexpr std::uint64_t kRounds = 100;

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

std::vector<std::string> told(const sim::Experiment& e, const TracedRunner& run) {
  std::vector<std::string> lines;
  sim::Story story([&](std::string_view line) { lines.emplace_back(line); }, {.experiment = &e});
  (void)run(e, {.trace = &story});
  story.end();
  return lines;
}

// The first step in which two runs of a schedule differ. What made them differ before may not do
// so at once.
std::string first_difference(const sim::Experiment& e, const TracedRunner& run) {
  constexpr int kTries = 8;
  const auto one = told(e, run);
  for (int k = 0; k < kTries; ++k) {
    const auto other = told(e, run);
    for (std::size_t i = 0; i < std::max(one.size(), other.size()); ++i) {
      const std::string a = i < one.size() ? one[i] : "(it ends)";
      const std::string b = i < other.size() ? other[i] : "(it ends)";
      if (a == b) continue;
      return "\n  the first difference, at step " + std::to_string(i + 1) + ":\n    " + a +
             "\n    " + b;
    }
  }
  return {};
}

std::string of_outcome(const sim::Outcome& o) {
  return o.verdict == sim::Verdict::kPass ? "passes" : "fails (" + o.oracle + ": " + o.why + ")";
}

// A schedule is a function of its seed, and the simulator reads no clock: what differs is the
// protocol's, and then neither shrinking nor a replay shows what happened. Empty: nothing differs.
std::string differently(const sim::Experiment& e, const sim::Outcome& first, const sim::Runner& run,
                        const TracedRunner& traced) {
  const sim::Outcome again = run(e);
  if (again.verdict == first.verdict && again.oracle == first.oracle &&
      again.trace_hash == first.trace_hash)
    return {};
  return "the protocol is not deterministic: a run of seed " + std::to_string(e.seed) + " " +
         of_outcome(first) + ", and a second run of the same schedule goes another way, and " +
         of_outcome(again) +
         ". Look for static or global state, clocks, random devices, and orders that depend on "
         "addresses or on unordered containers" +
         first_difference(e, traced);
}

Report shrunk(const std::string& name, const sim::Failure& failure, const sim::Runner& run,
              const TracedRunner& traced, const Options& options, const std::string& again) {
  if (std::string why = differently(failure.experiment, failure.outcome, run, traced); !why.empty())
    return {false, why, 0, {}};
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
  constexpr unsigned kMostJobs = 1024;
  if (options.jobs > kMostJobs)
    return "Options::jobs is " + std::to_string(options.jobs) + "; at most " +
           std::to_string(kMostJobs) + " threads run a campaign, and 0 stands for all cores";
  if (options.runs == 0) return "Options::runs is 0, so nothing would be run";
  return {};
}

// The labels of the messages of a protocol, which tactics single out: those of a run that nothing
// disturbs. A run that breaks off tells none, and breaks off again as a run of the campaign.
std::vector<std::string> labels_of(const sim::Experiment& base, const TracedRunner& run) {
  std::vector<std::string> labels;
  try {
    for (const sim::SentKind& kind : run(base, {}).sent) labels.emplace_back(kind.label);
  } catch (...) {
  }
  return labels;
}

// THRESHER_SEED, if it is set: the only seed to run.
Result<std::optional<std::uint64_t>, Error> lone_seed() {
  const char* set = std::getenv("THRESHER_SEED");
  if (set == nullptr) return std::optional<std::uint64_t>{};
  std::uint64_t seed = 0;
  const std::string_view digits(set);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (error == std::errc{} && end == digits.data() + digits.size() && seed != ~std::uint64_t{0})
    return std::optional(seed);
  return Error{ErrorCode::kRejected, "THRESHER_SEED is `" + std::string(set) + "`, not a number",
               "THRESHER_SEED"};
}

// For those who wait at a terminal.
std::function<void(const sim::FuzzProgress&)> progress() {
  static constexpr std::chrono::seconds kPause{10};
  if (::isatty(STDERR_FILENO) == 0) return {};
  return [next = std::chrono::steady_clock::now() + kPause](const sim::FuzzProgress& p) mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now < next) return;
    next = now + kPause;
    std::cerr << p.done << " of " << p.total << " schedules" << std::endl;
  };
}

// Of so many seeds one is run twice, to see whether it goes the same way.
constexpr std::uint64_t kSeedsARepeat = 100;

struct Strange : std::runtime_error {
  using std::runtime_error::runtime_error;
};

sim::FuzzOptions fuzzing_of(const Options& options, const std::vector<sim::ProtocolInfo>& known,
                            std::optional<std::uint64_t> alone) {
  sim::FuzzOptions out;
  out.first = alone.value_or(options.first_seed);
  out.last = alone ? *alone : options.first_seed + options.runs - 1;
  out.jobs = options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  out.menu = options.menu;
  out.observe = options.observe;
  out.progress = progress();
  if (!options.draw) return out;
  out.draw = [&options, &known](const sim::Experiment& base, std::uint64_t seed) {
    sim::Experiment e = options.draw(base, seed);
    if (const std::string why = invalid(e, known); !why.empty())
      throw Strange("what Options::draw made of it is no experiment: " + why);
    return e;
  };
  return out;
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
    const auto has = [&](Kind kind) { return property_of(properties, kind) != nullptr; };
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
    if (const Property* inclusion = property_of(properties, Kind::kInclusion); inclusion != nullptr)
      e.oracles.inclusion = inclusion->bound * sim::kUnit;
    const Property* liveness = property_of(properties, Kind::kBoundedLiveness);
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
  const Property* memory = property_of(properties, Kind::kBoundedMemory);
  if (const char* scenario = std::getenv("THRESHER_SCENARIO"); scenario != nullptr)
    return replay(scenario, name, run, options, memory);
  const auto alone = lone_seed();
  if (!alone) return {false, alone.error().text(), 0, {}};
  const auto bases = bases_of(name, properties, options);
  const std::vector<sim::ProtocolInfo> known{info_of(name, options.menu)};
  for (const sim::Experiment& base : bases) {
    if (const std::string why = invalid(base, known); !why.empty())
      return {false, "Options::base, with n = " + std::to_string(base.n) + ": " + why, 0, {}};
  }
  Seen seen;
  Watch watch(again, options.run_seconds);
  const sim::Runner quiet = [&](const sim::Experiment& e) {
    const Watch::Seed at(watch, e.seed);
    sim::Outcome o = judged(run(e, {}), memory);
    seen.note(e, o);
    return o;
  };
  sim::FuzzOptions fuzzing = fuzzing_of(options, known, *alone);
  if (fuzzing.menu.tactics && fuzzing.menu.labels.empty() && !options.draw) {
    const Watch::Seed at(watch, fuzzing.first);
    fuzzing.menu.labels = labels_of(bases.front(), run);
  }
  const sim::Runner doubted = [&](const sim::Experiment& e) {
    sim::Outcome o = quiet(e);
    const bool twice = (e.seed - fuzzing.first) % kSeedsARepeat == 0;
    if (!twice || o.verdict != sim::Verdict::kPass) return o;  // a failure is run again anyway
    if (const std::string why = differently(e, o, quiet, run); !why.empty()) throw Strange(why);
    return o;
  };
  const auto found = sim::fuzz(bases, doubted, fuzzing);
  if (!found) {
    const std::string seed = found.error().where;  // "seed 7"
    return {false,
            found.error().what + "\n  to run it alone: THRESHER_SEED=" +
                seed.substr(seed.find(' ') + 1) + " " + again,
            0,
            {}};
  }
  const auto& failure = found->violation ? found->violation : found->stall;
  Report report;
  if (failure) {
    report = shrunk(name, *failure, quiet, run, options, again);
  } else {
    const std::string idle = *alone ? "" : unexercised(*found, options, properties, seen);
    report.passed = idle.empty();
    const std::string covered = coverage(*found, properties);
    report.text = idle.empty() ? covered : idle + "\n  " + covered;
  }
  report.runs = found->runs;
  return report;
}

std::string unjudgeable(const std::vector<Property>& properties, bool ordered, bool judges) {
  if (properties.empty() && !judges)
    return "no property is named, so nothing would be judged; name some, or give the subject an "
           "`audit`, or Options an `observe`";
  if (!ordered && property_of(properties, Kind::kPrefixOrder) != nullptr)
    return "prefix_order() would judge nothing: the subject says `kOrdered = false`";
  return {};
}

bool told_passed(const Report& report, const std::string& name) {
  if (!report.passed) {
    ADD_FAILURE() << report.text;
  } else {
    std::cout << name << ": " << report.text << std::endl;
  }
  return report.passed;
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
  return told_passed(report, protocol);
}

}  // namespace thresher::testing
