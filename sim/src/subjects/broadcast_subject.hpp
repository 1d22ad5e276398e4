// A broadcast of the shelf (protocols/broadcast) in the simulator. What differs from one to the
// next are its messages; a file for each says what they are called and how liars change them:
//
//   struct Words {
//     using Broadcast = ImbsRaynal;
//     static MessageFacts facts(const bracha::Init&);             // one for each message
//     static bool change(bracha::Init&, Mutation by);             // likewise
//     static std::uint32_t bytes(const Broadcast::Message&);      // as encoded
//     static std::vector<Broadcast::Message> stuff(id, heard, salt, config);
//     // In Delta; optional: Bracha's.
//     static std::uint64_t heals_within(const Broadcast&, const Experiment&);
//   };
//   SubjectEntry subject_mine() { return broadcast_entry<Words>("what it is"); }
//
// Parameters: window, payload_bytes. Outputs are keyed by origin and number.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "broadcast_bounds.hpp"
#include "mutation.hpp"
#include "registry.hpp"
#include "thresher/protocols/broadcast/broadcast.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {

inline constexpr std::int64_t kBroadcastWindow = 64;
inline constexpr std::int64_t kBroadcastPayloadBytes = 1 << 20;

template <class Words>
struct BroadcastSubject {
  using Node = typename Words::Broadcast;
  static_assert(broadcast::Broadcast<Node>);
  static constexpr bool kOrdered = false;
  static constexpr bool kIncludes = true;
  const Experiment* experiment;

  typename Node::Config config_of(NodeId id) const {
    const Experiment& e = *experiment;
    typename Node::Config config;
    config.committee = *Committee::make(e.n, e.f);
    config.self = id;
    config.window = static_cast<std::uint64_t>(parameter(e, "window", kBroadcastWindow));
    config.payload_bytes =
        static_cast<std::size_t>(parameter(e, "payload_bytes", kBroadcastPayloadBytes));
    if constexpr (requires { Words::configure(config, e); }) Words::configure(config, e);
    return config;
  }
  Node make(NodeId id) const { return Node(config_of(id)); }
  broadcast::Submit request(const Bytes& payload) const { return {payload}; }
  MessageFacts facts_of(const typename Node::Message& message) const {
    MessageFacts out = std::visit([](const auto& m) { return Words::facts(m); }, message);
    out.bytes = Words::bytes(message);
    return out;
  }
  OutputFacts facts_of(const broadcast::Delivery& d) const {
    const std::uint64_t key = (std::uint64_t{d.instance.origin.value} << 48) | d.instance.number;
    return {key, hash(d.payload.view()), d.instance.number, "deliver"};
  }
  template <class F>
  void payloads(const broadcast::Delivery& d, std::optional<NodeId> of, F visit) const {
    if (!of || *of == d.instance.origin) visit(d.payload.view(), d.instance.origin);
  }
  bool mutate(typename Node::Message& message, NodeId, std::string_view field,
              std::uint64_t salt) const {
    return std::visit([&](auto& m) { return Words::change(m, Mutation(field, salt)); }, message);
  }
  /// What a liar fills memory with.
  std::vector<typename Node::Message> stuff(NodeId id, const typename Node::Message& heard,
                                            std::uint64_t salt) const {
    return Words::stuff(id, heard, salt, config_of(id));
  }
  std::vector<Bound> bounds(const Node& node) const {
    return broadcast_bounds(node.footprint(), Node::most_held(config_of(NodeId{})));
  }
  std::uint64_t heals_within(const Node& node) const {
    if constexpr (requires { Words::heals_within(node, *experiment); })
      return Words::heals_within(node, *experiment);
    return promises::bracha();
  }
  std::uint64_t round(const Node&) const { return 0; }
  std::uint64_t refused(const Node& node) const { return node.refused(); }
};

/// The broadcast's entry in the registry. `fields`: those that Words::change knows. `Mine`: a
/// subject that derives from the one above and adds to it.
template <class Words, class Mine = BroadcastSubject<Words>>
SubjectEntry broadcast_entry(std::string help, std::vector<std::string> fields) {
  using B = typename Words::Broadcast;
  ProtocolInfo info;
  info.name = std::string(B::kName);
  info.help = std::move(help);
  info.kind = "broadcast";
  info.nodes_per_fault = B::kNodesPerFault;
  info.most_nodes = B::kMostNodes < Committee::kMaxSize ? B::kMostNodes : 0;
  info.parameters = {
      {"window", kBroadcastWindow, 1, 4096, "instances of one origin on the way"},
      {"payload_bytes", kBroadcastPayloadBytes, 1, 1 << 26, "largest payload"},
  };
  if constexpr (requires { Words::parameters(); }) {
    for (const ParameterInfo& p : Words::parameters()) info.parameters.push_back(p);
  }
  info.answers = true;
  info.stuffs = true;
  info.largest_payload = 1 << 18;  // of drawn schedules
  info.fields = std::move(fields);
  return {info, [](const Experiment& e, const RunOptions& o) { return run(Mine{{&e}}, e, o); }};
}

}  // namespace thresher::sim
