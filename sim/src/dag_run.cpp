#include "thresher/sim/dag_run.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "thresher/sim/world.hpp"

namespace thresher::sim {
namespace {

using dag::Committed;

// Judges logs as they grow.
class Judge {
 public:
  explicit Judge(std::uint32_t n) : logs_(n), latest_(n) {}

  void delivered(NodeId id, const Committed& c) {
    Log& log = logs_[id.value];
    if (c.slot <= latest_[id.value]) return;  // a restarted node delivers again what it had
    latest_[id.value] = c.slot;
    Writer w;
    w.bytes(log.chain.bytes).u64(c.slot.value).bytes(c.leader.bytes);
    for (const dag::BlockPtr& b : c.blocks) w.bytes(b->digest.bytes);
    log.chain = hash(w.view());
    log.blocks += c.blocks.size();
    if (reference_.size() == log.length) reference_.push_back(log.chain);
    if (reference_[log.length] != log.chain) {
      fail("agreement: node " + std::to_string(id.value) +
           " delivered another sequence at commit " + std::to_string(log.length) + " (slot " +
           std::to_string(c.slot.value) + ")");
    }
    if (log.length == unique_) {  // the first node to deliver this commit checks integrity for all
      ++unique_;
      for (const dag::BlockPtr& b : c.blocks) {
        if (!seen_.insert(b->digest).second) fail("integrity: a block was delivered twice");
      }
    }
    ++log.length;
  }
  void fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
  }
  const std::string& why() const { return why_; }
  std::uint64_t length(NodeId id) const { return logs_[id.value].length; }
  std::uint64_t blocks(NodeId id) const { return logs_[id.value].blocks; }

 private:
  struct Log {
    Digest chain{};
    std::uint64_t length = 0;
    std::uint64_t blocks = 0;
  };
  std::vector<Log> logs_;
  std::vector<Round> latest_;
  std::vector<Digest> reference_;
  std::set<Digest> seen_;
  std::uint64_t unique_ = 0;
  std::string why_;
};

dag::Payload numbered_payload(NodeId id, std::uint64_t number) {
  Writer w;
  w.u16(id.value).u64(number);
  const Bytes bytes = Bytes::copy_of(w.view());
  return {bytes, hash(bytes.view())};
}

class Driver {
 public:
  explicit Driver(const DagRun& run)
      : run_(run),
        judge_(run.plan.committee.size()),
        submitted_(run.plan.committee.size()),
        world_(run.plan, [this](NodeId id) { return make(id); }) {
    world_.digest_of_output = [](const Committed& c) { return c.leader; };
    world_.on_deliver = [this](NodeId id, const Committed& c) { delivered(id, c); };
  }

  DagReport drive() {
    const std::uint64_t limit =
        run_.max_ticks != 0
            ? run_.max_ticks
            : run_.plan.gst + 64 * run_.rounds * std::max<std::uint64_t>(run_.plan.delay_max, 1);
    world_.run_until([&] {
      feed();
      return !judge_.why().empty() || world_.now() >= limit || lowest_round() >= run_.rounds;
    });
    return report();
  }

 private:
  dag::Dag make(NodeId id) const {
    dag::Config config;
    config.committee = run_.plan.committee;
    config.self = id;
    config.rules = run_.rules;
    config.gc_depth = run_.gc_depth;
    return dag::Dag(std::move(config));
  }

  template <class F>
  void each_correct(F visit) const {
    for (std::uint32_t i = 0; i < run_.plan.committee.size(); ++i) {
      const NodeId id{static_cast<std::uint16_t>(i)};
      if (world_.correct(id) && world_.up(id)) visit(id);
    }
  }

  // Keeps one small payload waiting at every node, so that the DAG never idles.
  void feed() {
    for (std::uint32_t i = 0; i < run_.plan.committee.size(); ++i) {
      const NodeId id{static_cast<std::uint16_t>(i)};
      if (!world_.up(id) || world_.node(id).pending_submits() > 0 || fed_at_ == world_.now())
        continue;
      auto& sent = submitted_[i];
      if (!sent.empty() && sent.back() + 1 >= world_.now()) continue;  // still on its way
      sent.push_back(world_.now());
      world_.request(id, {numbered_payload(id, sent.size())});
    }
    fed_at_ = world_.now();
  }

  void delivered(NodeId id, const Committed& c) {
    for (const dag::BlockPtr& b : c.blocks) {
      if (b->author() != id || b->payload.bytes.size() != 10) continue;
      Reader in(b->payload.bytes.view());
      (void)in.u16();
      const std::uint64_t number = in.u64();
      if (number == 0 || number > submitted_[id.value].size()) continue;
      latency_ += static_cast<double>(world_.now() - submitted_[id.value][number - 1]);
      ++samples_;
    }
    judge_.delivered(id, c);
  }

  std::uint64_t lowest_round() const {
    std::uint64_t lowest = ~std::uint64_t{0};
    each_correct([&](NodeId id) { lowest = std::min(lowest, world_.node(id).round().value); });
    return lowest;
  }

  DagReport report() {
    DagReport out;
    out.ticks = world_.now();
    out.messages = world_.messages();
    out.trace_hash = world_.trace_hash();
    out.rounds = lowest_round();
    bool first = true;
    bool stuck = out.rounds < run_.rounds;
    each_correct([&](NodeId id) {
      stuck |= judge_.length(id) == 0;
      if (!std::exchange(first, false)) return;
      out.decisions = judge_.length(id);
      out.blocks = judge_.blocks(id);
      out.skips = world_.node(id).stats().skips;
    });
    if (samples_ > 0) out.latency_ticks = latency_ / static_cast<double>(samples_);
    if (world_.accusations_of_correct() > 0) judge_.fail("evidence: a correct node was accused");
    if (!judge_.why().empty()) {
      out.verdict = RunVerdict::kViolated;
      out.why = judge_.why();
    } else if (stuck) {
      out.verdict = RunVerdict::kNoProgress;
      out.why = "a correct node reached round " + std::to_string(out.rounds) + " of " +
                std::to_string(run_.rounds) + " in " + std::to_string(out.ticks) + " ticks";
    }
    return out;
  }

  DagRun run_;
  Judge judge_;
  std::vector<std::vector<std::uint64_t>> submitted_;
  World<dag::Dag> world_;
  std::uint64_t fed_at_ = ~std::uint64_t{0};
  double latency_ = 0;
  std::uint64_t samples_ = 0;
};

}  // namespace

std::string_view to_string(RunVerdict verdict) {
  switch (verdict) {
    case RunVerdict::kPass:
      return "Pass";
    case RunVerdict::kNoProgress:
      return "NoProgress";
    case RunVerdict::kViolated:
      return "Violated";
  }
  return "unknown";
}

DagReport simulate(const DagRun& run) {
  return Driver(run).drive();
}

}  // namespace thresher::sim
