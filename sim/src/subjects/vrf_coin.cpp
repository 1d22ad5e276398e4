// The coin of lowest tickets, tossed round after round by a beacon at every node. Requests have no
// part in it. Its values may differ, so the share of tosses in which they do not is measured.
#include "thresher/protocols/coin/vrf_coin.hpp"

#include <map>
#include <memory>

#include "mutation.hpp"
#include "registry.hpp"
#include "thresher/core/compose.hpp"
#include "thresher/protocols/coin/beacon.hpp"
#include "thresher/protocols/coin/ideal_lottery.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kEarlyMessages = coin::kEarlyShares;

/// A beacon that remembers what it tossed.
class Tosser {
 public:
  using Coin = coin::BasicBeacon<coin::VrfCoin>;
  using Message = Coin::Message;
  using Request = Coin::Request;
  using Output = Coin::Output;
  using Fx = Coin::Fx;

  explicit Tosser(coin::BasicBeaconConfig<coin::VrfCoin> config) : beacon_(std::move(config)) {}

  template <class Input>
  requires requires(Coin c, const Input& input, Fx& fx) { c.on(input, fx); }
  void on(const Input& input, Fx& fx) {
    Fx child;
    beacon_.on(input, child);
    for (auto& effect : child.list()) {
      if (const auto* tossed = std::get_if<Deliver<Output>>(&effect))
        bits_[tossed->output.instance] = coin::coin_bit(tossed->output.value);
      fx.push(std::move(effect));
    }
  }
  const Coin& beacon() const { return beacon_; }
  const std::map<std::uint64_t, bool>& bits() const { return bits_; }

 private:
  Coin beacon_;
  std::map<std::uint64_t, bool> bits_;
};

struct VrfCoinSubject {
  using Node = Tosser;
  static constexpr bool kOrdered = false;
  static constexpr bool kRounds = true;

  const Experiment* experiment;
  Committee committee;
  std::vector<crypto::VrfSeed> seeds{};
  std::vector<PublicKey> keys{};

  explicit VrfCoinSubject(const Experiment& e)
      : experiment(&e), committee(*Committee::make(e.n, e.f)) {
    if (choice(e, "lottery", "ideal") == "ideal") return;
    for (std::uint16_t i = 0; i < e.n; ++i) {
      Writer w;
      w.bytes(as_view("thresher/simulated-lottery/1")).u64(e.seed).u16(i);
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
    const coin::VrfCoin& coin = node.beacon().coin();
    return {{"early messages", coin.early_messages(), committee.size() * kEarlyMessages},
            {"tosses", coin.instances(), standard.keep + 1}};
  }
  std::uint64_t heals_within(const Node&) const {
    // One delay more than a toss of shares: two kinds of messages.
    return promises::tosses(static_cast<std::uint64_t>(parameter(*experiment, "pause", 0))) + 1;
  }
  std::uint64_t round(const Node& node) const { return node.beacon().round(); }
  std::uint64_t refused(const Node& node) const { return node.beacon().coin().stats().refused; }

  /// Tosses whose value all correct nodes have, those in which it is the same, and the ones of it.
  std::vector<Measure> measures(const std::vector<const Node*>& nodes) const {
    double tosses = 0;
    double alike = 0;
    double ones = 0;
    for (const auto& [instance, bit] : nodes.front()->bits()) {
      bool all = true;
      bool same = true;
      for (const Node* node : nodes) {
        const auto found = node->bits().find(instance);
        all = all && found != node->bits().end();
        same = same && all && found->second == bit;
      }
      tosses += all ? 1 : 0;
      alike += same ? 1 : 0;
      ones += same && bit ? 1 : 0;
    }
    return {{"tosses", tosses}, {"alike", alike}, {"ones", ones}};
  }
};

}  // namespace

SubjectEntry subject_vrf_coin() {
  ProtocolInfo info;
  info.name = "vrf-coin";
  info.help = "Weak common coins, one a round: the last bit of the lowest ticket that nodes drew";
  info.kind = "coin";
  info.forgets = true;
  info.unjudged = {"prefix", "validity", "totality", "agreement"};
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
