#include "engines/raft_engine.hpp"

#include <set>

#include "engines/engine_of.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/protocols/order/raft_wire.hpp"

namespace thresher::net {
namespace {

constexpr std::size_t kValueBytes = 256u << 10;
/// Own values that wait for their entry at a time; what comes meanwhile fills the next one.
constexpr std::size_t kOutstanding = 4;

// Nobody signed an entry: the majority that holds it vouches. Its term is the proof, because a node
// that adopts the entry needs it. It is written as the record of an entry has it.
Bytes proof_of(std::uint64_t term) {
  return Bytes::from(Writer().u64(term).take());
}

struct RaftAdapter {
  using Protocol = Raft;
  static constexpr bool kWithBodies = true;
  EngineSettings settings;
  std::set<Digest> waiting{};  // own values without an entry
  Round last{0};               // index delivered last; after a restart that of the kept log's base

  static std::optional<Frame> encode(const Raft::Message& m) {
    WireParts parts = thresher::encode(m);
    return Frame{kProtocol, std::move(parts.control), std::move(parts.payload)};
  }
  static std::optional<Raft::Message> decode(const Frame& frame) {
    if (frame.kind != kProtocol) return std::nullopt;
    return decode_raft({frame.control, frame.payload});
  }
  raft::Submit request(Bytes payload, const Digest& root) {
    waiting.insert(root);
    return {std::move(payload)};
  }
  void deliver(const raft::Delivery& d, EngineHost& node) {
    const Round slot{d.index};
    const Digest root = node.root_of(d.value.view());
    const OrderedBlockPtr block =
        unsigned_block(slot, d.value, root, proof_of(d.term), settings.chain);
    waiting.erase(block->payload_root);
    node.deliver({slot, block->id, {block}, std::exchange(last, slot)});
  }
  void restore(const Restored& record) {
    if (record.table == raft::kBase) last = Round{Reader(record.value.view()).u64()};
  }
  static RecordName record_of(const OrderedBlock& block) {
    return {raft::kEntries, raft::entry_key(block.round.value)};
  }

  Round noted() const { return last; }
  static bool adopts() { return true; }
  static void adopt(const Commit& commit, std::deque<InputOf<Raft>>& inputs,
                    std::vector<Persist>& records) {
    for (const OrderedBlockPtr& b : commit.blocks) {
      const RecordName name = record_of(*b);
      inputs.push_back(Restored{name.table, name.key, b->proof, b->payload});
      records.push_back({name.table, name.key, b->proof, b->payload, true});
    }
  }
  static std::uint64_t window() { return 1; }
  // The log begins with the entry: what was before it is decided.
  static void enter(const Commit& commit, std::vector<Persist>& records) {
    const Bytes base = Bytes::from(Writer().u64(commit.slot.value - 1).u64(0).take());
    Persist record{raft::kBase, Bytes::from(Writer().u64(0).take()), base, {}, true};
    record.value = sealed(record);
    records.push_back(std::move(record));
  }
  static constexpr bool kExtends = false;
  static constexpr bool kHashesPayloads = false;
  std::size_t pending_submits(const Raft&) const { return waiting.size() >= kOutstanding ? 1 : 0; }
  static std::uint64_t refused(const Raft& d) { return d.refused(); }
  static Round spoke_of(const Raft::Message& m, NodeId) {
    if (const auto* a = std::get_if<raft::AppendEntries>(&m)) {
      return Round{a->previous_index + a->entries.size()};
    }
    const auto* done = std::get_if<raft::AppendEntriesReply>(&m);
    return done && done->fits ? Round{done->index} : Round{0};
  }
  // Followers answer their leader alone.
  static bool hears(const Raft& r, NodeId peer) {
    return r.role() == Raft::Role::kLeader || r.leader() == peer;
  }
  static EngineSample sample(const Raft& r) {
    EngineSample out;
    out.round = Round{r.term()};
    out.next_slot = Round{r.delivered() + 1};
    out.frontier = Round{r.frontier() + 1};
    out.up_to_date = r.up_to_date();
    out.stats.refused = r.refused();
    out.stats.direct_commits = r.delivered();
    return out;
  }
  static Pledge pledge(const Raft& r) { return {r.term(), 0}; }
  // A term and the vote in it are durable before they are told. An index is not told here: entries
  // adopted from peers' logs are durable only later, and their loss does no harm.
  static Pledge pledged(const Raft::Message& m) {
    if (const auto* vote = std::get_if<raft::RequestVoteReply>(&m)) {
      return {vote->granted && !vote->pre_vote ? vote->term : 0, 0};
    }
    const auto* asks = std::get_if<raft::RequestVote>(&m);
    return {asks == nullptr || asks->pre_vote ? 0 : asks->term, 0};
  }
  std::uint32_t quorum() const {
    return Committee::make(settings.committee.size(), 0)->at_least(kQuorum);
  }
  // Members crash and do not lie: the clock of the one that packed an entry is good enough.
  static std::uint32_t clock_witnesses() { return 1; }
  static std::size_t payload_limit() { return kValueBytes; }
};

}  // namespace

std::unique_ptr<OrderEngine> make_raft(const EngineSettings& s, EngineHost& host) {
  Raft::Config config;
  config.committee = *Committee::make(s.committee.size(), 0);
  config.self = s.self;
  config.value_bytes = kValueBytes;
  return std::make_unique<EngineOf<RaftAdapter>>(RaftAdapter{s}, Raft(config), host);
}

}  // namespace thresher::net
