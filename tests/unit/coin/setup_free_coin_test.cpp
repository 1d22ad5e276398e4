// The coin without setup: its values in fair weather and after every kind of restart, what liars
// deal, and what is known before the weights are.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "../../how_many.hpp"
#include "../../timed.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/crypto/bivariate_sharing.hpp"
#include "thresher/protocols/coin/ideal_sharing.hpp"
#include "thresher/protocols/coin/setup_free_beacon.hpp"

namespace thresher {
namespace {

using Scheme = std::shared_ptr<const crypto::SharingScheme>;

Scheme real(std::uint32_t n, NodeId id) {
  crypto::BivariateSharing::Seed seed{};
  seed[0] = static_cast<std::byte>(id.value + 1);
  return std::make_shared<crypto::BivariateSharing>(crypto::BivariateSharing::Setup{
      .chain = {}, .committee = *Committee::of(n), .self = id, .seed = seed});
}
Scheme ideal(std::uint32_t n, NodeId id) {
  return std::make_shared<coin::IdealSharing>(*Committee::of(n), id, 5);
}

struct Shape {
  std::uint32_t n = 4;
  std::uint32_t rounds = 8;
  std::uint64_t window = 16;
  bool real_secrets = false;
  avss::Checks checks{};
  bool waits_for_weights = true;
};

class Coins {
 public:
  explicit Coins(Shape s)
      : net(s.n,
            [s](NodeId id) {
              return SetupFree({.committee = *Committee::of(s.n),
                                .self = id,
                                .scheme = s.real_secrets ? real(s.n, id) : ideal(s.n, id),
                                .rounds = s.rounds,
                                .window = s.window,
                                .checks = s.checks,
                                .waits_for_weights = s.waits_for_weights});
            }),
        sides(s.n) {
    net.delivered = [this](std::uint16_t i, const coin::Tossed& t) {
      const auto [it, fresh] = sides[i].emplace(t.instance, setup_free::side_in(t.value));
      EXPECT_TRUE(fresh || it->second == setup_free::side_in(t.value))
          << "a restarted node has another value";
    };
  }
  void toss(std::uint16_t i, std::uint64_t instance) {
    if (net.up(i)) net.feed(i, Requested<coin::Toss>{{instance}});
  }
  void toss_all(std::uint64_t instance) {
    for (std::uint16_t i = 0; i < net.size(); ++i) toss(i, instance);
  }
  /// Nodes that have the value of an instance.
  std::size_t have(std::uint64_t instance) const {
    std::size_t out = 0;
    for (const auto& of_node : sides) out += of_node.contains(instance) ? 1 : 0;
    return out;
  }
  std::set<std::uint64_t> values(std::uint64_t instance) const {
    std::set<std::uint64_t> out;
    for (const auto& of_node : sides) {
      if (of_node.contains(instance)) out.insert(of_node.at(instance));
    }
    return out;
  }

  /// What node `from` did not say, past the rules of the link.
  void lie(std::uint16_t from, std::uint16_t to, avss::Word word) {
    lying = true;
    net.say(from, to, SetupFree::Secrets::Message(std::move(word)));
    lying = false;
  }

  bool lying = false;
  Timed<SetupFree> net;
  std::vector<std::map<std::uint64_t, std::uint64_t>> sides;
};

template <class M>
const M* word_in(const SetupFree::Message& message) {
  const auto* secrets = std::get_if<SetupFree::Secrets::Message>(&message);
  const auto* word = secrets == nullptr ? nullptr : std::get_if<avss::Word>(secrets);
  return word == nullptr ? nullptr : std::get_if<M>(word);
}

TEST(SetupFreeCoin, ReadsItsMessagesBack) {
  const Committee c = *Committee::of(10);
  NodeSet some(10);
  for (const std::uint16_t id : {std::uint16_t{0}, std::uint16_t{9}}) some.insert(NodeId{id});
  using Secrets = SetupFree::Secrets::Message;
  using Weights = SetupFree::Weights::Message;
  const std::vector<SetupFree::Message> messages{
      Secrets(avss::Word(avss::Row{7, Bytes::copy_of(as_view("a row"))})),
      Secrets(avss::Word(avss::Point{7, NodeId{9}, Bytes::copy_of(as_view("a point"))})),
      Secrets(avss::Word(avss::Share{7, NodeId{3}, Bytes::copy_of(as_view("a share"))})),
      Secrets(avss::Word(avss::Ask{7, some, NodeSet(10)})),
      Secrets(Avid::Message(avid::Ready{{NodeId{2}, 7}, {}, true})),
      gather::Members{7, gather::Stage::kSecond, some, true},
      Weights(approximate::Report{7 * 20, some, false}),
      Weights(Bracha::Message(bracha::Init{{NodeId{2}, 7}, Bytes::copy_of(as_view("weights"))}))};
  for (const auto& m : messages) {
    const WireParts parts = encode(m, c);
    const auto again = decode_setup_free(parts, c);
    ASSERT_TRUE(again.has_value()) << m.index();
    EXPECT_EQ(encode(*again, c).control, parts.control);
    EXPECT_EQ(encode(*again, c).payload, parts.payload);
    EXPECT_EQ(coin::instance_of(m), std::holds_alternative<Weights>(m) ? 0u : 7u);
    for (std::size_t size = 0; size < std::min<std::size_t>(parts.control.size(), 10); ++size)
      EXPECT_FALSE(decode_setup_free({parts.control.slice(0, size), parts.payload}, c)) << size;
  }
  const WireParts nobodys = encode(
      Secrets(avss::Word(avss::Point{7, NodeId{10}, Bytes::copy_of(as_view("a point"))})), c);
  EXPECT_FALSE(decode_setup_free(nobodys, c));
}

TEST(SetupFreeCoin, SidesAreEqualPartsOfTheSumModuloOne) {
  const std::uint64_t half = std::uint64_t{1} << 63;
  using setup_free::side_of;
  EXPECT_EQ(side_of(std::vector<setup_free::Part>{{half, 256}}, 8, 2), 1u);
  EXPECT_EQ(side_of(std::vector<setup_free::Part>{{half - 1, 256}}, 8, 2), 0u);
  EXPECT_EQ(side_of(std::vector<setup_free::Part>{{half, 256}, {half, 256}}, 8, 2), 0u);
  EXPECT_EQ(side_of(std::vector<setup_free::Part>{{half, 256}, {half, 128}}, 8, 4), 3u);
  EXPECT_EQ(side_of(std::vector<setup_free::Part>{{half, 0}, {half, 64}}, 8, 8), 1u);
  for (const std::uint64_t side : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40})
    EXPECT_EQ(setup_free::side_in(setup_free::value_of(side)), side);
}

// 4 nodes, 2 sides, 8 rounds: 2 edges, each with 2 * 4 * 2 units of 1/256 on both sides.
TEST(SetupFreeCoin, TheBoundIsWhatIsNearAnEdge) {
  EXPECT_EQ(setup_free::disagreement_bound_ppm(4, 2, 8), 125'000u);
  EXPECT_EQ(setup_free::disagreement_bound_ppm(4, 2, 20), 31u);
  EXPECT_EQ(setup_free::disagreement_bound_ppm(4, 2, 1), 1'000'000u);
  EXPECT_EQ(setup_free::rounds_for(4, 2, 8), 8u);
  EXPECT_EQ(setup_free::rounds_for(4, 2, 9), 9u);
}

TEST(SetupFreeCoin, AllGetTheSameInFairWeather) {
  for (const bool real_secrets : {false, true}) {
    for (const std::uint32_t n : {1u, 4u, 7u}) {
      Coins run({.n = n, .rounds = 20, .real_secrets = real_secrets});
      for (std::uint64_t k = 0; k < 3; ++k) run.toss_all(k);
      run.net.run_until(200 * kDelta);
      for (std::uint64_t k = 0; k < 3; ++k) {
        EXPECT_EQ(run.have(k), n);
        EXPECT_EQ(run.values(k).size(), 1u);
      }
      for (std::uint16_t i = 0; i < n; ++i) EXPECT_EQ(run.net.node(i).refused(), 0u);
    }
  }
}

// The value does not depend on which nodes were fast: secrets alone decide, so both sides come up.
TEST(SetupFreeCoin, BothSidesComeUp) {
  Coins run({});
  std::map<std::uint64_t, int> counts;
  for (std::uint64_t k = 0; k < 64; ++k) {
    run.toss_all(k);
    run.net.run_until((k + 1) * 100 * kDelta);
    ++counts[run.sides[0].at(k)];
  }
  EXPECT_GT(counts[0], 12);
  EXPECT_GT(counts[1], 12);
}

/// Tosses of 200 in which nodes differ, when the secrets of one dealer come to two nodes in the
/// middle of their gathering and to the others after it.
int differing(std::uint32_t rounds) {
  Coins run({.rounds = rounds});
  Prng rng(4, 2);
  run.net.link = [&](std::uint16_t, std::uint16_t to, const SetupFree::Message& m) {
    const auto* point = word_in<avss::Point>(m);
    if (point != nullptr && point->dealer.value == point->instance % 4) {
      const std::uint64_t middle = mix64(4 * point->instance + to) % (6 * kDelta);
      return static_cast<std::int64_t>(to < 2 ? 12 * kDelta : middle);
    }
    return static_cast<std::int64_t>(100 + rng.below(2 * kDelta));
  };
  int out = 0;
  for (std::uint64_t k = 0; k < how_many(60, 200); ++k) {
    run.toss_all(k);
    run.net.run_until((k + 1) * 200 * kDelta);
    EXPECT_EQ(run.have(k), 4u);
    out += run.values(k).size() > 1 ? 1 : 0;
  }
  return out;
}

// Why there are rounds: one is too few for a schedule that splits the nodes' sets.
TEST(SetupFreeCoin, RoundsMakeNodesAgree) {
  EXPECT_GT(differing(1), 0);
  EXPECT_EQ(differing(16), 0);
}

TEST(SetupFreeCoin, OneWhoIsSilentStopsNobody) {
  Coins run({});
  run.net.kill(3);
  for (std::uint64_t k = 0; k < 4; ++k) run.toss_all(k);
  run.net.run_until(400 * kDelta);
  for (std::uint64_t k = 0; k < 4; ++k) EXPECT_EQ(run.have(k), 3u);
  run.net.restart(3);
  for (std::uint64_t k = 0; k < 4; ++k) run.toss(3, k);
  run.net.run_until(800 * kDelta);
  for (std::uint64_t k = 0; k < 4; ++k) {
    EXPECT_EQ(run.have(k), 4u) << k;
    EXPECT_EQ(run.values(k).size(), 1u);
  }
}

// One node, or all at once, at every moment of a toss.
TEST(SetupFreeCoin, ARestartAtAnyTimeChangesNothing) {
  for (const bool all : {false, true}) {
    for (std::uint64_t at = 100; at < 20'000; at += 370) {
      Coins run({.rounds = 6});
      run.toss_all(0);
      run.net.run_until(at);
      for (std::uint16_t i = 0; i < 4; ++i) {
        if (all || i == 2) run.net.restart(i);
      }
      run.toss_all(0);  // their owners ask again
      run.net.run_until(at + 300 * kDelta);
      EXPECT_EQ(run.have(0), 4u) << "at " << at;
    }
  }
}

// A node that hears of it for the first time when all is over asks, and gets the value.
TEST(SetupFreeCoin, LossDelaysAndDoesNotStop) {
  Coins run({.rounds = 6});
  std::uint64_t count = 0;
  run.net.link = [&](std::uint16_t, std::uint16_t, const SetupFree::Message&) -> std::int64_t {
    return run.net.now() < 60 * kDelta && ++count % 3 != 0 ? kLost : 300;
  };
  for (std::uint64_t k = 0; k < 2; ++k) run.toss_all(k);
  run.net.run_until(600 * kDelta);
  for (std::uint64_t k = 0; k < 2; ++k) EXPECT_EQ(run.have(k), 4u);
}

// Rows of node 3's secrets reach nobody, or only n-f-1 others: the coin needs no n-th dealer. Rows
// that reach n-f nodes are enough for everybody (S3).
TEST(SetupFreeCoin, ADealerThatLeavesNodesOutHurtsNobody) {
  for (std::uint16_t told = 0; told < 4; ++told) {
    Coins run({});
    run.net.link = [told](std::uint16_t from, std::uint16_t to, const SetupFree::Message& m) {
      return from == 3 && to >= told && word_in<avss::Row>(m) != nullptr ? kLost
                                                                         : std::int64_t{300};
    };
    run.toss_all(0);
    run.net.run_until(300 * kDelta);
    EXPECT_EQ(run.have(0), 4u) << told;
    EXPECT_EQ(run.values(0).size(), 1u);
  }
}

bool is_piece(const SetupFree::Message& m) {
  return word_in<avss::Row>(m) != nullptr || word_in<avss::Point>(m) != nullptr ||
         word_in<avss::Share>(m) != nullptr;
}
/// Numbers that are canonical and nobody's.
Bytes junk(Prng& rng, std::size_t size) {
  std::vector<std::byte> out(size);
  for (std::byte& b : out) b = static_cast<std::byte>(rng.next());
  for (std::size_t at = 31; at < size; at += 32) out[at] &= std::byte{0x0f};
  return Bytes::from(std::move(out));
}

// Real secrets, and rows, points and shares of node 3 that are not what it committed to.
TEST(SetupFreeCoin, FalsePiecesAreRefusedAndNotNeeded) {
  Coins run({.real_secrets = true});
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const SetupFree::Message& m) {
    return from == 3 && to != 1 && is_piece(m) && !run.lying ? kLost : std::int64_t{300};
  };
  Prng rng(9, 9);
  run.net.every(kDelta, [&] {
    for (const std::uint16_t to : {std::uint16_t{0}, std::uint16_t{2}}) {
      run.lie(3, to, avss::Row{0, junk(rng, 64)});
      for (std::uint16_t d = 0; d < 4; ++d) {
        run.lie(3, to, avss::Point{0, NodeId{d}, junk(rng, 32)});
        run.lie(3, to, avss::Share{0, NodeId{d}, junk(rng, 32)});
      }
    }
  });
  run.toss_all(0);
  run.net.run_until(300 * kDelta);
  EXPECT_EQ(run.have(0), 4u);
  EXPECT_EQ(run.values(0).size(), 1u);
  EXPECT_GT(run.net.node(0).refused(), 0u);
}

// To judge a row takes 5 ms where there are a hundred nodes: a dealer has one try.
TEST(SetupFreeCoin, OneFalseRowOfADealerIsJudged) {
  Coins run({.real_secrets = true});
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const SetupFree::Message& m) {
    const auto* point = word_in<avss::Point>(m);
    const bool row = from == 3 && word_in<avss::Row>(m) != nullptr;
    const bool lost = !run.lying && to == 0 && run.net.now() < 20 * kDelta &&
                      (row || (point != nullptr && point->dealer == NodeId{3}));
    return lost ? kLost : std::int64_t{300};
  };
  run.toss_all(0);
  run.net.run_until(10 * kDelta);
  Prng rng(9, 9);
  const std::uint64_t before = run.net.node(0).refused();
  for (int k = 0; k < 100; ++k) run.lie(3, 0, avss::Row{0, junk(rng, 64)});
  run.net.run_until(11 * kDelta);
  EXPECT_EQ(run.net.node(0).refused(), before + 1);
  run.net.run_until(300 * kDelta);
  EXPECT_EQ(run.have(0), 4u);
  EXPECT_EQ(run.values(0).size(), 1u);
}

/// One liar at its best: it gives `left_out` a row that is not right and the others right ones,
/// says false points and shares early, and nothing else but its commitment. The secrets of node
/// `late` are slow, so that the liar's are among the first that are shared. True: a correct node
/// has no value, or not the others'.
bool broken_by_a_liar(const avss::Checks& checks, std::uint16_t liar, std::uint16_t left_out,
                      std::uint16_t late) {
  Coins run({.rounds = 16, .real_secrets = true, .checks = checks});
  constexpr std::uint64_t kTosses = 6;
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const SetupFree::Message& m) {
    const auto* secrets = std::get_if<SetupFree::Secrets::Message>(&m);
    const auto* point = word_in<avss::Point>(m);
    if (run.lying) return std::int64_t{100};
    if (from == late && word_in<avss::Row>(m) != nullptr) return 40 * std::int64_t{kDelta};
    if (from != liar) return std::int64_t{300};
    const bool commitment = secrets != nullptr && std::holds_alternative<Avid::Message>(*secrets);
    const bool row = word_in<avss::Row>(m) != nullptr && to != left_out;
    const bool own_point = point != nullptr && point->dealer == NodeId{liar} && to != left_out;
    return commitment || row || (own_point && !checks.points) ? std::int64_t{300} : kLost;
  };
  Prng rng(9, 9);
  for (std::uint64_t k = 0; k < kTosses; ++k) {
    run.lie(liar, left_out, avss::Row{k, junk(rng, 64)});
    for (std::uint16_t to = 0; to < 4; ++to) {
      for (std::uint16_t d = 0; to != liar && d < 4; ++d) {
        if (to == left_out || d != liar)
          run.lie(liar, to, avss::Point{k, NodeId{d}, junk(rng, 32)});
        run.lie(liar, to, avss::Share{k, NodeId{d}, junk(rng, 32)});
      }
    }
  }
  for (std::uint64_t k = 0; k < kTosses; ++k) run.toss_all(k);
  run.net.run_until(800 * kDelta);
  for (std::uint64_t k = 0; k < kTosses; ++k) {
    std::set<std::uint64_t> values;
    for (std::uint16_t i = 0; i < 4; ++i) {
      if (i == liar) continue;
      if (!run.sides[i].contains(k)) return true;
      values.insert(run.sides[i].at(k));
    }
    if (values.size() > 1) return true;
  }
  return false;
}

TEST(SetupFreeCoin, WithoutAnyOneCheckALiarBreaksIt) {
  bool rows = false;
  bool points = false;
  bool shares = false;
  for (const std::uint16_t liar : {std::uint16_t{0}, std::uint16_t{3}}) {
    const auto left_out = static_cast<std::uint16_t>((liar + 1) % 4);
    for (std::uint16_t late = 0; late < 4; ++late) {
      if (late == liar) continue;
      EXPECT_FALSE(broken_by_a_liar({}, liar, left_out, late));
      rows = rows || broken_by_a_liar({.rows = false}, liar, left_out, late);
      points = points || broken_by_a_liar({.points = false}, liar, left_out, late);
      shares = shares || broken_by_a_liar({.shares = false}, liar, left_out, late);
    }
  }
  EXPECT_TRUE(rows);
  EXPECT_TRUE(points);
  EXPECT_TRUE(shares);
}

// Rows reach node 0 alone, and its points node 1: f+1 nodes have rows, and nobody else hears of
// that. A node that found the secret shared then would count on what the others may never open.
TEST(SetupFreeCoin, SharedMeansThatAllCanOpen) {
  for (const bool enough_points : {true, false}) {
    Coins run({.checks = {.enough_points = enough_points}});
    run.net.link = [](std::uint16_t from, std::uint16_t to, const SetupFree::Message& m) {
      const auto* point = word_in<avss::Point>(m);
      const bool of_3 = point != nullptr && point->dealer == NodeId{3};
      const bool row_of_3 = from == 3 && word_in<avss::Row>(m) != nullptr;
      if (row_of_3 && to != 0) return kLost;
      if (of_3 && !(from == 3 && to == 0) && !(from == 0 && to == 3)) return kLost;
      return std::int64_t{300};
    };
    run.toss_all(0);
    run.net.run_until(300 * kDelta);
    EXPECT_EQ(run.have(0) == 4, enough_points) << run.have(0);
  }
}

// Nobody shows a share of an instance whose weights no correct node knows.
TEST(SetupFreeCoin, NoShareLeavesBeforeWeightsAreKnown) {
  for (const bool waits : {true, false}) {
    Coins run({.waits_for_weights = waits});
    bool early = false;
    run.net.link = [&](std::uint16_t from, std::uint16_t, const SetupFree::Message& m) {
      if (const auto* share = word_in<avss::Share>(m))
        early = early || !run.net.node(from).weights().result(share->instance);
      return std::int64_t{300};
    };
    run.toss_all(0);
    run.net.run_until(100 * kDelta);
    EXPECT_EQ(run.have(0), 4u);
    EXPECT_EQ(early, !waits);
  }
}

// f+1 nodes are not n-2f correct dealers and f liars: nothing can be opened yet.
TEST(SetupFreeCoin, TooFewTossesGiveNoValue) {
  Coins run({});
  run.toss(0, 0);
  run.toss(1, 0);
  run.net.run_until(200 * kDelta);
  EXPECT_EQ(run.have(0), 0u);
  run.toss(2, 0);
  run.net.run_until(400 * kDelta);
  EXPECT_EQ(run.have(0), 4u);  // the fourth helps without a toss of its own
}

TEST(SetupFreeCoin, OldInstancesAreForgottenEverywhere) {
  Coins run({.window = 4});
  for (std::uint64_t k = 0; k < 24; ++k) {
    run.toss_all(k);
    run.net.run_until((k + 1) * 100 * kDelta);
    EXPECT_EQ(run.have(k), 4u) << k;
  }
  for (std::uint16_t i = 0; i < 4; ++i) {
    const SetupFree& node = run.net.node(i);
    EXPECT_EQ(node.secrets().floor(), 20u);
    EXPECT_FALSE(node.side(19));
    EXPECT_TRUE(node.side(20));
    EXPECT_LE(node.secrets().pieces(), node.secrets().most_pieces());
    EXPECT_LE(node.gathering().held(), node.gathering().most_held());
  }
  run.net.restart(1);
  run.toss_all(24);
  run.net.run_until(3000 * kDelta);
  EXPECT_EQ(run.have(24), 4u);
}

// It dealt the last 64, of which its coin forgot all but 16 at once.
TEST(SetupFreeCoin, ABeaconThatWasAwayTossesWhatItsCoinKeeps) {
  for (const std::uint64_t window : {16u, 4u}) {
    coin::SetupFreeBeacon node({.coin = {.committee = *Committee::of(4),
                                         .self = NodeId{0},
                                         .scheme = ideal(4, NodeId{0}),
                                         .window = window}});
    coin::SetupFreeBeacon::Fx fx;
    node.on(Start{}, fx);
    fx.clear();
    for (std::uint16_t from = 1; from <= 2; ++from)
      node.on(Received<SetupFree::Message>{NodeId{from},
                                           gather::Members{.instance = 100, .members = NodeSet(4)}},
              fx);
    std::set<std::uint64_t> said;
    const auto note = [&](const SetupFree::Message& m) { said.insert(coin::instance_of(m)); };
    for (const auto& effect : fx.list()) {
      if (const auto* s = std::get_if<Send<SetupFree::Message>>(&effect)) note(s->message);
      if (const auto* b = std::get_if<Broadcast<SetupFree::Message>>(&effect)) note(b->message);
    }
    EXPECT_EQ(said.size(), window);
    EXPECT_TRUE(said.contains(100));
  }
}

// Also when all nodes were down at once, between two tosses or in one, nobody waits for the others.
TEST(SetupFreeCoin, ABeaconGoesOnAfterARestartOfAll) {
  for (std::uint64_t at = 100; at < 30'000; at += 1130) {
    std::map<std::uint64_t, std::set<std::uint64_t>> tossed;
    Timed<coin::SetupFreeBeacon> net(4, [](NodeId id) {
      return coin::SetupFreeBeacon({.coin = {.committee = *Committee::of(4),
                                             .self = id,
                                             .scheme = ideal(4, id),
                                             .rounds = 4},
                                    .pause = Delay{2000}});
    });
    net.delivered = [&](std::uint16_t, const coin::Tossed& t) {
      tossed[t.instance].insert(setup_free::side_in(t.value));
    };
    net.run_until(at);
    for (std::uint16_t i = 0; i < 4; ++i) net.kill(i);
    for (std::uint16_t i = 0; i < 4; ++i) net.restart(i);
    const std::size_t before = tossed.size();
    net.run_until(at + 100 * kDelta);
    EXPECT_GT(tossed.size(), before + 2) << "at " << at;
    for (const auto& [instance, sides] : tossed) EXPECT_EQ(sides.size(), 1u) << instance;
  }
}

}  // namespace
}  // namespace thresher
