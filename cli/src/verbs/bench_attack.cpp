#include <algorithm>
#include <memory>

#include "../output_file.hpp"
#include "../sim/attack.hpp"
#include "../sim/experiment_args.hpp"
#include "../text.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/core/names.hpp"
#include "thresher/sim/outcome.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/wan.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::uint64_t n = 31;
  double virtual_s = 60;
  std::uint64_t seed = 5;
  std::string wan = "aws";
  std::string protocols = "thresher,mysticeti,anchored-bullshark";
  std::string only;
  std::string chart;
  std::vector<std::string> set;
  bool json = false;
};

// Pre: problem_of() said nothing.
std::vector<sim::Override> overrides_of(const Args& a) {
  Errors none;
  return read_overrides(a.set, none);
}

AttackScale scale_of(const Args& a) {
  return {static_cast<std::uint32_t>(a.n), static_cast<std::uint64_t>(a.virtual_s * 1000), a.seed,
          a.wan, overrides_of(a)};
}

std::string problem_of(const Args& a) {
  if (a.n < 4 || a.n > Committee::kMaxSize) {
    return "--n must be 4 to " + std::to_string(Committee::kMaxSize) + ", not " +
           std::to_string(a.n);
  }
  if (!(a.virtual_s >= 1 && a.virtual_s <= 3600)) {
    return "--virtual-s must be 1 to 3600, not " + text::write(a.virtual_s);
  }
  Errors problems;
  (void)read_overrides(a.set, problems);
  if (!problems.empty()) return problems.front().text();
  std::vector<std::string> tables;
  for (const sim::WanTable& table : sim::wan_tables()) tables.emplace_back(table.name);
  if (auto problem = option_problem("--wan", a.wan, tables); !problem.empty()) return problem;
  std::vector<std::string> protocols;
  for (const sim::ProtocolInfo& info : sim::simulated_protocols()) protocols.push_back(info.name);
  for (const std::string& name : names_in(a.protocols)) {
    if (auto problem = option_problem("--protocols", name, protocols); !problem.empty())
      return problem;
  }
  if (a.protocols.empty()) return "--protocols names none; give one, as 'thresher'";
  std::vector<std::string> rows;
  for (const Attack& attack : attacks(scale_of(a))) rows.push_back(attack.name);
  for (const std::string& name : names_in(a.only)) {
    if (auto problem = option_problem("--only", name, rows); !problem.empty()) return problem;
  }
  return {};
}

bool wanted(const Args& a, const Attack& attack) {
  const auto only = names_in(a.only);
  return attack.name == "none" || only.empty() ||
         std::find(only.begin(), only.end(), attack.name) != only.end();
}

// Why there would be no row at all, as when --set is wrong for all of them; empty: there is one.
std::string no_row(const Args& a) {
  const AttackScale scale = scale_of(a);
  std::string first;
  for (const Attack& attack : attacks(scale)) {
    if (!wanted(a, attack)) continue;
    for (const std::string& protocol : names_in(a.protocols)) {
      const std::string why = row_problem(attack, protocol, scale);
      if (why.empty()) return {};
      if (first.empty()) first = why;
    }
  }
  return "no row can be run: " + first;
}

// Row by row, so that a long table can be watched. The first row of each protocol is without an
// attack.
std::vector<AttackDone> run_rows(const Args& a) {
  const AttackScale scale = scale_of(a);
  std::vector<AttackDone> all;
  for (const Attack& attack : attacks(scale)) {
    if (!wanted(a, attack)) continue;
    for (const std::string& protocol : names_in(a.protocols)) {
      auto done = measure(attack, protocol, scale);
      if (!done) {
        (void)std::fprintf(stderr, "thresher: row left out: %s\n", done.error().text().c_str());
        continue;
      }
      const auto base = std::find_if(all.begin(), all.end(),
                                     [&](const AttackDone& d) { return d.protocol == protocol; });
      compare(*done, base == all.end() ? *done : *base);
      all.push_back(*done);
      if (!a.json) std::puts(line_of(*done).c_str());
      (void)std::fflush(stdout);
    }
  }
  return all;
}

int run(const Args& a) {
  if (const std::string problem = problem_of(a); !problem.empty()) return fail(kUsage, problem);
  if (const std::string problem = no_row(a); !problem.empty()) return fail(kUsage, problem);
  // Before rows that take minutes.
  if (const std::string problem = output_problem("--chart", a.chart); !problem.empty())
    return fail(kUsage, problem);
  if (!a.json) {
    std::puts(
        "| attack | protocol | verdict | commits (x) | mean ms (x) | p50 | p99 | first commit, ms"
        " | longest gap, ms | bytes x |\n|---|---|---|---|---|---|---|---|---|---|");
  }
  const auto all = run_rows(a);
  if (!a.chart.empty()) {
    if (const auto saved = sim::save_file(a.chart, attack_chart(all)); !saved)
      return fail(kUsage, saved.error());
  }
  if (a.json) std::puts(text::write(json_of(scale_of(a), all)).c_str());
  for (const AttackDone& done : all) {
    if (done.verdict == sim::to_string(sim::Verdict::kViolated)) {
      return fail(kSafetyViolated, done.attack + ", " + done.protocol + ": an oracle was violated");
    }
  }
  return kDone;
}

}  // namespace

Verb make_bench_attack() {
  auto a = std::make_shared<Args>();
  return {{"bench", "attack"},
          "Measure what liars, dead nodes and a bad network do to a protocol's speed, in the "
          "simulator. Example: thresher bench attack --protocols thresher --virtual-s 20",
          {{"--n", "nodes", &a->n},
           {"--virtual-s", "virtual seconds of each row", &a->virtual_s},
           {"--seed", "of each row", &a->seed},
           {"--wan", "table of round-trip times", &a->wan},
           {"--protocols", "separated by commas", &a->protocols},
           {"--only", "attacks by name, separated by commas", &a->only},
           {"--set", "KEY=VALUE for any key of each row's experiment; repeatable", &a->set},
           {"--chart", "write a picture to this file", &a->chart},
           {"--json", "one object on one line", &a->json}},
          [a] { return run(*a); }};
}

}  // namespace thresher::cli
