// A binary agreement in the simulator. Requests of the workload have no values of their own: each
// makes a node propose in the next instance that is not decided here, and what it proposes is drawn
// from the seed, alike at all nodes in every third instance. A file for each agreement says:
//
//   SubjectEntry subject_mine() { return agreement_entry<MyAgreement>("what it is"); }
//
// Parameters: window, coin, threshold. Outputs are keyed by instance.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agreement_words.hpp"
#include "coins.hpp"
#include "mutation.hpp"
#include "registry.hpp"
#include "stuffing/agreement.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/agreement/rounds_wire.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/agreement_run.hpp"
#include "thresher/sim/run.hpp"
#include "wrapped.hpp"

namespace thresher::sim {

inline constexpr std::int64_t kAgreementWindow = 64;

/// What a node proposes.
inline bool proposal(std::uint64_t seed, std::uint64_t instance, NodeId id) {
  const std::uint64_t drawn = mix64(seed ^ mix64(instance));
  return (drawn % 3 == 0 ? drawn >> 8 : mix64(drawn ^ mix64(id.value))) % 2 == 1;
}

struct Proposal {
  Bytes payload;
};
struct Agreed {
  agreement::Decision decision;
  Bytes payload;  ///< of the request that made this node propose; may be empty
};

/// An agreement whose requests choose the instance.
template <agreement::BinaryAgreement A>
class Proposer : public Wrapped<Proposer<A>, A, Proposal, Agreed> {
  using Base = Wrapped<Proposer<A>, A, Proposal, Agreed>;

 public:
  using Fx = typename Base::Fx;

  Proposer(const typename A::Config& config, std::uint64_t seed)
      : Base(config), self_(config.self), seed_(seed) {}

  using Base::on;
  void on(const Requested<Proposal>& e, Fx& fx) {
    while (this->node_.decided(next_) || this->node_.round(next_) != 0) ++next_;
    const std::uint64_t instance = next_++;
    asked_[instance] = e.request.payload;
    const auto id = read_payload(e.request.payload.view());
    // The second face of a node proposes the contrary.
    const bool other = id && (id->number & PayloadId::kSecondFace) != 0;
    this->feed(Requested<agreement::Propose>{{instance, proposal(seed_, instance, self_) != other}},
               fx);
  }
  void take(const agreement::Decision& d, Fx& fx) {
    fx.deliver({d, taken(asked_, d.instance)});
    if (d.round > 0) rounds_.push_back(d.round);
  }
  const std::vector<std::uint32_t>& rounds() const { return rounds_; }

 private:
  NodeId self_;
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Bytes> asked_;
  std::vector<std::uint32_t> rounds_;  // in which this node decided, by decision
};

template <agreement::BinaryAgreement A>
struct AgreementSubject {
  using Node = Proposer<A>;
  static constexpr bool kOrdered = false;
  const Experiment* experiment;
  AgreementRun how{};
  Coins coins;
  NodeSet faulty;
  std::shared_ptr<VoteLog> log = std::make_shared<VoteLog>();

  AgreementSubject(const Experiment& e, AgreementRun run)
      : experiment(&e),
        how(std::move(run)),
        coins(e, *Committee::make(e.n, e.f),
              choice(e, "threshold", "f+1") == "f+1" ? kValidity : kAvailability),
        faulty(e.n) {
    for (const FaultAction& a : e.faults) {
      if (!byzantine(a.what)) continue;
      for (const NodeId id : a.who) faulty.insert(id);
    }
  }

  typename A::Config config_of(NodeId id) const {
    typename A::Config config;
    config.committee = *Committee::make(experiment->n, experiment->f);
    config.self = id;
    config.window = static_cast<std::uint64_t>(parameter(*experiment, "window", kAgreementWindow));
    config.coin = coins.of(id);
    config.tables = how.tables;
    config.trace = how.judge ? log.get() : nullptr;
    return config;
  }
  Node make(NodeId id) const { return Node(config_of(id), experiment->seed); }
  Proposal request(const Bytes& payload) const { return {payload}; }

  MessageFacts facts_of(const typename Node::Message& message) const {
    MessageFacts out = std::visit([](const auto& m) { return agreement_words::facts(m); }, message);
    out.bytes = static_cast<std::uint32_t>(agreement::encode_rounds(message).size());
    return out;
  }
  OutputFacts facts_of(const Agreed& a) const {
    return {a.decision.instance, hash(as_view(a.decision.value ? "1" : "0")), a.decision.instance,
            "decide"};
  }
  template <class F>
  void payloads(const Agreed& a, std::optional<NodeId> of, F visit) const {
    if (of && !a.payload.empty()) visit(a.payload.view(), *of);
  }
  bool mutate(typename Node::Message& message, NodeId, std::string_view field,
              std::uint64_t salt) const {
    return std::visit([&](auto& m) { return agreement_words::change(m, Mutation(field, salt)); },
                      message);
  }
  std::vector<typename Node::Message> stuff(NodeId, const typename Node::Message& heard,
                                            std::uint64_t salt) const {
    const AgreementStuffing<typename Node::Message> filling{facts_of(heard).round,
                                                            config_of(NodeId{}).window};
    return stuff_with(filling, heard, salt);
  }
  std::vector<Bound> bounds(const Node& node) const {
    const agreement::Footprint held = node.node().footprint();
    const agreement::Footprint most = A::most_held(config_of(NodeId{}));
    return {{"instances", held.instances, most.instances}, {"rounds", held.rounds, most.rounds}};
  }
  std::uint64_t heals_within(const Node&) const { return promises::agreement(); }
  std::uint64_t round(const Node&) const { return 0; }
  std::uint64_t refused(const Node& node) const { return node.node().refused(); }

  /// What was decided some correct node proposes.
  std::optional<Finding> audit(const std::vector<const Node*>& nodes) const {
    for (const Node* node : nodes) {
      for (std::uint64_t i = 0; i < node->node().base(); ++i) {
        if (!proposed(i, *node->node().decided(i)))
          return Finding{"validity", "instance " + std::to_string(i) +
                                         " was decided with what no correct node proposes"};
      }
    }
    if (!how.judge) return std::nullopt;
    const auto wrong = how.judge(*log, faulty);
    return wrong ? std::optional(Finding{"table", *wrong}) : std::nullopt;
  }
  /// The mean of the rounds in which nodes decided, and the highest.
  std::vector<Measure> measures(const std::vector<const Node*>& nodes) const {
    double sum = 0;
    double count = 0;
    double most = 0;
    for (const Node* node : nodes) {
      for (const std::uint32_t round : node->rounds()) {
        sum += round;
        ++count;
        most = std::max<double>(most, round);
      }
    }
    return {{"mean round", count > 0 ? sum / count : 0}, {"highest round", most}};
  }

 private:
  bool proposed(std::uint64_t instance, bool value) const {
    for (const NodeId i : node_ids(experiment->n)) {
      if (!faulty.contains(i) && proposal(experiment->seed, instance, i) == value) return true;
    }
    return false;
  }
};

template <agreement::BinaryAgreement A>
Outcome run_agreement(const Experiment& e, const AgreementRun& how, const RunOptions& o) {
  return run(AgreementSubject<A>(e, how), e, o);
}

/// The agreement's entry in the registry.
template <agreement::BinaryAgreement A>
SubjectEntry agreement_entry(std::string help) {
  ProtocolInfo info;
  info.name = std::string(A::kName);
  info.help = std::move(help);
  info.kind = "binary agreement";
  info.nodes_per_fault = A::kNodesPerFault;
  info.parameters = {
      {"window", kAgreementWindow, 1, 4096, "instances open at a time"},
      coin_parameter(),
      {"threshold", std::string("f+1"), 0, 0, "shares that make a coin", {"f+1", "n-f"}},
  };
  info.answers = true;
  info.stuffs = true;
  info.unjudged = {"validity"};  // what is decided is no request
  info.fields = {"instance", "round", "share", "value"};
  return {info,
          [](const Experiment& e, const RunOptions& o) { return run_agreement<A>(e, {}, o); }};
}

}  // namespace thresher::sim
