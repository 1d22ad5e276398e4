#include "stuffing/pbft.hpp"

#include "broadcast_bounds.hpp"
#include "registry.hpp"
#include "slot_subject.hpp"
#include "thresher/protocols/order/pbft_wire.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/pbft_run.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

constexpr std::int64_t kWindow = 8;
constexpr std::int64_t kHistory = 1024;
constexpr std::int64_t kValueBytes = 65536;

struct PbftSubject : SlotSubject, SlotWords {
  using Node = Pbft;
  using SlotSubject::facts_of;
  static constexpr bool kIncludes = true;
  const Experiment* experiment;
  Pbft::Config base{};

  Pbft make(NodeId id) const { return Pbft(config_of(id)); }
  Pbft::Config config_of(NodeId id) const {
    const Experiment& e = *experiment;
    Pbft::Config config = base;
    config.committee = *Committee::make(e.n, e.f);
    config.self = id;
    config.window = static_cast<std::uint64_t>(parameter(e, "window", kWindow));
    config.history = static_cast<std::uint64_t>(parameter(e, "history", kHistory));
    config.value_bytes = static_cast<std::size_t>(parameter(e, "value_bytes", kValueBytes));
    return config;
  }

  MessageFacts facts_of(const Pbft::Message& message) const {
    MessageFacts out = std::visit([](const auto& m) { return facts(m); }, message);
    out.bytes = static_cast<std::uint32_t>(encode(message).size());
    return out;
  }

  bool mutate(Pbft::Message& message, NodeId, std::string_view field, std::uint64_t salt) const {
    return std::visit([&](auto& m) { return change(m, Mutation(field, salt)); }, message);
  }
  std::vector<Pbft::Message> stuff(NodeId id, const Pbft::Message& heard,
                                   std::uint64_t salt) const {
    const Pbft::Config config = config_of(id);
    return stuff_with(PbftStuffing(id, config, heard), heard, salt);
  }
  std::vector<Bound> bounds(const Pbft& node) const {
    const pbft::Footprint held = node.footprint();
    const pbft::Footprint most = Pbft::most_held(config_of({}));
    std::vector<Bound> out = broadcast_bounds(held.view_changes, most.view_changes);
    out.push_back({"bytes of requests", held.request_bytes, most.request_bytes});
    out.push_back({"bytes of proposals", held.proposal_bytes, most.proposal_bytes});
    out.push_back({"bytes of accepted values", held.value_bytes, most.value_bytes});
    out.push_back({"slots with votes", held.slots, most.slots});
    out.push_back({"digests that peers named", held.digests, most.digests});
    out.push_back({"decisions", held.decisions, most.decisions});
    out.push_back({"values that are asked for", held.asks, most.asks});
    out.push_back({"names in new-views", held.new_views, most.new_views});
    out.push_back({"digests of values given lately", held.given, most.given});
    return out;
  }
  std::uint64_t round(const Pbft& node) const { return node.view(); }
  std::uint64_t refused(const Pbft& node) const { return node.refused(); }
  NodeId leader(const Pbft& node) const { return node.leader(); }

  Reach reach(const Pbft& node) const {
    return reach_back(node.delivered(), config_of({}).history, "slot", "history");
  }
  std::uint64_t reached(const Pbft& node) const { return node.delivered(); }
  std::uint64_t catches_up_within(std::uint64_t slots) const {
    return promises::catch_up_slots(*Committee::make(experiment->n, experiment->f), slots);
  }
  std::uint64_t heals_within(const Pbft& node) const {
    const Committee committee = *Committee::make(experiment->n, experiment->f);
    return promises::pbft(committee, node.patience(), config_of({}).window,
                          std::max<std::uint64_t>(experiment->workload.clients, 1));
  }

 private:
  using SlotWords::change;
  using SlotWords::facts;
  static MessageFacts facts(const pbft::PrePrepare& m) {
    return {.label = "pre-prepare", .round = m.slot, .anchor = true};
  }
  static MessageFacts facts(const pbft::Vote& m) {
    return {.label = m.phase == pbft::kPrepare ? "prepare" : "commit", .round = m.slot};
  }
  static MessageFacts facts(const pbft::NewView& m) {
    return {.label = "new-view", .round = m.view, .anchor = true};
  }
  static MessageFacts facts(const pbft::Checkpoint& m) {
    return {.label = "checkpoint", .round = m.delivered};
  }
  static MessageFacts facts(const pbft::Want& m) { return {.label = "want", .round = m.slot}; }
  static MessageFacts facts(const pbft::Fetched& m) {
    return {.label = "fetched", .round = m.slot, .answer = true};
  }
  static MessageFacts facts(const Bracha::Message&) { return {.label = "view-change"}; }

  static bool change(pbft::PrePrepare& m, Mutation by) {
    return by.payload("value", m.value) || by.number("slot", m.slot) || by.number("view", m.view);
  }
  static bool change(pbft::Vote& m, Mutation by) {
    if (by.picks("phase")) {
      m.phase = m.phase == pbft::kPrepare ? pbft::kCommit : pbft::kPrepare;
      return true;
    }
    return by.digest("digest", m.digest) || by.number("slot", m.slot) || by.number("view", m.view);
  }
  static bool change(pbft::NewView& m, Mutation by) {
    if (by.picks("from") && !m.from.empty()) {
      m.from.pop_back();
      return true;
    }
    return by.number("view", m.view);
  }
  static bool change(pbft::Checkpoint& m, Mutation by) {
    return by.number("slot", m.delivered) || by.number("view", m.view);
  }
  static bool change(pbft::Want& m, Mutation by) {
    return by.number("slot", m.slot) || by.number("view", m.view);
  }
  static bool change(pbft::Fetched& m, Mutation by) {
    return by.payload("value", m.value) || by.number("slot", m.slot);
  }
  static bool change(Bracha::Message& m, Mutation by) { return mutate_bracha(m, by); }
};

}  // namespace

Outcome simulate_pbft(const Experiment& experiment, const Pbft::Config& config,
                      const RunOptions& options) {
  return run(PbftSubject{{}, {}, &experiment, config}, experiment, options);
}

SubjectEntry subject_pbft() {
  ProtocolInfo info;
  info.name = "pbft";
  info.help = "PBFT without signatures: a total order in three delays, views changed by a timer";
  info.parameters = {
      {"window", kWindow, 2, 1024, "slots open at a time"},
      {"history", kHistory, 8, 1 << 20, "delivered slots kept; at least 4 windows"},
      {"value_bytes", kValueBytes, 1, 1 << 24, "largest payload"},
  };
  info.answers = true;
  info.bears_sieges = true;
  info.stuffs = true;
  info.largest_payload = kValueBytes;
  info.kept = {"history", 1 << 14};
  info.fields = {"counter", "digest", "from",  "number", "payload",
                 "phase",   "slot",   "value", "view"};
  return {info, [](const Experiment& e, const RunOptions& o) { return simulate_pbft(e, {}, o); }};
}

}  // namespace thresher::sim
