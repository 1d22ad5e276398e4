// The engine with the types of one subject, to run it without a judge: a test that looks at nodes,
// or a loop of one's own. The guarantees are those of world.hpp.
//
//   Machine<Mine> machine(Mine{experiment}, experiment, /*trace=*/nullptr);
//   machine.on_deliver = [&](NodeId id, const Output& output) { ... };
//   while (machine.next_time() <= end) machine.run_instant(machine.next_time());
//
// Only outputs, requests and nodes are typed; all else is the World's. Does not judge: run.hpp
// does.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "thresher/sim/typed_nodes.hpp"
#include "thresher/sim/world.hpp"

namespace thresher::sim {

template <Subject S>
class Machine : private TypedNodes<S>, public World {
 public:
  using typename TypedNodes<S>::Node;
  using typename TypedNodes<S>::Output;
  using typename TypedNodes<S>::Request;
  using TypedNodes<S>::subject;

  Machine(S nodes, const Experiment& experiment, TraceSink* trace = nullptr)
      : TypedNodes<S>(std::move(nodes)), World(static_cast<Nodes&>(*this), experiment, trace) {
    on_output = [this](NodeId id, const OutputFacts&, const Said& said) {
      on_deliver(id, static_cast<const TypedSaid<S>&>(said).output());
    };
  }

  /// Called at every output of a node that is not Byzantine.
  std::function<void(NodeId, const Output&)> on_deliver = [](NodeId, const Output&) {};

  /// Hands a request to every face of a node at instant `at`, or to one face of a two-faced one.
  void request(NodeId id, const Request& request, Ticks at, std::optional<int> side = {}) {
    World::request(id, this->question(request), at, side);
  }
  const Node& node(NodeId id) const { return this->of(id); }
};

}  // namespace thresher::sim
