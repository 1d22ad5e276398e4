// Simplex and HotStuff-2 in the simulator.
//
//   SubjectEntry subject_simplex() { return leader_chain_entry<Simplex>(info, promise); }
//
// Parameters: history, value_bytes. Outputs are keyed by slot.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "registry.hpp"
#include "slot_subject.hpp"
#include "stuffing/leader_chain.hpp"
#include "thresher/protocols/order/leader_chain_wire.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/leader_chain_run.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {

inline constexpr std::int64_t kChainHistory = 1024;
inline constexpr std::int64_t kChainValueBytes = 65536;

/// The messages' names for traces and how liars change them.
struct LeaderChainWords : SlotWords {
  using SlotWords::change;
  using SlotWords::facts;
  static MessageFacts facts(const leader_chain::Propose& m) {
    return {.label = "propose", .round = m.block.view, .anchor = true};
  }
  static MessageFacts facts(const leader_chain::Vote& m) {
    const bool block = m.kind == leader_chain::Kind::kNotarize;
    const bool skip = m.kind == leader_chain::Kind::kSkip;
    return {.label = block ? "vote" : skip ? "skip" : "finalize", .round = m.view};
  }
  static MessageFacts facts(const leader_chain::Certificate& m) {
    return {.label = "certificate", .round = m.view, .answer = true};
  }
  static MessageFacts facts(const leader_chain::Want& m) {
    return {.label = "want", .round = m.view};
  }
  static MessageFacts facts(const leader_chain::Status& m) {
    return {.label = "status", .round = m.view};
  }
  static MessageFacts facts(const leader_chain::WantBlock& m) {
    return {.label = "want-block", .round = m.block.view};
  }
  static MessageFacts facts(const leader_chain::Give& m) {
    return {.label = "give", .round = m.block.view, .answer = true};
  }

  static bool change(leader_chain::Block& b, Mutation by) {
    const std::size_t at = b.values.empty() ? 0 : by.salt() % b.values.size();
    return (!b.values.empty() && by.payload("value", b.values[at])) || by.number("slot", b.first) ||
           by.number("view", b.view) || by.number("parent", b.parent.view);
  }
  static bool change(leader_chain::Propose& m, Mutation by) {
    if (by.picks("skips") && !m.skips.empty()) {
      m.skips.pop_back();
      return true;
    }
    return change(m.block, by);
  }
  static bool change(leader_chain::Vote& m, Mutation by) {
    if (by.picks("kind")) {
      m.kind = static_cast<leader_chain::Kind>((static_cast<std::size_t>(m.kind) + 1) %
                                               leader_chain::kKinds);
      return true;
    }
    return by.digest("digest", m.digest) || by.number("view", m.view);
  }
  static bool change(leader_chain::Certificate& m, Mutation by) {
    if (by.picks("signers") && m.list != nullptr && !m.list->signatures.empty()) {
      // One signature for another: as many as before, and one of them wrong.
      SignatureList other = *m.list;
      other.signatures.back() = other.signatures.front();
      m.list = std::make_shared<const SignatureList>(std::move(other));
      return true;
    }
    return by.digest("digest", m.digest) || by.number("view", m.view);
  }
  static bool change(leader_chain::Want& m, Mutation by) {
    return by.number("slot", m.slot) || by.number("view", m.view);
  }
  static bool change(leader_chain::Status& m, Mutation by) {
    return by.number("slot", m.delivered) || by.number("view", m.view);
  }
  static bool change(leader_chain::WantBlock& m, Mutation by) {
    return by.digest("digest", m.block.digest);
  }
  static bool change(leader_chain::Give& m, Mutation by) { return change(m.block, by); }
};

/// `Promise`: Delta within which a node goes on, of (committee, patience, requests before).
template <class N, auto Promise>
struct LeaderChainSubject : SlotSubject {
  using Node = N;
  using SlotSubject::facts_of;
  static constexpr bool kIncludes = true;
  const Experiment* experiment;
  LeaderChain::Config base{};

  LeaderChain::Config config_of(NodeId id) const {
    const Experiment& e = *experiment;
    LeaderChain::Config config = base;
    config.committee = *Committee::make(e.n, e.f);
    config.self = id;
    config.history = static_cast<std::uint64_t>(parameter(e, "history", kChainHistory));
    config.value_bytes = static_cast<std::size_t>(parameter(e, "value_bytes", kChainValueBytes));
    return config;
  }
  Node make(NodeId id) const { return Node(config_of(id)); }
  MessageFacts facts_of(const LeaderChain::Message& message) const {
    MessageFacts out =
        std::visit([](const auto& m) { return LeaderChainWords::facts(m); }, message);
    out.bytes = static_cast<std::uint32_t>(encode(message).size());
    return out;
  }
  bool mutate(LeaderChain::Message& message, NodeId, std::string_view field,
              std::uint64_t salt) const {
    return std::visit([&](auto& m) { return LeaderChainWords::change(m, Mutation(field, salt)); },
                      message);
  }
  std::vector<LeaderChain::Message> stuff(NodeId id, const LeaderChain::Message& heard,
                                          std::uint64_t salt) const {
    const LeaderChain::Config config = config_of(id);
    return stuff_with(LeaderChainStuffing(id, config, heard), heard, salt);
  }
  std::vector<Bound> bounds(const Node& node) const {
    const leader_chain::Footprint held = node.footprint();
    const leader_chain::Footprint most = node.most_held();
    return {{"bytes of requests", held.request_bytes, most.request_bytes},
            {"bytes of blocks", held.block_bytes, most.block_bytes},
            {"votes", held.votes, most.votes},
            {"certificates", held.certificates, most.certificates},
            {"verdicts that are awaited", held.checks, most.checks},
            {"digests that peers named", held.digests, most.digests},
            {"decisions", held.decisions, most.decisions},
            {"digests of values given lately", held.given, most.given}};
  }
  std::uint64_t round(const Node& node) const { return node.view(); }
  std::uint64_t refused(const Node& node) const { return node.refused(); }
  NodeId leader(const Node& node) const { return node.leader(); }
  Reach reach(const Node& node) const {
    return reach_back(node.delivered(), config_of({}).history, "slot", "history");
  }
  std::uint64_t reached(const Node& node) const { return node.delivered(); }
  std::uint64_t catches_up_within(std::uint64_t slots) const {
    return promises::catch_up_slots(*Committee::make(experiment->n, experiment->f), slots);
  }
  std::uint64_t heals_within(const Node& node) const {
    const Committee committee = *Committee::make(experiment->n, experiment->f);
    return Promise(committee, node.patience(),
                   std::max<std::uint64_t>(experiment->workload.clients, 1));
  }
};

/// Its entry in the registry.
inline ProtocolInfo leader_chain_info(std::string name, std::string help) {
  ProtocolInfo info;
  info.name = std::move(name);
  info.help = std::move(help);
  info.parameters = {
      {"history", kChainHistory, 8, 1 << 20, "delivered slots kept"},
      {"value_bytes", kChainValueBytes, 1, 1 << 24, "largest payload"},
  };
  info.answers = true;
  info.bears_sieges = true;
  info.stuffs = true;
  info.largest_payload = kChainValueBytes;
  info.kept = {"history", 1 << 14};
  info.fields = {"digest", "kind", "parent", "signers", "skips", "slot", "value", "view"};
  return info;
}

}  // namespace thresher::sim
