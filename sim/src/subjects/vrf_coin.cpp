// The coin of lowest tickets, tossed round after round by a beacon at every node. Requests have no
// part in it. Its values may differ, so the share of tosses in which they do not is measured.
#include "thresher/protocols/coin/vrf_coin.hpp"

#include <memory>

#include "mutation.hpp"
#include "registry.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/coin/ideal_lottery.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/run.hpp"
#include "tosser.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kEarlyMessages = coin::kEarlyShares;

std::uint64_t bit_of(const Digest& value) {
  return coin::coin_bit(value) ? 1 : 0;
}

struct VrfCoinSubject {
  using Node = Tosser<coin::VrfCoin, bit_of>;
  static constexpr bool kOrdered = false;
  static constexpr bool kRounds = true;

  const Experiment* experiment;
  Committee committee;
  std::vector<crypto::VrfSeed> seeds{};
  std::vector<PublicKey> keys{};

  explicit VrfCoinSubject(const Experiment& e)
      : experiment(&e), committee(*Committee::make(e.n, e.f)) {
    if (choice(e, "lottery", "ideal") == "ideal") return;
    for (const NodeId i : node_ids(e.n)) {
      Writer w;
      w.bytes(as_view("thresher/simulated-lottery/1")).u64(e.seed).u16(i.value);
      seeds.push_back(hash(w.view()).bytes);
      keys.push_back(crypto::vrf_public_key(seeds.back()));
    }
  }
  std::shared_ptr<const crypto::VrfScheme> scheme(NodeId id) const {
    if (seeds.empty()) return std::make_shared<coin::IdealLottery>(id, experiment->seed);
    return std::make_shared<crypto::VrfLottery>(ChainContext{}, keys,
                                                crypto::Secret(seeds[id.value]));
  }
  Node make(NodeId id) const {
    const auto pause = static_cast<std::uint64_t>(parameter(*experiment, "pause", 0));
    return Node({.coin = {.committee = committee, .self = id, .scheme = scheme(id)},
                 .pause = Delay{pause * 1000}});
  }
  Node::Request request(const Bytes&) const { return {}; }
  MessageFacts facts_of(const coin::VrfMessage& message) const {
    Writer w;
    coin::encode_vrf(message, w);
    MessageFacts out{.label = message.index() == 0 ? "ticket" : "lowest",
                     .round = coin::instance_of(message),
                     .bytes = static_cast<std::uint32_t>(w.view().size())};
    out.share = message.index() == 0;
    return out;
  }
  OutputFacts facts_of(const coin::Tossed& t) const {
    return {t.instance, t.value, t.instance, "value"};
  }
  template <class F>
  void payloads(const coin::Tossed&, std::optional<NodeId>, F) const {}
  bool mutate(coin::VrfMessage& message, NodeId, std::string_view field, std::uint64_t salt) const {
    Mutation by(field, salt);
    auto* lowest = std::get_if<coin::Lowest>(&message);
    if (lowest != nullptr && by.picks("origin")) {
      lowest->origin = NodeId{static_cast<std::uint16_t>(salt % experiment->n)};
      return true;
    }
    return std::visit(
        [&](auto& m) {
          if (!by.picks("proof")) return by.number("round", m.instance);
          m.proof[salt % m.proof.size()] ^= std::byte{1};
          return true;
        },
        message);
  }
  std::vector<Bound> bounds(const Node& node) const {
    const coin::VrfConfig standard;
    const coin::VrfCoin& coin = node.coin();
    return {{"early messages", coin.early_messages(), committee.size() * kEarlyMessages},
            {"tosses", coin.instances(), standard.keep + 1}};
  }
  std::uint64_t heals_within(const Node&) const {
    return promises::lowest_tickets(static_cast<std::uint64_t>(parameter(*experiment, "pause", 0)));
  }
  std::uint64_t round(const Node& node) const { return node.beacon().round(); }
  std::uint64_t refused(const Node& node) const { return node.coin().stats().refused; }

  std::vector<Measure> measures(const std::vector<const Node*>& nodes) const {
    return alike(nodes);
  }
};

}  // namespace

SubjectEntry subject_vrf_coin() {
  ProtocolInfo info;
  info.name = "vrf-coin";
  info.help = "Weak common coins, one a round: the last bit of the lowest ticket that nodes drew";
  info.kind = "coin";
  info.forgets = true;
  info.unjudged = {"prefix", "validity", "totality", "agreement", "included_within"};
  info.parameters = {
      {"lottery",
       std::string("ideal"),
       0,
       0,
       "ideal: tickets from the seed; vrf: verifiable random functions on keys of the nodes",
       {"ideal", "vrf"}},
      {"pause", std::int64_t{0}, 0, 1000, "Delta between a value and the next toss"}};
  info.fields = {"origin", "proof", "round"};
  return {info,
          [](const Experiment& e, const RunOptions& o) { return run(VrfCoinSubject(e), e, o); }};
}

}  // namespace thresher::sim
