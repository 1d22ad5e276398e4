// The coin of many committees, tossed round after round by a beacon at every node, with a real
// strong coin inside the committees or an ideal one. Requests have no part in it. It is weak: how
// often nodes differ is measured, and that they do not where the proof says so is judged.
#include <cstdlib>
#include <map>
#include <memory>

#include "mutation.hpp"
#include "registry.hpp"
#include "setup_free_words.hpp"
#include "thresher/crypto/bivariate_sharing.hpp"
#include "thresher/protocols/coin/committee_beacon.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/run.hpp"
#include "tosser.hpp"

namespace thresher::sim {
namespace {

constexpr std::int64_t kWeightRounds = 12;
constexpr std::int64_t kWindow = 8;
constexpr std::int64_t kSizePpm = 3'000'000;
constexpr std::int64_t kGammaPpm = 100'000;
constexpr const char* kIdeal = "ideal";

std::uint64_t bit_of(const Digest& value) {
  return coin::coin_bit(value) ? 1 : 0;
}

std::uint64_t number_among(const Experiment& e, std::string_view name, std::int64_t standard) {
  return static_cast<std::uint64_t>(parameter(e, name, standard));
}

coin::CommitteeLists::Setup lists_of(const Experiment& e) {
  return {.n = e.n,
          .k = static_cast<std::uint32_t>(parameter(e, "k", 3)),
          .size_ppm = number_among(e, "size_ppm", kSizePpm),
          .gamma_ppm = number_among(e, "gamma_ppm", kGammaPpm)};
}

/// A committee's coin as the simulator has it: how it is made, and its messages.
struct IdealInside {
  using Strong = coin::ThresholdCoin;

  const Experiment* experiment;

  Strong make(std::uint32_t j, const Committee& among, NodeId place) const {
    return Strong({.committee = among,
                   .self = place,
                   .scheme = std::make_shared<coin::IdealCoin>(among.at_least(kValidity), place,
                                                               mix64(experiment->seed ^ mix64(j))),
                   .keep = kKeep});
  }
  MessageFacts facts(const coin::Share& share, const coin::CommitteeLists&) const {
    Writer w;
    coin::encode_share(share, w);
    return {.label = "share",
            .round = share.instance,
            .bytes = static_cast<std::uint32_t>(w.view().size()),
            .share = true};
  }
  bool change(coin::Share& share, Mutation by) const {
    if (!by.picks("share")) return by.number("round", share.instance);
    share.share.bytes[by.salt() % share.share.bytes.size()] ^= std::byte{1};
    return true;
  }
  std::uint64_t heals_within() const { return promises::tosses(0); }

 private:
  static constexpr std::uint64_t kKeep = 64;
};

struct RealInside {
  using Strong = SetupFree;

  const Experiment* experiment;

  std::uint64_t rounds() const { return number_among(*experiment, "rounds", kWeightRounds); }
  Strong make(std::uint32_t j, const Committee& among, NodeId place) const {
    Writer w;
    w.bytes(as_view("thresher/simulated-secrets/1")).u64(experiment->seed).u32(j).u16(place.value);
    crypto::BivariateSharing::Setup sharing{
        .chain = {{}, j}, .committee = among, .self = place, .seed = hash(w.view()).bytes};
    return Strong({.committee = among,
                   .self = place,
                   .scheme = std::make_shared<crypto::BivariateSharing>(std::move(sharing)),
                   .rounds = static_cast<std::uint32_t>(rounds()),
                   .window = number_among(*experiment, "window", kWindow)});
  }
  SetupFreeWords words(std::uint32_t size) const { return {size, rounds()}; }
  MessageFacts facts(const SetupFree::Message& m, const coin::CommitteeLists& lists) const {
    MessageFacts out = words(lists.size()).facts_of(m);
    out.bytes = static_cast<std::uint32_t>(encode(m, inside_of(lists)).size());
    return out;
  }
  bool change(SetupFree::Message& m, Mutation by) const {
    return words(experiment->n).change(m, by);
  }
  std::uint64_t heals_within() const { return promises::setup_free(rounds(), 0); }
};

template <class InsideOf>
struct CommitteeSubject {
  using Strong = typename InsideOf::Strong;
  using Coin = CommitteeCoin<Strong>;
  using Node = Tosser<Coin, bit_of>;
  static constexpr bool kOrdered = false;
  static constexpr bool kRounds = true;

  const Experiment* experiment;
  InsideOf inside;
  Committee committee;
  std::shared_ptr<const coin::CommitteeLists> lists;

  explicit CommitteeSubject(const Experiment& e)
      : experiment(&e),
        inside{&e},
        committee(*Committee::make(e.n, e.f)),
        lists(std::make_shared<coin::CommitteeLists>(lists_of(e))) {}

  std::uint64_t window() const { return number_among(*experiment, "window", kWindow); }
  Node make(NodeId id) const {
    typename Coin::Config config;
    config.committee = committee;
    config.self = id;
    config.lists = lists;
    config.make = [in = inside](std::uint32_t j, const Committee& among, NodeId place) {
      return in.make(j, among, place);
    };
    config.window = window();
    return Node(
        {.coin = std::move(config), .pause = Delay{number_among(*experiment, "pause", 0) * 1000}});
  }
  typename Node::Request request(const Bytes&) const { return {}; }

  MessageFacts facts_of(const typename Node::Message& message) const {
    if (const auto* in = std::get_if<typename Coin::Inside>(&message)) {
      MessageFacts out = inside.facts(in->message, *lists);
      out.bytes += sizeof(std::uint8_t) + sizeof(std::uint32_t);
      return out;
    }
    constexpr std::uint32_t kHead = sizeof(std::uint8_t) + sizeof(std::uint64_t);
    if (const auto* ask = std::get_if<committee_coin::Ask>(&message))
      return {.label = "ask", .round = ask->instance, .bytes = kHead};
    constexpr std::size_t kBit = sizeof(std::uint32_t) + sizeof(std::uint8_t);
    const auto& published = std::get<committee_coin::Published>(message);
    return {.label = "bits",
            .round = published.instance,
            .bytes = kHead + static_cast<std::uint32_t>(kBit * published.bits.size()),
            .answer = true};
  }
  OutputFacts facts_of(const coin::Tossed& t) const {
    return {t.instance, t.value, t.instance, "value"};
  }
  template <class F>
  void payloads(const coin::Tossed&, std::optional<NodeId>, F) const {}
  bool mutate(typename Node::Message& message, NodeId, std::string_view field,
              std::uint64_t salt) const {
    Mutation by(field, salt);
    if (auto* in = std::get_if<typename Coin::Inside>(&message)) {
      if (by.picks("committee")) {
        in->committee = static_cast<std::uint32_t>(salt % lists->committees());
        return true;
      }
      return inside.change(in->message, by);
    }
    if (auto* ask = std::get_if<committee_coin::Ask>(&message))
      return by.number("round", ask->instance);
    auto& published = std::get<committee_coin::Published>(message);
    if (!by.picks("bit") || published.bits.empty()) return by.number("round", published.instance);
    for (committee_coin::Bit& b : published.bits) b.bit = !b.bit;
    return true;
  }
  std::vector<Bound> bounds(const Node& node) const {
    return {{"bits of committees", node.coin().reports(), node.coin().most_reports()}};
  }
  std::uint64_t heals_within(const Node&) const {
    return inside.heals_within() + promises::tosses(number_among(*experiment, "pause", 0));
  }
  std::uint64_t round(const Node& node) const { return node.beacon().round(); }
  std::uint64_t refused(const Node& node) const { return node.coin().refused(); }
  std::vector<Measure> measures(const std::vector<const Node*>& nodes) const {
    return alike(nodes);
  }
  /// Where committees' bits add up to more than 6b, all have that sign.
  std::optional<Finding> audit(const std::vector<const Node*>& nodes) const {
    if (nodes.empty() || !lists->bears(experiment->f)) return std::nullopt;
    const std::uint64_t first = nodes.front()->coin().floor();
    for (std::uint64_t i = first; i < first + window(); ++i) {
      if (auto finding = audit(nodes, i)) return finding;
    }
    return std::nullopt;
  }

 private:
  std::optional<Finding> audit(const std::vector<const Node*>& nodes, std::uint64_t i) const {
    std::map<std::uint32_t, bool> bits;
    for (const Node* node : nodes) {
      for (const auto& [j, bit] : node->coin().tossed(i)) {
        const auto [known, fresh] = bits.emplace(j, bit);
        // A strong coin may differ once in many tosses: then nothing is promised.
        if (known->second != bit) return std::nullopt;
      }
    }
    std::int64_t sum = 0;
    for (const auto& [j, bit] : bits) sum += bit ? 1 : -1;
    const auto unknown = static_cast<std::int64_t>(lists->committees() - bits.size());
    if (std::abs(sum) - unknown <= 6 * static_cast<std::int64_t>(lists->bound()))
      return std::nullopt;
    for (const Node* node : nodes) {
      const auto value = node->coin().value(i);
      if (value && *value != (sum > 0))
        return Finding{"agreement", "the committees' bits of toss " + std::to_string(i) +
                                        " add up to " + std::to_string(sum) +
                                        ", and a node has the other value"};
    }
    return std::nullopt;
  }
};

Outcome run_committee_coin(const Experiment& e, const RunOptions& o) {
  if (choice(e, "strong", kIdeal) == kIdeal) return run(CommitteeSubject<IdealInside>(e), e, o);
  return run(CommitteeSubject<RealInside>(e), e, o);
}

}  // namespace

SubjectEntry subject_committee_coin() {
  ProtocolInfo info;
  info.name = "committee-coin";
  info.help = "Weak common coins, one a round: the majority of coins that small committees toss";
  info.kind = "coin";
  // As far as no committee of the standard size is overpowered.
  info.nodes_per_fault = 12;
  info.forgets = true;
  info.unjudged = {"prefix", "validity", "totality", "agreement", "included_within"};
  info.parameters = {
      {"strong",
       std::string(kIdeal),
       0,
       0,
       "coins inside committees. ideal: from the seed; real: setup-free-coin",
       {kIdeal, "real"}},
      {"k", std::int64_t{3}, 3, 4, "the strong coin is one of n^k messages: fixes sizes"},
      {"size_ppm", kSizePpm, 100'000, 10'000'000, "c in committees of c n^(1/k) members, in 10^-6"},
      {"gamma_ppm", kGammaPpm, 1, 1'000'000, "2 gamma sqrt(N) committees are not waited for"},
      {"rounds", kWeightRounds, 1, setup_free::kMostRounds, "of weights, where coins are real"},
      {"window", kWindow, 2, 256, "tosses kept, an even number"},
      {"pause", std::int64_t{0}, 0, 1000, "Delta between a value and the next toss"}};
  info.answers = true;
  info.fields = SetupFreeWords::fields();
  info.fields.insert(info.fields.begin(), {"bit", "committee"});
  return {info, run_committee_coin};
}

}  // namespace thresher::sim
