// The author of a round's anchor, as a function of the ordered anchors: docs/protocols/anchored.md,
// R12 to R15. And what a node orders when that changes between two anchors that it finds at once.
#include "thresher/protocols/certified/leaders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "../../property/certified/policies.hpp"
#include "bench.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/protocols/dag/turns.hpp"

namespace thresher::certified {
namespace {

constexpr std::uint32_t kNodes = 31;
constexpr std::uint32_t kFaults = 10;
constexpr std::uint32_t kPull = 2;  // the timer of questions

NodeId node(std::uint64_t i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}
Round round_of(std::uint64_t slot) {
  return Round{2 * slot};
}
NodeId turn(std::uint64_t slot) {
  return dag::turn_of(Round{slot}, *Committee::of(kNodes), dag::Leaders::kPrompt);
}
NodeSet all_but(const std::set<std::uint32_t>& out) {
  NodeSet named(kNodes);
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    if (!out.contains(i)) named.insert(node(i));
  }
  return named;
}

// Orders anchors one after another; `named` is whom each of them names.
struct Log {
  Leaders leaders{*Committee::of(kNodes), Rules::anchored_bullshark()};
  std::uint64_t next = 1;
  Round last{0};

  void commit(const NodeSet& named) {
    leaders.note_commit(last, round_of(next), named);
    last = round_of(next++);
  }
  void commit(std::uint64_t slots, const NodeSet& named) {
    for (; slots > 0; --slots) commit(named);
  }
  // The slots of these are not ordered, and nobody names them.
  void commit_without(std::uint64_t slots, const std::set<std::uint32_t>& silent) {
    for (; slots > 0; --slots) {
      if (silent.contains(leader(next).value)) {
        ++next;
      } else {
        commit(all_but(silent));
      }
    }
  }
  NodeId leader(std::uint64_t slot) const { return leaders.leader(round_of(slot)); }
  std::set<std::uint32_t> next_leaders(std::uint64_t slots) const {
    std::set<std::uint32_t> out;
    for (std::uint64_t i = 0; i < slots; ++i) out.insert(leader(next + i).value);
    return out;
  }
};

TEST(Leaders, FollowInOrderWhereTheLedgerNamesNoRule) {
  const Committee c = *Committee::of(kNodes);
  Leaders leaders(c, Rules::anchored_in_order());
  for (std::uint64_t slot = 1; slot < 100; ++slot) {
    EXPECT_EQ(leaders.leader(round_of(slot)), anchor_of(round_of(slot), c));
    EXPECT_FALSE(leaders.note_commit(round_of(slot - 1), round_of(slot), all_but({1, 2, 3})));
  }
}

TEST(Leaders, WhoIsNotNamedInTimeIsPassedOverUntilItIs) {
  Log log;
  log.commit(3, all_but({3, 7}));
  EXPECT_TRUE(log.next_leaders(2 * kNodes).contains(3));
  log.commit(12, all_but({3, 7}));
  EXPECT_FALSE(log.next_leaders(3 * kNodes).contains(3));
  EXPECT_FALSE(log.next_leaders(3 * kNodes).contains(7));
  EXPECT_EQ(log.next_leaders(6 * kNodes).size(), kNodes - 2);
  log.commit(12, all_but({7}));
  EXPECT_TRUE(log.next_leaders(3 * kNodes).contains(3));
  EXPECT_FALSE(log.next_leaders(3 * kNodes).contains(7));
}

// All name it in time, but its anchors are lost: it leads less and less often, and never not again.
TEST(Leaders, WhoLosesItsAnchorsRestsLongerEachTime) {
  Log log;
  std::vector<std::uint64_t> led;
  while (log.next < 12 * kNodes) {
    if (log.leader(log.next) == node(5)) {
      led.push_back(log.next++);
    } else {
      log.commit(all_but({}));
    }
  }
  ASSERT_GE(led.size(), 3u);
  EXPECT_LE(led.size(), 4u);
  EXPECT_GE(led[1] - led[0], kNodes);
  EXPECT_GE(led[2] - led[1], 2 * kNodes);
}

TEST(Leaders, AtMostFArePassedOver) {
  std::set<std::uint32_t> unnamed;
  for (std::uint32_t i = 0; i < 15; ++i) unnamed.insert(i);
  Log log;
  log.commit(40, all_but(unnamed));
  EXPECT_EQ(log.next_leaders(8 * kNodes).size(), kNodes - kFaults);
}

TEST(Leaders, OneTimeAroundOfSixteenIgnoresWhoIsPassedOver) {
  Log log;
  log.commit_without(2 * kNodes, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (std::uint64_t slot = 15 * kNodes; slot < 16 * kNodes; ++slot)
    EXPECT_EQ(log.leader(slot), turn(slot));
  bool differ = false;
  for (std::uint64_t slot = 14 * kNodes; slot < 15 * kNodes; ++slot)
    differ |= log.leader(slot) != turn(slot);
  EXPECT_TRUE(differ);
}

// Liars that order all anchors and change whom they leave out as they like, so that of the correct
// nodes none gets its turn: in 3f+1 anchors in a row one does, all the same.
TEST(Leaders, InAnyThreeFAndOneAnchorsACorrectNodeHasItsTurn) {
  std::uint64_t longest = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Prng random(seed, 3);
    const std::uint64_t from = random.below(10);
    std::vector<std::uint32_t> liars;
    for (std::uint32_t i = 0; i < kNodes; ++i) liars.push_back(i);
    for (std::size_t k = kNodes; k > 1; --k) std::swap(liars[k - 1], liars[random.below(k)]);
    liars.resize(kFaults);
    const auto lies = [&](NodeId id) {
      return std::find(liars.begin(), liars.end(), id.value) != liars.end();
    };
    Log log;
    std::uint64_t since = 0;  // anchors without a correct node's turn
    while (log.next < 14 * kNodes) {
      const NodeId leader = log.leader(log.next);
      since = !lies(leader) && leader == turn(log.next) ? 0 : since + 1;
      longest = std::max(longest, since);
      ASSERT_LE(since, 3 * kFaults) << "seed " << seed << " slot " << log.next;
      std::set<std::uint32_t> out;  // the correct whose turn comes next
      for (std::uint64_t s = log.next + from; out.size() < kFaults; ++s)
        if (!lies(turn(s))) out.insert(turn(s).value);
      log.commit(all_but(out));
    }
  }
  EXPECT_GT(longest, kFaults);
  std::printf("  %llu anchors in a row at most\n", static_cast<unsigned long long>(longest));
}

TEST(Leaders, GoOnAfterARestartAsBefore) {
  Prng random(7, 1);
  Leaders whole(*Committee::of(kNodes), Rules::anchored_bullshark());
  Round last{0};
  for (std::uint64_t slot = 1; slot < 2000; ++slot) {
    if (random.below(3) == 0) continue;
    NodeSet named(kNodes);
    for (std::uint32_t i = 0; i < kNodes; ++i) {
      if (random.below(kNodes) > i) named.insert(node(i));
    }
    whole.note_commit(std::exchange(last, round_of(slot)), round_of(slot), named);
    if (random.below(10) > 0) continue;
    Writer out;
    whole.encode(out);
    Reader in(out.view());
    Leaders restored(*Committee::of(kNodes), Rules::anchored_bullshark());
    ASSERT_TRUE(restored.decode(in));
    ASSERT_EQ(restored, whole);
  }
}

TEST(Leaders, ARecordOfAnotherRuleOrADamagedOneIsRefused) {
  Log log;
  log.commit_without(50, {1, 2});
  Writer out;
  log.leaders.encode(out);
  Leaders in_order(*Committee::of(kNodes), Rules::anchored_in_order());
  Reader all(out.view());
  EXPECT_FALSE(in_order.decode(all));
  Leaders reads(*Committee::of(kNodes), Rules::anchored_bullshark());
  const Leaders before = reads;
  for (std::size_t bytes = 0; bytes < out.view().size(); ++bytes) {
    Reader part(out.view().first(bytes));
    EXPECT_FALSE(reads.decode(part)) << bytes;
    EXPECT_EQ(reads, before);
  }
}

// Seven nodes. Node 4 gives no vertex for its slot, the first, so it leads no more from slot 6 on;
// in slot 8 its turn is node 2's. All anchors before slot 9 have one vote less than enough, but for
// a vote of node 4 that only some get. Node 4 is back with a vertex of slot 8.
class TwoViews {
 public:
  explicit TwoViews(const Rules& rules) : sees_all(7, rules), sees_little(7, rules) {
    for (std::uint64_t r = 1; r <= kTop; ++r) {
      for (const std::uint16_t a : kAuthors) tell_both(header(a, r));
      if (r % 2 == 1) tell(sees_all, vote_of_node_4(r));
      if (r == kBack) tell_both(returned());
    }
  }
  static std::vector<Ref> anchors(const Desk& t) {
    std::vector<Ref> out;
    for (const Committed& c : t.delivered) out.push_back(c.blocks.back()->ref());
    return out;
  }

  Desk sees_all;
  Desk sees_little;

 private:
  static constexpr std::uint16_t kAuthors[] = {1, 2, 3, 5, 6};
  static constexpr std::uint64_t kBack = 16;
  static constexpr std::uint64_t kTop = 19;

  static std::uint16_t leader(std::uint64_t round) {
    constexpr std::uint16_t kLeaders[] = {4, 1, 5, 2, 6, 3, 0, 2, 1};
    return kLeaders[round / 2 - 1];
  }
  static Header header(std::uint16_t author, std::uint64_t r) {
    Header h;
    h.author = NodeId{author};
    h.round = Round{r};
    h.self = Round{r - 1};
    if (r == 1) return h;
    for (const std::uint16_t p : kAuthors) h.parents.insert(NodeId{p});
    if (r == kBack + 1 && author == 1) h.parents.insert(NodeId{4});
    const bool after_anchor = r % 2 == 1 && r < kTop;
    const std::uint16_t denies = after_anchor && leader(r - 1) == 6 ? 5 : 6;
    if (after_anchor && author == denies) h.parents.erase(NodeId{leader(r - 1)});
    return h;
  }
  static Header vote_of_node_4(std::uint64_t r) {
    Header h;
    h.author = NodeId{4};
    h.round = Round{r};
    h.self = Round{r < 3 ? 0 : r - 2};
    if (r == 1) return h;
    for (const std::uint16_t p : kAuthors) h.parents.insert(NodeId{p});
    return h;
  }
  static Header returned() {
    Header h = vote_of_node_4(kBack);
    h.self = Round{0};
    return h;
  }
  void tell_both(const Header& h) {
    tell(sees_all, h);
    tell(sees_little, h);
  }
  static void tell(Desk& t, const Header& h) {
    const ProposalPtr p = Desk::sealed(h);
    const VertexPtr v = make_vertex(*p, {}, t.quorum(p));
    t.say(h.author.value, Certify{v->round(), v->digest, v->certificate});
    t.expire(kPull);
    t.say(h.author.value, Give{{v}, {}});
  }
};

TEST(Walk, IsMadeAgainWhenAnAnchorChangesWhoLeads) {
  const TwoViews views(Rules::anchored_bullshark());
  const std::vector<Ref> expected = {
      {NodeId{1}, Round{4}},  {NodeId{5}, Round{6}},  {NodeId{2}, Round{8}}, {NodeId{6}, Round{10}},
      {NodeId{3}, Round{12}}, {NodeId{2}, Round{16}}, {NodeId{1}, Round{18}}};
  EXPECT_EQ(TwoViews::anchors(views.sees_all), expected);
  EXPECT_EQ(TwoViews::anchors(views.sees_little), expected);
  EXPECT_GT(views.sees_all.node().stats().direct_commits, 5u);
  EXPECT_EQ(views.sees_little.node().stats().direct_commits, 1u);
}

TEST(Walk, ThatIsNotMadeAgainForks) {
  Rules rules = Rules::anchored_bullshark();
  rules.policy = &kOne<WalkedOnce>;
  const TwoViews views(rules);
  const auto all = TwoViews::anchors(views.sees_all);
  const auto little = TwoViews::anchors(views.sees_little);
  ASSERT_EQ(all.size(), 7u);
  ASSERT_EQ(little.size(), 7u);
  EXPECT_EQ(all[5], (Ref{NodeId{2}, Round{16}}));
  EXPECT_EQ(little[5], (Ref{NodeId{4}, Round{16}}));
}

}  // namespace
}  // namespace thresher::certified
