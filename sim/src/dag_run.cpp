#include "thresher/sim/dag_run.hpp"

#include <algorithm>
#include <memory>

#include "coins.hpp"
#include "dag_lemmas.hpp"
#include "dag_lies.hpp"
#include "dag_subject.hpp"
#include "published_sizes.hpp"
#include "registry.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/protocols/dag/dag.hpp"
#include "thresher/protocols/dag/turns.hpp"
#include "thresher/protocols/dag/two_delay.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

constexpr std::int64_t kGcDepth = 256;
constexpr std::uint32_t kLargestPayload = 256 * 1024;  // as much as an answer holds
constexpr std::int64_t kTimeout = 6000;
constexpr dag::Limits kLimits;
constexpr std::int64_t kSmallAnswer = 4096;  // bytes
constexpr std::int64_t kFewTwins = 16;
constexpr std::int64_t kShortMemory = 12;  // rounds
constexpr std::int64_t kNotFast = -1;      // of `fast`
constexpr std::size_t kEdgeBytes = 2 + 8 + 32;
constexpr const char* kListed = "listed";
constexpr const char* kBitmap = "bitmap";
constexpr const char* kPrompt = "prompt";
constexpr const char* kMisses = "misses";
constexpr std::size_t kNameBytes = 4;
constexpr std::size_t kLine = 64;  // of a cache

std::string name_of(const Digest& digest) {
  return to_hex(ByteView(digest.bytes).first(kNameBytes));
}

class DagSubject {
 public:
  using Node = dag::Dag;
  static constexpr bool kOrdered = true;
  static constexpr bool kIncludes = true;
  static constexpr bool kRounds = true;

  DagSubject(const Experiment& e, const dag::Rules& rules) : rules_(rules), signer_(e) {
    committee_ = *Committee::make(e.n, e.f);
    if (rules_.coin) coins_ = std::make_shared<const Coins>(e, committee_);
    gc_depth_ = static_cast<std::uint64_t>(parameter(e, "gc_depth", kGcDepth));
    timeout_ = static_cast<std::uint64_t>(parameter(e, "timeout", kTimeout));
    limits_.give_bytes = static_cast<std::uint64_t>(
        parameter(e, "answer_bytes", static_cast<std::int64_t>(kLimits.give_bytes)));
    limits_.twins_per_peer =
        static_cast<std::uint32_t>(parameter(e, "twins", kLimits.twins_per_peer));
    payload_bytes_ = std::max(e.workload.bytes, e.workload.block_bytes);
    sizes_ = sizes_of(e);
    names_ = dag::make_names(committee_);
    if (rules_.leaders == dag::Leaders::kPrompt && choice(e, "schedule", kPrompt) == kMisses) {
      rules_.leaders = dag::Leaders::kMisses;
    }
    rules_.bitmap_refs |= choice(e, "refs", kListed) == kBitmap;
    if (const std::int64_t p = parameter(e, "fast", kNotFast); p != kNotFast) {
      // Runs that are drawn or shrunk may have fewer nodes than the one that was read.
      const std::uint32_t most = dag::most_absent(committee_);
      rules_ = *with_two_delays(rules_, committee_, std::min(static_cast<std::uint32_t>(p), most));
    }
    const bool liars = std::any_of(e.faults.begin(), e.faults.end(), [](const FaultAction& a) {
      return a.what == FaultKind::kEquivocate || a.what == FaultKind::kMutate ||
             a.what == FaultKind::kFlood || a.what == FaultKind::kForge ||
             a.what == FaultKind::kStuff;
    });
    records_ = stops_somebody(e);
    if (liars)
      lies_ = std::make_shared<DagLies>(committee_, FaultPlan(e).faulty(), rules_, signer_);
    const bool forges = std::any_of(e.faults.begin(), e.faults.end(),
                                    [](auto& a) { return a.what == FaultKind::kForge; });
    if (forges) lemmas_ = std::make_shared<DagLemmas>(committee_, rules_, FaultPlan(e));
  }

  dag::Dag make(NodeId id) const {
    dag::Config config;
    config.committee = committee_;
    config.self = id;
    config.rules = rules_;
    config.gc_depth = gc_depth_;
    config.timeout = Delay{timeout_};
    config.records = records_;
    config.limits = limits_;
    config.names = names_;
    if (coins_) config.coin = coins_->of(id);
    return dag::Dag(std::move(config));
  }
  dag::Submit request(const Bytes& payload) const { return {{payload, hash(payload.view())}}; }
  dag::Submit extend(const Bytes& payload, const Bytes& replaced) const {
    return {{payload, hash(payload.view())}, hash(replaced.view())};
  }
  std::uint64_t queued(const dag::Dag& node) const { return node.pending_submits(); }

  MessageFacts facts_of(const dag::Message& message) const {
    return std::visit([this](const auto& m) { return facts(m); }, message);
  }
  OutputFacts facts_of(const dag::Committed& c) const {
    Writer w;
    w.bytes(c.leader.bytes);
    for (const dag::BlockPtr& b : c.blocks) w.bytes(b->digest.bytes);
    return {c.slot.value, hash(w.view()), c.slot.value, "commit", c.leader};
  }
  template <class F>
  void payloads(const dag::Committed& c, std::optional<NodeId> of, F visit) const {
    for (const dag::BlockPtr& b : c.blocks) {
      if (of && b->author() != *of) continue;
      if (!b->payload.bytes.empty()) visit(b->payload.bytes.view(), b->author());
    }
  }
  template <class F>
  void items(const dag::Committed& c, F visit) const {
    for (const dag::BlockPtr& b : c.blocks) visit(b->digest);
  }
  void warm(const dag::Dag& node, NodeId from, const dag::Message& message) const {
    node.warm(from);
    if (const auto* push = std::get_if<dag::Push>(&message)) {
      const auto* bytes = reinterpret_cast<const char*>(push->block.get());
      for (std::size_t i = 0; i < sizeof(dag::Block); i += kLine) __builtin_prefetch(bytes + i);
    }
  }
  std::optional<VertexName> born(const dag::Message& message) const {
    const auto* push = std::get_if<dag::Push>(&message);
    if (push == nullptr) return std::nullopt;
    return VertexName{push->block->author(), push->block->round().value};
  }
  template <class F>
  void vertices(const dag::Committed& c, F visit) const {
    for (const dag::BlockPtr& b : c.blocks) visit(VertexName{b->author(), b->round().value});
  }
  std::string leader_text(const dag::Committed& c) const { return name_of(c.leader); }
  /// "own-id parent-id ...": votes, claims and references are parents, each once.
  std::string vertex(const dag::Message& message) const {
    const auto* push = std::get_if<dag::Push>(&message);
    if (push == nullptr) return {};
    const dag::Header& h = push->block->header;
    std::string out = name_of(push->block->digest);
    const auto parent = [&](const Digest& digest) {
      const std::string name = name_of(digest);
      if (!digest.is_zero() && out.find(name) == std::string::npos) out += " " + name;
    };
    parent(h.self.digest);
    if (h.vote) parent(*h.vote);
    if (h.claim) parent(*h.claim);
    for (const dag::Edge& e : h.refs) parent(e.digest);
    return out;
  }

  bool mutate(dag::Message& message, NodeId id, std::string_view field, std::uint64_t salt) const {
    auto* push = std::get_if<dag::Push>(&message);
    if (push == nullptr || push->block->author() != id) return false;
    dag::Header h = push->block->header;
    dag::Payload payload = push->block->payload;
    if (!lies_ || !lies_->change(h, payload, Mutation(field, salt))) return false;
    const Signature signature = signer_.sign(id, dag::digest_of(h, {}));
    push->block = dag::make_block(std::move(h), std::move(payload), signature, {});
    return true;
  }
  std::vector<Forged<dag::Message>> forge(NodeId id, const FaultAction& action, std::uint64_t mood,
                                          std::uint64_t salt) const {
    return lies_->forge(id, committee_.at_least(rules_.dense), action, mood, salt);
  }
  std::optional<Finding> audit() const { return lemmas_ ? lemmas_->check() : std::nullopt; }
  std::vector<dag::Message> stuff(NodeId id, const dag::Message& heard, std::uint64_t salt) const {
    return lies_->stuff(id, heard, salt);
  }
  std::vector<Bound> bounds(const dag::Dag& node) const {
    const dag::Footprint held = node.footprint();
    const dag::Footprint most = node.most();
    return {{"blocks", held.blocks, most.blocks},
            {"blocks that wait for a verdict", held.pending, most.pending},
            {"references to blocks that are missing", held.missing, most.missing},
            {"blocks that wait for others", held.waiting, most.waiting},
            {"headers kept as evidence", held.proofs, most.proofs}};
  }
  bool proposes(const dag::Message& message) const {
    return std::holds_alternative<dag::Push>(message);
  }
  std::optional<dag::Message> hand_out(NodeId, const dag::Message& asked) const {
    return lies_->hand_out(asked);
  }
  std::uint64_t heals_within(const dag::Dag& node) const {
    // Timers that are set shorter than the page's have to grow first.
    const std::uint64_t wait =
        (std::max<std::uint64_t>(node.patience().value, kTimeout) + 999) / 1000;
    return rules_.coin ? promises::by_coin(committee_, wait)
                       : promises::timed_dag(committee_, wait);
  }
  // A liar may have shown two blocks of each of its rounds.
  std::uint64_t catches_up_within(std::uint64_t rounds) const {
    const std::uint64_t blocks = rounds * (committee_.size() + committee_.faults());
    dag::Header widest;
    widest.refs.resize(std::size_t{committee_.size()} + committee_.faults());
    const std::uint64_t largest = dag::header_bytes(widest) + payload_bytes_;
    return promises::catch_up(committee_, blocks,
                              std::max<std::uint64_t>(1, limits_.give_bytes / largest));
  }
  // Below the floor as much is kept again, for nodes that were away (attic.hpp).
  Reach reach(const dag::Dag& node) const {
    const std::uint64_t floor = node.floor().value;
    return {node.round().value + 1, floor - std::min(floor, gc_depth_) + 1, "round", "gc_depth"};
  }
  std::vector<dag::Edge> vouched(const dag::Dag& node) const { return node.vouched(); }
  bool accepts(const dag::Dag& node, const dag::Edge& block) const { return node.accepts(block); }
  std::string text_of(const dag::Edge& e) const {
    return "block " + name_of(e.digest) + " of node " + std::to_string(e.author.value) +
           ", round " + std::to_string(e.round.value);
  }
  std::uint64_t round(const dag::Dag& node) const { return node.round().value; }
  std::uint64_t refused(const dag::Dag& node) const { return node.stats().refused; }

  /// What a node checks for a block that it takes.
  std::vector<Measure> measures(const std::vector<const dag::Dag*>& nodes) const {
    double checked = 0;
    double accepted = 0;
    for (const auto* node : nodes) {
      checked += static_cast<double>(node->stats().signatures_checked);
      accepted += static_cast<double>(node->stats().blocks_accepted);
    }
    return {{"signatures_per_vertex", accepted > 0 ? checked / accepted : 0}};
  }

 private:
  std::size_t size(const dag::Block& b) const {
    if (sizes_.published) {
      const dag::Header& h = b.header;
      const std::size_t edges =
          h.refs.size() + 1 + (h.vote ? 1 : 0) + (h.claim ? 1 : 0);  // the own block is the one
      return Sizes::plain_edges(edges) + Sizes::kSignature;
    }
    return dag::header_bytes(b.header) + b.payload.bytes.size();
  }
  static std::uint32_t total(std::size_t bytes) { return static_cast<std::uint32_t>(1 + bytes); }
  // Sizes as published are those of metadata alone.
  std::uint32_t counted(std::size_t payload) const {
    return sizes_.published ? 0 : static_cast<std::uint32_t>(payload);
  }

  MessageFacts facts(const dag::Push& m) const {
    if (lies_) lies_->note(m.block);
    if (lemmas_) lemmas_->note(m.block);
    const dag::Block& b = *m.block;
    // Where a coin names leaders none is known in advance; the node whose turn it is stands in, so
    // that a scheduler has one to pick on.
    const bool leads = dag::turn_of(b.round(), committee_, rules_.leaders) == b.author();
    std::size_t bytes = size(b);
    std::size_t payload = b.payload.bytes.size();
    for (const dag::BlockPtr& more : m.attached) {
      bytes += 2 + size(*more);
      payload += more->payload.bytes.size();
    }
    return {.label = "block",
            .round = b.round().value,
            .bytes = total(bytes),
            .anchor = leads,
            .moment = lies_ ? lies_->vouched_by(b.header) : std::string_view{},
            .payload_bytes = counted(payload)};
  }
  MessageFacts facts(const dag::Want& m) const {
    return {"want", m.blocks.empty() ? 0 : m.blocks.front().round.value,
            total(2 + m.blocks.size() * kEdgeBytes + m.held.size() * sizeof(Round))};
  }
  MessageFacts facts(const dag::WantRound& m) const {
    return {"want-round", m.round.value, total(8 + (committee_.size() + 7) / 8)};
  }
  MessageFacts facts(const dag::WantEvidence& m) const {
    return {"want-evidence", m.slot.value, total(8 + 32)};
  }
  MessageFacts facts(const dag::Evidence& m) const {
    std::size_t bytes = 8 + 32 + 2;
    for (const dag::BlockPtr& b : m.headers) bytes += dag::header_bytes(b->header);
    return {.label = "evidence", .round = m.slot.value, .bytes = total(bytes), .answer = true};
  }
  MessageFacts facts(const dag::Give& m) const {
    std::size_t bytes = 2;
    std::size_t payload = 0;
    for (const dag::BlockPtr& b : m.blocks) {
      bytes += size(*b);
      payload += b->payload.bytes.size();
    }
    return {.label = "give",
            .round = m.blocks.empty() ? 0 : m.blocks.front()->round().value,
            .bytes = total(bytes),
            .answer = true,
            .payload_bytes = counted(payload)};
  }

  MessageFacts facts(const dag::Equivocation& m) const {
    const std::size_t bytes =
        dag::header_bytes(m.first->header) + dag::header_bytes(m.second->header);
    return {.label = "equivocation", .round = m.first->round().value, .bytes = total(bytes)};
  }
  MessageFacts facts(const coin::Share& m) const {
    return {.label = "coin-share",
            .round = m.instance,
            .bytes = total(8 + sizeof(m.share.bytes) + 1),
            .share = true};
  }

  Committee committee_ = *Committee::make(4, 1);
  dag::Rules rules_;
  Signer signer_;
  std::uint64_t gc_depth_ = 0;
  std::uint64_t timeout_ = 0;
  bool records_ = false;  // somebody will restart
  std::shared_ptr<dag::Names> names_{};
  Sizes sizes_;
  std::shared_ptr<const Coins> coins_{};  // of rules that toss one
  dag::Limits limits_;
  std::uint64_t payload_bytes_ = 0;      // of the largest block
  std::shared_ptr<DagLies> lies_{};      // what liars know, when there are any
  std::shared_ptr<DagLemmas> lemmas_{};  // and all that was signed beside what they forge
};

}  // namespace

Outcome simulate_dag(const Experiment& experiment, const dag::Rules& rules,
                     const RunOptions& options) {
  return run(DagSubject(experiment, rules), experiment, options);
}

ParameterInfo schedule_parameter() {
  return {"schedule",
          std::string(kPrompt),
          0,
          0,
          "who is passed over: who is not named in time, or as in ledgers that name no schedule",
          {kPrompt, kMisses}};
}

ParameterInfo fast_parameter() {
  return {"fast", kNotFast, kNotFast, dag::kMostAbsent,
          "p: n-p votes commit in two delays, if n >= 3f+2p+1 and p <= f; -1: off"};
}

Result<Unit, Error> check_fast(const Experiment& e) {
  const std::int64_t p = parameter(e, "fast", kNotFast);
  const auto committee = Committee::make(e.n, e.f);
  if (p == kNotFast || !committee) return Unit{};
  return dag::check_two_delays(*committee, static_cast<std::uint32_t>(p));
}

ProtocolInfo dag_info() {
  ProtocolInfo info;
  info.parameters = {
      {"gc_depth", kGcDepth, 8, 1 << 20, "rounds of blocks kept"},
      {"timeout", kTimeout, 1, 1'000'000'000, "wait for a leader, in thousandths of Delta"},
      {"answer_bytes", static_cast<std::int64_t>(kLimits.give_bytes), 256, 1 << 24,
       "blocks and payloads in one answer, in bytes"},
      {"twins", kLimits.twins_per_peer, 1, 1 << 20,
       "further blocks of equivocators held on one peer's account"},
      sizes_parameter(),
      {"refs",
       std::string(kListed),
       0,
       0,
       "how a block names its parents; bitmap: n bits and one hash",
       {kListed, kBitmap}},
  };
  info.fields = {"claim", "payload", "refs", "self", "support", "vote"};
  info.forges = true;
  info.answers = true;
  info.stuffs = true;
  info.largest_payload = kLargestPayload;
  info.moments = {DagLies::kClaims, DagLies::kNames};
  info.limits = {{"answer_bytes", kSmallAnswer}, {"twins", kFewTwins}};
  info.near_payload = kSmallAnswer;
  info.memory = {"gc_depth", kShortMemory};
  return info;
}

}  // namespace thresher::sim
