// What the simulator costs: one JSON object, a row for each case, each on one core.
//
//   build/release/bin/bench_sim [NAME]            // only the rows whose name begins so
//
// The PBFT rows are the setting of docs/performance/simulator.md: complete graph, delay 1, one
// request in flight, 30 rounds, no cost of cryptography.
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {
namespace {

struct Case {
  std::string name;
  Experiment experiment;
  int runs = 3;
};

Experiment pbft(std::uint32_t n) {
  Experiment e;
  e.protocol = "pbft";
  e.n = n;
  e.f = (n - 1) / 3;
  e.workload.one_at_a_time = true;
  e.stop.rounds = 30;
  return e;
}

// The same load for Raft: its leader asks itself.
Experiment raft(std::uint32_t n) {
  Experiment e = pbft(n);
  e.protocol = "raft";
  e.stop.rounds = 1000;
  return e;
}

// QUANTAS's sweep: 19 nodes, 500 rounds, the first leaders among those who equivocate.
Experiment two_faced(std::uint16_t liars) {
  Experiment e = pbft(19);
  e.stop.rounds = 500;
  for (std::uint16_t i = 1; i <= liars; ++i)
    e.faults.push_back({.who = {NodeId{i}}, .what = FaultKind::kEquivocate});
  return e;
}

// The last f nodes never lead here.
Experiment silent_backups() {
  Experiment e = two_faced(0);
  for (std::uint16_t i = 13; i < 19; ++i)
    e.faults.push_back({.who = {NodeId{i}}, .what = FaultKind::kSilent});
  return e;
}

Experiment dag(std::string name, std::uint32_t n, std::uint64_t rounds) {
  Experiment e;
  e.protocol = std::move(name);
  e.n = n;
  e.f = (n - 1) / 3;
  e.stop.rounds = rounds;
  return e;
}

// Links of 50 to 100 ms, as the simulator of Mysticeti has them.
Experiment wide_area(std::uint32_t n, Ticks seconds) {
  Experiment e = dag("thresher", n, 0);
  e.engine = Engine::kEvents;
  e.network.delay = {DelayLaw::Kind::kUniform, 75 * kUnit, 0, 50 * kUnit, 100 * kUnit};
  e.network.delta = 150 * kUnit;
  e.stop.rounds.reset();
  e.stop.time = seconds * 1000 * kUnit;
  return e;
}

// Keeps 64 rounds of blocks instead of 256: memory is rounds kept x n^2.
Experiment shallow(Experiment e) {
  e.parameters["gc_depth"] = std::int64_t{64};
  return e;
}

// A lookup of every node, which leaves 100 rounds for it.
Experiment lookups(std::string name, std::uint32_t n) {
  Experiment e = dag(std::move(name), n, 0);
  e.parameters["even"] = true;
  e.workload.kind = Workload::Kind::kOpen;
  e.workload.interval = 100 * kUnit;
  e.stop.rounds.reset();
  e.stop.time = 100 * kUnit;
  return e;
}

// Node 0 to node 1 over QUANTAS's channel.
Experiment link(std::string name) {
  Experiment e = dag(std::move(name), 2, 100'000);
  e.network.delay = {DelayLaw::Kind::kUniform, 2500, 0, kUnit, 4 * kUnit};
  e.network.delta = 8 * kUnit;
  e.network.loss_ppm = 200'000;
  e.network.duplicate_ppm = 100'000;
  e.network.reorder_ppm = 100'000;
  e.workload.one_at_a_time = true;
  return e;
}

std::vector<Case> cases() {
  return {
      {"pbft n=10", pbft(10)},
      {"pbft n=100", pbft(100), 5},
      {"pbft n=400", pbft(400)},
      {"pbft n=2000", pbft(2000), 1},
      {"raft n=10, 1000 rounds", raft(10)},
      {"raft n=100, 1000 rounds", raft(100), 5},
      {"raft n=200, 1000 rounds", raft(200)},
      {"pbft n=19, 500 rounds", two_faced(0)},
      {"pbft n=19, 500 rounds, 1 equivocates", two_faced(1)},
      {"pbft n=19, 500 rounds, 3 equivocate", two_faced(3)},
      {"pbft n=19, 500 rounds, 6 equivocate", two_faced(6)},
      {"pbft n=19, 500 rounds, 6 silent backups", silent_backups()},
      {"thresher n=31, 200 rounds", dag("thresher", 31, 200)},
      {"thresher n=100, 200 rounds", dag("thresher", 100, 200)},
      {"chord n=128, 100 rounds", lookups("chord", 128)},
      {"chord n=1024, 100 rounds", lookups("chord", 1024)},
      {"kademlia n=128, 100 rounds", lookups("kademlia", 128)},
      {"kademlia n=1024, 100 rounds", lookups("kademlia", 1024)},
      {"bitcoin n=12, 1000 rounds", dag("bitcoin", 12, 1000)},
      {"bitcoin n=50, 1000 rounds", dag("bitcoin", 50, 1000)},
      {"ethereum n=12, 1000 rounds", dag("ethereum", 12, 1000)},
      {"alternating_bit, 100,000 rounds", link("alternating_bit")},
      {"stable_link, 100,000 rounds", link("stable_link")},
      {"mysticeti n=31, 200 rounds", dag("mysticeti", 31, 200)},
      {"thresher n=100, 10 s, events", wide_area(100, 10)},
      {"thresher n=1000, 10 s, events", shallow(wide_area(1000, 10)), 1},
  };
}

// The run with the median of CPU seconds.
Outcome measure(const Case& c) {
  std::vector<Outcome> runs;
  for (int k = 0; k < c.runs; ++k) runs.push_back(simulate(c.experiment, {}));
  std::sort(runs.begin(), runs.end(), [](auto& a, auto& b) { return a.cpu_s < b.cpu_s; });
  Outcome median = runs[runs.size() / 2];
  // Memory is grown once: later runs find it there.
  for (const Outcome& o : runs) median.rss_bytes = std::max(median.rss_bytes, o.rss_bytes);
  return median;
}

}  // namespace
}  // namespace thresher::sim

int main(int argc, char** argv) {
  using namespace thresher::sim;  // NOLINT(google-build-using-namespace): a program of one file
  const std::string_view only = argc > 1 ? argv[1] : "";
  bool first = true;
  std::printf("{");
  for (const Case& c : cases()) {
    if (!c.name.starts_with(only)) continue;
    const Outcome o = measure(c);
    std::printf(
        "%s\n \"%s\": {\"verdict\": \"%s\", \"cpu_s\": %.4f, \"messages\": %llu, "
        "\"messages_per_s\": %.0f, \"decisions\": %llu, \"rss_mb\": %.1f}",
        first ? "" : ",", c.name.c_str(), std::string(to_string(o.verdict)).c_str(), o.cpu_s,
        static_cast<unsigned long long>(o.messages), static_cast<double>(o.messages) / o.cpu_s,
        static_cast<unsigned long long>(o.decisions),
        static_cast<double>(o.rss_bytes) / (1024 * 1024));
    std::fflush(stdout);
    first = false;
  }
  std::printf("\n}\n");
  return 0;
}
