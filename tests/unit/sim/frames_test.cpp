// A node that falls in the middle of a step: what is durable and what is decided fall together.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "thresher/sim/machine.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

// Decides two numbers a Delta, each with a record of it, and says a word after each.
struct Steps {
  struct Message {
    std::uint64_t number = 0;
  };
  struct Output {
    std::uint64_t number = 0;
  };
  struct Request {
    Bytes payload;
  };
  using Fx = EffectsOf<Steps>;

  std::uint64_t decided = 0;

  void on(const Restored& r, Fx&) { decided = Reader(r.value.view()).u64(); }
  void on(const Start&, Fx& fx) { fx.push(ArmTimer{{}, Delay{1000}}); }
  void on(const Expired&, Fx& fx) {
    for (int twice = 0; twice < 2; ++twice) {
      Writer w;
      w.u64(++decided);
      fx.push(Persist{1, Bytes::copy_of(as_view("decided")), Bytes::from(w.take()), {}, false});
      fx.deliver({decided});
      fx.broadcast({decided});
    }
    fx.push(ArmTimer{{}, Delay{1000}});
  }
  void on(const Received<Message>&, Fx&) {}
  void on(const Requested<Request>&, Fx&) {}
};

struct StepsSubject {
  using Node = Steps;
  static constexpr bool kOrdered = true;

  Steps make(NodeId) const { return {}; }
  Steps::Request request(const Bytes& payload) const { return {payload}; }
  MessageFacts facts_of(const Steps::Message& m) const {
    return {m.number % 2 == 1 ? "first" : "second", m.number, 8, false, false, false};
  }
  OutputFacts facts_of(const Steps::Output& o) const {
    Writer w;
    w.u64(o.number);
    return {.key = o.number, .digest = hash(w.view())};
  }
  template <class F>
  void payloads(const Steps::Output&, std::optional<NodeId>, F) const {}
  bool mutate(Steps::Message&, NodeId, std::string_view, std::uint64_t) const { return false; }
  std::uint64_t round(const Steps& node) const { return node.decided; }
  std::uint64_t refused(const Steps&) const { return 0; }
};

// Log and records are one frame of a node's write-ahead log. A restart right after the first word
// of a step lost what the step decides after it and kept the record of it, so that a correct
// protocol left a number out: seed 369 of a planted Tendermint without a bug.
TEST(Frames, ANodeThatFallsInAStepHasDecidedWhatItsRecordsSay) {
  for (const char* label : {"first", "second"}) {
    Experiment e;
    e.n = 4;
    e.f = 1;
    e.network.delta = kUnit;
    FaultAction strikes{.who = {NodeId{0}}, .what = FaultKind::kRestart, .from = 3 * kUnit};
    strikes.to = 6 * kUnit;
    strikes.field = label;
    e.faults = {strikes};
    Machine<StepsSubject> machine(StepsSubject{}, e);
    std::vector<std::uint64_t> decided;
    std::uint64_t heard_of = 0;
    machine.on_deliver = [&](NodeId by, const Steps::Output& o) {
      if (by == NodeId{0}) decided.push_back(o.number);
      if (by == NodeId{1}) ++heard_of;
    };
    machine.start();
    while (machine.next_time() <= 12 * kUnit) machine.run_instant(machine.next_time());
    EXPECT_EQ(machine.faults().fired(FaultKind::kRestart), 1U) << label;
    ASSERT_GT(decided.size(), 10U) << label;
    EXPECT_LT(decided.size(), heard_of) << label << ": it was down for a while";
    for (std::size_t k = 0; k < decided.size(); ++k) EXPECT_EQ(decided[k], k + 1) << label;
  }
}

}  // namespace
}  // namespace thresher::sim
