#include "stuffing/raft.hpp"

#include "registry.hpp"
#include "thresher/protocols/order/raft_wire.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

constexpr std::int64_t kWindow = 256;
constexpr std::int64_t kHistory = 1024;
constexpr std::int64_t kValueBytes = 65536;

// Nobody lies in Raft's model, so no field of a message can be changed.
struct RaftSubject {
  using Node = Raft;
  static constexpr bool kOrdered = true;
  static constexpr bool kIncludes = true;
  const Experiment* experiment;

  Raft make(NodeId id) const {
    const Experiment& e = *experiment;
    Raft::Config config;
    config.committee = *Committee::make(e.n, 0);
    config.self = id;
    config.window = static_cast<std::uint64_t>(parameter(e, "window", kWindow));
    config.history = static_cast<std::uint64_t>(parameter(e, "history", kHistory));
    config.value_bytes = static_cast<std::size_t>(parameter(e, "value_bytes", kValueBytes));
    return Raft(config);
  }
  raft::Submit request(const Bytes& payload) const { return {payload}; }

  MessageFacts facts_of(const Raft::Message& message) const {
    MessageFacts out = std::visit([](const auto& m) { return facts(m); }, message);
    out.bytes = static_cast<std::uint32_t>(
        std::visit([](const auto& m) { return encoded_size(m); }, message));
    return out;
  }
  OutputFacts facts_of(const raft::Delivery& d) const {
    Writer w;
    w.u64(d.term).bytes(d.value.view());
    return {d.index, hash(w.view()), d.index, "deliver"};
  }
  template <class F>
  void payloads(const raft::Delivery& d, std::optional<NodeId>, F visit) const {
    visit(d.value.view(), std::nullopt);
  }
  bool mutate(Raft::Message&, NodeId, std::string_view, std::uint64_t) const { return false; }
  std::optional<NodeId> leader(const Raft& node) const { return node.leader(); }
  std::vector<Raft::Message> stuff(NodeId, const Raft::Message& heard, std::uint64_t salt) const {
    const auto bytes = static_cast<std::size_t>(parameter(*experiment, "value_bytes", kValueBytes));
    return stuff_with(RaftStuffing{bytes}, heard, salt);
  }
  std::vector<Bound> bounds(const Raft& node) const {
    const raft::Footprint held = node.footprint();
    const raft::Footprint most = node.most_held();
    return {{"entries", held.entries, most.entries},
            {"submissions that are not delivered", held.pending, most.pending}};
  }
  std::uint64_t round(const Raft& node) const { return node.term(); }
  std::uint64_t refused(const Raft& node) const { return node.refused(); }

  // A leader keeps one and a half histories for a while (raft.hpp).
  Reach reach(const Raft& node) const {
    const auto kept = static_cast<std::uint64_t>(parameter(*experiment, "history", kHistory));
    return reach_back(node.delivered(), kept + kept / 2, "entry", "history");
  }
  std::uint64_t heals_within(const Raft&) const { return promises::raft(); }

 private:
  // As encode(message).size(), without encoding each: all but payloads and entries have one size.
  template <class M>
  static std::size_t encoded_size(const M&) {
    static const std::size_t kSize = encode(Raft::Message{M{}}).size();
    return kSize;
  }
  static std::size_t encoded_size(const raft::Forward& m) {
    static const std::size_t kEmpty = encode(Raft::Message{raft::Forward{}}).size();
    return kEmpty + m.value.size();
  }
  static std::size_t encoded_size(const raft::AppendEntries& m) {
    static const std::size_t kEmpty = encode(Raft::Message{raft::AppendEntries{}}).size();
    static const std::size_t kEntry =
        encode(Raft::Message{raft::AppendEntries{.entries = {{}}}}).size() - kEmpty;
    std::size_t size = kEmpty;
    for (const raft::Entry& entry : m.entries) size += kEntry + entry.value.size();
    return size;
  }

  static MessageFacts facts(const raft::RequestVote& m) {
    return {.label = m.pre_vote ? "pre-vote" : "request-vote", .round = m.term};
  }
  static MessageFacts facts(const raft::RequestVoteReply& m) {
    return {.label = "vote", .round = m.term};
  }
  static MessageFacts facts(const raft::AppendEntries& m) {
    return {.label = m.entries.empty() ? "heartbeat" : "append", .round = m.term, .anchor = true};
  }
  static MessageFacts facts(const raft::AppendEntriesReply& m) {
    return {.label = "appended", .round = m.term};
  }
  static MessageFacts facts(const raft::Forward&) { return {.label = "forward"}; }
};

}  // namespace

SubjectEntry subject_raft() {
  ProtocolInfo info;
  info.name = "raft";
  info.help = "Raft: a total order under crashes of a minority, nobody Byzantine";
  info.nodes_per_fault = 2;
  info.stuffs = true;
  info.largest_payload = kValueBytes;
  info.parameters = {
      {"window", kWindow, 1, 4096, "entries on the way to one follower"},
      {"history", kHistory, 8, 1 << 20, "delivered entries kept"},
      {"value_bytes", kValueBytes, 1, 1 << 24, "largest payload"},
  };
  return {info,
          [](const Experiment& e, const RunOptions& o) { return run(RaftSubject{&e}, e, o); }};
}

}  // namespace thresher::sim
