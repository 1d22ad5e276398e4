// The threshold coin, tossed round after round by a beacon at every node. Requests have no part in
// it: nobody asks for a round.
#include "coins.hpp"
#include "mutation.hpp"
#include "registry.hpp"
#include "stuffing/stuffing.hpp"
#include "thresher/protocols/coin/beacon.hpp"
#include "thresher/protocols/promises.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint32_t kShareBytes = 105;

struct ThresholdCoinSubject {
  using Node = coin::Beacon;
  static constexpr bool kOrdered = false;
  static constexpr bool kRounds = true;

  const Experiment* experiment;
  Committee committee;
  Coins coins;

  explicit ThresholdCoinSubject(const Experiment& e)
      : experiment(&e), committee(*Committee::make(e.n, e.f)), coins(e, committee, threshold(e)) {}

  static Threshold threshold(const Experiment& e) {
    return choice(e, "threshold", "n-f") == "n-f" ? kAvailability : kValidity;
  }
  Node make(NodeId id) const {
    const auto pause = static_cast<std::uint64_t>(parameter(*experiment, "pause", 0));
    return Node({.coin = {.committee = committee, .self = id, .scheme = coins.of(id)},
                 .pause = Delay{pause * 1000}});
  }
  Node::Request request(const Bytes&) const { return {}; }
  MessageFacts facts_of(const coin::Share& m) const {
    return {
        .label = m.ask ? "ask" : "share", .round = m.instance, .bytes = kShareBytes, .share = true};
  }
  OutputFacts facts_of(const coin::Tossed& t) const {
    return {t.instance, t.value, t.instance, "value"};
  }
  template <class F>
  void payloads(const coin::Tossed&, std::optional<NodeId>, F) const {}
  bool mutate(coin::Share& m, NodeId, std::string_view field, std::uint64_t salt) const {
    Mutation by(field, salt);
    if (by.picks("share")) {
      m.share.bytes[salt % m.share.bytes.size()] ^= std::byte{1};
      return true;
    }
    return by.number("round", m.instance);
  }
  std::vector<coin::Share> stuff(NodeId, const coin::Share& heard, std::uint64_t salt) const {
    std::vector<coin::Share> out;
    Prng rng(salt, 4);
    for (std::uint64_t k = 0; k < coin::kEarlyShares; ++k)
      out.push_back({heard.instance + rng.below(1000), {}, rng.below(2) == 0});
    return out;
  }
  std::vector<Bound> bounds(const Node& node) const {
    const coin::Config standard;
    return {{"early shares", node.coin().early_shares(), committee.size() * coin::kEarlyShares},
            {"tosses", node.coin().instances(), standard.keep + 1}};
  }
  std::uint64_t heals_within(const Node&) const {
    return promises::tosses(static_cast<std::uint64_t>(parameter(*experiment, "pause", 0)));
  }
  std::uint64_t round(const Node& node) const { return node.round(); }
  std::uint64_t refused(const Node& node) const { return node.coin().stats().refused; }
};

}  // namespace

SubjectEntry subject_threshold_coin() {
  ProtocolInfo info;
  info.name = "threshold-coin";
  info.help = "Common coins, one a round: a threshold of shares makes a value that nobody knew";
  info.kind = "coin";
  info.forgets = true;
  info.unjudged = {"prefix", "validity", "totality", "included_within"};
  info.parameters = {
      coin_parameter(),
      {"threshold", std::string("n-f"), 0, 0, "shares that make a value", {"f+1", "n-f"}},
      {"pause", std::int64_t{0}, 0, 1000, "Delta between a value and the next toss"}};
  info.stuffs = true;
  info.fields = {"round", "share"};
  return {info, [](const Experiment& e, const RunOptions& o) {
            return run(ThresholdCoinSubject(e), e, o);
          }};
}

}  // namespace thresher::sim
