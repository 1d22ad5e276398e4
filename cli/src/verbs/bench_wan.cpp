#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>

#include "../output_file.hpp"
#include "../sim/experiment_args.hpp"
#include "../sim/wide_area.hpp"
#include "../text.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/names.hpp"
#include "thresher/sim/outcome.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/wan.hpp"

namespace thresher::cli {
namespace {

constexpr std::uint64_t kMostLoad = 10'000'000;

struct Args {
  std::string n = "10,40,100";
  std::string load = "4000,40000,100000,160000,200000,220000,240000";
  std::uint64_t load_n = 120;
  std::uint64_t crash_n = 100;
  std::string only = "sizes,loads,crash";
  std::string protocols = "thresher,mysticeti";
  double virtual_s = 20;
  std::uint64_t seed = 5;
  std::string wan = "bluestreak";
  std::string charts;
  std::vector<std::string> set;
  bool json = false;
};

// Reads a plan from what was typed; stops at the first thing that is wrong.
class Planner {
 public:
  explicit Planner(const Args& a) : a_(a) {}

  WanPlan plan() {
    WanPlan out;
    out.protocols = known("--protocols", a_.protocols, names_of_protocols());
    for (const std::string& name : known("--only", a_.only, {"sizes", "loads", "crash"})) {
      for (const WanPart part : {WanPart::kSizes, WanPart::kLoads, WanPart::kCrash}) {
        if (name == name_of(part)) out.parts.push_back(part);
      }
    }
    for (const std::uint64_t n : numbers("--n", a_.n, 4, Committee::kMaxSize))
      out.sizes.push_back(static_cast<std::uint32_t>(n));
    out.loads = numbers("--load", a_.load, 1, kMostLoad);
    out.load_n = size("--load-n", a_.load_n);
    out.crash_n = size("--crash-n", a_.crash_n);
    if (!(a_.virtual_s >= 1 && a_.virtual_s <= 3600))
      wrong("--virtual-s must be 1 to 3600, not " + text::write(a_.virtual_s));
    out.virtual_ms = static_cast<std::uint64_t>(a_.virtual_s * 1000);
    out.seed = a_.seed;
    const auto areas = known("--wan", a_.wan, names_of_tables());
    if (areas.size() == 1) out.wan = areas.front();
    if (areas.size() > 1) wrong("--wan takes one table");
    Errors problems;
    out.overrides = read_overrides(a_.set, problems);
    for (const Error& problem : problems) wrong(problem.text());
    return out;
  }
  /// Empty: nothing is wrong.
  const std::string& problem() const { return problem_; }

 private:
  static std::vector<std::string> names_of_protocols() {
    std::vector<std::string> out;
    for (const sim::ProtocolInfo& info : sim::simulated_protocols()) out.push_back(info.name);
    return out;
  }
  static std::vector<std::string> names_of_tables() {
    std::vector<std::string> out;
    for (const sim::WanTable& table : sim::wan_tables()) out.push_back(table.name);
    return out;
  }
  void wrong(std::string what) {
    if (problem_.empty()) problem_ = std::move(what);
  }
  std::vector<std::string> known(const char* option, const std::string& list,
                                 const std::vector<std::string>& all) {
    const std::vector<std::string> names = names_in(list);
    if (names.empty())
      wrong(std::string(option) + " names none; give one, as '" + all.front() + "'");
    for (const std::string& name : names) {
      if (std::string why = option_problem(option, name, all); !why.empty()) wrong(std::move(why));
    }
    return names;
  }
  std::vector<std::uint64_t> numbers(const char* option, const std::string& list,
                                     std::uint64_t least, std::uint64_t most) {
    std::vector<std::uint64_t> out;
    for (const std::string& text : names_in(list)) {
      std::uint64_t number = 0;
      const char* end = text.data() + text.size();
      const auto [stop, error] = std::from_chars(text.data(), end, number);
      if (error != std::errc{} || stop != end || number < least || number > most)
        wrong(std::string(option) + " takes numbers from " + std::to_string(least) + " to " +
              std::to_string(most) + ", separated by commas, not '" + text + "'");
      out.push_back(number);
    }
    if (out.empty()) wrong(std::string(option) + " names no number");
    return out;
  }
  std::uint32_t size(const char* option, std::uint64_t n) {
    if (n < 4 || n > Committee::kMaxSize)
      wrong(std::string(option) + " must be 4 to " + std::to_string(Committee::kMaxSize) +
            ", not " + std::to_string(n));
    return static_cast<std::uint32_t>(n);
  }

  const Args& a_;
  std::string problem_;
};

constexpr const char* kSizes = "wan-sizes.svg";
constexpr const char* kLoads = "wan-loads.svg";

// Before runs that take minutes.
std::string charts_problem(const std::string& folder) {
  for (const char* name : {kSizes, kLoads}) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    if (std::string why = output_problem("--charts", path); !why.empty()) return why;
  }
  return {};
}

std::string save_charts(const std::string& folder, const std::vector<WanRow>& rows) {
  const std::pair<const char*, sim::Chart> charts[] = {{kSizes, sizes_chart(rows)},
                                                       {kLoads, loads_chart(rows)}};
  for (const auto& [name, chart] : charts) {
    const auto saved = sim::save_file(std::filesystem::path(folder) / name, sim::chart_file(chart));
    if (!saved) return saved.error().text();
  }
  return {};
}

int run(const Args& a) {
  Planner planner(a);
  const WanPlan plan = planner.plan();
  if (!planner.problem().empty()) return fail(kUsage, planner.problem());
  if (!a.charts.empty()) {
    if (const std::string why = charts_problem(a.charts); !why.empty()) return fail(kUsage, why);
  }
  if (!a.json) std::puts(wan_head().c_str());
  std::vector<WanRow> rows;
  for (const WanRun& run : wan_runs(plan)) {
    auto row = measure(run, plan);
    if (!row) return fail(kUsage, row.error());
    rows.push_back(*row);
    if (!a.json) std::puts(line_of(*row).c_str());
    (void)std::fflush(stdout);
  }
  if (!a.charts.empty()) {
    if (const std::string why = save_charts(a.charts, rows); !why.empty()) return fail(kUsage, why);
  }
  if (a.json) std::puts(text::write(json_of(plan, rows)).c_str());
  for (const WanRow& row : rows) {
    if (row.verdict == sim::to_string(sim::Verdict::kViolated))
      return fail(kSafetyViolated, row.run.protocol + ": an oracle was violated");
  }
  return kDone;
}

}  // namespace

Verb make_bench_wan() {
  auto a = std::make_shared<Args>();
  return {
      {"bench", "wan"},
      "Measure latency over a wide area, in the simulator: by the size of the committee, by "
      "throughput, and when f neighbours crash at once. Example: thresher bench wan --n 10,40 "
      "--only sizes --virtual-s 10",
      {{"--n", "sizes of the committee, separated by commas, at 4,000 requests a second", &a->n},
       {"--load", "requests of 512 bytes a second in all, separated by commas", &a->load},
       {"--load-n", "nodes under those loads", &a->load_n},
       {"--crash-n", "nodes of which f crash at once", &a->crash_n},
       {"--only", "of sizes, loads and crash, separated by commas", &a->only},
       {"--protocols", "separated by commas", &a->protocols},
       {"--virtual-s", "virtual seconds of each run", &a->virtual_s},
       {"--seed", "of each run", &a->seed},
       {"--wan", "table of round-trip times", &a->wan},
       {"--set", "KEY=VALUE for any key of each run's experiment; repeatable", &a->set},
       {"--charts", "write wan-sizes.svg and wan-loads.svg to this folder", &a->charts},
       {"--json", "one object on one line", &a->json}},
      [a] { return run(*a); }};
}

}  // namespace thresher::cli
