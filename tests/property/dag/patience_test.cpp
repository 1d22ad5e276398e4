// How long leaders are waited for, with delays below Delta: docs/protocols/thresher.md, "Patience".
#include <gtest/gtest.h>

#include "timed.hpp"

namespace thresher::dag {
namespace {

/// Liars are the last ones, so that they lead rounds in a row.
constexpr std::uint32_t kNodes = 13;
constexpr std::uint16_t kCorrect = 9;

std::set<std::uint16_t> liars() {
  std::set<std::uint16_t> out;
  for (std::uint16_t i = kCorrect; i < kNodes; ++i) out.insert(i);
  return out;
}

/// The liars keep rounds going: a block of each in each, at once, with votes for one another alone.
/// `leads_to`: to so many goes the block of one that leads.
class Fillers {
 public:
  Fillers(Timed& world, std::uint16_t leads_to) : world_(world), leads_to_(leads_to) {
    for (const std::uint16_t liar : liars()) last_[liar] = {NodeId{liar}, Round{0}, {}};
  }
  void note(const Message& m) {
    const auto* push = std::get_if<Push>(&m);
    if (push == nullptr) return;
    const BlockPtr& heard = push->block;
    blocks_[heard->round().value].emplace(heard->author().value, heard);
    if (heard->round() <= round_) return;
    round_ = heard->round();
    for (auto& [liar, last] : last_) speak(liar, last);
  }

 private:
  void speak(std::uint16_t liar, Edge& last) {
    const auto leader = [](Round r) { return leader_of(r, *Committee::of(kNodes)).value; };
    Header h;
    h.author = NodeId{liar};
    h.round = round_;
    h.self = last;
    const bool leads = leader(round_) == liar && round_.value > 1;
    const Round before{round_.value - 1};
    for (const auto& [author, block] : blocks_[before.value]) {
      if (leads && author != liar) h.refs.push_back(block->edge());
      if (leader(before) == author && author >= kCorrect) h.vote = block->digest;
    }
    const BlockPtr block = block_of(h);
    last = block->edge();
    blocks_[round_.value].emplace(liar, block);
    const std::uint16_t all = leads ? leads_to_ : kCorrect;
    for (std::uint16_t to = 0; to < all; ++to) world_.post(liar, to, Push{block}, 1);
  }

  Timed& world_;
  std::uint16_t leads_to_;
  Round round_{0};
  std::map<std::uint16_t, Edge> last_;
  std::map<std::uint64_t, std::map<std::uint16_t, BlockPtr>> blocks_;
};

// Each correct node hears four others so late that no time-out of six Delta is enough, and five
// early: at no node are more late than may be liars. The time-out grows all the same.
TEST(Patience, ATimeoutThatWasTooShortGrows) {
  Rules rules = Rules::thresher();
  rules.leaders = Leaders::kInTurn;
  Timed world(kNodes, liars(), rules);
  world.delay = [&](std::uint16_t from, std::uint16_t to) {
    return Ticks{(from + kCorrect - to) % kCorrect > 4 ? 30 * kDelta : 200};
  };
  Fillers fillers(world, 4);
  world.said = [&](std::uint16_t, const Message& m) { fillers.note(m); };
  world.start();
  world.at(0, [&] { world.keep_busy(5 * kDelta, 10); });
  world.run_until(2000 * kDelta);
  std::vector<std::uint64_t> before;
  for (std::uint16_t i = 0; i < kCorrect; ++i) before.push_back(world.node(i).next_slot().value);
  world.run_until(3000 * kDelta);
  for (std::uint16_t i = 0; i < kCorrect; ++i) {
    EXPECT_GT(world.node(i).next_slot().value, before[i] + 10) << i;
  }
}

// A node that never said anything shows nothing about the time-out, and is waited for once.
TEST(Patience, SilentLeadersInARowCostOneTimeout) {
  std::set<std::uint16_t> silent;
  for (std::uint16_t i = 0; i < 10; ++i) silent.insert(i);
  Timed world(31, silent);
  world.start();
  world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
  world.run_until(16 * kDelta);
  for (std::uint16_t i = 10; i < 31; ++i) {
    EXPECT_GT(world.node(i).next_slot().value, 10u) << i;
    EXPECT_LE(world.node(i).stats().timeouts, 10u);
  }
}

/// The leaders of the next rounds, by what one node decided.
std::set<std::uint16_t> leaders_at(Timed& world, std::uint16_t node, std::uint64_t rounds) {
  std::set<std::uint16_t> out;
  const Dag& dag = world.node(node);
  for (std::uint64_t k = 0; k < rounds; ++k) {
    out.insert(dag.leader(Round{dag.next_slot().value + k}).value);
  }
  return out;
}

/// Whether the two whose blocks take 0.9 Delta in place of 0.1 lead after a while, and again a
/// while after their links are as good as the others'.
std::pair<bool, bool> slow_ones_lead(Leaders leaders) {
  Rules rules = Rules::thresher();
  rules.leaders = leaders;
  Timed world(7, {}, rules);
  bool slow = true;
  world.delay = [&](std::uint16_t from, std::uint16_t) {
    return Ticks{slow && (from == 2 || from == 5) ? 900u : 100u};
  };
  world.start();
  world.at(0, [&] { world.keep_busy(kDelta / 4, 10); });
  // The rounds of L5 are the last 9 of 112: well past the first, and before the second.
  const auto until = [&](std::uint64_t slot) {
    for (Ticks end = 0; world.node(0).next_slot().value < slot && end < 400; ++end) {
      world.run_until(world.now() + kDelta);
    }
  };
  until(160);
  const auto lead = [&] {
    const auto all = leaders_at(world, 0, 14);
    return all.contains(2) || all.contains(5);
  };
  const bool before = lead();
  slow = false;
  until(200);
  return {before, lead()};
}

TEST(Patience, WhoIsAlwaysLateDoesNotLeadAndComesBack) {
  EXPECT_EQ(slow_ones_lead(Leaders::kPrompt), std::pair(false, true));
  // They miss no slot, so the older rule lets them lead.
  EXPECT_EQ(slow_ones_lead(Leaders::kMisses), std::pair(true, true));
}

}  // namespace
}  // namespace thresher::dag
