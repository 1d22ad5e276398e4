// Liars that show a leader block, votes and claims to some, late, and answer nothing that anybody
// asks; delays stay below Delta all the time. What one correct node names every other accepts, and
// commits go on: docs/protocols/thresher.md, "What holds after GST".
#include <gtest/gtest.h>

#include "../../how_many.hpp"
#include "policies.hpp"
#include "thresher/core/prng.hpp"
#include "timed.hpp"

namespace thresher::dag {
namespace {

constexpr Ticks kEnd = 80 * kDelta;
/// Within so much everybody accepts what a correct node names.
constexpr Ticks kTotality = 40 * kDelta;

/// Under the schedule of ledgers that name none: liars of this kind lead for longer there.
Rules by_misses() {
  Rules rules = Rules::thresher();
  rules.leaders = Leaders::kMisses;
  return rules;
}

/// What a run went through, so that a sweep can say that it was not idle.
struct Seen {
  std::uint64_t questions = 0;  // for evidence
  std::uint64_t answers = 0;
  std::uint64_t restarts = 0;
};

/// One plan for all rounds that liars lead, drawn from a seed.
class Hoarders {
 public:
  Hoarders(std::uint64_t seed, const Rules& rules) : random_(seed, 14), rules_(rules) {
    static constexpr std::uint32_t kSizes[] = {4, 4, 5, 6, 7};
    n_ = kSizes[random_.below(std::size(kSizes))];
    const std::uint32_t f = Committee::of(n_)->faults();
    while (liars_.size() < f) liars_.insert(static_cast<std::uint16_t>(random_.below(n_)));
    for (std::uint32_t i = 0; i < n_; ++i) slow_.push_back(100 + 800 * random_.below(2));
    static constexpr std::size_t kBytes[] = {10, 10, 10, 140'000};
    bytes_ = kBytes[random_.below(std::size(kBytes))];
    restarts_ = random_.below(2) == 0;
    hides_chain_ = restarts_ || random_.below(2) == 0;
    claims_ = random_.below(2) == 0;
    for (std::uint16_t i = 0; i < n_; ++i) {
      if (liars_.contains(i)) continue;
      everybody_.insert(i);
      if (random_.below(3) > 0) friends_.insert(i);
    }
    leads_to_all_ = random_.below(3) > 0;
    lag_ = random_.below(2) == 0 ? 1 : random_.below(kDelta);
    lead_after_ = 1 + random_.below(everybody_.size());
    support_after_ = 1 + random_.below(2 * everybody_.size());
  }

  /// Payloads of so many bytes, and room for so many of them that wait, of each author.
  void heavy(std::size_t bytes, std::uint64_t room) {
    bytes_ = bytes;
    limits_.waiting_bytes_per_peer = bytes * room;
  }

  /// Empty when all went well.
  std::string run(Seen& seen) {
    Timed world(n_, liars_, rules_);
    world.limits = limits_;
    world_ = &world;
    world.delay = [this](auto, auto to) { return slow_[to]; };
    world.said = [&](std::uint16_t who, const Message& m) {
      seen.questions += std::holds_alternative<WantEvidence>(m) ? 1 : 0;
      seen.answers += std::holds_alternative<Evidence>(m) ? 1 : 0;
      if (const auto* push = std::get_if<Push>(&m)) note(who, push->block, seen);
    };
    world.start();
    world.at(0, [&] { world.keep_busy(2 * kDelta, bytes_); });
    world.run_until(kEnd);
    std::map<std::uint16_t, Round> slots;
    std::vector<Edge> vouched;
    for (const std::uint16_t i : world.running()) {
      slots[i] = world.node(i).next_slot();
      for (const Edge& e : world.node(i).vouched()) vouched.push_back(e);
    }
    world.run_until(kEnd + kTotality);
    std::string out;
    for (const auto& [i, slot] : slots) {
      const std::string name = "node " + std::to_string(i);
      if (world.node(i).next_slot().value < slot.value + 3) out += name + " commits no more; ";
      for (const Edge& e : vouched) {
        if (world.node(i).accepts(e)) continue;
        out += name + " does not accept a block of round " + std::to_string(e.round.value) + "; ";
        break;
      }
    }
    return out;
  }

 private:
  void note(std::uint16_t who, const BlockPtr& block, Seen& seen) {
    const std::uint64_t r = block->round().value;
    auto& of_round = blocks_[r];
    if (!of_round.emplace(who, block).second || r < 3 || r > 40) return;
    // This many left round r - 1: its leader, if it is a liar, speaks now.
    const std::uint16_t leader = leads(Round{r - 1}, who).value;
    if (liars_.contains(leader) && of_round.size() == lead_after_) lead(leader, r - 1);
    // This many voted, or went on to claim: now votes for it come, and claims of it.
    const std::size_t all = everybody_.size();
    const std::uint64_t slot = support_after_ <= all ? r - 1 : r - 2;
    const auto it = leads_.find(slot);
    if (it == leads_.end()) return;
    if (of_round.size() == (support_after_ - 1) % all + 1) support(it->second);
    const auto led = leads_.find(r - 2);
    if (!restarts_ || led == leads_.end() || block->header.claim != led->second->digest) return;
    restarts_ = false;
    ++seen.restarts;
    world_->at(world_->now() + 1, [this, who] { world_->crash(who); });
    world_->at(world_->now() + 5 * kDelta, [this, who] { world_->boot(who); });
  }
  // Liars follow the schedule, which a correct node tells them. By misses they take every turn of
  // theirs, also where they are passed over.
  NodeId leads(Round round, std::uint16_t who) const {
    if (rules_.leaders == Leaders::kMisses || round < world_->node(who).next_slot())
      return leader_of(round, *Committee::of(n_));
    return world_->node(who).leader(round);
  }
  void tell(const BlockPtr& block, const std::set<std::uint16_t>& whom) {
    for (const std::uint16_t i : whom) {
      world_->post(block->author().value, i, Push{block}, lag_ + random_.below(50));
    }
  }
  Edge chain_of(std::uint16_t liar, std::uint64_t round) {
    if (hides_chain_) return {NodeId{liar}, Round{round - 1}, hash(as_view("never shown"))};
    const auto it = own_.find(liar);
    if (it == own_.end() || it->second->round().value >= round) {
      return {NodeId{liar}, Round{0}, {}};
    }
    return it->second->edge();
  }
  void lead(std::uint16_t liar, std::uint64_t round) {
    Header h;
    h.author = NodeId{liar};
    h.round = Round{round};
    h.self = {NodeId{liar}, Round{0}, {}};
    for (const auto& [author, block] : blocks_[round - 1]) h.refs.push_back(block->edge());
    if (h.refs.size() < Committee::of(n_)->at_least(kQuorum)) return;
    const BlockPtr block = block_of(h);
    leads_[round] = own_[liar] = block;
    tell(block, leads_to_all_ ? everybody_ : friends_);
  }
  void support(const BlockPtr& leader) {
    for (const std::uint16_t liar : liars_) {
      const std::uint64_t slot = leader->round().value;
      if (!supported_.emplace(liar, slot).second) continue;
      Header vote;
      vote.author = NodeId{liar};
      vote.round = Round{slot + 1};
      vote.self = chain_of(liar, slot + 1);
      vote.vote = leader->digest;
      tell(block_of(vote), friends_);
      if (!claims_) continue;
      Header claim;
      claim.author = NodeId{liar};
      claim.round = Round{slot + 2};
      claim.self = leader->author() == NodeId{liar} ? leader->edge() : Edge{NodeId{liar}, {}, {}};
      claim.claim = leader->digest;
      tell(block_of(claim), friends_);
    }
  }

  Prng random_;
  Rules rules_;
  std::uint32_t n_ = 4;
  std::set<std::uint16_t> liars_;
  std::vector<Ticks> slow_;
  std::size_t bytes_ = 10;
  bool restarts_ = false;     // somebody, once, after it claimed what a liar led
  bool hides_chain_ = false;  // the liars' votes refer to blocks that nobody can fetch
  bool claims_ = false;       // they claim what they vote for
  bool leads_to_all_ = false;
  Ticks lag_ = 1;                      // until votes and claims of liars arrive
  std::set<std::uint16_t> everybody_;  // correct
  std::set<std::uint16_t> friends_;    // those of them whom liars tell
  Limits limits_;
  std::size_t lead_after_ = 1;     // blocks of the next round
  std::size_t support_after_ = 1;  // blocks of the two rounds after
  Timed* world_ = nullptr;
  std::map<std::uint64_t, std::map<std::uint16_t, BlockPtr>> blocks_;  // of correct nodes
  std::map<std::uint64_t, BlockPtr> leads_;                            // of liars, by slot
  std::map<std::uint16_t, BlockPtr> own_;
  std::set<std::pair<std::uint16_t, std::uint64_t>> supported_;
};

TEST(Silence, StopsNobody) {
  Seen seen;
  const std::uint64_t seeds = how_many(70, 200);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Hoarders run(seed, by_misses());
    const std::string why = run.run(seen);
    EXPECT_EQ(why, "") << "seed " << seed;
  }
  // Otherwise it has shown nothing.
  EXPECT_GT(seen.questions, seeds / 2);
  EXPECT_GT(seen.answers, seeds / 4);
  EXPECT_GT(seen.restarts, 0u);
}

// The schedule of new ledgers passes over who was late, so such a liar leads less often.
TEST(Silence, StopsNobodyWhereWhoWasPromptLeads) {
  Rules rules = Rules::thresher();
  rules.leaders = Leaders::kPrompt;
  Seen seen;
  const std::uint64_t seeds = how_many(70, 200);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Hoarders run(seed, rules);
    EXPECT_EQ(run.run(seen), "") << "seed " << seed;
  }
  EXPECT_GT(seen.questions, seeds / 8);
  EXPECT_GT(seen.answers, seeds / 16);
}

// Where an author's payloads that wait have room for one or two, headers are held and payloads are
// asked for again: that stops nobody either.
TEST(Silence, StopsNobodyWhereFewPayloadsMayWait) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Hoarders run(seed, by_misses());
    run.heavy(140'000, 1 + seed % 2);
    EXPECT_EQ(run.run(seen), "") << "seed " << seed;
  }
  EXPECT_GT(seen.questions, 50u);
}

/// `first`: the seed to begin with; those before show nothing.
void expect_caught(const Rules& rules, std::uint64_t first) {
  Seen seen;
  for (std::uint64_t seed = first; seed <= 200; ++seed) {
    Hoarders run(seed, rules);
    if (run.run(seen).empty()) continue;
    Hoarders whole(seed, by_misses());
    EXPECT_EQ(whole.run(seen), "") << "seed " << seed;
    std::printf("  caught at seed %llu\n", static_cast<unsigned long long>(seed));
    return;
  }
  ADD_FAILURE() << "not caught in 200 seeds";
}

// What stopped the cluster for ever before: THRESHER's own mistakes, as mutants.
TEST(Silence, ShowsThatAskingTheFirstClaimerAloneStops) {
  Rules rules = by_misses();
  rules.policy = &kOne<EvidenceAskedOfTheFirstClaimer>;
  expect_caught(rules, 20);
}

TEST(Silence, ShowsThatEvidenceCutByPayloadsStops) {
  Rules rules = by_misses();
  rules.policy = &kOne<EvidenceCutByPayloads>;
  expect_caught(rules, 60);
}

enum class Only : std::uint8_t { kClaimer, kAcceptor };

struct Plan {
  std::uint32_t n = 4;
  Only only = Only::kClaimer;
  bool crashes = true;  // the only one, as soon as its claim, or the block that names one, is sent
};

// The last node leads, late: to all but the fastest, who went on without, so that its block gets
// one vote less than a quorum from correct nodes. It shows its own vote, whose chain nobody can
// fetch, to node 2 alone. So node 2 alone can claim; or, when the vote comes too late for that, the
// liar alone claims, node 2 alone can accept the claim, and names it as a leader. True: commits go
// on, and everybody accepts a claim of the liar's that node 2 named (of six nodes four go on
// without node 2).
bool goes_on(const Plan& plan, const Rules& rules) {
  const auto liar = static_cast<std::uint16_t>(plan.n - 1);
  const std::uint64_t slot = plan.n - 1;
  // All correct nodes but these vote.
  const std::size_t ahead = plan.n - Committee::of(plan.n)->at_least(kQuorum);
  Timed world(plan.n, {liar}, rules);
  world.delay = [&](auto, auto to) { return Ticks{to < ahead ? 100u : 900u}; };
  std::map<std::uint64_t, std::map<std::uint16_t, BlockPtr>> blocks;
  BlockPtr leader;
  BlockPtr claim;
  bool named = false;
  std::set<std::uint16_t> claimers;
  const std::uint64_t waits_for = slot + (plan.only == Only::kClaimer ? 1 : 2);
  world.said = [&](std::uint16_t who, const Message& m) {
    const auto* push = std::get_if<Push>(&m);
    if (push == nullptr || !blocks[push->block->round().value].emplace(who, push->block).second) {
      return;
    }
    if (!leader && blocks[slot + 1].size() >= ahead) {
      Header h;
      h.author = NodeId{liar};
      h.round = Round{slot};
      h.self = {NodeId{liar}, Round{0}, {}};
      for (const auto& [author, block] : blocks[slot - 1]) h.refs.push_back(block->edge());
      leader = block_of(h);
      for (std::uint16_t to = 0; to < liar; ++to) world.post(liar, to, Push{leader}, 1);
    }
    if (leader && !claim && blocks[waits_for].contains(1) && blocks[waits_for].contains(2)) {
      Header h;
      h.author = NodeId{liar};
      h.round = Round{slot + 1};
      h.self = {NodeId{liar}, Round{slot}, hash(as_view("never shown"))};
      h.vote = leader->digest;
      world.post(liar, 2, Push{block_of(h)}, plan.only == Only::kClaimer ? 950 : 1);
      Header c;
      c.author = NodeId{liar};
      c.round = Round{slot + 2};
      c.self = leader->edge();
      c.claim = leader->digest;
      claim = block_of(c);
      if (plan.only == Only::kAcceptor) world.post(liar, 2, Push{claim}, 2);
    }
    if (leader && push->block->header.claim == leader->digest) claimers.insert(who);
    const auto names = [&](const BlockPtr& b) {
      if (plan.only == Only::kClaimer) return b->header.claim == leader->digest;
      const auto& refs = b->header.refs;
      return claim && std::find(refs.begin(), refs.end(), claim->edge()) != refs.end();
    };
    if (who == 2 && leader && !named && names(push->block)) {
      named = true;
      if (!plan.crashes) return;
      world.at(world.now() + 1, [&] { world.crash(2); });
      world.at(world.now() + 5 * kDelta, [&] { world.boot(2); });
    }
  };
  world.start();
  world.at(0, [&] { world.keep_busy(2 * kDelta, 10); });
  world.run_until(200 * kDelta);
  EXPECT_TRUE(named);
  EXPECT_EQ(claimers.size(), plan.only == Only::kClaimer ? 1u : 0u);
  const std::vector<std::uint16_t> up = world.running();
  return std::all_of(up.begin(), up.end(), [&](std::uint16_t i) {
    const bool accepts = plan.only == Only::kClaimer || world.node(i).accepts(claim->edge());
    return accepts && world.node(i).next_slot().value > 60;
  });
}

TEST(Silence, ARestartedNodeProvesWhatItClaimedOrAccepted) {
  for (const Only only : {Only::kClaimer, Only::kAcceptor}) {
    EXPECT_TRUE(goes_on({.n = 4, .only = only}, by_misses()));
    Rules forgets = by_misses();
    forgets.policy = &kOne<EvidenceThatARestartLoses>;
    EXPECT_FALSE(goes_on({.n = 4, .only = only}, forgets));
  }
}

// Asking the claimers in turn does not help then: there is one, and it lies.
TEST(Silence, OfSixNodesTheOnlyClaimerLies) {
  const Plan plan{.n = 6, .only = Only::kAcceptor, .crashes = false};
  EXPECT_TRUE(goes_on(plan, by_misses()));
  Rules one = by_misses();
  one.policy = &kOne<EvidenceAskedOfTheFirstClaimer>;
  EXPECT_FALSE(goes_on(plan, one));
}

}  // namespace
}  // namespace thresher::dag
