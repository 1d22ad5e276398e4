#include "engines/certified_engine.hpp"

#include "engines/engine_of.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::net {
namespace {

/// Size of a record that notes a delivery: the commit before and the anchor.
constexpr std::size_t kMarkBytes = sizeof(std::uint64_t) + sizeof(Digest::bytes);

using certified::Bullshark;
using certified::Vertex;
using certified::VertexPtr;

// A vertex in the form of the log. Its digest is the proof, because it names the record that holds
// the payload; the references that it commits to are not in the log.
OrderedBlockPtr ordered(const Vertex& v, const ChainContext& chain) {
  return plain_block({v.author(),
                      v.round(),
                      v.header.payload_root,
                      v.header.payload_bytes,
                      v.payload.bytes,
                      Bytes::copy_of(v.digest.bytes),
                      {}},
                     chain);
}

struct CertifiedAdapter {
  using Protocol = Bullshark;
  EngineSettings settings;
  certified::Rules rules;
  EngineHost* host;

  std::optional<Frame> encode(certified::Message m) const {
    if (auto* give = std::get_if<certified::Give>(&m)) {
      // Nothing is better than half an answer: the peer asks another.
      for (VertexPtr& v : give->vertices) {
        if (!fill_in(v)) return std::nullopt;
      }
    }
    WireParts parts = certified::encode(m, settings.committee.size());
    return Frame{kProtocol, std::move(parts.control), std::move(parts.payload)};
  }
  std::optional<certified::Message> decode(const Frame& frame) const {
    if (frame.kind != kProtocol) return std::nullopt;
    auto message = certified::decode({frame.control, frame.payload}, settings.chain,
                                     {settings.committee, rules.stragglers}, certified::Limits{},
                                     [this](ByteView payload) { return host->root_of(payload); });
    if (!message) return std::nullopt;
    return std::move(*message);
  }
  static certified::Submit request(Bytes payload, const Digest& root) {
    return {{std::move(payload), root}};
  }
  void deliver(const certified::Committed& c, EngineHost& node) const {
    Commit out{c.slot, c.leader, {}, c.before};
    out.blocks.reserve(c.blocks.size());
    for (const VertexPtr& v : c.blocks) out.blocks.push_back(ordered(*v, settings.chain));
    node.deliver(std::move(out));
  }
  static RecordName record_of(const OrderedBlock& b) {
    return record_of(dag::Edge{b.author, b.round, Reader(b.proof.view()).digest()});
  }

  static std::optional<Round> progress_of(const Persist& r) {
    if (r.table != certified::kDelivered || r.value.empty()) return std::nullopt;
    return Round{Reader(r.key.view()).u64()};
  }

  std::uint64_t window() const { return settings.tuning.gc_rounds; }
  // The next leaders, behind the commit before and the anchor.
  static Bytes beyond_log(const Persist& noted) {
    return noted.value.slice(kMarkBytes, noted.value.size() - kMarkBytes);
  }
  static bool adopts() { return true; }
  // The log has what was ordered, not the references and certificates that led there.
  void adopt(const Commit& commit, std::deque<InputOf<Bullshark>>& inputs,
             std::vector<Persist>& records) const {
    for (const OrderedBlockPtr& b : commit.blocks) {
      const auto [kind, key] = record_of(*b);
      Vertex v;
      v.header.author = b->author;
      v.header.round = b->round;
      v.header.payload_root = b->payload_root;
      v.header.payload_bytes = b->payload_bytes;
      Writer value;
      certified::encode_vertex(v, settings.committee.size(), value);
      value.u64(commit.slot.value);
      const Bytes bytes = Bytes::from(value.take());
      inputs.push_back(Restored{kind, key, bytes, {}});
      records.push_back({kind, key, bytes, b->payload, true});
    }
    Writer mark;
    mark.u64(commit.before.value).bytes(commit.id.bytes);
    inputs.push_back(Restored{certified::kDelivered,
                              Bytes::from(Writer().u64(commit.slot.value).take()),
                              Bytes::from(mark.take()),
                              {}});
  }
  std::uint32_t clock_witnesses() const { return settings.committee.at_least(kValidity); }
  std::size_t payload_limit() const { return settings.tuning.block_bytes; }
  static constexpr bool kExtends = false;
  static constexpr bool kHashesPayloads = true;
  static Pledge pledge(const Bullshark& b) { return {b.round().value, b.voted().value}; }
  static Pledge pledged(const certified::Message& m) {
    const auto* vote = std::get_if<certified::Vote>(&m);
    return {0, vote == nullptr ? 0 : vote->round.value};
  }
  std::uint32_t quorum() const { return settings.committee.at_least(kQuorum); }
  Bytes last_signed(const Bullshark& b, NodeId author) const {
    const certified::ProposalPtr proposal = b.latest_of(author);
    if (!proposal) return {};
    Writer out;
    encode_proposal(*proposal, settings.committee.size(), out);
    return Bytes::from(out.take());
  }
  std::optional<LastSigned> read_signed(const Bullshark& b, const Bytes& bytes) const {
    Reader in(bytes.view());
    const auto proposal =
        certified::decode_proposal(in, settings.chain, {settings.committee, rules.stragglers});
    if (!proposal || !in.done() || (*proposal)->header.author != settings.self) return std::nullopt;
    const certified::Proposal& p = **proposal;
    const certified::ProposalPtr own = b.latest_of(settings.self);
    const bool held = p.header.round < b.round() || (own && own->digest == p.digest);
    return LastSigned{p.header.round, p.digest, p.signature, held};
  }
  static std::size_t pending_submits(const Bullshark& b) { return b.pending_submits(); }
  static std::uint64_t refused(const Bullshark& d) { return d.stats().refused; }
  static Round spoke_of(const certified::Message& m, NodeId from) {
    const auto* propose = std::get_if<certified::Propose>(&m);
    return propose && propose->proposal && propose->proposal->header.author == from
               ? propose->proposal->header.round
               : Round{0};
  }
  static EngineSample sample(const Bullshark& b) {
    EngineSample out;
    out.round = b.round();
    out.next_slot = Round{b.last_ordered().value + 1};
    out.frontier = b.frontier();
    out.up_to_date = b.up_to_date();
    out.stats.certificate_calls = b.stats().certificate_calls;
    out.stats.blocks_accepted = b.stats().vertices_accepted;
    out.stats.direct_commits = b.stats().direct_commits;
    out.stats.indirect_commits = b.stats().indirect_commits;
    out.stats.timeouts = b.stats().timeouts;
    out.stats.refused = b.stats().refused;
    out.stats.equivocations = b.stats().equivocations;
    return out;
  }

 private:
  static RecordName record_of(const dag::Edge& vertex) {
    return {certified::kVertex, dag::block_key(vertex)};
  }
  bool fill_in(VertexPtr& v) const {
    if (v->payload.bytes.size() == v->header.payload_bytes) return true;
    auto bytes = host->payload_of(record_of(dag::Edge{v->author(), v->round(), v->digest}),
                                  v->header.payload_root);
    if (!bytes) return false;
    auto whole = std::make_shared<Vertex>(*v);
    whole->payload.bytes = std::move(*bytes);
    v = std::move(whole);
    return true;
  }
};

std::unique_ptr<OrderEngine> make(const EngineSettings& s, const certified::Rules& rules,
                                  EngineHost& host) {
  certified::Config config;
  config.committee = s.committee;
  config.self = s.self;
  config.chain = s.chain;
  config.rules = rules;
  config.gc_depth = s.tuning.gc_rounds;
  config.gather = s.delay_of(s.tuning.gather_us);
  config.evict_delivered = true;
  config.host_fetches_beyond = s.tuning.sync_rounds;
  config.coin = s.shared.coin;
  return std::make_unique<EngineOf<CertifiedAdapter>>(CertifiedAdapter{s, rules, &host},
                                                      Bullshark(std::move(config)), host);
}

std::uint32_t number_d(const EngineSettings& s) {
  return parameter_number(s.parameters, s.protocol, "D");
}

}  // namespace

std::unique_ptr<OrderEngine> make_bullshark(const EngineSettings& s, EngineHost& host) {
  return make(s, certified::Rules::bullshark(), host);
}

// With the leaders that the genesis names.
std::unique_ptr<OrderEngine> make_anchored_bullshark(const EngineSettings& s, EngineHost& host) {
  const bool prompt = parameter_text(s.parameters, s.protocol, "schedule") == "prompt";
  return make(s,
              prompt ? certified::Rules::anchored_bullshark(number_d(s))
                     : certified::Rules::anchored_in_order(number_d(s)),
              host);
}

std::unique_ptr<OrderEngine> make_sparse_bullshark(const EngineSettings& s, EngineHost& host) {
  const bool verifiable = parameter_text(s.parameters, s.protocol, "sampling") == "verifiable";
  return make(s, certified::Rules::sparse_bullshark(number_d(s), verifiable), host);
}

std::unique_ptr<OrderEngine> make_bullshark_async(const EngineSettings& s, EngineHost& host) {
  return make(s, certified::Rules::bullshark_async(), host);
}

}  // namespace thresher::net
