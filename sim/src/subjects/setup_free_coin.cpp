// The coin without setup, tossed round after round by a beacon at every node. Requests have no part
// in it. Its values differ with a small probability, so how often they do is measured; what must
// never differ by more than it may are the weights under them.
#include <algorithm>
#include <memory>

#include "bracha_words.hpp"
#include "coded_words.hpp"
#include "mutation.hpp"
#include "registry.hpp"
#include "stuffing/setup_free.hpp"
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
    MessageFacts out = std::visit([&](const auto& m) { return facts(m); }, message);
    out.bytes = static_cast<std::uint32_t>(encode(message, committee).size());
    return out;
  }
  OutputFacts facts_of(const coin::Tossed& t) const {
    return {t.instance, t.value, t.instance, "value"};
  }
  template <class F>
  void payloads(const coin::Tossed&, std::optional<NodeId>, F) const {}
  bool mutate(Node::Message& message, NodeId, std::string_view field, std::uint64_t salt) const {
    const Mutation by(field, salt);
    return std::visit([&](auto& m) { return change(m, by); }, message);
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
  using Secrets = SetupFree::Secrets::Message;
  using Weights = SetupFree::Weights::Message;

  std::optional<Finding> audit(const std::vector<const Node*>& nodes,
                               std::uint64_t instance) const {
    const std::int64_t whole = std::int64_t{1} << number("rounds", kStandardRounds);
    std::uint32_t core = 0;
    bool known = false;
    for (std::uint16_t d = 0; d < committee.size(); ++d) {
      std::int64_t least = whole;
      std::int64_t most = 0;
      for (const Node* node : nodes) {
        const auto weights = node->coin().weights().result(instance);
        if (!weights) continue;
        known = true;
        least = std::min(least, (*weights)[d]);
        most = std::max(most, (*weights)[d]);
      }
      core += least == whole ? 1 : 0;
      if (most - least > 2)
        return Finding{"agreement", "weights of dealer " + std::to_string(d) + " in instance " +
                                        std::to_string(instance) + " are " +
                                        std::to_string(most - least) + " apart, and 2 is allowed"};
    }
    if (known && core < committee.at_least(kAvailability))
      return Finding{"core", "only " + std::to_string(core) + " dealers of instance " +
                                 std::to_string(instance) + " have the whole weight everywhere"};
    return std::nullopt;
  }

  MessageFacts facts(const Secrets& m) const {
    if (const auto* b = std::get_if<Avid::Message>(&m))
      return {.label = "commitment", .round = number_of(*b)};
    const auto& word = std::get<avss::Word>(m);
    static constexpr std::array<std::string_view, 4> kLabels{"row", "point", "share", "ask"};
    return {.label = kLabels.at(word.index()),
            .round = avss::instance_of(word),
            .anchor = word.index() == 0,
            .share = word.index() == 2,
            .answer = word.index() == 1};
  }
  MessageFacts facts(const gather::Members& m) const {
    return {.label = "members", .round = m.instance};
  }
  MessageFacts facts(const Weights& m) const {
    const std::uint64_t rounds = number("rounds", kStandardRounds);
    if (const auto* b = std::get_if<Bracha::Message>(&m))
      return {.label = "weights", .round = number_of(*b) / rounds};
    return {.label = "report", .round = std::get<approximate::Report>(m).step / rounds};
  }

  bool change(Secrets& m, Mutation by) const {
    if (auto* b = std::get_if<Avid::Message>(&m)) return mutate_avid(*b, by);
    return std::visit([&](auto& word) { return change_word(word, by); }, std::get<avss::Word>(m));
  }
  static bool change_word(avss::Row& m, Mutation by) {
    return spoil("row", m.row, by) || by.number("round", m.instance);
  }
  bool change_word(avss::Point& m, Mutation by) const {
    return spoil("point", m.point, by) || change_node("dealer", m.dealer, by) ||
           by.number("round", m.instance);
  }
  bool change_word(avss::Share& m, Mutation by) const {
    return spoil("share", m.share, by) || change_node("dealer", m.dealer, by) ||
           by.number("round", m.instance);
  }
  bool change_word(avss::Ask& m, Mutation by) const {
    return change_set("members", m.shared, by) || by.number("round", m.instance);
  }
  bool change(gather::Members& m, Mutation by) const {
    return change_set("members", m.members, by) || by.number("round", m.instance);
  }
  bool change(Weights& m, Mutation by) const {
    if (auto* report = std::get_if<approximate::Report>(&m))
      return change_set("members", report->origins, by) || by.number("round", report->step);
    auto& b = std::get<Bracha::Message>(m);
    auto* init = std::get_if<bracha::Init>(&b);
    if (init == nullptr || !by.picks("value")) return mutate_bracha(b, by);
    approximate::Values values;
    for (std::uint32_t d = 0; d < committee.size(); ++d)
      values.push_back(static_cast<std::int64_t>(mix64(by.salt() + d) % (std::uint64_t{1} << 40)) -
                       (std::int64_t{1} << 39));
    init->payload = approximate::encode_values(values);
    return true;
  }
  static bool spoil(std::string_view field, Bytes& piece, Mutation& by) {
    if (piece.empty() || !by.picks(field)) return false;
    std::vector<std::byte> bytes(piece.view().begin(), piece.view().end());
    bytes[by.salt() % bytes.size()] ^= std::byte{1};
    if (by.salt() % 4 == 0) bytes.pop_back();
    piece = Bytes::from(std::move(bytes));
    return true;
  }
  bool change_node(std::string_view field, NodeId& node, Mutation& by) const {
    if (!by.picks(field)) return false;
    node = NodeId{static_cast<std::uint16_t>(by.salt() % experiment->n)};
    return true;
  }
  bool change_set(std::string_view field, NodeSet& nodes, Mutation& by) const {
    if (!by.picks(field)) return false;
    const NodeId id{static_cast<std::uint16_t>(by.salt() % experiment->n)};
    if (!nodes.erase(id)) nodes.insert(id);
    return true;
  }
};

}  // namespace

SubjectEntry subject_setup_free_coin() {
  ProtocolInfo info;
  info.name = "setup-free-coin";
  info.help =
      "Strong common coins, one a round, without keys: secrets weighed by approximate agreement";
  info.kind = "coin";
  info.unjudged = {"prefix", "validity", "totality", "agreement"};
  info.parameters = {
      {"secrets",
       std::string("ideal"),
       0,
       0,
       "ideal: secrets from the seed; shared: verifiable secret sharing on ristretto255",
       {"ideal", "shared"}},
      {"rounds", kStandardRounds, 1, setup_free::kMostRounds,
       "rounds of weights; each halves how seldom nodes differ"},
      {"sides", kSides, 1, 1'000'000, "values that a toss may have"},
      {"window", kWindow, 2, 256, "tosses kept, an even number"},
      {"pause", std::int64_t{0}, 0, 1000, "Delta between a value and the next toss"}};
  info.most_nodes = Avid::kMostNodes;
  info.answers = true;
  info.stuffs = true;
  info.fields = {"counter", "dealer", "digest", "fragment", "holds", "members", "number",
                 "payload", "point",  "round",  "row",      "share", "value"};
  return {info,
          [](const Experiment& e, const RunOptions& o) { return run(SetupFreeSubject(e), e, o); }};
}

}  // namespace thresher::sim
