// Proofs of equivocation: docs/protocols/thresher.md, "Proofs of equivocation travel".
#include <gtest/gtest.h>

#include <algorithm>

#include "policies.hpp"
#include "timed.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint32_t kNodes = 7;
constexpr std::uint16_t kLiar = 6;

/// Node 6 speaks in every round, to all, and says two things in one round: both to node 0, the
/// first to the others.
class TwoFaced {
 public:
  explicit TwoFaced(const Rules& rules = Rules::thresher()) : world(kNodes, {kLiar}, rules) {
    world.said = [this](std::uint16_t who, const Message& m) { note(who, m); };
    world.start();
    world.at(0, [this] { world.keep_busy(2 * kDelta, 10); });
  }
  std::set<std::uint16_t> who_convicts() {
    std::set<std::uint16_t> out;
    for (const std::uint16_t i : world.running()) {
      if (world.node(i).convicts(NodeId{kLiar})) out.insert(i);
    }
    return out;
  }

  Timed world;
  std::map<std::uint16_t, std::uint64_t> told;      // proofs sent, by sender
  std::map<std::uint64_t, std::uint64_t> named_in;  // references to the liar, by round
  std::uint64_t denies_in = 3;                      // says the second thing in this round

 private:
  void note(std::uint16_t who, const Message& m) {
    told[who] += std::holds_alternative<Equivocation>(m);
    const auto* push = std::get_if<Push>(&m);
    if (push == nullptr) return;
    const Header& h = push->block->header;
    named_in[h.round.value] += static_cast<std::uint64_t>(std::count_if(
        h.refs.begin(), h.refs.end(), [](const Edge& e) { return e.author == NodeId{kLiar}; }));
    if (h.round <= last_.round) return;
    speak(h.round);
  }
  void speak(Round round) {
    Header h;
    h.author = NodeId{kLiar};
    h.round = round;
    h.self = last_;
    const BlockPtr block = block_of(h);
    last_ = block->edge();
    for (std::uint16_t to = 0; to < kLiar; ++to) world.post(kLiar, to, Push{block}, 1);
    if (round.value != denies_in) return;
    h.payload_root = hash(as_view("another"));
    world.post(kLiar, 0, Push{block_of(h)}, 2);
  }

  Edge last_{NodeId{kLiar}, Round{0}, {}};
};

TEST(Equivocations, OneProofReachesAllAndNobodyRefersToTheCulpritAgain) {
  TwoFaced run;
  run.world.run_until(60 * kDelta);
  EXPECT_EQ(run.who_convicts(), (std::set<std::uint16_t>{0, 1, 2, 3, 4, 5}));
  const std::uint64_t rounds = run.world.node(0).round().value;
  ASSERT_GT(rounds, 20u);
  EXPECT_GT(run.named_in[2], 0u);
  for (std::uint64_t r = 10; r <= rounds; ++r) EXPECT_EQ(run.named_in[r], 0u) << r;
  for (std::uint16_t i = 0; i < kLiar; ++i) EXPECT_LE(run.told[i], 1u) << i;  // once, to all
}

TEST(Equivocations, StayWithWhoFoundThemWhenTheyAreNotTold) {
  Rules rules = Rules::thresher();
  rules.policy = &kOne<CulpritsNotTold>;
  TwoFaced run(rules);
  run.world.run_until(60 * kDelta);
  EXPECT_LT(run.who_convicts().size(), 6u);
}

TEST(Equivocations, AreRememberedAfterARestart) {
  TwoFaced run;
  run.world.run_until(40 * kDelta);
  ASSERT_EQ(run.who_convicts().size(), 6u);
  run.world.crash(1);
  run.world.boot(1);
  EXPECT_TRUE(run.world.node(1).convicts(NodeId{kLiar}));
}

// Node 1 is down while the proof travels. It hears of it when it names the culprit.
TEST(Equivocations, WhoWasDownIsToldLater) {
  TwoFaced run;
  run.denies_in = 40;
  run.world.run_until(5 * kDelta);
  ASSERT_LT(run.world.node(0).round().value, run.denies_in);
  run.world.crash(1);
  run.world.run_until(60 * kDelta);
  ASSERT_EQ(run.who_convicts().size(), 5u);
  run.world.boot(1);
  run.world.run_until(200 * kDelta);
  EXPECT_TRUE(run.world.node(1).convicts(NodeId{kLiar}));
  std::uint64_t sent = 0;
  for (const auto& [who, count] : run.told) sent += count;
  EXPECT_LE(sent, 6u + 2 * 5u);
}

BlockPtr forged(std::uint16_t author, std::uint64_t round, const char* what, bool good) {
  Header h;
  h.author = NodeId{author};
  h.round = Round{round};
  h.self = {h.author, Round{0}, {}};
  h.payload_root = hash(as_view(what));
  const Digest digest = digest_of(h, {});
  return make_block(h, {}, good ? signed_by(h.author, digest) : signed_by(NodeId{kLiar}, digest),
                    {});
}

// A liar frames every correct node, with what it signed itself and with real signatures that do not
// contradict each other; each false proof costs nobody more than a signature.
TEST(Equivocations, NobodyIsFramed) {
  Timed world(kNodes, {kLiar});
  world.start();
  const Message lies[] = {
      Equivocation{forged(1, 5, "a", true), forged(1, 5, "b", false)},
      Equivocation{forged(1, 5, "a", false), forged(1, 5, "b", true)},
      Equivocation{forged(2, 5, "a", true), forged(2, 6, "b", true)},  // another round
      Equivocation{forged(2, 5, "a", true), forged(3, 5, "b", true)},  // another author
      Equivocation{forged(3, 5, "a", true), forged(3, 5, "a", true)},  // the same
      Equivocation{forged(9, 5, "a", true), forged(9, 5, "b", true)},  // no member
      Equivocation{forged(3, 5, "a", true), nullptr},
      Equivocation{},
  };
  for (const Message& lie : lies) world.post(kLiar, 0, lie, 1);
  for (Ticks k = 0; k < 1000; ++k) world.post(kLiar, 0, lies[0], 2 + k);
  world.run_until(10 * kDelta);
  for (std::uint16_t i = 0; i < kNodes; ++i) {
    EXPECT_FALSE(world.node(0).convicts(NodeId{i})) << i;
  }
  EXPECT_LE(world.node(0).stats().signatures_checked, 4u);
  EXPECT_GE(world.node(0).stats().refused, 1000u);
  EXPECT_EQ(world.node(0).footprint().pending, 0u);
  // The truth is believed from others all the same.
  world.post(2, 0, Equivocation{forged(4, 5, "a", true), forged(4, 5, "b", true)}, 1);
  world.run_until(20 * kDelta);
  for (std::uint16_t i = 0; i < 4; ++i) EXPECT_TRUE(world.node(i).convicts(NodeId{4})) << i;
}

}  // namespace
}  // namespace thresher::dag
