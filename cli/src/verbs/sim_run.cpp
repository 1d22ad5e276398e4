#include <algorithm>
#include <memory>
#include <numeric>

#include "../json.hpp"
#include "../text.hpp"
#include "thresher/sim/faults.hpp"
#include "thresher/sim/outcome.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string protocol = "thresher";
  std::uint64_t n = 4;
  std::uint64_t rounds = 100;
  std::uint64_t seed = 1;
  std::uint64_t byzantine = 0;
  std::string behaviour = "twins";
  std::uint64_t delay_max = 1;
  bool check = false;
  bool json = false;
};

const sim::ProtocolInfo* find_protocol(const std::string& name) {
  const auto& all = sim::simulated_protocols();
  const auto it = std::find_if(all.begin(), all.end(), [&](auto& p) { return p.name == name; });
  return it == all.end() ? nullptr : &*it;
}

std::string check_args(const Args& a) {
  if (find_protocol(a.protocol) == nullptr) {
    std::string known;
    for (const auto& p : sim::simulated_protocols()) known += (known.empty() ? "" : ", ") + p.name;
    return "unknown protocol '" + a.protocol + "'; the simulator runs: " + known;
  }
  if (a.n == 0 || a.n > Committee::kMaxSize) return "--n must be 1 to 4096";
  const std::uint64_t f = (a.n - 1) / 3;
  if (a.byzantine > f) {
    return "--byzantine " + std::to_string(a.byzantine) + " is more than the " + std::to_string(f) +
           " faults that " + std::to_string(a.n) + " nodes tolerate; use at least " +
           std::to_string(3 * a.byzantine + 1) + " nodes";
  }
  const auto kind = sim::fault_from_name(a.behaviour);
  if (!kind || (*kind != sim::FaultKind::kSilent && *kind != sim::FaultKind::kTwins &&
                *kind != sim::FaultKind::kEquivocate)) {
    return "unknown behaviour '" + a.behaviour + "'; choose silent, twins or equivocate";
  }
  if (a.delay_max == 0 || a.delay_max > 10000) return "--delay-max must be 1 to 10000 rounds";
  return {};
}

sim::Experiment experiment_of(const Args& a) {
  sim::Experiment e;
  e.protocol = a.protocol;
  e.n = static_cast<std::uint32_t>(a.n);
  e.f = (e.n - 1) / 3;
  e.seed = a.seed;
  e.stop.rounds = a.rounds;
  e.network.delta = (a.delay_max + 1) * sim::kUnit;
  if (a.delay_max > 1) {
    e.network.delay.kind = sim::DelayLaw::Kind::kUniform;
    e.network.delay.min = 1;
    e.network.delay.max = a.delay_max * sim::kUnit;
  }
  for (std::uint64_t i = 0; i < a.byzantine; ++i) {
    // Spread over the committee, so that faulty leaders do not follow each other.
    const auto id = static_cast<std::uint16_t>(i * a.n / a.byzantine);
    e.faults.push_back({.who = {NodeId{id}}, .what = *sim::fault_from_name(a.behaviour)});
  }
  return e;
}

struct Latency {
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
};
Latency latency_of(std::vector<sim::Ticks> ticks) {
  if (ticks.empty()) return {};
  std::sort(ticks.begin(), ticks.end());
  const auto units = [](auto t) { return static_cast<double>(t) / sim::kUnit; };
  const auto sum = std::accumulate(ticks.begin(), ticks.end(), sim::Ticks{0});
  return {units(sum) / static_cast<double>(ticks.size()), units(ticks[ticks.size() / 2]),
          units(ticks[ticks.size() * 99 / 100])};
}

void print(const Args& a, const sim::Outcome& o) {
  const std::string trace = to_hex(o.trace_hash.bytes);
  const Latency latency = latency_of(o.latencies);
  if (a.json) {
    Json out;
    out.set("verdict", std::string(to_string(o.verdict))).set("seed", a.seed);
    out.set("trace_hash", trace).set("rounds", o.rounds);
    out.set("virtual_ms", static_cast<double>(o.time) / sim::kUnit);
    out.set("messages", o.messages).set("bytes", o.bytes).set("decisions", o.decisions);
    out.set("latency_mean", latency.mean).set("latency_p50", latency.p50);
    out.set("latency_p99", latency.p99).set("cpu_s", o.cpu_s).set("rss_bytes", o.rss_bytes);
    if (!o.why.empty()) out.set("oracle", o.oracle).set("why", o.why);
    out.print();
    return;
  }
  const auto wide = [](std::uint64_t v) { return static_cast<unsigned long long>(v); };
  std::printf(
      "%s: %s, n=%llu, %llu Byzantine (%s), %llu rounds, %llu messages, %llu decisions, "
      "mean latency %.1f rounds, %.2f s of CPU\ntrace %s\n",
      std::string(to_string(o.verdict)).c_str(), a.protocol.c_str(), wide(a.n), wide(a.byzantine),
      a.byzantine == 0 ? "none" : a.behaviour.c_str(), wide(o.rounds), wide(o.messages),
      wide(o.decisions), latency.mean, o.cpu_s, trace.c_str());
}

int run_sim(const Args& a) {
  if (const std::string problem = check_args(a); !problem.empty()) return fail(kUsage, problem);
  const sim::Experiment e = experiment_of(a);
  const sim::Outcome o = sim::simulate(e, {});
  if (a.check && sim::simulate(e, {}).trace_hash != o.trace_hash) {
    return fail(kSafetyViolated,
                "the same seed gave another trace: this is a bug, please report it");
  }
  print(a, o);
  if (!o.why.empty()) (void)fail(0, o.oracle + ": " + o.why);
  switch (o.verdict) {
    case sim::Verdict::kPass:
      return kDone;
    case sim::Verdict::kNoProgress:
      return kNoProgress;
    case sim::Verdict::kViolated:
      return kSafetyViolated;
  }
  return kFailed;
}

}  // namespace

Verb make_sim_run() {
  auto a = std::make_shared<Args>();
  return {{"sim", "run"},
          "Simulate one seeded run and judge it. Example: thresher sim run --n 100 --rounds 200 "
          "--seed 1",
          {{"--protocol", "a protocol that the simulator knows", &a->protocol},
           {"--n", "how many nodes", &a->n},
           {"--rounds",
            "DAG rounds every correct node has to reach; of other protocols rounds of messages",
            &a->rounds},
           {"--seed", "everything random follows from it", &a->seed},
           {"--byzantine", "how many nodes are faulty", &a->byzantine},
           {"--behaviour", "of the faulty: silent, twins or equivocate", &a->behaviour},
           {"--delay-max", "longest link delay in rounds; the shortest is 1", &a->delay_max},
           {"--check-determinism", "run twice and compare the traces", &a->check},
           {"--json", "one object on one line", &a->json}},
          [a] { return run_sim(*a); }};
}

}  // namespace thresher::cli
