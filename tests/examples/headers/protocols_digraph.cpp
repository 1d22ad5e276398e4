// The examples of the headers of protocols/digraph, compiled (held_test.py says how they are
// found).
#include "protocols.hpp"
#include "thresher/protocols/digraph/async_auth.hpp"
#include "thresher/protocols/digraph/condition.hpp"
#include "thresher/protocols/digraph/digraph_wire.hpp"
#include "thresher/protocols/digraph/graph.hpp"
#include "thresher/protocols/digraph/repair.hpp"
#include "thresher/protocols/digraph/statements.hpp"
#include "thresher/protocols/digraph/sync_auth.hpp"

namespace thresher::digraph {
namespace {

void show(const Witness& why);
void show(NodeId from, NodeId to);

void async_example(Host<AsyncAuth>& backend, const Digraph& graph) {
  using Backend = Host<AsyncAuth>;
  // <thresher/protocols/digraph/async_auth.hpp>
  AsyncAuth node({.graph = graph, .faults = 1, .self = NodeId{0}, .input = 70, .rounds = 8});
  Executor<AsyncAuth, Backend> executor(std::move(node), backend);
  executor.run(Start{});
  // </>
}

void condition_example(const Digraph& graph) {
  // <thresher/protocols/digraph/condition.hpp>
  const Conditions c = check(graph, 1);
  if (!c.synchronous_exact()) show(*c.synchronous);
  // </>
}

void wire_example(const Relay& relay, const Digraph& graph) {
  // <thresher/protocols/digraph/digraph_wire.hpp>
  WireParts parts = digraph::encode(relay);
  std::optional<Relay> again = digraph::decode_sync_auth(parts, graph.size());
  std::optional<AsyncAuth::Message> other = digraph::decode_async_auth(parts, graph.size());
  // </>
}

void graph_example() {
  // <thresher/protocols/digraph/graph.hpp>
  Digraph g(4);
  g.add(NodeId{0}, NodeId{1});
  Mask heard = g.reach_of(NodeId{0}, g.all());
  // </>
}

void repair_example(const Digraph& graph) {
  // <thresher/protocols/digraph/repair.hpp>
  const auto edges = repair(graph, 1, Condition::kSynchronous, {});
  if (edges && *edges)
    for (auto [from, to] : **edges) show(from, to);
  // </>
}

void statements_example(const Digraph& graph, const Inputs& heard, std::uint32_t faults,
                        NodeId self) {
  // <thresher/protocols/digraph/statements.hpp>
  Statements held(graph.size());
  held[2] = heard;
  Value v = decide(graph, faults, self, held);
  // </>
}

void sync_example(Host<SyncAuth>& backend, const Digraph& graph) {
  using Backend = Host<SyncAuth>;
  // <thresher/protocols/digraph/sync_auth.hpp>
  SyncAuth node({.graph = graph, .faults = 1, .self = NodeId{0}, .input = 7});
  Executor<SyncAuth, Backend> executor(std::move(node), backend);
  executor.run(Start{});
  // </>
}

}  // namespace
}  // namespace thresher::digraph
