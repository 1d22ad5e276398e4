// A protocol small enough to know every delivery by heart: each node says the next number to all,
// once a Delta, and outputs what it hears. Its last number is durable.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "thresher/sim/machine.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {

struct Beacon {
  struct Message {
    std::uint64_t round = 0;
    std::uint64_t value = 0;
  };
  struct Output {
    NodeId from;
    Message said;
  };
  struct Request {
    Bytes payload;
  };
  using Fx = EffectsOf<Beacon>;

  NodeId self{};
  std::uint64_t seed = 0;
  std::uint64_t round = 0;

  void on(const Restored& r, Fx&) { round = Reader(r.value.view()).u64(); }
  void on(const Start& s, Fx& fx) {
    seed = s.seed;
    speak(fx);
  }
  void on(const Expired&, Fx& fx) { speak(fx); }
  void on(const Received<Message>& m, Fx& fx) { fx.deliver({m.from, m.message}); }
  void on(const Requested<Request>&, Fx&) {}

 private:
  void speak(Fx& fx) {
    ++round;
    Writer w;
    w.u64(round);
    fx.push(Persist{1, Bytes::copy_of(as_view("round")), Bytes::from(w.take()), {}, false});
    fx.broadcast({round, seed});
    fx.push(ArmTimer{{}, Delay{1000}});
  }
};

/// Every even number carries a share, every third is a leader's proposal, every fifth an answer;
/// one field can be mutated. A liar forges the number kForged.
struct BeaconSubject {
  using Node = Beacon;
  static constexpr bool kOrdered = false;
  std::uint32_t bytes = 100;

  Beacon make(NodeId id) const { return {id}; }
  Beacon::Request request(const Bytes& payload) const { return {payload}; }
  MessageFacts facts_of(const Beacon::Message& m) const {
    return {"beacon", m.round, bytes, m.round % 3 == 0, m.round % 2 == 0, m.round % 5 == 0};
  }
  OutputFacts facts_of(const Beacon::Output& o) const {
    Writer w;
    w.u16(o.from.value).u64(o.said.round).u64(o.said.value);
    return {.key = (std::uint64_t{o.from.value} << 32) + o.said.round, .digest = hash(w.view())};
  }
  template <class F>
  void payloads(const Beacon::Output&, std::optional<NodeId>, F) const {}
  bool mutate(Beacon::Message& m, NodeId, std::string_view field, std::uint64_t salt) const {
    if (!field.empty() && field != "value") return false;
    m.value = salt;
    return true;
  }
  static constexpr std::uint64_t kForged = 1000;
  bool proposes(const Beacon::Message&) const { return true; }
  std::vector<Forged<Beacon::Message>> forge(NodeId, const FaultAction&, std::uint64_t mood,
                                             std::uint64_t salt) const {
    return {{{kForged, salt}}, {{kForged + 1, mood}, 0}};
  }
  std::optional<Beacon::Message> hand_out(NodeId, const Beacon::Message&) const {
    return std::nullopt;
  }
  std::uint64_t round(const Beacon& node) const { return node.round; }
  std::uint64_t refused(const Beacon&) const { return 0; }
};

/// What a run of beacons came to: everything that nodes heard, and what the trace told.
class Hall {
 public:
  struct Heard {
    NodeId by;
    NodeId from;
    std::uint64_t round;
    std::uint64_t value;
    Ticks at;
  };
  struct Told : TraceSink {
    std::vector<std::pair<TraceEvent::Kind, std::string>> events;
    void event(const TraceEvent& e) override {
      events.emplace_back(e.kind, std::string(e.label) + " " + std::string(e.detail));
    }
    auto count(TraceEvent::Kind kind) const {
      return std::count_if(events.begin(), events.end(), [&](auto& e) { return e.first == kind; });
    }
  };

  explicit Hall(const Experiment& e, Ticks end = 20 * kUnit, std::uint32_t bytes = 100)
      : machine(BeaconSubject{bytes}, e, &told) {
    machine.on_deliver = [this](NodeId by, const Beacon::Output& o) {
      heard.push_back({by, o.from, o.said.round, o.said.value, machine.now()});
    };
    machine.start();
    while (machine.next_time() <= end) machine.run_instant(machine.next_time());
  }

  /// What `by` heard of number `round` of `from`.
  std::vector<Heard> of(std::uint16_t by, std::uint16_t from, std::uint64_t round) const {
    std::vector<Heard> out;
    std::copy_if(heard.begin(), heard.end(), std::back_inserter(out), [&](const Heard& h) {
      return h.by.value == by && h.from.value == from && h.round == round;
    });
    return out;
  }
  auto count_from(std::uint16_t from) const {
    return std::count_if(heard.begin(), heard.end(),
                         [&](const Heard& h) { return h.from.value == from; });
  }

  Told told;
  std::vector<Heard> heard;
  Machine<BeaconSubject> machine;
};

/// Seven nodes, delay 1, Delta 1: number k is said at k-1 and heard at k.
inline Experiment hall(std::vector<FaultAction> faults = {}) {
  Experiment e;
  e.n = 7;
  e.f = 2;
  e.network.delta = kUnit;
  e.faults = std::move(faults);
  return e;
}

}  // namespace thresher::sim
