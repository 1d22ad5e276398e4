// The rule of the two-delay path on runs that are written out: what each threshold and each order
// of steps is for. The runs are those of verify/proofs/TwoDelayTeeth.v.
#include "thresher/protocols/dag/two_delay.hpp"

#include <gtest/gtest.h>

#include <map>

#include "../../property/dag/policies.hpp"
#include "committer.hpp"
#include "kill_evidence.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/protocols/dag/legal.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint32_t kNodes = 4;
constexpr int kNone = -1;

Committee four() {
  return *Committee::make(kNodes, 1);
}

Rules fast_of_four() {
  Rules rules = *with_two_delays(Rules::thresher(), four(), 0);
  rules.leaders = Leaders::kInTurn;
  return rules;
}

/// One block of a run; edges are numbers of earlier rows.
struct Row {
  std::uint16_t author;
  std::uint64_t round;
  int self = kNone;
  int vote = kNone;
  int claim = kNone;
  bool kill = false;
  std::vector<int> parents{};
};

std::vector<BlockPtr> minted(const std::vector<Row>& rows) {
  std::vector<BlockPtr> out;
  const auto at = [&](int i) { return out[static_cast<std::size_t>(i)]; };
  for (const Row& row : rows) {
    Header h;
    h.author = NodeId{row.author};
    h.round = Round{row.round};
    h.self = row.self == kNone ? Edge{h.author, Round{0}, {}} : at(row.self)->edge();
    const auto name = [&](int i, std::optional<Digest>& digest, std::optional<NodeId>& author) {
      if (i == kNone) return;
      digest = at(i)->digest;
      if (at(i)->author() != leader_of(at(i)->round(), four())) author = at(i)->author();
    };
    name(row.vote, h.vote, h.vote_author);
    name(row.claim, h.claim, h.claim_author);
    h.kill = row.kill;
    for (const int parent : row.parents) h.refs.push_back(at(parent)->edge());
    h.payload_bytes = static_cast<std::uint32_t>(out.size());  // so that twins differ
    out.push_back(make_block(std::move(h), {}, {}, {}));
  }
  return out;
}

/// The decision on slot 1 of a reader that holds these rows and accepts what it may of them.
std::string seen_by(const std::vector<BlockPtr>& all, const std::vector<int>& held,
                    const Rules& rules) {
  Store store(four(), rules);
  for (const int i : held) {
    const BlockPtr& b = all[static_cast<std::size_t>(i)];
    store.insert(b, b->header.vote ? std::optional(voted(b->header, four())) : std::nullopt);
  }
  for (const int i : held) {
    const BlockPtr& b = all[static_cast<std::size_t>(i)];
    Entry& entry = *store.find(b->edge());
    if (store.first_unsettled(entry)) continue;
    const Round slot{b->round().value - 2};
    if (b->header.claim && !rules.policy->claim_proved(store, slot, *b->header.claim)) continue;
    if (b->header.kill && !rules.policy->kill_proved(store, slot)) continue;
    store.accept(entry, std::nullopt);
  }
  const Schedule schedule(four(), rules);
  const auto decisions = decide(store, four(), schedule, rules, Round{1});
  if (decisions.empty() || decisions.front().ruling == Ruling::kUndecided) return "undecided";
  if (decisions.front().ruling == Ruling::kSkip) return "skip";
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]->edge() == decisions.front().leader) return "commit " + std::to_string(i);
  }
  return "commit of what does not exist";
}

// The leader of slot 1 is node 1, of slot 4 node 0. In the three others of TwoDelayTeeth.v 0 leads
// slot 1 and 2 slot 4; the liar is 3 in them.
struct Roles {
  std::uint16_t a, b, leader_of_4, liar;
};
constexpr Roles kCorrectLeader{1, 2, 0, 3};
constexpr Roles kLyingLeader{2, 3, 0, 1};

/// Slot 1 has blocks 0 to 3 and the liar's twin 4; 5 to 9 vote as given, 8 and 9 being the liar's
/// twins; 10 to 13 follow, the liar's after `below`, perhaps with a KILL; 14 leads slot 4 with
/// `parents`, and all four vote for it (15 to 18).
std::vector<Row> run_of(const Roles& who, const std::array<int, 5>& votes, int below, bool kill,
                        const std::vector<int>& parents) {
  const auto [a, b, c, liar] = who;
  return {
      {a, 1},
      {b, 1},
      {c, 1},
      {liar, 1},
      {liar, 1},
      {.author = a, .round = 2, .self = 0, .vote = votes[0]},
      {.author = b, .round = 2, .self = 1, .vote = votes[1]},
      {.author = c, .round = 2, .self = 2, .vote = votes[2]},
      {.author = liar, .round = 2, .vote = votes[3]},
      {.author = liar, .round = 2, .vote = votes[4]},
      {.author = a, .round = 3, .self = 5},
      {.author = b, .round = 3, .self = 6},
      {.author = c, .round = 3, .self = 7},
      {.author = liar, .round = 3, .self = below, .kill = kill},
      {.author = c, .round = 4, .self = 12, .parents = parents},
      {.author = a, .round = 5, .self = 10, .vote = 14},
      {.author = b, .round = 5, .self = 11, .vote = 14},
      {.author = c, .round = 5, .self = 14, .vote = 14},
      {.author = liar, .round = 5, .self = 13, .vote = 14},
  };
}

std::vector<int> all_but(const std::vector<int>& out, int count = 19) {
  std::vector<int> in;
  for (int i = 0; i < count; ++i) {
    if (std::find(out.begin(), out.end(), i) == out.end()) in.push_back(i);
  }
  return in;
}

TEST(TwoDelays, HaveTheNumbersOfTheDesign) {
  const auto numbers = [](std::uint32_t n, std::uint32_t f, std::uint32_t p) {
    const Committee c = *Committee::make(n, f);
    const Rules r = *with_two_delays(Rules::thresher(), c, p);
    return std::array{c.at_least(r.fast), c.at_least(r.dense), c.at_least(r.seen),
                      c.at_least(r.blames)};
  };
  using Numbers = std::array<std::uint32_t, 4>;
  EXPECT_EQ(numbers(4, 1, 0), (Numbers{4, 3, 2, 4}));
  EXPECT_EQ(numbers(6, 1, 1), (Numbers{5, 5, 3, 5}));
  EXPECT_EQ(numbers(7, 2, 0), (Numbers{7, 5, 3, 7}));
  EXPECT_EQ(numbers(7, 1, 1), (Numbers{6, 5, 3, 6}));
  EXPECT_EQ(numbers(10, 3, 0), (Numbers{10, 7, 4, 10}));
  EXPECT_EQ(numbers(10, 2, 1), (Numbers{9, 7, 4, 9}));
}

TEST(TwoDelays, AreRefusedToWhoHasTooFewNodes) {
  for (const auto& [n, f, p] : {std::array{4u, 1u, 1u},
                                {5u, 1u, 1u},
                                {10u, 3u, 1u},
                                {10u, 2u, 2u},
                                {20u, 2u, 3u},
                                {4u, 0u, 1u}}) {
    const Committee c = *Committee::make(n, f);
    EXPECT_FALSE(with_two_delays(Rules::thresher(), c, p)) << n << ' ' << f << ' ' << p;
    EXPECT_FALSE(check_two_delays(c, p));
  }
  EXPECT_EQ(check_two_delays(*Committee::make(10, 3), 1).error().text(),
            "fast=1 needs n >= 3f+2p+1 and p <= f: with n=10 and f=3 p is at most 0; set a smaller "
            "p or f, or take more nodes");
  EXPECT_TRUE(check_two_delays(*Committee::make(10, 2), 1));
}

// One vote fewer that commits, or one more that an anchor has to see, breaks a hypothesis.
TEST(TwoDelays, HaveNoThresholdToSpare) {
  const auto lowered = [](Threshold t) { return Threshold{t.a, t.b, t.c - t.d, t.d}; };
  for (std::uint32_t n = 4; n <= 40; ++n) {
    for (std::uint32_t f = 1; f <= (n - 1) / 3; ++f) {
      const Committee c = *Committee::make(n, f);
      for (std::uint32_t p = 0; p <= most_absent(c); ++p) {
        const Rules whole = *with_two_delays(Rules::thresher(), c, p);
        const auto broken = [&](auto change) {
          Rules rules = whole;
          change(rules);
          return std::string(broken_hypothesis(rules, c));
        };
        EXPECT_EQ(broken([](Rules&) {}), "");
        EXPECT_NE(broken([&](Rules& r) { r.fast = lowered(r.fast); }), "") << n << f << p;
        EXPECT_NE(broken([&](Rules& r) { r.seen.c += r.seen.d; }), "") << n << f << p;
      }
    }
  }
}

TEST(TwoDelays, AreNotProvedWithAnotherPolicy) {
  const Committee c = four();
  EXPECT_EQ(broken_hypothesis(fast_of_four(), c), "");
  for (const Policy* policy : std::initializer_list<const Policy*>{
           &kOne<VotesNotSeen<>>, &kOne<KillsNotChecked<>>, &kOne<VotesBeforeKills<>>,
           &kOne<NoSelfEdge<>>, &kOne<CulpritsNotTold>}) {
    Rules rules = fast_of_four();
    rules.policy = policy;
    EXPECT_EQ(broken_hypothesis(rules, c), kNotTheProtocol);
  }
}

TEST(TwoDelays, FourVotesCommitAndEveryAnchorFollows) {
  const auto run = minted(run_of(kCorrectLeader, {0, 0, 0, 0, kNone}, 9, false, {11, 13}));
  EXPECT_EQ(seen_by(run, {0, 1, 2, 5, 6, 7, 8}, fast_of_four()), "commit 0");
  EXPECT_EQ(seen_by(run, {0, 1, 2, 5, 6, 7}, fast_of_four()), "undecided");  // three do not
  // One of the anchor's parents is the liar's, whose twin voted for nothing.
  EXPECT_EQ(seen_by(run, all_but({5, 8}), fast_of_four()), "commit 0");
  Rules high = fast_of_four();
  high.seen.c += high.seen.d;  // fork_seen_high
  EXPECT_EQ(seen_by(run, all_but({5, 8}), high), "skip");
  Rules blind = fast_of_four();
  blind.policy = &kOne<VotesNotSeen<>>;
  EXPECT_EQ(seen_by(run, all_but({5, 8}), blind), "skip");
}

TEST(TwoDelays, AKillWithoutEvidenceIsNotAccepted) {
  const auto run = minted(run_of(kCorrectLeader, {0, 0, 0, 0, kNone}, 8, true, {11, 13}));
  EXPECT_EQ(seen_by(run, {0, 1, 2, 5, 6, 7, 8}, fast_of_four()), "commit 0");
  EXPECT_EQ(seen_by(run, all_but({5}), fast_of_four()), "undecided");  // the anchor is not accepted
  Rules unchecked = fast_of_four();
  unchecked.policy = &kOne<KillsNotChecked<>>;  // fork_kills
  EXPECT_EQ(seen_by(run, all_but({5}), unchecked), "skip");
}

TEST(TwoDelays, AQuorumOfBlamesAloneDoesNotSkip) {
  const auto run = minted(run_of(kCorrectLeader, {0, kNone, kNone, 0, kNone}, 8, false, {10, 13}));
  EXPECT_EQ(seen_by(run, {0, 1, 2, 6, 7, 9}, fast_of_four()), "undecided");
  EXPECT_EQ(seen_by(run, all_but({9}), fast_of_four()), "commit 0");
  Rules blamed = fast_of_four();
  blamed.blames = kQuorum;  // fork_blames
  EXPECT_EQ(seen_by(run, {0, 1, 2, 6, 7, 9}, blamed), "skip");
  EXPECT_EQ(seen_by(run, all_but({9}), blamed), "commit 0");
}

TEST(TwoDelays, KillsComeBeforeVotes) {
  auto rows = run_of(kCorrectLeader, {0, kNone, kNone, 0, kNone}, 8, false, {10, 13});
  for (const int i : {10, 11, 12}) rows[static_cast<std::size_t>(i)].kill = true;
  const auto run = minted(rows);
  // Three kill the round: one that voted, and the liar's twin without a vote.
  EXPECT_EQ(seen_by(run, {0, 1, 2, 5, 6, 7, 9, 10, 11, 12}, fast_of_four()), "skip");
  EXPECT_EQ(seen_by(run, all_but({11}), fast_of_four()), "skip");
  Rules votes_first = fast_of_four();
  votes_first.policy = &kOne<VotesBeforeKills<>>;  // fork_order
  EXPECT_EQ(seen_by(run, all_but({11}), votes_first), "commit 0");
}

TEST(TwoDelays, FewerVotesThanAllDoNotCommit) {
  const auto run = minted(run_of(kLyingLeader, {3, 3, 4, 3, 4}, 9, false, {10, 11, 13}));
  Rules few = fast_of_four();
  few.fast.c -= few.fast.d;  // fork_few_votes
  EXPECT_EQ(seen_by(run, {0, 1, 2, 3, 4, 5, 6, 8}, few), "commit 3");
  EXPECT_EQ(seen_by(run, {0, 1, 2, 3, 4, 5, 6, 8}, fast_of_four()), "undecided");
  EXPECT_EQ(seen_by(run, all_but({8}), fast_of_four()), "skip");  // each twin has two votes
}

TEST(TwoDelays, ABlockHasNeverAKillAndAClaim) {
  const Rules rules = fast_of_four();
  const Judge judge{four(), rules, 256};
  Header h;
  h.author = NodeId{2};
  h.round = Round{3};
  h.self = {h.author, Round{0}, {}};
  h.kill = true;
  const auto formed = [&](const Judge& by) { return well_formed(*make_block(h, {}, {}, {}), by); };
  EXPECT_TRUE(formed(judge));
  EXPECT_FALSE(formed({four(), Rules::thresher(), 256}));  // nobody else kills
  h.claim = hash(as_view("a block"));
  EXPECT_FALSE(formed(judge));
  h.kill = false;
  EXPECT_TRUE(formed(judge));
  h.claim = Digest{};  // what stands for a KILL in questions
  EXPECT_FALSE(formed(judge));
  h.claim.reset();
  h.kill = true;
  h.round = Round{2};
  EXPECT_FALSE(formed(judge));  // there is no round 0
}

TEST(TwoDelays, TheKillIsSignedAndWritten) {
  Header h;
  h.author = NodeId{2};
  h.round = Round{3};
  h.self = {h.author, Round{0}, {}};
  const Digest without = digest_of(h, {});
  h.kill = true;
  EXPECT_NE(digest_of(h, {}), without);
  Writer out;
  encode_header(*make_block(h, {}, {}, {}), out);
  const auto bytes = out.take();
  EXPECT_EQ(bytes.size(), header_bytes(h));
  Reader in(bytes);
  const auto read = decode_slim(in, {}, kNodes);
  ASSERT_TRUE(read);
  EXPECT_TRUE((*read)->header.kill);
  EXPECT_EQ((*read)->digest, digest_of(h, {}));
}

// What proves a KILL: a quorum without a vote, or f+1 that KILL; and few of them say so.
TEST(TwoDelays, FewHeadersProveAKill) {
  const auto run = minted(run_of(kLyingLeader, {kNone, 3, kNone, 3, 4}, 8, true, {10, 11, 13}));
  const auto evidence = [&](const std::vector<int>& held) {
    KillEvidence out(Round{1}, four(), fast_of_four());
    for (const int i : held) out.add(run[static_cast<std::size_t>(i)]);
    return out;
  };
  EXPECT_FALSE(evidence({5, 6, 7}).proves());       // two blame
  EXPECT_FALSE(evidence({5, 6, 7, 8}).proves());    // and the liar votes with the third
  EXPECT_TRUE(evidence({5, 6, 7, 8, 9}).proves());  // and for another block too
  EXPECT_FALSE(evidence({13}).proves());            // one KILL may be the liar's
  EXPECT_EQ(evidence({5, 6, 7, 8, 9}).few().size(), 5u);
  KillEvidence again(Round{1}, four(), fast_of_four());
  for (const BlockPtr& b : evidence({9, 8, 6, 7, 5}).few()) again.add(b);
  EXPECT_TRUE(again.proves());
}

}  // namespace
}  // namespace thresher::dag
