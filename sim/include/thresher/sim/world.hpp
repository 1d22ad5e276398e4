// A committee of any protocol in one process, for tests: Machine with a protocol's own nodes,
// outputs handed to the test, nothing judged.
//
//   World<dag::Dag> world(plan, [&](NodeId id) { return dag::Dag({.self = id, ...}); });
//   world.on_deliver = [&](NodeId id, const dag::Committed& c) { checker.delivered(id, c); };
//   world.run_until([&] { return world.now() >= 100; });
//
// Guarantees: as Machine. The hash covers the time and place of outputs, and their digests where
// `digest_of_output` is given before the first tick.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "thresher/sim/engine.hpp"
#include "thresher/sim/plan.hpp"

namespace thresher::sim {

template <Protocol P>
class World {
 public:
  using Message = typename P::Message;
  using Output = typename P::Output;
  using Make = std::function<P(NodeId)>;

  World(Plan plan, Make make)
      : plan_(std::move(plan)), machine_({std::move(make), this}, plan_.experiment()) {
    machine_.on_deliver = [this](NodeId id, const Output& o) { on_deliver(id, o); };
    machine_.on_accuse = [this](NodeId by, NodeId who) {
      if (correct(by) && correct(who)) ++slander_;
    };
  }

  /// Called at every output of a node that is not Byzantine.
  std::function<void(NodeId, const Output&)> on_deliver = [](NodeId, const Output&) {};
  /// Mixes an output into the trace hash.
  std::function<Digest(const Output&)> digest_of_output = [](const Output&) { return Digest{}; };

  /// Runs tick by tick until `done` says so. Returns the ticks run.
  template <class Done>
  std::uint64_t run_until(Done done) {
    const std::uint64_t begin = now_;
    start();
    while (!done()) {
      ++now_;
      if (machine_.next_time() == now_ * kUnit) machine_.run_instant(now_ * kUnit);
    }
    return now_ - begin;
  }

  /// Hands a request to every face of a node at the next tick, or to one face of a two-faced one.
  void request(NodeId id, const typename P::Request& request, std::optional<int> side = {}) {
    machine_.request(id, request, (now_ + 1) * kUnit, side);
  }

  bool correct(NodeId id) const { return machine_.correct(id); }
  bool up(NodeId id) const { return machine_.up(id); }
  const P& node(NodeId id) const { return machine_.node(id); }
  std::uint64_t now() const { return now_; }
  std::uint64_t messages() const { return machine_.messages(); }
  std::uint64_t accusations_of_correct() const { return slander_; }
  Digest trace_hash() const { return machine_.trace_hash(); }
  const Committee& committee() const { return plan_.committee; }

 private:
  // No more is known of a protocol than how to make its nodes.
  struct Bare {
    using Node = P;
    static constexpr bool kOrdered = true;
    Make make_node;
    const World* world;

    P make(NodeId id) const { return make_node(id); }
    typename P::Request request(const Bytes&) const { return {}; }
    MessageFacts facts_of(const Message&) const { return {"message"}; }
    OutputFacts facts_of(const Output& o) const { return {.digest = world->digest_of_output(o)}; }
    template <class F>
    void payloads(const Output&, std::optional<NodeId>, F) const {}
    bool mutate(Message&, NodeId, std::string_view, std::uint64_t) const { return false; }
    std::uint64_t round(const P&) const { return 0; }
    std::uint64_t refused(const P&) const { return 0; }
  };

  void start() {
    if (started_) return;
    started_ = true;
    machine_.start();
    while (machine_.next_time() == 0) machine_.run_instant(0);
  }

  Plan plan_;
  Machine<Bare> machine_;
  bool started_ = false;
  std::uint64_t now_ = 0;
  std::uint64_t slander_ = 0;
};

}  // namespace thresher::sim
