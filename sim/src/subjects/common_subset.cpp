// The common subset in the simulator. Each node enters its oldest request into an epoch, and again
// into the next one while it was left out; a node without requests enters nothing but an empty
// payload, when others have begun. Outputs are keyed by epoch.
#include "thresher/protocols/agreement/common_subset.hpp"

#include <deque>

#include "agreement_words.hpp"
#include "broadcast_bounds.hpp"
#include "coded_words.hpp"
#include "coins.hpp"
#include "registry.hpp"
#include "stuffing/subset.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/broadcast/avid_wire.hpp"
#include "thresher/protocols/broadcast/bracha_wire.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/run.hpp"
#include "wrapped.hpp"

namespace thresher::sim {
namespace {

constexpr std::int64_t kWindow = 16;
constexpr std::int64_t kPayloadBytes = 1 << 16;

struct Enter {
  Bytes payload;
};

/// A common subset whose requests choose the epoch.
template <class Subset>
class Entrant : public Wrapped<Entrant<Subset>, Subset, Enter, subset::Output> {
  using Base = Wrapped<Entrant<Subset>, Subset, Enter, subset::Output>;

 public:
  using Fx = typename Base::Fx;

  explicit Entrant(const typename Subset::Config& config)
      : Base(config), self_(config.self), window_(config.window) {}

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
  void take(subset::Output&& out, Fx& fx) {
    smallest_ = std::min(smallest_, out.entries.size());
    for (const subset::Entry& entry : out.entries) {
      if (entry.origin != self_) continue;
      std::erase_if(waiting_, [&](const Bytes& p) {
        return std::ranges::equal(p.view(), entry.payload.view());
      });
    }
    fx.deliver(std::move(out));
  }
  Reach reach() const { return reach_back(next_, window_ / 2, "epoch", "window"); }
  /// Payloads in the smallest epoch so far.
  std::size_t smallest() const { return smallest_; }

 private:
  void enter(Fx& fx) {
    const Subset& node = this->node_;
    while (node.done(next_)) ++next_;
    // Half of the window is for those that lag.
    if (next_ > window_ / 2) {
      this->act(fx, [&](auto& child) { this->node_.forget_below(next_ - window_ / 2, child); });
    }
    if (node.submitted(next_) || (waiting_.empty() && !node.begun(next_))) return;
    const Bytes payload = waiting_.empty() ? Bytes{} : waiting_.front();
    this->act(fx, [&](auto& child) {
      this->node_.on(Requested<subset::Submit>{{next_, payload}}, child);
    });
  }

  NodeId self_;
  std::uint64_t window_;
  std::deque<Bytes> waiting_;
  std::size_t smallest_ = ~std::size_t{0};
  std::uint64_t next_ = 0;  // the first epoch that is not output here
};

bool mutate_broadcast(Bracha::Message& m, Mutation by) {
  return mutate_bracha(m, by);
}
bool mutate_broadcast(Avid::Message& m, Mutation by) {
  return mutate_avid(m, by);
}

template <broadcast::Broadcast B>
struct SubsetSubject {
  using Subset = CommonSubset<B, BcaAgreement>;
  using Node = Entrant<Subset>;
  static constexpr bool kOrdered = false;
  const Experiment* experiment;
  Coins coins;

  explicit SubsetSubject(const Experiment& e)
      : experiment(&e), coins(e, *Committee::make(e.n, e.f), kValidity) {}

  typename Subset::Config config_of(NodeId id) const {
    typename Subset::Config config;
    config.committee = *Committee::make(experiment->n, experiment->f);
    config.self = id;
    config.coin = coins.of(id);
    config.window = static_cast<std::uint64_t>(parameter(*experiment, "window", kWindow));
    config.payload_bytes =
        static_cast<std::size_t>(parameter(*experiment, "payload_bytes", kPayloadBytes));
    return config;
  }
  Node make(NodeId id) const { return Node(config_of(id)); }
  Enter request(const Bytes& payload) const { return {payload}; }

  MessageFacts facts_of(const typename Node::Message& message) const {
    if (const auto* b = std::get_if<typename B::Message>(&message))
      return {.label = "broadcast", .bytes = static_cast<std::uint32_t>(encode(*b).size()) + 1};
    const auto& a = std::get<BcaAgreement::Message>(message);
    MessageFacts out = std::visit([](const auto& m) { return agreement_words::facts(m); }, a);
    out.round /= experiment->n;
    out.bytes = static_cast<std::uint32_t>(agreement::encode_rounds(a).size()) + 1;
    return out;
  }
  OutputFacts facts_of(const subset::Output& out) const {
    Writer w;
    for (const subset::Entry& e : out.entries)
      w.u16(e.origin.value).bytes(hash(e.payload.view()).bytes);
    return {out.epoch, hash(w.view()), out.epoch, "output"};
  }
  template <class F>
  void payloads(const subset::Output& out, std::optional<NodeId> of, F visit) const {
    for (const subset::Entry& e : out.entries) {
      if (!e.payload.empty() && (!of || *of == e.origin)) visit(e.payload.view(), e.origin);
    }
  }
  bool mutate(typename Node::Message& message, NodeId, std::string_view field,
              std::uint64_t salt) const {
    if (auto* b = std::get_if<typename B::Message>(&message))
      return mutate_broadcast(*b, Mutation(field, salt));
    return std::visit([&](auto& m) { return agreement_words::change(m, Mutation(field, salt)); },
                      std::get<BcaAgreement::Message>(message));
  }
  std::vector<typename Node::Message> stuff(NodeId id, const typename Node::Message& heard,
                                            std::uint64_t salt) const {
    const typename Subset::Config config = config_of(id);
    const SubsetStuffing<B> stuffing{id, config.committee, config.window, config.payload_bytes};
    return stuffing.on_hearing(heard, salt);
  }
  std::vector<Bound> bounds(const Node& node) const {
    const typename Subset::Held held = node.node().footprint();
    const typename Subset::Held most = node.node().most_held();
    std::vector<Bound> out = broadcast_bounds(held.broadcast, most.broadcast);
    out.push_back({"instances of agreements", held.agreement.instances, most.agreement.instances});
    out.push_back({"rounds of agreements", held.agreement.rounds, most.agreement.rounds});
    return out;
  }
  /// A subset has payloads of n-f nodes at least.
  std::optional<Finding> audit(const std::vector<const Node*>& nodes) const {
    const std::uint32_t least =
        Committee::make(experiment->n, experiment->f)->at_least(kAvailability);
    for (const Node* node : nodes) {
      if (node->smallest() < least)
        return Finding{"size", "an epoch has " + std::to_string(node->smallest()) +
                                   " payloads, fewer than n-f"};
    }
    return std::nullopt;
  }
  Reach reach(const Node& node) const { return node.reach(); }
  std::uint64_t heals_within(const Node&) const {
    return promises::bracha() + promises::agreement();
  }
  std::uint64_t round(const Node&) const { return 0; }
  std::uint64_t refused(const Node& node) const { return node.node().refused(); }
};

Outcome run_common_subset(const Experiment& e, const RunOptions& o) {
  if (choice(e, "broadcast", std::string(Avid::kName)) == Bracha::kName)
    return run(SubsetSubject<Bracha>(e), e, o);
  return run(SubsetSubject<Avid>(e), e, o);
}

}  // namespace

SubjectEntry subject_common_subset() {
  ProtocolInfo info;
  info.name = "common-subset";
  info.help = "HoneyBadger's common subset: the payloads of n-f nodes at least, alike everywhere";
  info.parameters = {
      {"window", kWindow, 4, 256,
       "epochs kept, half of them for nodes that lag; one further behind cannot catch up"},
      {"payload_bytes", kPayloadBytes, 1, 1 << 24, "largest payload"},
      {"broadcast",
       std::string(Avid::kName),
       0,
       0,
       "what payloads travel by",
       {std::string(Avid::kName), std::string(Bracha::kName)}},
      coin_parameter(),
  };
  info.most_nodes = Avid::kMostNodes;
  info.answers = true;
  info.stuffs = true;
  info.fields = {"digest", "fragment", "instance", "number", "payload", "round", "share", "value"};
  return {info, run_common_subset};
}

}  // namespace thresher::sim
