#include "raft_engine.hpp"

#include <set>

#include "engine_of.hpp"
#include "thresher/crypto/sha256.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/protocols/order/raft_wire.hpp"

namespace thresher::net {
namespace {

constexpr std::size_t kValueBytes = 256u << 10;
/// Own values that wait for their entry at a time; what comes meanwhile fills the next one.
constexpr std::size_t kOutstanding = 4;

// An entry in the form of the log. Nobody signed it: the majority that holds it vouches. The term
// goes along in the place of the author's last round, because a node that adopts the entry needs
// it.
dag::BlockPtr block_of(const raft::Delivery& d, const ChainContext& chain) {
  dag::Header header;
  header.round = Round{d.index};
  header.self.round = Round{d.term};
  header.payload_root = crypto::sha256(d.value.view());
  header.payload_bytes = static_cast<std::uint32_t>(d.value.size());
  const dag::Payload payload{d.value, header.payload_root};
  return dag::make_block(std::move(header), payload, {}, chain);
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
  raft::Submit request(dag::Payload payload) {
    waiting.insert(payload.root);
    return {std::move(payload.bytes)};
  }
  void deliver(const raft::Delivery& d, EngineHost& node) {
    dag::BlockPtr block = block_of(d, settings.chain);
    waiting.erase(block->header.payload_root);
    const Round slot{d.index};
    node.deliver({slot, block->digest, {block}, std::exchange(last, slot)});
  }
  void restore(const Restored& record) {
    if (record.table == raft::kBase) last = Round{Reader(record.value.view()).u64()};
  }
  static std::uint32_t table(std::uint32_t t) { return t; }
  static std::optional<std::uint32_t> own_table(std::uint32_t t) { return t; }
  static RecordName record_of(const dag::Block& block) {
    return {raft::kEntries, raft::entry_key(block.round().value)};
  }

  Round noted() const { return last; }
  static bool adopts() { return true; }
  static void adopt(const dag::Committed& commit, std::deque<InputOf<Raft>>& inputs,
                    std::vector<Persist>& records) {
    for (const dag::BlockPtr& b : commit.blocks) {
      const RecordName name = record_of(*b);
      const Bytes term = Bytes::from(Writer().u64(b->header.self.round.value).take());
      inputs.push_back(Restored{name.table, name.key, term, b->payload.bytes});
      records.push_back({name.table, name.key, term, b->payload.bytes, true});
    }
  }
  static std::uint64_t window() { return 1; }
  // The log begins with the entry: what was before it is decided.
  static void enter(const dag::Committed& commit, std::vector<Persist>& records) {
    const Bytes base = Bytes::from(Writer().u64(commit.slot.value - 1).u64(0).take());
    Persist record{raft::kBase, Bytes::from(Writer().u64(0).take()), base, {}, true};
    record.value = sealed(record);
    records.push_back(std::move(record));
  }
  static constexpr bool kExtends = false;
  std::size_t pending_submits(const Raft&) const { return waiting.size() >= kOutstanding ? 1 : 0; }
  static std::uint64_t refused(const Raft& d) { return d.refused(); }
  static Round spoke_of(const Raft::Message& m, NodeId) {
    if (const auto* a = std::get_if<raft::AppendEntries>(&m)) {
      return Round{a->previous_index + a->entries.size()};
    }
    const auto* done = std::get_if<raft::AppendEntriesReply>(&m);
    return done && done->fits ? Round{done->index} : Round{0};
  }
  static EngineSample sample(const Raft& r) {
    EngineSample out;
    out.round = Round{r.term()};
    out.next_slot = Round{r.delivered() + 1};
    out.frontier = Round{r.frontier() + 1};
    out.stats.refused = r.refused();
    out.stats.direct_commits = r.delivered();
    return out;
  }
  static Pledge pledge(const Raft& r) { return {r.term(), 0}; }
  // A term and the vote in it are durable before they are told. An index is not told of here: what
  // is adopted from the log of peers is durable only later, and its loss harms nobody.
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

std::unique_ptr<OrderEngine> make_raft_engine(const EngineSettings& s, EngineHost& host) {
  Raft::Config config;
  config.committee = *Committee::make(s.committee.size(), 0);
  config.self = s.self;
  config.value_bytes = kValueBytes;
  return std::make_unique<EngineOf<RaftAdapter>>(RaftAdapter{s}, Raft(config), host);
}

}  // namespace thresher::net
