#include "dag_engine.hpp"

#include "engine_of.hpp"
#include "receipt_proof_codec.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

/// Of a record of kDelivered: the slot before, and the leader.
constexpr std::size_t kMarkBytes = sizeof(std::uint64_t) + sizeof(Digest::bytes);

struct DagAdapter {
  using Protocol = dag::Dag;
  EngineSettings settings;
  EngineHost* host;

  std::optional<Frame> encode(dag::Message m) const {
    // Nothing is better than half an answer: the peer asks another.
    if (auto* give = std::get_if<dag::Give>(&m)) {
      for (dag::BlockPtr& b : give->blocks) {
        if (!host->fill_in(b)) return std::nullopt;
      }
    } else if (auto* push = std::get_if<dag::Push>(&m)) {
      if (!host->fill_in(push->block)) return std::nullopt;
      std::vector<dag::BlockPtr> whole;
      for (dag::BlockPtr& b : push->attached) {
        if (host->fill_in(b)) whole.push_back(std::move(b));
      }
      push->attached = std::move(whole);
    }
    return net::encode(m);
  }
  std::optional<dag::Message> decode(const Frame& frame) const {
    auto message = net::decode(frame, settings.chain, settings.committee.size());
    if (!message) return std::nullopt;
    return std::move(*message);
  }
  static dag::Submit request(dag::Payload payload) { return {std::move(payload), {}}; }
  static void deliver(dag::Committed commit, EngineHost& node) { node.deliver(std::move(commit)); }
  static std::uint32_t table(std::uint32_t t) { return t; }
  static std::optional<std::uint32_t> own_table(std::uint32_t t) { return t; }

  static std::optional<Round> progress_of(const Persist& r) {
    if (r.table != dag::kDelivered || r.value.empty()) return std::nullopt;
    return Round{Reader(r.key.view()).u64()};
  }

  std::uint64_t window() const { return settings.options.gc_rounds; }
  // Who leads next, behind the commit before and the leader.
  static Bytes beyond_log(const Persist& noted) {
    return noted.value.slice(kMarkBytes, noted.value.size() - kMarkBytes);
  }
  static bool adopts() { return true; }
  void adopt(const dag::Committed& commit, std::deque<InputOf<dag::Dag>>& inputs,
             std::vector<Persist>& records) const {
    for (const dag::BlockPtr& b : commit.blocks) {
      const auto [kind, key] = record_of(*b);
      Writer header;
      encode_header(*b, header);
      header.u8(dag::kCameWithLog);
      const Bytes value = Bytes::from(header.take());
      inputs.push_back(Restored{kind, key, value, {}});
      records.push_back({kind, key, value, b->payload.bytes, true});
    }
    Writer mark;
    mark.u64(commit.before.value).bytes(commit.leader.bytes);
    inputs.push_back(Restored{dag::kDelivered,
                              Bytes::from(Writer().u64(commit.slot.value).take()),
                              Bytes::from(mark.take()),
                              {}});
  }
  RecordName record_of(const dag::Block& b) const {
    return {b.author() == settings.self ? dag::kOwn : dag::kBlock,
            dag::block_key({b.author(), b.round(), b.digest})};
  }
  static Bytes prove(const dag::Dag& d, Round slot, const dag::Block& b) {
    const auto proof = d.prove(slot, {b.author(), b.round(), b.digest});
    return proof ? encode_receipt_proof(*proof, b.payload.bytes.view()) : Bytes();
  }
  std::uint32_t clock_witnesses() const { return settings.committee.at_least(kValidity); }
  std::size_t payload_limit() const { return settings.options.block_bytes; }
  static std::uint64_t refused(const dag::Dag& d) { return d.stats().refused; }
  static Round spoke_of(const dag::Message& m, NodeId from) {
    const auto* push = std::get_if<dag::Push>(&m);
    return push && push->block && push->block->author() == from ? push->block->round() : Round{0};
  }
  static EngineSample sample(const dag::Dag& d) {
    return {d.round(), d.next_slot(), d.frontier(), d.stats(), 0};
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
};

}  // namespace

std::unique_ptr<OrderEngine> make_dag_engine(const EngineSettings& s, const dag::Rules& rules,
                                             EngineHost& host) {
  dag::Config config;
  config.committee = s.committee;
  config.self = s.self;
  config.chain = s.chain;
  config.rules = rules;
  config.gc_depth = s.options.gc_rounds;
  // Where no timer decides when a round is left, none holds it up either.
  if (!rules.coin) config.pace = s.delay_of(s.options.pace_us);
  config.evict_delivered = true;
  config.host_fetches_beyond = s.options.sync_rounds;
  config.coin = s.shared.coin;
  return std::make_unique<EngineOf<DagAdapter>>(DagAdapter{s, &host}, dag::Dag(std::move(config)),
                                                host);
}

}  // namespace thresher::net
