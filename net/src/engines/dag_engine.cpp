#include "engines/dag_engine.hpp"

#include "engines/dag_block.hpp"
#include "engines/engine_of.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/two_delays.hpp"
#include "thresher/protocols/dag/dag.hpp"
#include "thresher/protocols/dag/two_delay.hpp"
#include "wire/receipt_proof_codec.hpp"

namespace thresher::net {
namespace {

/// Size of a record of kDelivered: the slot before, and the leader.
constexpr std::size_t kMarkBytes = sizeof(std::uint64_t) + sizeof(Digest::bytes);

struct DagAdapter {
  using Protocol = dag::Dag;
  EngineSettings settings;
  EngineHost* host;

  std::optional<Frame> encode(dag::Message m) const {
    // Nothing is better than half an answer: the peer asks another.
    if (auto* give = std::get_if<dag::Give>(&m)) {
      for (dag::BlockPtr& b : give->blocks) {
        if (!fill_in(b)) return std::nullopt;
      }
    } else if (auto* push = std::get_if<dag::Push>(&m)) {
      if (!fill_in(push->block)) return std::nullopt;
      std::vector<dag::BlockPtr> whole;
      for (dag::BlockPtr& b : push->attached) {
        if (fill_in(b)) whole.push_back(std::move(b));
      }
      push->attached = std::move(whole);
    }
    return net::encode(m);
  }
  std::optional<dag::Message> decode(const Frame& frame) const {
    auto message = net::decode(frame, settings.chain, settings.committee.size(),
                               [this](ByteView payload) { return host->root_of(payload); });
    if (!message) return std::nullopt;
    return std::move(*message);
  }
  static dag::Submit request(Bytes payload, const Digest& root) {
    return {{std::move(payload), root}, {}};
  }
  static void deliver(const dag::Committed& c, EngineHost& node) {
    Commit out{c.slot, c.leader, {}, c.before};
    out.blocks.reserve(c.blocks.size());
    for (const dag::BlockPtr& b : c.blocks) out.blocks.push_back(ordered(*b));
    node.deliver(std::move(out));
  }

  static std::optional<Round> progress_of(const Persist& r) {
    if (r.table != dag::kDelivered || r.value.empty()) return std::nullopt;
    return Round{Reader(r.key.view()).u64()};
  }

  std::uint64_t window() const { return settings.tuning.gc_rounds; }
  // The next leaders, behind the commit before and the leader.
  static Bytes beyond_log(const Persist& noted) {
    return noted.value.slice(kMarkBytes, noted.value.size() - kMarkBytes);
  }
  static bool adopts() { return true; }
  void adopt(const Commit& commit, std::deque<InputOf<dag::Dag>>& inputs,
             std::vector<Persist>& records) const {
    for (const OrderedBlockPtr& b : commit.blocks) {
      const auto [kind, key] = record_of(*b);
      Writer header;
      header.bytes(b->proof.view()).u8(dag::kCameWithLog);
      const Bytes value = Bytes::from(header.take());
      inputs.push_back(Restored{kind, key, value, {}});
      records.push_back({kind, key, value, b->payload, true});
    }
    Writer mark;
    mark.u64(commit.before.value).bytes(commit.id.bytes);
    inputs.push_back(Restored{dag::kDelivered,
                              Bytes::from(Writer().u64(commit.slot.value).take()),
                              Bytes::from(mark.take()),
                              {}});
  }
  RecordName record_of(const OrderedBlock& b) const {
    return record_of(dag::Edge{b.author, b.round, b.id});
  }
  static Bytes prove(const dag::Dag& d, Round slot, const OrderedBlock& b) {
    const auto proof = d.prove(slot, {b.author, b.round, b.id});
    return proof ? encode_receipt_proof(*proof, b.payload.view()) : Bytes();
  }
  std::uint32_t clock_witnesses() const { return settings.committee.at_least(kValidity); }
  std::size_t payload_limit() const { return settings.tuning.block_bytes; }
  static std::uint64_t refused(const dag::Dag& d) { return d.stats().refused; }
  static Round spoke_of(const dag::Message& m, NodeId from) {
    const auto* push = std::get_if<dag::Push>(&m);
    return push && push->block && push->block->author() == from ? push->block->round() : Round{0};
  }
  static EngineSample sample(const dag::Dag& d) {
    const dag::Stats& s = d.stats();
    return {d.round(), d.next_slot(), d.frontier(),
            EngineStats{s.blocks_accepted, s.direct_commits, s.indirect_commits, s.skips,
                        s.timeouts, s.refused, s.equivocations, 0},
            d.up_to_date()};
  }
  static Pledge pledge(const dag::Dag& d) { return {d.round().value, 0}; }
  std::uint32_t quorum() const { return settings.committee.at_least(kQuorum); }
  static Bytes last_signed(const dag::Dag& d, NodeId author) {
    const dag::BlockPtr block = d.latest_of(author);
    if (!block) return {};
    Writer header;
    encode_header(*block, header);
    return Bytes::from(header.take());
  }
  std::optional<LastSigned> read_signed(const dag::Dag& d, const Bytes& bytes) const {
    Reader in(bytes.view());
    const auto block = dag::decode_slim(in, settings.chain, settings.committee.size());
    if (!block || !in.done() || (*block)->author() != settings.self) return std::nullopt;
    const dag::Block& b = **block;
    const dag::BlockPtr own = d.latest_of(settings.self);
    const bool held = b.round() < d.round() || (own && own->digest == b.digest);
    return LastSigned{b.round(), b.digest, b.signature, held};
  }
  static std::size_t pending_submits(const dag::Dag& d) { return d.pending_submits(); }
  static constexpr bool kExtends = true;
  static constexpr bool kHashesPayloads = true;

 private:
  RecordName record_of(const dag::Edge& block) const {
    return {block.author == settings.self ? dag::kOwn : dag::kBlock, dag::block_key(block)};
  }
  // Reads back the payload of a block that memory holds without it.
  bool fill_in(dag::BlockPtr& block) const {
    if (block->payload.bytes.size() == block->header.payload_bytes) return true;
    auto bytes = host->payload_of(record_of(block->edge()), block->header.payload_root);
    if (!bytes) return false;
    auto whole = std::make_shared<dag::Block>(*block);
    whole->payload.bytes = std::move(*bytes);
    block = std::move(whole);
    return true;
  }
};

std::unique_ptr<OrderEngine> make(const EngineSettings& s, const dag::Rules& rules,
                                  EngineHost& host) {
  dag::Config config;
  config.committee = s.committee;
  config.self = s.self;
  config.chain = s.chain;
  config.rules = rules;
  config.gc_depth = s.tuning.gc_rounds;
  // Where no timer decides when a round is left, none holds it up either.
  if (!rules.coin) config.pace = s.delay_of(s.tuning.pace_us);
  config.evict_delivered = true;
  config.host_fetches_beyond = s.tuning.sync_rounds;
  config.coin = s.shared.coin;
  return std::make_unique<EngineOf<DagAdapter>>(DagAdapter{s, &host}, dag::Dag(std::move(config)),
                                                host);
}

// With the schedule of leaders that the genesis names.
dag::Rules scheduled(dag::Rules rules, const EngineSettings& s) {
  const bool prompt = parameter_text(s.parameters, s.protocol, "schedule") == "prompt";
  rules.leaders = prompt ? dag::Leaders::kPrompt : dag::Leaders::kMisses;
  return rules;
}

}  // namespace

std::unique_ptr<OrderEngine> make_thresher(const EngineSettings& s, EngineHost& host) {
  const dag::Rules rules = scheduled(dag::Rules::thresher(), s);
  const auto p = fast_of(s.parameters, s.protocol);
  if (!p) return make(s, rules, host);
  const auto fast = with_two_delays(rules, s.committee, *p);
  THRESHER_ASSERT(fast, "a genesis is refused whose committee does not allow its `fast`");
  return make(s, *fast, host);
}

std::unique_ptr<OrderEngine> make_mysticeti(const EngineSettings& s, EngineHost& host) {
  return make(s, scheduled(dag::Rules::mysticeti(), s), host);
}

std::unique_ptr<OrderEngine> make_mahi_mahi(const EngineSettings& s, EngineHost& host) {
  return make(s, dag::Rules::mahi_mahi(parameter_number(s.parameters, s.protocol, "wave")), host);
}

}  // namespace thresher::net
