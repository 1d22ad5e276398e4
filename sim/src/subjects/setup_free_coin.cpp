// The coin without setup, tossed round after round by a beacon at every node. Requests have no part
// in it. Its values differ with a small probability, so how often they do is measured; what must
// never differ by more than it may are the weights under them.
#include <algorithm>
#include <memory>

#include "broadcast_bounds.hpp"
#include "mutation.hpp"
#include "registry.hpp"
#include "setup_free_words.hpp"
#include "stuffing/setup_free.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/crypto/bivariate_sharing.hpp"
#include "thresher/protocols/coin/ideal_sharing.hpp"
#include "thresher/protocols/coin/setup_free_beacon.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/run.hpp"
#include "tosser.hpp"

namespace thresher::sim {
namespace {

constexpr std::int64_t kStandardRounds = 20;
constexpr std::int64_t kSides = 2;
constexpr std::int64_t kWindow = 8;

struct SetupFreeSubject {
  using Node = Tosser<SetupFree, setup_free::side_in>;
  static constexpr bool kOrdered = false;
  static constexpr bool kRounds = true;

  const Experiment* experiment;
  Committee committee;

  explicit SetupFreeSubject(const Experiment& e)
      : experiment(&e), committee(*Committee::make(e.n, e.f)) {}

  std::uint64_t number(std::string_view name, std::int64_t standard) const {
    return static_cast<std::uint64_t>(parameter(*experiment, name, standard));
  }
  std::shared_ptr<const crypto::SharingScheme> scheme(NodeId id) const {
    if (choice(*experiment, "secrets", "ideal") == "ideal")
      return std::make_shared<coin::IdealSharing>(committee, id, experiment->seed);
    Writer w;
    w.bytes(as_view("thresher/simulated-secrets/1")).u64(experiment->seed).u16(id.value);
    return std::make_shared<crypto::BivariateSharing>(crypto::BivariateSharing::Setup{
        .chain = {}, .committee = committee, .self = id, .seed = hash(w.view()).bytes});
  }
  setup_free::Config config(NodeId id) const {
    return {.committee = committee,
            .self = id,
            .scheme = scheme(id),
            .rounds = static_cast<std::uint32_t>(number("rounds", kStandardRounds)),
            .sides = number("sides", kSides),
            .window = number("window", kWindow)};
  }
  Node make(NodeId id) const {
    return Node({.coin = config(id), .pause = Delay{number("pause", 0) * 1000}});
  }
  Node::Request request(const Bytes&) const { return {}; }

  MessageFacts facts_of(const Node::Message& message) const {
    MessageFacts out = words().facts_of(message);
    out.bytes = static_cast<std::uint32_t>(encode(message, committee).size());
    return out;
  }
  OutputFacts facts_of(const coin::Tossed& t) const {
    return {t.instance, t.value, t.instance, "value"};
  }
  template <class F>
  void payloads(const coin::Tossed&, std::optional<NodeId>, F) const {}
  bool mutate(Node::Message& message, NodeId, std::string_view field, std::uint64_t salt) const {
    return words().change(message, Mutation(field, salt));
  }
  std::vector<Node::Message> stuff(NodeId id, const Node::Message& heard,
                                   std::uint64_t salt) const {
    const setup_free::Config c = config(id);
    return stuff_with(SetupFreeStuffing{id, c, coin::instance_of(heard)}, heard, salt);
  }

  std::vector<Bound> bounds(const Node& node) const {
    const SetupFree& coin = node.coin();
    std::vector<Bound> out =
        broadcast_bounds(coin.secrets().footprint(), coin.secrets().most_held());
    const auto weights = broadcast_bounds(coin.weights().footprint(), coin.weights().most_held());
    out.insert(out.end(), weights.begin(), weights.end());
    out.push_back({"pieces of secrets", coin.secrets().pieces(), coin.secrets().most_pieces()});
    out.push_back({"gathered sets", coin.gathering().held(), coin.gathering().most_held()});
    out.push_back({"reports", coin.weights().reports(), coin.weights().most_reports()});
    return out;
  }
  std::uint64_t heals_within(const Node&) const {
    return promises::setup_free(number("rounds", kStandardRounds), number("pause", 0));
  }
  std::uint64_t round(const Node& node) const { return node.beacon().round(); }
  std::uint64_t refused(const Node& node) const { return node.coin().refused(); }

  /// The common core, and weights that are as near each other as the page says.
  std::optional<Finding> audit(const std::vector<const Node*>& nodes) const {
    if (nodes.empty()) return std::nullopt;
    const std::uint64_t first = nodes.front()->coin().secrets().floor();
    for (std::uint64_t i = first; i < first + number("window", kWindow); ++i) {
      if (auto finding = audit(nodes, i)) return finding;
    }
    return std::nullopt;
  }
  std::vector<Measure> measures(const std::vector<const Node*>& nodes) const {
    return alike(nodes);
  }

 private:
  SetupFreeWords words() const { return {experiment->n, number("rounds", kStandardRounds)}; }
  std::optional<Finding> audit(const std::vector<const Node*>& nodes,
                               std::uint64_t instance) const {
    const std::int64_t whole = std::int64_t{1} << number("rounds", kStandardRounds);
    std::uint32_t core = 0;
    bool known = false;
    for (const NodeId d : node_ids(committee.size())) {
      std::int64_t least = whole;
      std::int64_t most = 0;
      for (const Node* node : nodes) {
        const auto weights = node->coin().weights().result(instance);
        if (!weights) continue;
        known = true;
        least = std::min(least, (*weights)[d.value]);
        most = std::max(most, (*weights)[d.value]);
      }
      core += least == whole ? 1 : 0;
      if (most - least > 2)
        return Finding{"agreement", "weights of dealer " + std::to_string(d.value) +
                                        " in instance " + std::to_string(instance) + " are " +
                                        std::to_string(most - least) + " apart, and 2 is allowed"};
    }
    if (known && core < committee.at_least(kAvailability))
      return Finding{"core", "only " + std::to_string(core) + " dealers of instance " +
                                 std::to_string(instance) + " have the whole weight everywhere"};
    return std::nullopt;
  }
};

}  // namespace

SubjectEntry subject_setup_free_coin() {
  ProtocolInfo info;
  info.name = "setup-free-coin";
  info.help =
      "Strong common coins, one a round, without keys: secrets weighed by approximate agreement";
  info.kind = "coin";
  info.unjudged = {"prefix", "validity", "totality", "agreement", "included_within"};
  info.parameters = {
      {"secrets",
       std::string("ideal"),
       0,
       0,
       "ideal: secrets from the seed; shared: verifiable secret sharing on ristretto255",
       {"ideal", "shared"}},
      {"rounds", kStandardRounds, 1, setup_free::kMostRounds,
       "rounds of weights; each halves how seldom nodes differ"},
      {"sides", kSides, 2, 1'000'000, "values that a toss may have"},
      {"window", kWindow, 2, 256, "tosses kept, an even number", {}, 2},
      {"pause", std::int64_t{0}, 0, 1000, "Delta between a value and the next toss"}};
  info.most_nodes = Avid::kMostNodes;
  info.answers = true;
  info.stuffs = true;
  info.fields = SetupFreeWords::fields();
  return {info,
          [](const Experiment& e, const RunOptions& o) { return run(SetupFreeSubject(e), e, o); }};
}

}  // namespace thresher::sim
