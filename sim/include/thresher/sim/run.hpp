// One experiment from start to verdict, for a protocol given as a subject.
//
//   Outcome outcome = run(Mine{experiment}, experiment, {.trace = &sink});
//
// Guarantees: as Machine and Judge. The workload is what the experiment says: payloads with their
// submitter and number inside; a closed workload hands a node its next request when the last one is
// delivered, or a round (millisecond) later when that took no time. A run that meets its stop goes
// on without new work, for the bound of liveness at most, until every correct node has what one of
// them has (totality). One that faults or the network disturbed then goes on with new work, through
// the last disturbance that ends, until it has healed (healing.hpp). What an outcome measures was
// measured before that; its verdict speaks of all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "thresher/sim/commits.hpp"
#include "thresher/sim/machine.hpp"
#include "thresher/sim/healing.hpp"
#include "thresher/sim/measure.hpp"
#include "thresher/sim/oracles.hpp"
#include "thresher/sim/pools.hpp"
#include "thresher/sim/vertex_times.hpp"

namespace thresher::sim {

template <Subject S>
class Run {
 public:
  using Node = typename S::Node;
  using Output = typename Node::Output;
  using Message = typename Node::Message;

  Run(S subject, const Experiment& experiment, const RunOptions& options)
      : experiment_(experiment),
        machine_(std::move(subject), experiment, options.trace),
        judge_(experiment, machine_.faults(), S::kOrdered, quiet_from(), bound()),
        commits_(experiment),
        pools_(experiment.workload, experiment.n),
        next_number_(experiment.n, 1),
        vertices_(experiment.n) {
    machine_.on_deliver = [this](NodeId id, const Output& o) { delivered(id, o); };
    machine_.on_accuse = [this](NodeId by, NodeId who) {
      accusations_ += machine_.correct(by) ? 1 : 0;
      judge_.accused(by, who);
    };
    machine_.on_broken = [this](NodeId id, const std::string& what) {
      judge_.violated("invariant", "node " + std::to_string(id.value) + ": " + what);
    };
    if constexpr (kNamesVertices) {
      machine_.on_born = [this](const VertexName& name) { vertices_.sent(name, machine_.now()); };
    }
    if (pools_.on()) {
      machine_.on_step = [this](NodeId id, bool requested) {
        if (requested) pools_.handed_over(id);
        feed(id, machine_.now());
      };
    }
    machine_.on_restart = [this](NodeId id) {
      judge_.restarted(id, machine_.now());
      commits_.restarted(id);
      if (pools_.on()) pools_.lost(id);
      ++restarts_;
      if (!machine_.faults().faulty().contains(id)) back_.push_back(id);
    };
  }

  Outcome go() {
    machine_.start();
    begin_workload();
    const Ticks limit = this->limit();
    while (!judge_.failed() && !stopped()) {
      const Ticks next = next_event();
      if (next > limit) {
        now_ = limit;
        break;
      }
      advance(next, limit == kNone ? limit : limit + 1);
    }
    if (!judge_.failed()) finish();
    Outcome out = outcome();
    if (!judge_.failed()) heal();
    if (judge_.verdict() != Verdict::kViolated) audit();
    conclude(out);
    return out;
  }

 private:
  static constexpr Ticks kNone = ~Ticks{0};
  static constexpr Ticks kIdle = 64;         // Delta: protocols repeat themselves every 50
  static constexpr Ticks kBoundsEvery = 16;  // units
  static constexpr bool kExtends = requires(const S& s, const Bytes& b) { s.extend(b, b); };
  static constexpr bool kCountsRounds = requires { S::kRounds; };
  static constexpr bool kNamesVertices = requires(const S& s, const Message& m) { s.born(m); };

  // --- when to stop -----------------------------------------------------------------------------

  Ticks longest() const {
    return std::max({kUnit, machine_.links().longest(), experiment_.network.delta});
  }
  Ticks quiet_from() const {
    return std::max(machine_.links().quiet_from(), machine_.faults().quiet_from());
  }
  Ticks bound() const {
    if (experiment_.oracles.liveness) return *experiment_.oracles.liveness;
    if constexpr (requires { machine_.subject().heals_within(machine_.node(NodeId{})); }) {
      std::uint64_t most = 0;
      for (std::uint32_t i = 0; i < experiment_.n; ++i) {
        const NodeId id{static_cast<std::uint16_t>(i)};
        // Before the start nobody is up, and all that are correct will be.
        if (machine_.correct(id) && (machine_.up(id) || machine_.now() == 0))
          most = std::max<std::uint64_t>(most, machine_.subject().heals_within(machine_.node(id)));
      }
      return std::max(longest(), most * std::max(experiment_.network.delta, kUnit));
    } else if constexpr (requires { machine_.subject().patience(experiment_); }) {
      return std::max(longest(), machine_.subject().patience(experiment_));
    }
    return 64 * longest();
  }
  // What timers have become by the time that the network is well is part of the bound.
  void note_calm() {
    if (calm_ || now_ < quiet_from()) return;
    calm_ = true;
    judge_.allow(bound());
  }
  // No run is longer, whatever it waits for.
  Ticks limit() const {
    const Stop& stop = experiment_.stop;
    Ticks limit = kNone;
    if (stop.time) limit = *stop.time;
    if (stop.rounds && !kCountsRounds) limit = std::min(limit, *stop.rounds * kUnit);
    if (limit != kNone) return limit;
    if (stop.rounds) return quiet_from() + (*stop.rounds + 2) * 64 * longest();
    if (stop.decisions) return quiet_from() + (*stop.decisions + 2) * judge_.bound();
    return 30 * kUnit;
  }
  bool timed() const {
    const Stop& stop = experiment_.stop;
    return stop.time || (stop.rounds && !kCountsRounds) || (!stop.rounds && !stop.decisions);
  }
  // Looked at once a unit of time.
  bool stopped() {
    if (now_ < next_check_) return false;
    next_check_ = now_ + kUnit;
    memory_.sample();
    look_at_held();
    if (now_ / kUnit % kBoundsEvery == 0) check_bounds();
    const Stop& stop = experiment_.stop;
    return (stop.rounds && kCountsRounds && lowest_round() >= *stop.rounds) ||
           (stop.decisions && lowest_length() >= *stop.decisions);
  }
  void look_at_held() {
    if constexpr (requires { machine_.subject().held(machine_.node(NodeId{})); }) {
      held_.resize(experiment_.n);
      for (std::uint32_t i = 0; i < experiment_.n; ++i) {
        const NodeId id{static_cast<std::uint16_t>(i)};
        held_[i] = std::max<std::uint64_t>(held_[i], machine_.subject().held(machine_.node(id)));
      }
    }
  }
  // Nothing that a peer can fill holds more than it ever may.
  void check_bounds() {
    if constexpr (requires { machine_.subject().bounds(machine_.node(NodeId{})); }) {
      for (const NodeId id : correct_and_up()) {
        for (const Bound& b : machine_.subject().bounds(machine_.node(id))) {
          note_fullest(b);
          if (b.held <= b.most) continue;
          judge_.violated("footprint", "node " + std::to_string(id.value) + " held " +
                                           std::to_string(b.held) + " " + std::string(b.what) +
                                           ", more than " + std::to_string(b.most));
        }
      }
    }
  }
  void note_fullest(const Bound& seen) {
    for (Bound& b : fullest_) {
      if (b.what != seen.what) continue;
      if (seen.held * b.most > b.held * seen.most) b = seen;
      return;
    }
    fullest_.push_back(seen);
  }
  template <class F>
  std::uint64_t lowest(F measure) const {
    std::uint64_t least = kNone;
    for (const NodeId id : correct_and_up()) least = std::min(least, measure(id));
    return least == kNone ? 0 : least;
  }
  std::uint64_t lowest_round() const {
    return lowest(
        [&](NodeId id) -> std::uint64_t { return machine_.subject().round(machine_.node(id)); });
  }
  std::uint64_t lowest_length() const {
    return lowest([&](NodeId id) { return judge_.length(id); });
  }
  std::vector<NodeId> correct_and_up() const {
    std::vector<NodeId> ids;
    for (std::uint32_t i = 0; i < experiment_.n; ++i) {
      const NodeId id{static_cast<std::uint16_t>(i)};
      if (machine_.correct(id) && machine_.up(id)) ids.push_back(id);
    }
    return ids;
  }

  Ticks next_event() { return std::min({machine_.next_time(), next_open_, next_lie_}); }

  // Runs what is next, and with it what is before `until`.
  void advance(Ticks to, Ticks until) {
    now_ = to;
    const Ticks work = std::min(next_open_, next_lie_);
    if (machine_.next_time() == to) {
      if (work == to) {
        machine_.run_instant(to);
      } else {
        machine_.run(to, std::min(until, work));
      }
      now_ = machine_.now();
    }
    if (next_open_ == to) submit_everywhere();
    if (next_lie_ == to) submit_at_liars();
    note_calm();
    ask_again();
    if (lone_ && !machine_.up(lone_->author)) submit_alone(now_);
  }

  // --- workload ---------------------------------------------------------------------------------

  void begin_workload() {
    const Workload& w = experiment_.workload;
    if (w.kind == Workload::Kind::kOpen) next_open_ = 0;
    if (w.kind != Workload::Kind::kClosed) return;
    if (w.one_at_a_time) return submit_alone(now_);
    if (w.liars_interval > 0 && !machine_.faults().all_honest()) next_lie_ = w.liars_interval;
    for (std::uint32_t i = 0; i < experiment_.n; ++i) {
      submit(NodeId{static_cast<std::uint16_t>(i)}, now_, w.clients);
    }
  }
  // Nobody can tell when a request of a liar is served, so they come at their own pace.
  void submit_at_liars() {
    for (std::uint32_t i = 0; i < experiment_.n; ++i) {
      const NodeId id{static_cast<std::uint16_t>(i)};
      if (!machine_.correct(id) && submit(id, now_)) ++liars_requests_;
    }
    next_lie_ = may_submit() ? now_ + experiment_.workload.liars_interval : kNone;
  }
  // A crash loses what a node was asked for and had not said yet: its clients ask again.
  void ask_again() {
    if (back_.empty()) return;
    const Workload& w = experiment_.workload;
    for (const NodeId id : std::exchange(back_, {})) {
      const bool closed = w.kind == Workload::Kind::kClosed && !w.one_at_a_time;
      if (closed) submit(id, now_, w.clients);
    }
  }
  void submit_everywhere() {
    for (std::uint32_t i = 0; i < experiment_.n; ++i)
      submit(NodeId{static_cast<std::uint16_t>(i)}, now_, experiment_.workload.burst);
    next_open_ = may_submit() ? now_ + std::max<Ticks>(experiment_.workload.interval, 1) : kNone;
  }
  bool may_submit() const {
    const std::uint64_t all = experiment_.workload.requests;
    return !settling_ && (all == 0 || submitted_ < all);
  }
  // At the node that orders requests, if it is known and correct: nothing is forwarded then.
  void submit_alone(Ticks at_time) {
    const auto ids = correct_and_up();
    if (ids.empty()) return;
    NodeId at = ids.front();
    if constexpr (requires { machine_.subject().leader(machine_.node(at)); }) {
      const std::optional<NodeId> leader = machine_.subject().leader(machine_.node(at));
      if (leader && std::binary_search(ids.begin(), ids.end(), *leader)) at = *leader;
    }
    lone_.reset();
    if (const auto id = submit(at, at_time)) lone_ = *id;
  }
  // The last of `count` requests, if there were any.
  std::optional<PayloadId> submit(NodeId id, Ticks at, std::uint64_t count = 1) {
    std::optional<PayloadId> last;
    for (; count > 0 && may_submit() && machine_.up(id); --count) last = hand_out(id, at);
    if (last && pools_.on()) feed(id, at);
    return last;
  }
  PayloadId hand_out(NodeId id, Ticks at) {
    ++submitted_;
    const PayloadId first{id, next_number_[id.value]++};
    judge_.submitted(first, at);
    if (pools_.on()) {
      pools_.add(first);
      return first;
    }
    for (const int side : {0, 1}) {
      if (side == 1 && !machine_.faults().two_faced(id)) break;
      PayloadId named = first;
      if (side == 1) named.number |= PayloadId::kSecondFace;
      machine_.request(id,
                       machine_.subject().request(make_payload(named, experiment_.workload.bytes)),
                       at, side);
    }
    return first;
  }
  // Hands a node what it packs of its pool, if it is to have more.
  void feed(NodeId id, Ticks at) {
    const S& subject = machine_.subject();
    std::optional<std::uint64_t> queued;
    if constexpr (requires { subject.queued(machine_.node(id)); })
      queued = subject.queued(machine_.node(id));
    if (!machine_.up(id) || !pools_.pack(id, queued, kExtends)) return;
    for (int side = 0; side < (machine_.faults().two_faced(id) ? 2 : 1); ++side) {
      const Bytes payload = pools_.payload(id, side);
      auto request = subject.request(payload);
      if constexpr (kExtends) {
        if (pools_.grown_from(id) > 0) request = subject.extend(payload, pools_.replaced(id, side));
      }
      machine_.request(id, request, at, side);
    }
  }
  template <class F>
  void each_request(ByteView payload, F visit) const {
    if (!pools_.on()) return visit(payload);
    pools_.each(payload, visit);
  }

  void delivered(NodeId id, const Output& output) {
    const Ticks at = machine_.now();
    const OutputFacts facts = machine_.subject().facts_of(output);
    const auto novelty = judge_.output(id, facts, at);
    if (novelty == Judge::Novelty::kInPart) in_part(id, facts.key, output);
    if (novelty == Judge::Novelty::kRepeated || novelty == Judge::Novelty::kInPart) return;
    commits_.committed(id, at);
    if constexpr (kNamesVertices) ordered(id, output);
    if (novelty == Judge::Novelty::kFirst) {
      if constexpr (requires { machine_.subject().items(output, [](const Digest&) {}); })
        machine_.subject().items(output, [&](const Digest& d) { judge_.item(d); });
      machine_.subject().payloads(
          output, std::nullopt, [&](ByteView payload, std::optional<NodeId> author) {
            each_request(payload, [&](ByteView one) { judge_.payload(id, one, author); });
          });
    }
    machine_.subject().payloads(output, id, [&](ByteView payload, std::optional<NodeId> author) {
      if (author.value_or(id) != id) return;
      each_request(payload, [&](ByteView one) {
        const auto named = read_payload(one);
        if (named && named->author == id) settled(*named);
      });
    });
  }
  void in_part(NodeId id, std::uint64_t key, const Output& output) {
    std::vector<Digest> items;
    if constexpr (requires { machine_.subject().items(output, [](const Digest&) {}); })
      machine_.subject().items(output, [&](const Digest& d) { items.push_back(d); });
    judge_.in_part(id, key, items);
  }

  void ordered(NodeId id, const Output& output) {
    const Ticks at = machine_.now();
    vertices_.outputs(id, at);
    machine_.subject().vertices(output,
                                [&](const VertexName& name) { vertices_.ordered(name, at); });
  }

  void settled(PayloadId id) {
    now_ = machine_.now();
    if (!judge_.settled(id, now_)) return;
    if (pools_.on()) pools_.delivered(id);
    served_.note(now_);
    const Workload& w = experiment_.workload;
    if (w.kind != Workload::Kind::kClosed) return;
    // Who answers in the instant of the request is asked again a step later: else a protocol that
    // delivers what it is handed would never let the instant end.
    const Ticks next = judge_.latencies().back() == 0 ? now_ + kUnit : now_;
    if (!w.one_at_a_time) {
      submit(id.author, next);
    } else if (lone_ && lone_->author == id.author && lone_->number == id.number) {
      submit_alone(next);
    }
  }

  // --- the end ----------------------------------------------------------------------------------

  void finish() {
    const Stop& stop = experiment_.stop;
    judge_.check_liveness(correct_and_up(), now_);
    if (!timed() && !stopped_by(stop) && experiment_.oracles.liveness_on)
      judge_.no_progress("liveness", "a correct node reached round " +
                                         std::to_string(lowest_round()) + " and " +
                                         std::to_string(lowest_length()) + " decisions by " +
                                         std::to_string(now_ / kUnit) + ", short of the stop");
    if (!judge_.failed() && (experiment_.oracles.totality || experiment_.oracles.inclusion))
      settle();
  }
  bool stopped_by(const Stop& stop) const {
    return (stop.rounds && lowest_round() >= *stop.rounds) ||
           (stop.decisions && lowest_length() >= *stop.decisions);
  }
  // Whoever lags gets the time to catch up with what is known now.
  void settle() {
    settling_ = true;
    next_open_ = next_lie_ = kNone;
    const std::uint64_t target = judge_.known();
    const Ticks begin = std::max(now_, quiet_from());
    // Who lags in a cluster that has nothing to order hears of it when that repeats itself.
    const auto end = [&] {
      const Ticks wait = judge_.bound() + kIdle * longest();
      return begin + std::max(wait, experiment_.oracles.inclusion.value_or(0));
    };
    const auto lags = [&](NodeId id) {
      return experiment_.oracles.totality && judge_.length(id) < target;
    };
    const auto behind = [&] {
      if (experiment_.oracles.inclusion && judge_.outstanding() > 0) return true;
      const auto ids = correct_and_up();
      return std::find_if(ids.begin(), ids.end(), lags) != ids.end();
    };
    while (!judge_.failed() && behind() && machine_.next_time() <= end())
      advance(machine_.next_time(), end() + 1);
    for (const NodeId id : correct_and_up()) {
      if (lags(id)) missed(id, target);
    }
    if (judge_.outstanding() > 0) judge_.check_inclusion(end());
  }
  void missed(NodeId id, std::uint64_t target) {
    const std::string why = "node " + std::to_string(id.value) + " delivered " +
                            std::to_string(judge_.length(id)) + " of the " +
                            std::to_string(target) + " that another correct node did";
    const bool promised = !machine_.links().lossy() || experiment_.network.gst > 0;
    if (!S::kOrdered && promised) {
      judge_.violated("totality", why);
    } else {
      judge_.no_progress("totality", why);
    }
  }

  // --- healing ----------------------------------------------------------------------------------

  // Nothing is promised of more than f faulty nodes, and nothing has to heal where all went well.
  bool heals() const {
    if (experiment_.beyond_f) return false;
    const Oracles& on = experiment_.oracles;
    return (on.liveness_on || (Healing<S>::kAccepts && on.acceptance)) &&
           (!experiment_.faults.empty() || machine_.links().quiet_from() > 0);
  }
  // New work goes on meanwhile: what only comes about when all are idle has not healed.
  void heal() {
    if (!heals()) return;
    settling_ = false;
    const Ticks quiet = std::max(now_, quiet_from());
    while (!judge_.failed() && next_event() <= quiet) advance(next_event(), quiet + 1);
    now_ = quiet;
    note_calm();
    const std::vector<NodeId> nodes = correct_and_up();
    for (const NodeId id : nodes) {
      hand_out(id, now_);
      if (pools_.on()) feed(id, now_);
    }
    Healing<S> healing(machine_, judge_, experiment_.oracles, nodes, now_);
    if (experiment_.workload.kind == Workload::Kind::kOpen) next_open_ = now_;
    if (experiment_.workload.liars_interval > 0) next_lie_ = now_;
    const Ticks end = now_ + judge_.bound();
    for (Ticks look = now_ + kUnit; !judge_.failed();) {
      if (now_ >= look) {
        check_bounds();
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
    if (const auto finding = healing.missing(now_))
      judge_.no_progress(finding->oracle, finding->why);
  }
  void conclude(Outcome& out) {
    look_at_held();
    check_bounds();
    out.verdict = judge_.verdict();
    out.oracle = judge_.oracle();
    out.why = judge_.why();
    const FaultPlan& plan = machine_.faults();
    out.faults_fired = plan.fired();
    for (std::size_t k = 0; k < kFaultKinds; ++k)
      out.fired[k] = plan.fired(static_cast<FaultKind>(k));
    out.accusations = accusations_;
    out.restarts = restarts_;
    out.liars_requests = liars_requests_;
    out.healed = healed_;
    out.fullest = fullest_;
    for (std::size_t i = 0; i < held_.size(); ++i) out.nodes[i].held = held_[i];
  }

  // What only the subject can judge: the protocol's proof, or the state of its nodes.
  void audit() {
    if (!experiment_.oracles.lemmas || experiment_.beyond_f) return;
    std::optional<Finding> finding;
    if constexpr (requires { machine_.subject().audit(std::vector<const Node*>{}); }) {
      finding = machine_.subject().audit(good_nodes());
    } else if constexpr (requires { machine_.subject().audit(); }) {
      finding = machine_.subject().audit();
    }
    if (finding) judge_.violated(finding->oracle, finding->why);
  }
  std::vector<const Node*> good_nodes() const {
    std::vector<const Node*> nodes;
    for (const NodeId id : correct_and_up()) nodes.push_back(&machine_.node(id));
    return nodes;
  }

  Outcome outcome() {
    Outcome out;
    out.trace_hash = machine_.trace_hash();
    out.time = now_;
    out.rounds = kCountsRounds ? lowest_round() : now_ / kUnit;
    out.messages = machine_.messages();
    out.bytes = machine_.bytes();
    out.latencies = judge_.latencies();
    const auto ids = correct_and_up();
    if (!ids.empty()) out.decisions = judge_.length(ids.front());
    out.throughput = {served_.per_second(), pools_.waiting(ids), pools_.most_waiting()};
    out.commits = commits_.times(ids, now_);
    out.sent = machine_.sent().all();
    for (std::uint32_t i = 0; i < experiment_.n; ++i) {
      const NodeId id{static_cast<std::uint16_t>(i)};
      NodeMeasures m = machine_.measures(id);
      m.decisions = judge_.length(id);
      m.round = machine_.subject().round(machine_.node(id));
      m.refused = machine_.subject().refused(machine_.node(id));
      out.nodes.push_back(m);
    }
    if constexpr (requires { machine_.subject().measures(std::vector<const Node*>{}); }) {
      // After a power cut nobody is there to be measured.
      if (!ids.empty()) out.measures = machine_.subject().measures(good_nodes());
    }
    if (const SignatureChecks* checks = machine_.signature_checks()) {
      for (const Measure& m : checks->measures()) out.measures.push_back(m);
    }
    vertices_.tell(out);
    memory_.sample();
    out.rss_bytes = memory_.added();
    out.cpu_s = clock_.seconds();
    return out;
  }

  CpuClock clock_;
  MemoryMeter memory_;
  Experiment experiment_;
  Machine<S> machine_;
  Judge judge_;
  Commits commits_;
  Pools pools_;
  Served served_;
  std::vector<std::uint64_t> held_;
  std::vector<std::uint64_t> next_number_;
  std::optional<PayloadId> lone_;  // of one_at_a_time: the request in flight
  std::uint64_t submitted_ = 0;
  std::uint64_t accusations_ = 0;
  std::uint64_t restarts_ = 0;
  std::uint64_t liars_requests_ = 0;
  std::vector<NodeId> back_;  // correct nodes that restarted
  bool healed_ = false;       // it was waited for
  VertexTimes vertices_;
  bool settling_ = false;
  std::vector<Bound> fullest_;  // by what it is
  bool calm_ = false;           // network and faults leave the run alone
  Ticks now_ = 0;
  Ticks next_open_ = kNone;
  Ticks next_lie_ = kNone;
  Ticks next_check_ = 0;
};

/// Runs `experiment` with the nodes of `subject`.
template <Subject S>
Outcome run(S subject, const Experiment& experiment, const RunOptions& options) {
  return Run<S>(std::move(subject), experiment, options).go();
}

}  // namespace thresher::sim
