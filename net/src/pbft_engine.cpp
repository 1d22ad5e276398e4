#include "pbft_engine.hpp"

#include <map>
#include <set>

#include "engine_of.hpp"
#include "thresher/crypto/sha256.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/protocols/order/pbft_wire.hpp"

namespace thresher::net {
namespace {

/// A view change names three windows of values and has to fit a frame. Unit: bytes.
constexpr std::size_t kValueBytes = 256u << 10;
/// Own values that wait for their slot at a time; what comes meanwhile fills the next one.
constexpr std::size_t kOutstanding = 4;

// The log knows slots from 1: 0 stands for an empty log.
Round round_of(std::uint64_t slot) {
  return Round{slot + 1};
}

// A decided value in the form of the log. Nobody signed it: the quorum that decided it vouches, and
// the log hash of peers after it.
dag::BlockPtr block_of(std::uint64_t slot, const Bytes& value, const ChainContext& chain) {
  dag::Header header;
  header.round = round_of(slot);
  header.payload_root = crypto::sha256(value.view());
  header.payload_bytes = static_cast<std::uint32_t>(value.size());
  const dag::Payload payload{value, header.payload_root};
  return dag::make_block(std::move(header), payload, {}, chain);
}

struct PbftAdapter {
  using Protocol = Pbft;
  static constexpr bool kWithBodies = true;
  EngineSettings settings;
  std::set<Digest> waiting{};  // own values without a slot
  Round last{0};  // slot delivered last; after a restart the one below all that is kept
  bool any_restored = false;
  std::map<std::uint64_t, Bytes> restored{};  // by slot, until the start

  std::optional<Frame> encode(const Pbft::Message& m) const {
    WireParts parts = thresher::encode(m);
    return Frame{kProtocol, std::move(parts.control), std::move(parts.payload)};
  }
  std::optional<Pbft::Message> decode(const Frame& frame) const {
    if (frame.kind != kProtocol) return std::nullopt;
    return decode_pbft({frame.control, frame.payload}, settings.committee);
  }
  pbft::Submit request(dag::Payload payload) {
    waiting.insert(payload.root);
    return {std::move(payload.bytes)};
  }
  void deliver(const pbft::Delivery& d, EngineHost& node) {
    dag::BlockPtr block = block_of(d.slot, d.value, settings.chain);
    waiting.erase(block->header.payload_root);
    const Round slot = round_of(d.slot);
    node.deliver({slot, block->digest, {block}, std::exchange(last, slot)});
  }
  // The log may end before the last decision that is durable.
  void restore(const Restored& record) {
    if (record.table != pbft::kDecisions) return;
    const std::uint64_t slot = Reader(record.key.view()).u64();
    const Round below{round_of(slot).value - 1};
    last = std::exchange(any_restored, true) ? std::min(last, below) : below;
    if (as_text(record.value.view()) == pbft::kDelivered) restored[slot] = record.body;
  }
  void start(EngineHost& node) {
    for (const auto& [slot, value] : std::exchange(restored, {})) deliver({slot, value}, node);
  }
  static std::uint32_t table(std::uint32_t t) { return t; }
  static std::optional<std::uint32_t> own_table(std::uint32_t t) { return t; }
  static RecordName record_of(const dag::Block& block) {
    return {pbft::kDecisions, pbft::decision_key(block.round().value - 1)};
  }

  Round noted() const { return last; }
  static bool adopts() { return true; }
  static void adopt(const dag::Committed& commit, std::deque<InputOf<Pbft>>& inputs,
                    std::vector<Persist>& records) {
    for (const dag::BlockPtr& b : commit.blocks) {
      const RecordName name = record_of(*b);
      const Bytes mark = Bytes::copy_of(as_view(pbft::kDelivered));
      inputs.push_back(Restored{name.table, name.key, mark, b->payload.bytes});
      records.push_back({name.table, name.key, mark, b->payload.bytes, true});
    }
  }
  static constexpr bool kExtends = false;
  std::size_t pending_submits(const Pbft&) const { return waiting.size() >= kOutstanding ? 1 : 0; }
  static std::uint64_t refused(const Pbft& d) { return d.refused(); }
  static Round spoke_of(const Pbft::Message& m, NodeId) {
    if (const auto* c = std::get_if<pbft::Checkpoint>(&m)) return round_of(c->delivered);
    if (const auto* v = std::get_if<pbft::Vote>(&m)) return round_of(v->slot);
    return Round{0};
  }
  static EngineSample sample(const Pbft& p) {
    EngineSample out;
    out.round = Round{p.view()};
    out.next_slot = round_of(p.delivered());
    out.frontier = round_of(p.frontier());
    out.stats.refused = p.refused();
    out.stats.direct_commits = p.delivered();
    return out;
  }
  static Pledge pledge(const Pbft& p) { return {p.view(), p.voted()}; }
  static Pledge pledged(const Pbft::Message& m) {
    if (const auto* vote = std::get_if<pbft::Vote>(&m)) return {vote->view, vote->slot + 1};
    if (const auto* first = std::get_if<pbft::PrePrepare>(&m)) {
      return {first->view, first->slot + 1};
    }
    return {};
  }
  std::uint32_t quorum() const { return settings.committee.at_least(kQuorum); }
  static std::size_t payload_limit() { return kValueBytes; }
};

}  // namespace

std::unique_ptr<OrderEngine> make_pbft_engine(const EngineSettings& s, EngineHost& host) {
  Pbft::Config config;
  config.committee = s.committee;
  config.self = s.self;
  config.value_bytes = kValueBytes;
  return std::make_unique<EngineOf<PbftAdapter>>(PbftAdapter{s}, Pbft(config), host);
}

}  // namespace thresher::net
