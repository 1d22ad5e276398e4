// A liar that forges nothing: it hears all, says nothing for about as many rounds as are kept, then
// speaks to some nodes alone, again and again, and falls silent for ever. What these accepted and
// name reaches down to their floor, which is not everybody's. All correct nodes go on all the same,
// as docs/protocols/thresher.md ("Below the floor") says, also when all of them restart then.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../how_many.hpp"
#include "../../timed.hpp"
#include "../certified/policies.hpp"
#include "../dag/policies.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher {
namespace {

constexpr std::uint64_t kFloorMoves = 12;  // slots more than are kept, before the liar speaks
constexpr std::uint64_t kHealed = 80 * kDelta;
constexpr std::uint64_t kGoesOn = 10;  // slots in that time
constexpr std::uint64_t kPatience = 4000 * kDelta;

struct Plan {
  std::uint64_t seed = 1;
  std::uint64_t gc_depth = 12;
  bool serves_below_floor = true;
  bool restart = false;  // of all correct nodes, when the liar has spoken for the last time
};

// What the liar says to its victims alone. Without the others' votes it had no certificates, so of
// the certified family it hides what it can do with them.
bool hides(const dag::Message&) {
  return true;
}
bool hides(const certified::Message& m) {
  return !std::holds_alternative<certified::Propose>(m) &&
         !std::holds_alternative<certified::Batch>(m);
}

template <class Node>
class SpeaksToSome {
 public:
  using Make = std::function<Node(NodeId, const Plan&)>;
  using Message = typename Node::Message;

  SpeaksToSome(std::uint32_t n, const Make& make, const Plan& plan)
      : plan_(plan),
        random_(plan.seed, 14),
        liar_(static_cast<std::uint16_t>(n - 1)),
        net_(n, [=](NodeId id) { return make(id, plan); }),
        slots_(n) {
    slow_ = static_cast<std::uint16_t>(random_.below(n));  // the liar: nobody
    net_.link = [this](std::uint16_t from, std::uint16_t to, const Message& m) -> std::int64_t {
      if (from == liar_ && !victims_.contains(to) && hides(m)) return kLost;
      const std::uint64_t least = to == slow_ ? 700 : 50;
      return static_cast<std::int64_t>(least + random_.below(250));
    };
    net_.delivered = [this](std::uint16_t i, const typename Node::Output& c) {
      slots_[i] = std::max(slots_[i], c.slot.value);
    };
  }

  /// Whether commits go on after all that.
  bool heals() {
    submit_for_ever();
    for (int cycle = 0; cycle < 4; ++cycle) {
      if (!until(least() + plan_.gc_depth + kFloorMoves, kPatience)) return false;
      while (victims_.empty()) {
        for (std::uint16_t i = 0; i < liar_; ++i) {
          if (i != slow_ && random_.below(2) == 0) victims_.insert(i);
        }
      }
      // Not for so long that somebody is left further behind than anybody serves.
      const std::uint64_t moves = 1 + random_.below(plan_.gc_depth / 2);
      until(least() + moves, kDelta + random_.below(8 * kDelta));
      victims_.clear();
    }
    if (plan_.restart) {
      for (std::uint16_t i = 0; i < liar_; ++i) net_.kill(i);
      for (std::uint16_t i = 0; i < liar_; ++i) net_.restart(i);
    }
    net_.run_until(net_.now() + kHealed);
    const std::uint64_t before = least();
    net_.run_until(net_.now() + kHealed);
    return least() >= before + kGoesOn;
  }

 private:
  std::uint64_t least() const { return *std::min_element(slots_.begin(), slots_.begin() + liar_); }
  std::uint64_t most() const { return *std::max_element(slots_.begin(), slots_.begin() + liar_); }
  /// Whether somebody came that far in that time.
  bool until(std::uint64_t slot, std::uint64_t time) {
    const std::uint64_t end = net_.now() + time;
    while (most() < slot && net_.now() < end) net_.run_until(net_.now() + kDelta / 10);
    return most() >= slot;
  }
  void submit_for_ever() {
    net_.every(kDelta, [this] {
      for (std::uint16_t i = 0; i < net_.size(); ++i) {
        if (!net_.up(i) || net_.node(i).pending_submits() >= 3) continue;
        const Bytes bytes = Bytes::from(Writer().u16(i).u64(++payloads_).take());
        net_.feed(i, Requested<typename Node::Request>{{{bytes, hash(bytes.view())}}});
      }
    });
  }

  Plan plan_;
  Prng random_;
  std::uint16_t liar_;
  std::uint16_t slow_ = liar_;       // what is sent to it takes nearly Delta
  std::set<std::uint16_t> victims_;  // whom the liar speaks to
  Timed<Node> net_;
  std::vector<std::uint64_t> slots_;
  std::uint64_t payloads_ = 0;
};

const dag::Policy* nothing_below_floor(const dag::Rules&) {
  return &dag::kOne<dag::NothingServedBelowTheFloor>;
}
const certified::Policy* nothing_below_floor(const certified::Rules&) {
  return &certified::kOne<certified::NothingServedBelowTheFloor>;
}

template <class Config, class Rules>
Config config_of(std::uint32_t n, const Rules& rules, NodeId id, const Plan& plan) {
  Config config;
  config.committee = *Committee::of(n);
  config.self = id;
  config.rules = rules;
  if (!plan.serves_below_floor) config.rules.policy = nothing_below_floor(rules);
  config.gc_depth = plan.gc_depth;
  const std::uint32_t shares = config.committee.at_least(kValidity);
  config.coin = std::make_shared<coin::IdealCoin>(shares, id, plan.seed);
  return config;
}

bool heals(std::uint32_t n, const dag::Rules& rules, const Plan& plan) {
  return SpeaksToSome<dag::Dag>(
             n,
             [&](NodeId id, const Plan& p) {
               return dag::Dag(config_of<dag::Config>(n, rules, id, p));
             },
             plan)
      .heals();
}
bool heals(std::uint32_t n, const certified::Rules& rules, const Plan& plan) {
  return SpeaksToSome<certified::Bullshark>(
             n,
             [&](NodeId id, const Plan& p) {
               return certified::Bullshark(config_of<certified::Config>(n, rules, id, p));
             },
             plan)
      .heals();
}

Plan plan_of(std::uint64_t seed) {
  Prng random(seed, 41);
  return {seed, 10 + random.below(8), true, random.below(2) == 0};
}

/// That the program stands.
std::uint64_t seeds() {
  return how_many(4, 8);
}
constexpr std::uint64_t kFoundWithin = 100;  // seeds, when nothing below the floor is kept

template <class Rules>
class Retention : public ::testing::TestWithParam<Rules> {
 public:
  static void stands() {
    const Rules rules = Retention::GetParam();
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
      EXPECT_TRUE(heals(4, rules, plan_of(seed))) << rules.name << " seed " << seed;
    }
    EXPECT_TRUE(heals(7, rules, plan_of(1))) << rules.name;
  }
  // The test has teeth, and the whole rules stand the seed that bites.
  static void is_found() {
    const Rules rules = Retention::GetParam();
    for (std::uint64_t seed = 1; seed <= kFoundWithin; ++seed) {
      Plan plan = plan_of(seed);
      plan.serves_below_floor = false;
      if (heals(4, rules, plan)) continue;
      EXPECT_TRUE(heals(4, rules, plan_of(seed))) << rules.name << " seed " << seed;
      return;
    }
    FAIL() << rules.name << " goes on though nothing below the floor is kept";
  }
};

const auto kName = [](const auto& suite) {
  std::string name(suite.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
};

using Uncertified = Retention<dag::Rules>;
INSTANTIATE_TEST_SUITE_P(Family, Uncertified,
                         ::testing::Values(dag::Rules::thresher(), dag::Rules::mysticeti(),
                                           dag::Rules::mysticeti_bitmap(), dag::Rules::mahi_mahi()),
                         kName);
TEST_P(Uncertified, StandsALiarThatSpeaksToSome) {
  stands();
}
TEST_P(Uncertified, StopsWhenNothingBelowTheFloorIsKept) {
  is_found();
}

// Whatever may be asked about a round below the floor is answered, also after a restart.
TEST(BelowTheFloor, BlocksRoundsAndEvidenceAreHandedOut) {
  const Plan plan{.gc_depth = 12};
  Timed<dag::Dag> net(4, [&](NodeId id) {
    return dag::Dag(config_of<dag::Config>(4, dag::Rules::thresher(), id, plan));
  });
  std::map<Round, dag::Edge> leaders;
  std::size_t blocks = 0;
  std::size_t headers = 0;
  net.delivered = [&](std::uint16_t, const dag::Committed& c) {
    for (const dag::BlockPtr& b : c.blocks) {
      if (b->digest == c.leader) leaders[c.slot] = b->edge();
    }
  };
  net.link = [&](std::uint16_t from, std::uint16_t, const dag::Message& m) {
    const auto* give = std::get_if<dag::Give>(&m);
    const auto* evidence = std::get_if<dag::Evidence>(&m);
    if (from == 0 && give != nullptr) blocks += give->blocks.size();
    if (from == 0 && evidence != nullptr) headers += evidence->headers.size();
    return 100;
  };
  net.every(kDelta, [&] {
    const Bytes bytes = Bytes::from(Writer().u64(net.now()).take());
    net.feed(1, Requested<dag::Submit>{{{bytes, hash(bytes.view())}, {}}});
  });
  while (net.node(0).floor() < Round{30}) net.run_until(net.now() + kDelta);
  for (const bool restarted : {false, true}) {
    if (restarted) net.restart(0);
    const dag::Edge leader = leaders.at(Round{net.node(0).floor().value - 3});
    const auto ask = [&](const dag::Message& m) {
      blocks = headers = 0;
      net.feed(0, Received<dag::Message>{NodeId{2}, m});
    };
    ask(dag::Want{{leader}});
    EXPECT_GE(blocks, 1u);
    ask(dag::WantRound{leader.round, NodeSet(4)});
    EXPECT_GE(blocks, 4u);
    ask(dag::WantEvidence{leader.round, leader.digest});
    EXPECT_EQ(headers, 3u);
  }
}

using Certified = Retention<certified::Rules>;
INSTANTIATE_TEST_SUITE_P(Family, Certified,
                         ::testing::Values(certified::Rules::bullshark(),
                                           certified::Rules::anchored_in_order(),
                                           certified::Rules::sparse_bullshark(2),
                                           certified::Rules::bullshark_async()),
                         kName);
TEST_P(Certified, StandsALiarThatSpeaksToSome) {
  stands();
}
TEST_P(Certified, StopsWhenNothingBelowTheFloorIsKept) {
  is_found();
}
// A node that was silent for long does not lead, so these schedules hardly bite: no mutant
// shows.
TEST(CertifiedWithoutTheSilent, StandsALiarThatSpeaksToSome) {
  const auto rules = certified::Rules::anchored_bullshark();
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed)
    EXPECT_TRUE(heals(4, rules, plan_of(seed))) << "seed " << seed;
  EXPECT_TRUE(heals(7, rules, plan_of(1)));
}

}  // namespace
}  // namespace thresher
