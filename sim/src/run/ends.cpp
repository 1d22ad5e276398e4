// What a run owes once it met its stop, and what came of it.
#include <algorithm>
#include <string>

#include "run/run.hpp"
#include "thresher/sim/healing.hpp"

namespace thresher::sim {
namespace {

constexpr Ticks kIdle = 64;  // Delta: protocols repeat themselves every 50

}  // namespace

// --- who lags ---------------------------------------------------------------------------------

void Run::finish() {
  const Stop& stop = experiment_.stop;
  judge_.check_liveness(correct_and_up(), now_);
  // A cluster that has done all that it was asked for, or was asked for nothing, rests and never
  // comes to a later stop.
  const bool asked = experiment_.workload.kind != Workload::Kind::kNone && !all_done();
  if (!timed() && !stopped_by(stop) && asked && experiment_.oracles.liveness_on)
    judge_.no_progress("liveness", "a correct node reached round " +
                                       std::to_string(lowest_round()) + " and " +
                                       std::to_string(lowest_length()) + " decisions by " +
                                       std::to_string(now_ / kUnit) + ", short of the stop");
  unjudged_ = why_unjudged();
  if (!judge_.failed() && experiment_.oracles.inclusion) await_requests();
  if (!judge_.failed() && experiment_.oracles.totality) settle();
}

// A node that lags in a cluster with nothing to order hears of it when that repeats itself.
// To ask for more liveness than a protocol promises does not bring its other promises
// sooner.
Ticks Run::grace(Ticks begin) const {
  return begin + std::max(judge_.bound(), promised_) + kIdle * longest();
}

void Run::await_requests() {
  judge_.close(now_);
  const Ticks begin = std::max(now_, quiet_from());
  const auto end = [&] { return std::max(grace(begin), begin + *experiment_.oracles.inclusion); };
  while (!judge_.failed() && judge_.owed() > 0 && next_event() <= end())
    advance(next_event(), end() + 1);
  if (judge_.owed() > 0) judge_.check_inclusion(end());
}

void Run::settle() {
  settling_ = true;
  next_open_ = next_lie_ = kNone;
  const std::uint64_t target = judge_.known();
  const Ticks begin = std::max(now_, quiet_from());
  const auto lags = [&](NodeId id) { return judge_.length(id) < target; };
  const auto behind = [&] {
    const auto ids = correct_and_up();
    return std::find_if(ids.begin(), ids.end(), lags) != ids.end();
  };
  while (!judge_.failed() && behind() && world_.next_time() <= grace(begin))
    advance(world_.next_time(), grace(begin) + 1);
  if (judge_.failed()) return;  // it was not waited for to the end
  for (const NodeId id : correct_and_up()) {
    if (lags(id)) missed(id, target);
  }
}

void Run::missed(NodeId id, std::uint64_t target) {
  const std::string why = "node " + std::to_string(id.value) + " delivered " +
                          std::to_string(judge_.length(id)) + " of the " + std::to_string(target) +
                          " that another correct node did";
  const bool promised = !world_.links().lossy() || experiment_.network.gst > 0;
  if (!traits_.ordered && promised) {
    judge_.violated("totality", why);
  } else {
    judge_.no_progress("totality", why);
  }
}

// --- healing ----------------------------------------------------------------------------------

bool Run::heals() const {
  if (experiment_.beyond_f) return false;
  const Oracles& on = experiment_.oracles;
  return (on.liveness_on || (traits_.accepts && on.acceptance)) &&
         (!experiment_.faults.empty() || world_.links().quiet_from() > 0);
}

void Run::heal() {
  if (!heals()) return;
  settling_ = false;
  const Ticks quiet = std::max(now_, quiet_from());
  while (!judge_.failed() && next_event() <= quiet) advance(next_event(), quiet + 1);
  now_ = quiet;
  note_calm();
  wait_until_healed();
}

void Run::wait_until_healed() {
  const std::vector<NodeId> nodes = correct_and_up();
  for (const NodeId id : nodes) {
    hand_out(id, now_);
    if (pools_.on()) world_.wake(id, now_);
  }
  Healing healing(insight_, judge_, experiment_.oracles, nodes, now_);
  if (experiment_.workload.kind == Workload::Kind::kOpen) next_open_ = now_;
  if (experiment_.workload.liars_interval > 0) next_lie_ = now_;
  const Ticks end = now_ + judge_.bound();
  // From here on whoever goes down stays there: what ends is over.
  const auto let_go = [&] {
    for (const NodeId id : nodes) {
      if (!world_.up(id)) healing.left(id);
    }
  };
  for (Ticks look = now_ + kUnit; !judge_.failed();) {
    if (now_ >= look) {
      check_bounds();
      let_go();
      if (healing.done()) break;
      look = now_ + kUnit;
    }
    if (next_event() > end) {
      now_ = end;
      break;
    }
    advance(next_event(), end + 1);
  }
  if (judge_.failed()) return;
  healed_ = true;
  let_go();
  if (const auto finding = healing.missing(now_)) judge_.no_progress(finding->oracle, finding->why);
}

// --- what came of it --------------------------------------------------------------------------

void Run::audit() {
  if (!experiment_.oracles.lemmas || experiment_.beyond_f) return;
  if (const auto finding = insight_.audit(correct_and_up()))
    judge_.violated(finding->oracle, finding->why);
}

Outcome Run::outcome() {
  Outcome out;
  out.trace_hash = world_.trace_hash();
  out.time = now_;
  out.rounds = traits_.counts_rounds ? lowest_round() : now_ / kUnit;
  out.messages = world_.messages();
  out.bytes = world_.bytes();
  out.latencies = judge_.latencies();
  const auto ids = correct_and_up();
  if (!ids.empty()) out.decisions = judge_.length(ids.front());
  out.throughput = {served_.per_second(), pools_.waiting(ids), pools_.most_waiting()};
  out.commits = commits_.times(ids, now_);
  out.sent = world_.sent().all();
  for (std::uint32_t i = 0; i < experiment_.n; ++i) {
    const NodeId id = node_id(i);
    NodeMeasures m = world_.measures(id);
    m.decisions = judge_.length(id);
    m.round = insight_.round(id);
    m.refused = insight_.refused(id);
    out.nodes.push_back(m);
  }
  // After a power cut nobody is there to be measured.
  if (!ids.empty()) out.measures = insight_.measures(ids);
  if (const SignatureChecks* checks = world_.signature_checks()) {
    for (const Measure& m : checks->measures()) out.measures.push_back(m);
  }
  vertices_.tell(out);
  memory_.sample();
  out.rss_bytes = memory_.added();
  out.cpu_s = clock_.seconds();
  return out;
}

void Run::conclude(Outcome& out) {
  look_at_held();
  check_bounds();
  out.verdict = judge_.verdict();
  if (judge_.verdict() == Verdict::kNoProgress) {
    if (std::string behind = left_behind(); !behind.empty()) judge_.because(std::move(behind));
  }
  out.oracle = judge_.oracle();
  out.why = judge_.why();
  const bool waited = healed_ && experiment_.oracles.liveness_on;
  if (!judge_.failed() && !waited) out.why = unjudged_;
  out.unjudged = !experiment_.oracles.any();
  if (const std::string why = insight_.unpromised(experiment_); !judge_.failed() && !why.empty()) {
    out.unjudged = true;
    out.why = why;
  }
  const FaultPlan& plan = world_.faults();
  out.faults_fired = plan.fired();
  for (std::size_t k = 0; k < kFaultKinds; ++k)
    out.fired[k] = plan.fired(static_cast<FaultKind>(k));
  out.idle_faults = plan.idle();
  out.idle_partitions = world_.links().idle_partitions();
  out.accusations = accusations_;
  out.restarts = restarts_;
  out.liars_requests = liars_requests_;
  out.healed = healed_;
  out.judged = judge_.judged();
  out.fullest = fullest_;
  for (std::size_t i = 0; i < held_.size(); ++i) out.nodes[i].held = held_[i];
}

}  // namespace thresher::sim
