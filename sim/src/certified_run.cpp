#include "thresher/sim/certified_run.hpp"

#include "certified_lies.hpp"
#include "certified_order.hpp"
#include "certified_subject.hpp"
#include "coins.hpp"
#include "mutation.hpp"
#include "published_sizes.hpp"
#include "registry.hpp"
#include "stuffing/certified.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

using certified::Bullshark;

constexpr std::int64_t kGcDepth = 50;
constexpr std::uint32_t kLargestPayload = 256 * 1024;  // as much as an answer holds
constexpr std::int64_t kTimeout = 8000;
constexpr const char* kPrompt = "prompt";
constexpr const char* kInOrder = "in-order";
constexpr std::size_t kNameBytes = 4;
constexpr std::size_t kLine = 64;  // of a cache

std::string name_of(const certified::Ref& ref) {
  Writer w;
  w.u16(ref.author.value).u64(ref.round.value);
  return to_hex(ByteView(hash(w.view()).bytes).first(kNameBytes));
}

// Stands for a threshold signature: binds the digest alone. Nobody forges one but by calling this.
class MockJoint final : public certified::JointSignature {
 public:
  explicit MockJoint(std::uint64_t seed) : seed_(seed) {}
  Signature combine(const Digest& digest, const certified::Certificate&) const override {
    Signature s{};
    std::copy(digest.bytes.begin(), digest.bytes.end(), s.begin());
    const std::uint64_t tag = mix64(digest.prefix() ^ mix64(seed_ + Committee::kMaxSize));
    for (std::size_t i = 0; i < 8; ++i) s[32 + i] = static_cast<std::byte>(tag >> (8 * i));
    return s;
  }
  bool verify(const Digest& digest, const NodeSet&, const Signature& s) const override {
    return combine(digest, {}) == s;
  }

 private:
  std::uint64_t seed_;
};

class CertifiedSubject {
 public:
  using Node = Bullshark;
  static constexpr bool kOrdered = true;
  static constexpr bool kIncludes = true;
  static constexpr bool kRounds = true;

  CertifiedSubject(const Experiment& e, const certified::Rules& rules)
      : rules_(rules), signer_(e), seed_(e.seed), sizes_(sizes_of(e)), records_(stops_somebody(e)) {
    rules_.one_signature = choice(e, "certificates", "list") == "one";
    rules_.late_commit = choice(e, "commits", "early") == "late";
    rules_.fewest_parents = choice(e, "edges", "all") == "fewest";
    if (rules_.one_signature) joint_ = std::make_shared<MockJoint>(seed_);
    if (const auto it = e.parameters.find("rests"); it != e.parameters.end()) {
      rests_ = std::get<bool>(it->second);
    }
    committee_ = *Committee::make(e.n, e.f);
    if (rules_.turns == certified::Turns::kPrompt && choice(e, "schedule", kPrompt) == kInOrder) {
      rules_.turns = certified::Turns::kInOrder;
    }
    order_ = std::make_shared<CertifiedOrder>(committee_, rules_);
    if (rules_.asynchronous) coins_ = std::make_shared<const Coins>(e, committee_);
    gc_depth_ = static_cast<std::uint64_t>(parameter(e, "gc_depth", kGcDepth));
    timeout_ = static_cast<std::uint64_t>(parameter(e, "timeout", kTimeout));
    gather_ = static_cast<std::uint64_t>(parameter(e, "gather", 0));
    const bool forges = std::any_of(e.faults.begin(), e.faults.end(),
                                    [](auto& a) { return a.what == FaultKind::kForge; });
    if (forges)
      lies_ = std::make_shared<CertifiedLies>(committee_, rules_, gc_depth_, joint_, signer_,
                                              static_cast<std::uint64_t>(parameter(e, "tries", 1)),
                                              order_);
  }

  Bullshark make(NodeId id) const {
    certified::Config config;
    config.committee = committee_;
    config.self = id;
    config.rules = rules_;
    config.gc_depth = gc_depth_;
    config.timeout = Delay{timeout_};
    config.gather = Delay{gather_};
    config.joint = joint_;
    config.rests = rests_;
    config.records = records_;
    if (coins_) config.coin = coins_->of(id);
    return Bullshark(std::move(config));
  }
  certified::Submit request(const Bytes& payload) const {
    return {{payload, hash(payload.view())}};
  }

  std::uint64_t queued(const Bullshark& node) const { return node.pending_submits(); }

  MessageFacts facts_of(const certified::Message& message) const {
    return std::visit([this](const auto& m) { return facts(m); }, message);
  }
  OutputFacts facts_of(const certified::Committed& c) const {
    order_->note(c);
    Writer w;
    w.bytes(c.leader.bytes);
    for (const certified::VertexPtr& v : c.blocks) w.bytes(v->digest.bytes);
    return {c.slot.value, hash(w.view()), c.slot.value, "commit", c.leader};
  }
  template <class F>
  void payloads(const certified::Committed& c, std::optional<NodeId> of, F visit) const {
    for (const certified::VertexPtr& v : c.blocks) {
      if (of && v->author() != *of) continue;
      if (!v->payload.bytes.empty()) visit(v->payload.bytes.view(), v->author());
    }
  }
  template <class F>
  void items(const certified::Committed& c, F visit) const {
    for (const certified::VertexPtr& v : c.blocks) visit(v->digest);
  }
  void warm(const Bullshark& node, NodeId from, const certified::Message& message) const {
    node.warm(from);
    const auto fetch = [](const auto* value) {
      const auto* bytes = reinterpret_cast<const char*>(value);
      for (std::size_t i = 0; i < sizeof(*value); i += kLine) __builtin_prefetch(bytes + i);
    };
    if (const auto* propose = std::get_if<certified::Propose>(&message)) {
      fetch(propose->proposal.get());
    } else if (const auto* certify = std::get_if<certified::Certify>(&message)) {
      fetch(certify->vertex.get());
      __builtin_prefetch(certify->certificate.signatures.data());
    }
  }
  std::optional<VertexName> born(const certified::Message& message) const {
    const auto* propose = std::get_if<certified::Propose>(&message);
    if (propose == nullptr) return std::nullopt;
    const certified::Header& h = propose->proposal->header;
    return VertexName{h.author, h.round.value};
  }
  template <class F>
  void vertices(const certified::Committed& c, F visit) const {
    for (const certified::VertexPtr& v : c.blocks) visit(VertexName{v->author(), v->round().value});
  }
  /// A certified vertex has one name: its author and round.
  std::string leader_text(const certified::Committed& c) const {
    return c.blocks.empty() ? std::string() : name_of(c.blocks.back()->ref());
  }
  /// "own-id parent-id ...", each once.
  std::string vertex(const certified::Message& message) const {
    const auto* propose = std::get_if<certified::Propose>(&message);
    if (propose == nullptr) return {};
    const certified::Header& h = propose->proposal->header;
    std::string out = name_of(h.ref());
    certified::each_ref(h, [&](const certified::Ref& ref) {
      out += " " + name_of(ref);
      return true;
    });
    return out;
  }

  bool mutate(certified::Message& message, NodeId id, std::string_view field,
              std::uint64_t salt) const {
    return std::visit([&](auto& m) { return change(m, id, Mutation(field, salt)); }, message);
  }
  std::vector<Forged<certified::Message>> forge(NodeId id, const FaultAction& action,
                                                std::uint64_t mood, std::uint64_t salt) const {
    return lies_->forge(id, action.field, mood, salt);
  }
  bool proposes(const certified::Message& message) const {
    return std::holds_alternative<certified::Propose>(message) ||
           std::holds_alternative<certified::Certify>(message);
  }
  std::optional<certified::Message> hand_out(NodeId id, const certified::Message& asked) const {
    if (const auto* vote = std::get_if<certified::Vote>(&asked)) lies_->heard(*vote);
    if (const auto* p = std::get_if<certified::Propose>(&asked)) return lies_->vote(id, *p);
    const auto* want = std::get_if<certified::Want>(&asked);
    return want != nullptr ? lies_->hand_out(*want) : std::nullopt;
  }
  std::uint64_t heals_within(const Bullshark& node) const {
    // Timers that are set shorter than the page's have to grow first.
    const std::uint64_t wait =
        (std::max<std::uint64_t>(node.patience().value, kTimeout) + 999) / 1000;
    if (rules_.asynchronous) return promises::by_coin(committee_, wait);
    return rules_.turns == certified::Turns::kPrompt ? promises::anchored(committee_, wait)
                                                     : promises::certified(committee_, wait);
  }
  std::vector<certified::Message> stuff(NodeId id, const certified::Message& heard,
                                        std::uint64_t salt) const {
    const std::uint64_t next = std::max<std::uint64_t>(facts_of(heard).round, 1) + 1;
    return stuff_with(CertifiedStuffing{id, committee_, rules_, signer_, next}, heard, salt);
  }
  std::vector<Bound> bounds(const Bullshark& node) const {
    const certified::Footprint held = node.footprint();
    const certified::Footprint most = node.most();
    return {{"vertices", held.vertices, most.vertices},
            {"headers without a certificate", held.proposals, most.proposals},
            {"payloads without a vertex", held.batches, most.batches},
            {"signatures that wait for a verdict", held.checks, most.checks},
            {"references to vertices that are missing", held.missing, most.missing},
            {"vertices that wait for others", held.waiting, most.waiting},
            {"certificates that wait to be checked", held.parked, most.parked}};
  }
  // Vertices leave the order `gc_depth` rounds back, and the attic as far below that.
  Reach reach(const Bullshark& node) const {
    const std::uint64_t ordered = node.last_ordered().value;
    return {node.round().value + 1, ordered - std::min(ordered, 2 * gc_depth_) + 1, "round",
            "gc_depth"};
  }
  std::vector<certified::Ref> vouched(const Bullshark& node) const { return node.vouched(); }
  bool accepts(const Bullshark& node, const certified::Ref& ref) const { return node.accepts(ref); }
  std::string text_of(const certified::Ref& ref) const {
    return "the vertex of node " + std::to_string(ref.author.value) + ", round " +
           std::to_string(ref.round.value);
  }
  std::uint64_t round(const Bullshark& node) const { return node.round().value; }
  std::uint64_t refused(const Bullshark& node) const { return node.stats().refused; }

  /// What a node checks for a vertex that it takes, and how often it asks for verdicts.
  std::vector<Measure> measures(const std::vector<const Bullshark*>& nodes) const {
    double checked = 0;
    double accepted = 0;
    double rounds = 0;
    double votes = 0;
    double certificates = 0;
    for (const auto* node : nodes) {
      checked += static_cast<double>(node->stats().signatures_checked);
      accepted += static_cast<double>(node->stats().vertices_accepted);
      rounds += static_cast<double>(node->round().value);
      votes += static_cast<double>(node->stats().vote_calls);
      certificates += static_cast<double>(node->stats().certificate_calls);
    }
    std::vector<Measure> out{{"signatures_per_vertex", checked / std::max(accepted, 1.0)},
                             {"vote_calls_per_round", votes / std::max(rounds, 1.0)},
                             {"certificate_calls_per_round", certificates / std::max(rounds, 1.0)}};
    if (lies_ && rules_.sample > 0 && !rules_.dense_anchor) {
      const CertifiedLies::Grinding& g = lies_->grinding();
      out.push_back({"liars_anchors", static_cast<double>(g.anchors)});
      out.push_back({"liars_anchors_that_missed", static_cast<double>(g.missed)});
      out.push_back({"sets_tried", static_cast<double>(g.tries)});
    }
    return out;
  }

 private:
  std::uint32_t n() const { return committee_.size(); }
  // The kind of a message is a byte, which authors of papers do not count.
  std::uint32_t total(std::size_t bytes) const {
    return static_cast<std::uint32_t>(bytes + (sizes_.published ? 0 : 1));
  }
  std::size_t header_size(const certified::Header& h) const {
    if (!sizes_.published) return certified::header_bytes(h, n());
    const bool apart = h.self.value > 0 && !h.parents.contains(h.author);
    const std::size_t edges = h.parents.size() + h.stragglers.size() + (apart ? 1 : 0);
    return sizes_.certified_edges(edges) + Sizes::kSignature;
  }
  std::size_t certificate_size(const certified::Certificate& c) const {
    if (sizes_.published) return c.signatures.size() * Sizes::kSignature;
    return 8 + 32 + certified::certificate_bytes(c, n());
  }
  std::size_t size(const certified::Vertex& v) const {
    return header_size(v.header) + certificate_size(v.certificate) + v.payload.bytes.size();
  }

  MessageFacts facts(const certified::Batch& m) const {
    const std::size_t bytes = m.payload.bytes.size();
    return {.label = "batch",
            .bytes = total(bytes),
            .payload_bytes = static_cast<std::uint32_t>(bytes)};
  }
  MessageFacts facts(const certified::Propose& m) const {
    const certified::Header& h = m.proposal->header;
    const bool leads = certified::has_anchor(h.round) && order_->leader(h.round) == h.author;
    return {"header", h.round.value, total(header_size(h)), leads};
  }
  MessageFacts facts(const certified::Vote& m) const {
    const std::size_t named = sizes_.published ? 0 : 8 + 32;
    return {.label = "vote",
            .round = m.round.value,
            .bytes = total(named + sizeof(Signature)),
            .answer = true};
  }
  MessageFacts facts(const certified::Certify& m) const {
    if (lies_) lies_->note(m.vertex);
    return {"certificate", m.round.value, total(certificate_size(m.certificate))};
  }
  MessageFacts facts(const certified::Want& m) const {
    return {"want", m.vertices.empty() ? 0 : m.vertices.front().round.value,
            total(2 + m.vertices.size() * 10 + 2 + m.batches.size() * 32)};
  }
  MessageFacts facts(const certified::WantRound& m) const {
    return {"want-round", m.round.value, total(8 + 1 + m.have.size() * (2 + (n() + 7) / 8))};
  }
  MessageFacts facts(const certified::Give& m) const {
    std::size_t bytes = 4;
    std::size_t payload = 0;
    for (const certified::VertexPtr& v : m.vertices) {
      bytes += size(*v);
      payload += v->payload.bytes.size();
    }
    for (const certified::Payload& p : m.batches) {
      bytes += 4 + p.bytes.size();
      payload += p.bytes.size();
    }
    return {.label = "give",
            .round = m.vertices.empty() ? 0 : m.vertices.front()->round().value,
            .bytes = total(bytes),
            .answer = true,
            .payload_bytes = static_cast<std::uint32_t>(payload)};
  }
  MessageFacts facts(const coin::Share& m) const {
    return {.label = "coin-share",
            .round = m.instance,
            .bytes = total(8 + sizeof(m.share.bytes) + 1),
            .share = true};
  }

  bool change(certified::Propose& m, NodeId id, Mutation by) const {
    if (m.proposal->header.author != id) return false;
    certified::Header h = m.proposal->header;
    if (!change(h, by)) return false;
    const Signature signature = signer_.sign(id, certified::digest_of(h, {}));
    m.proposal = certified::make_proposal(std::move(h), signature, {});
    return true;
  }
  static bool change(certified::Header& h, Mutation by) {
    if (h.payload_bytes > 0 && by.picks("payload")) {
      h.payload_bytes = 0;
      h.payload_root = {};
      return true;
    }
    // The round may be another change's doing: then there are no parents.
    if (h.parents.size() > 0 && by.picks("parents")) {
      NodeSet fewer;
      std::uint64_t left = by.salt() % h.parents.size();
      h.parents.for_each([&](NodeId id) {
        const bool goes = left-- == 0 && id != h.author;
        if (!goes) fewer.insert(id);
      });
      if (fewer.size() == h.parents.size()) return false;
      h.parents = fewer;
      return true;
    }
    if (!h.sampled_from.empty() && by.picks("sample")) {
      std::uint64_t left = by.salt() % h.sampled_from.size();
      NodeSet fewer;
      h.sampled_from.for_each([&](NodeId id) {
        if (left-- != 0) fewer.insert(id);
      });
      h.sampled_from = fewer;
      return true;
    }
    if (h.self.value > 0 && by.picks("self")) {
      h.self = Round{0};
      h.parents.erase(h.author);
      return true;
    }
    if (!h.stragglers.empty() && by.picks("stragglers")) {
      h.stragglers.pop_back();
      return true;
    }
    return by.number("round", h.round.value);
  }
  static bool change(certified::Vote& m, NodeId, Mutation by) {
    return by.digest("digest", m.digest) || by.number("round", m.round.value);
  }
  static bool change(certified::Certify& m, NodeId, Mutation by) {
    if (by.picks("certificate") && !m.certificate.signatures.empty()) {
      m.vertex = nullptr;
      m.certificate.signatures[by.salt() % m.certificate.signatures.size()][0] ^= std::byte{1};
      return true;
    }
    return by.digest("digest", m.digest) || by.number("round", m.round.value);
  }
  template <class M>
  static bool change(M&, NodeId, Mutation) {
    return false;
  }

  Committee committee_ = *Committee::make(4, 1);
  certified::Rules rules_;
  Signer signer_;
  std::uint64_t seed_;
  std::uint64_t gc_depth_ = 0;
  std::uint64_t timeout_ = 0;
  std::uint64_t gather_ = 0;
  Sizes sizes_;
  bool records_;
  bool rests_ = true;
  std::shared_ptr<const certified::JointSignature> joint_;
  std::shared_ptr<const Coins> coins_{};   // of asynchronous rules
  std::shared_ptr<CertifiedOrder> order_;  // what the run ordered so far
  std::shared_ptr<CertifiedLies> lies_{};  // what forgers know, when there are any
};

}  // namespace

Outcome simulate_certified(const Experiment& experiment, const certified::Rules& rules,
                           const RunOptions& options) {
  return run(CertifiedSubject(experiment, rules), experiment, options);
}

ProtocolInfo certified_info() {
  ProtocolInfo info;
  info.parameters = {
      {"gc_depth", kGcDepth, 8, 1 << 20, "rounds of vertices kept"},
      {"timeout", kTimeout, 1, 1'000'000'000, "wait for an anchor, in thousandths of Delta"},
      {"gather", std::int64_t{0}, 0, 1'000'000,
       "wait for all certificates of a round, to verify them in one call, in thousandths of Delta"},
      sizes_parameter(),
      {"certificates",
       std::string("list"),
       0,
       0,
       "list: Ed25519 signatures; one: a single signature that stands for them",
       {"list", "one"}},
      {"commits",
       std::string("early"),
       0,
       0,
       "early: when the votes are there; late: with the next anchor",
       {"early", "late"}},
      {"edges",
       std::string("all"),
       0,
       0,
       "of dense vertices; all: to what the author holds; fewest: to a quorum of it",
       {"all", "fewest"}},
      {"rests", true, 0, 0, "false: rounds go on while there is nothing to order"},
  };
  info.fields = {"certificate", "digest", "parents", "payload", "round", "self", "stragglers"};
  info.forges = true;
  info.answers = true;
  info.stuffs = true;
  info.largest_payload = kLargestPayload;
  return info;
}

ParameterInfo anchors_parameter() {
  return {
      "schedule",
      std::string(kPrompt),
      0,
      0,
      "whose anchors: of all in turn but who is not named in time; or as in ledgers that name no "
      "schedule",
      {kPrompt, kInOrder}};
}

ParameterInfo sample_size(std::int64_t standard) {
  return {"D", standard, 0, Committee::kMaxSize,
          "sampled parents of a vertex; more than there are: all of them"};
}

}  // namespace thresher::sim
