#include <ctime>
#include <memory>

#include "../json.hpp"
#include "../text.hpp"
#include "thresher/sim/dag_run.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string protocol = "thresher";
  std::uint64_t n = 4;
  std::uint64_t rounds = 100;
  std::uint64_t seed = 1;
  std::uint64_t byzantine = 0;
  std::string behaviour = "equivocate";
  std::uint64_t delay_max = 1;
  bool check = false;
  bool json = false;
};

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string check_args(const Args& a) {
  if (a.protocol != "thresher" && a.protocol != "mysticeti") {
    return "unknown protocol '" + a.protocol + "'; the simulator runs: thresher, mysticeti";
  }
  if (a.n == 0 || a.n > Committee::kMaxSize) return "--n must be 1 to 4096";
  const std::uint64_t f = (a.n - 1) / 3;
  if (a.byzantine > f) {
    return "--byzantine " + std::to_string(a.byzantine) + " is more than the " + std::to_string(f) +
           " faults that " + std::to_string(a.n) + " nodes tolerate; use at least " +
           std::to_string(3 * a.byzantine + 1) + " nodes";
  }
  if (!sim::fault_from_name(a.behaviour) || a.behaviour == "crash") {
    return "unknown behaviour '" + a.behaviour + "'; choose silent or equivocate";
  }
  if (a.delay_max == 0 || a.delay_max > 10000) return "--delay-max must be 1 to 10000 ticks";
  return {};
}

sim::DagRun run_of(const Args& a) {
  sim::DagRun run;
  run.rules = a.protocol == "mysticeti" ? dag::Rules::mysticeti() : dag::Rules::thresher();
  run.rounds = a.rounds;
  run.plan.committee = *Committee::of(static_cast<std::uint32_t>(a.n));
  run.plan.seed = a.seed;
  run.plan.delay_max = a.delay_max;
  run.plan.delta = a.delay_max + 1;
  for (std::uint64_t i = 0; i < a.byzantine; ++i) {
    // Spread over the committee, so that faulty leaders do not follow each other.
    const auto id = static_cast<std::uint16_t>(i * a.n / a.byzantine);
    run.plan.faults[NodeId{id}] = {*sim::fault_from_name(a.behaviour)};
  }
  return run;
}

int run_sim(const Args& a) {
  if (const std::string problem = check_args(a); !problem.empty()) return fail(kUsage, problem);
  const sim::DagRun run = run_of(a);
  const double begin = cpu_seconds();
  const sim::DagReport r = sim::simulate(run);
  const double cpu = cpu_seconds() - begin;
  if (a.check && sim::simulate(run).trace_hash != r.trace_hash) {
    return fail(kSafetyViolated,
                "the same seed gave another trace: this is a bug, please report it");
  }
  const std::string trace = to_hex(r.trace_hash.bytes);
  if (a.json) {
    Json out;
    out.set("verdict", std::string(to_string(r.verdict))).set("seed", a.seed);
    out.set("trace_hash", trace).set("rounds", r.rounds).set("ticks", r.ticks);
    out.set("messages", r.messages).set("decisions", r.decisions).set("blocks", r.blocks);
    out.set("skips", r.skips).set("latency_ticks", r.latency_ticks).set("cpu_s", cpu);
    if (!r.why.empty()) out.set("why", r.why);
    out.print();
  } else {
    std::printf(
        "%s: %s, n=%llu, %llu Byzantine (%s), %llu rounds, %llu messages, %llu commits, "
        "mean latency %.1f ticks, %.2f s of CPU\ntrace %s\n",
        std::string(to_string(r.verdict)).c_str(), a.protocol.c_str(),
        static_cast<unsigned long long>(a.n), static_cast<unsigned long long>(a.byzantine),
        a.byzantine == 0 ? "none" : a.behaviour.c_str(), static_cast<unsigned long long>(r.rounds),
        static_cast<unsigned long long>(r.messages), static_cast<unsigned long long>(r.decisions),
        r.latency_ticks, cpu, trace.c_str());
  }
  if (!r.why.empty()) (void)fail(0, r.why);
  switch (r.verdict) {
    case sim::RunVerdict::kPass:
      return kDone;
    case sim::RunVerdict::kNoProgress:
      return kNoProgress;
    case sim::RunVerdict::kViolated:
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
          {{"--protocol", "thresher or mysticeti", &a->protocol},
           {"--n", "how many nodes", &a->n},
           {"--rounds", "DAG rounds every correct node has to reach", &a->rounds},
           {"--seed", "everything random follows from it", &a->seed},
           {"--byzantine", "how many nodes are faulty", &a->byzantine},
           {"--behaviour", "of the faulty: silent or equivocate", &a->behaviour},
           {"--delay-max", "longest link delay in ticks; the shortest is 1", &a->delay_max},
           {"--check-determinism", "run twice and compare the traces", &a->check},
           {"--json", "one object on one line", &a->json}},
          [a] { return run_sim(*a); }};
}

}  // namespace thresher::cli
