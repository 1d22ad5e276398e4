// Multi-valued validated agreement in the simulator. A node proposes its requests in instances one
// after the other, several at a time; a node without requests proposes an empty value where others
// have begun. Valid is an empty value and one of requests of its origin, which is one request or,
// where nodes pack them, several. Outputs are keyed by instance.
#include "thresher/protocols/agreement/mvba.hpp"

#include <algorithm>
#include <deque>

#include "agreement_words.hpp"
#include "coded_words.hpp"
#include "coins.hpp"
#include "registry.hpp"
#include "signed_words.hpp"
#include "stuffing/mvba.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/broadcast/avid_wire.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/run.hpp"
#include "wrapped.hpp"

namespace thresher::sim {
namespace {

constexpr std::int64_t kWindow = 64;
constexpr std::int64_t kMostKept = 256;
constexpr std::uint64_t kAtOnce = 32;  // instances, at most half of the window
constexpr std::int64_t kPayloadBytes = 1 << 16;

struct Enter {
  Bytes payload;
};
struct Decided {
  mvba::Decision decision;
  Bytes payload;  ///< of the request that made this node propose; may be empty
};

bool valid_value(std::size_t request_bytes, NodeId origin, ByteView value) {
  for (std::size_t at = 0; at < value.size(); at += request_bytes) {
    const auto id = read_payload(value.subspan(at, std::min(request_bytes, value.size() - at)));
    if (!id || id->author != origin) return false;
  }
  return true;
}

/// An agreement whose requests choose the instance.
template <class Agreement>
class Entrant : public Wrapped<Entrant<Agreement>, Agreement, Enter, Decided> {
  using Base = Wrapped<Entrant<Agreement>, Agreement, Enter, Decided>;

 public:
  using Fx = typename Base::Fx;

  explicit Entrant(const typename Agreement::Config& config)
      : Base(config),
        valid_(config.valid),
        window_(config.window),
        at_once_(std::min(config.window / 2, kAtOnce)) {}

  using Base::on;
  void on(const Requested<Enter>& e, Fx& fx) {
    waiting_.push_back(e.request.payload);
    enter(fx);
  }
  template <class Input>
  void feed(const Input& input, Fx& fx) {
    Base::feed(input, fx);
    enter(fx);
  }
  void take(mvba::Decision&& d, Fx& fx) {
    invalid_ = invalid_ || !valid_(d.instance, d.origin, d.value.view());
    const std::uint64_t instance = d.instance;
    fx.deliver({std::move(d), taken(asked_, instance)});
  }
  Reach reach() const { return reach_back(undecided_, window_ - at_once_, "instance", "window"); }
  /// Whether a value was decided that is not valid.
  bool invalid() const { return invalid_; }

 private:
  void enter(Fx& fx) {
    const Agreement& node = this->node_;
    while (node.done(undecided_)) ++undecided_;
    // The rest of the window is for those that lag.
    const std::uint64_t kept = window_ - at_once_;
    if (undecided_ > kept)
      this->act(fx, [&](auto& child) { this->node_.forget_below(undecided_ - kept, child); });
    for (std::uint64_t next = undecided_; next < undecided_ + at_once_; ++next) {
      if (node.submitted(next)) continue;
      if (waiting_.empty() && !node.begun(next)) return;
      const Bytes payload = waiting_.empty() ? Bytes{} : waiting_.front();
      if (!waiting_.empty()) waiting_.pop_front();
      asked_[next] = payload;
      this->act(fx, [&](auto& child) {
        this->node_.on(Requested<mvba::Propose>{{next, payload}}, child);
      });
    }
  }

  payload_votes::Valid valid_;
  std::uint64_t window_;
  std::uint64_t at_once_;
  std::deque<Bytes> waiting_;
  std::map<std::uint64_t, Bytes> asked_;
  std::uint64_t undecided_ = 0;  // the first instance that is not decided here
  bool invalid_ = false;
};

std::uint32_t size_of(const SignedBroadcast::Message& m) {
  return SignedMessages::bytes(m);
}
std::uint32_t size_of(const Avid::Message& m) {
  return static_cast<std::uint32_t>(encode(m).size());
}
bool change_broadcast(SignedBroadcast::Message& m, Mutation by) {
  return std::visit([&](auto& one) { return SignedMessages::change(one, by); }, m);
}
bool change_broadcast(Avid::Message& m, Mutation by) {
  return mutate_avid(m, by);
}

template <class B>
struct MvbaSubject {
  using Agreement = Mvba<B, BcaAgreement>;
  using Node = Entrant<Agreement>;
  using Message = typename Agreement::Message;
  static constexpr bool kOrdered = false;
  const Experiment* experiment;
  Coins coins;

  explicit MvbaSubject(const Experiment& e)
      : experiment(&e), coins(e, *Committee::make(e.n, e.f), kValidity) {}

  payload_votes::Config config_of(NodeId id) const {
    payload_votes::Config config;
    config.committee = *Committee::make(experiment->n, experiment->f);
    config.self = id;
    config.coin = coins.of(id);
    config.window = static_cast<std::uint64_t>(parameter(*experiment, "window", kWindow));
    config.payload_bytes =
        static_cast<std::size_t>(parameter(*experiment, "payload_bytes", kPayloadBytes));
    config.valid = [size = std::max(experiment->workload.bytes, kLeastPayload)](
                       std::uint64_t, NodeId origin, ByteView value) {
      return valid_value(size, origin, value);
    };
    return config;
  }
  Node make(NodeId id) const { return Node(config_of(id)); }
  Enter request(const Bytes& payload) const { return {payload}; }

  MessageFacts facts_of(const Message& message) const {
    return std::visit([this](const auto& m) { return facts(m); }, message);
  }
  OutputFacts facts_of(const Decided& d) const {
    Writer w;
    w.u16(d.decision.origin.value).bytes(d.decision.value.view());
    return {d.decision.instance, hash(w.view()), d.decision.instance, "decide"};
  }
  template <class F>
  void payloads(const Decided& d, std::optional<NodeId> of, F visit) const {
    if (of && !d.payload.empty()) visit(d.payload.view(), *of);
    // Whatever its proposer: a correct node's value is one of its requests.
    if (!of && !d.decision.value.empty()) visit(d.decision.value.view(), d.decision.origin);
  }
  bool mutate(Message& message, NodeId, std::string_view field, std::uint64_t salt) const {
    return std::visit([&](auto& m) { return change(m, Mutation(field, salt)); }, message);
  }
  std::vector<Message> stuff(NodeId id, const Message& heard, std::uint64_t salt) const {
    const payload_votes::Config config = config_of(id);
    return stuff_with(MvbaStuffing<B>{id, config, facts_of(heard).round}, heard, salt);
  }
  std::vector<Bound> bounds(const Node& node) const {
    const payload_votes::Held held = node.node().footprint();
    const payload_votes::Held most = node.node().most_held();
    std::vector<Bound> out = broadcast_bounds(held.broadcast, most.broadcast);
    out.push_back({"instances of agreements", held.agreement.instances, most.agreement.instances});
    out.push_back({"rounds of agreements", held.agreement.rounds, most.agreement.rounds});
    out.push_back({"statements of holders", node.node().holdings(), node.node().most_holdings()});
    return out;
  }
  /// Decisions are valid, and at most f candidates of an instance were voted down.
  std::optional<Finding> audit(const std::vector<const Node*>& nodes) const {
    for (const Node* node : nodes) {
      if (node->invalid()) return Finding{"validity", "a value was decided that is not valid"};
      if (node->node().refused_candidates() > experiment->f)
        return Finding{"candidates", std::to_string(node->node().refused_candidates()) +
                                         " candidates were voted down, more than f"};
    }
    return std::nullopt;
  }
  Reach reach(const Node& node) const { return node.reach(); }
  std::uint64_t heals_within(const Node&) const { return promises::mvba(); }
  std::uint64_t round(const Node&) const { return 0; }
  std::uint64_t refused(const Node& node) const { return node.node().refused(); }

 private:
  MessageFacts facts(const typename B::Message& m) const {
    return {.label = "broadcast", .round = number(m), .bytes = size_of(m) + 1};
  }
  MessageFacts facts(const BcaAgreement::Message& m) const {
    MessageFacts out = std::visit([](const auto& one) { return agreement_words::facts(one); }, m);
    out.round /= experiment->n;
    out.bytes = static_cast<std::uint32_t>(agreement::encode_rounds(m).size()) + 1;
    return out;
  }
  MessageFacts facts(const mvba::Holds& m) const {
    Writer w;
    mvba::encode_holds(m, experiment->n, w);
    return {.label = "holds",
            .round = m.instance,
            .bytes = static_cast<std::uint32_t>(w.view().size()) + 1};
  }
  MessageFacts facts(const coin::Share& m) const {
    Writer w;
    coin::encode_share(m, w);
    return {.label = "election",
            .round = m.instance & ~mvba::kElection,
            .bytes = static_cast<std::uint32_t>(w.view().size()) + 1,
            .share = true};
  }
  static std::uint64_t number(const Avid::Message& m) { return number_of(m); }
  static std::uint64_t number(const SignedBroadcast::Message& m) {
    return std::visit([](const auto& one) { return SignedMessages::facts(one).round; }, m);
  }

  static bool change(typename B::Message& m, Mutation by) { return change_broadcast(m, by); }
  static bool change(BcaAgreement::Message& m, Mutation by) {
    return std::visit([&](auto& one) { return agreement_words::change(one, by); }, m);
  }
  bool change(mvba::Holds& m, Mutation by) const {
    if (by.picks("origins")) {
      // Another origin more: a liar may say that it holds anything.
      const NodeId other{static_cast<std::uint16_t>(by.salt() % experiment->n)};
      if (!m.origins.insert(other)) m.origins.erase(other);
      return true;
    }
    if (by.picks("drawn")) {
      m.drawn = !m.drawn;
      return true;
    }
    return by.number("instance", m.instance);
  }
  static bool change(coin::Share& m, Mutation by) { return agreement_words::change(m, by); }
};

Outcome run_mvba(const Experiment& e, const RunOptions& o) {
  if (choice(e, "broadcast", std::string(CertifiedBroadcast::kName)) == Avid::kName)
    return run(MvbaSubject<Avid>(e), e, o);
  return run(MvbaSubject<CertifiedBroadcast>(e), e, o);
}

}  // namespace

SubjectEntry subject_mvba() {
  ProtocolInfo info;
  info.name = "mvba";
  info.help = "agreement on one of the values that nodes propose, if a predicate accepts it";
  info.parameters = {
      {"window", kWindow, 4, kMostKept,
       "instances kept for nodes that lag, all but 32 or half; one further behind is lost"},
      {"payload_bytes", kPayloadBytes, 1, 1 << 24, "largest value"},
      {"broadcast",
       std::string(CertifiedBroadcast::kName),
       0,
       0,
       "what values travel by",
       {std::string(CertifiedBroadcast::kName), std::string(Avid::kName)}},
      coin_parameter(),
  };
  info.most_nodes = Avid::kMostNodes;
  info.answers = true;
  info.stuffs = true;
  info.kept = {"window", kMostKept};
  info.fields = {"below",   "digest",  "drawn", "floor", "fragment", "instance", "number",
                 "origins", "payload", "round", "share", "signers",  "value"};
  return {info, run_mvba};
}

}  // namespace thresher::sim
