// PBFT stops for nothing that healed and lets no leader choose whom it serves: censors, nodes that
// missed any number of views, restarts, liars that withhold answers. The bounds are those of
// docs/protocols/pbft.md, in Delta after the network healed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "pbft_run.hpp"
#include "thresher/core/prng.hpp"

namespace thresher {
namespace {

constexpr std::uint16_t kNobody = 0xffff;

// Found by hand: what others got delivered reset the clock of all, so a leader that was deaf to one
// client left it out for ever.
TEST(PbftHeals, ALeaderCannotLeaveOneClientOut) {
  for (const std::uint16_t n : std::initializer_list<std::uint16_t>{4, 7, 10}) {
    for (const bool busy : {false, true}) {
      PbftRun run(n);
      const auto victim = static_cast<std::uint16_t>(n - 1);
      const std::uint16_t f = static_cast<std::uint16_t>((n - 1) / 3);
      // The first f leaders hear nothing that the victim submitted, whoever passes it on.
      run.net.link = [&](std::uint16_t, std::uint16_t to, const Pbft::Message& m) -> std::int64_t {
        const auto* forward = std::get_if<pbft::Forward>(&m);
        const bool deaf = to >= 1 && to <= f && forward != nullptr;
        return deaf && PbftRun::submitter(forward->value) == victim ? kLost : 300;
      };
      if (busy) run.submit_for_ever(2, victim);
      run.net.run_until(20 * kDelta);
      std::vector<std::uint64_t> wanted;
      for (int k = 0; k < 5; ++k) wanted.push_back(run.submit(victim));
      run.net.run_until((20 + bound_of(n, 8)) * kDelta);
      for (const std::uint64_t payload : wanted) EXPECT_TRUE(run.has(0, payload)) << "n " << n;
    }
  }
}

// A client that leaves the leader out harms only itself: the others tell the leader.
TEST(PbftHeals, AClientThatLeavesTheLeaderOutRemovesNoLeader) {
  PbftRun run(4);
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const Pbft::Message& m) -> std::int64_t {
    const bool lies = from == 3 && to == 1 && std::holds_alternative<pbft::Forward>(m);
    return lies ? kLost : 300;
  };
  run.submit_for_ever(2, kNobody);
  run.net.run_until(1000 * kDelta);
  EXPECT_EQ(run.net.node(0).view(), 1u);
  EXPECT_GT(run.least_delivered(), 4u * 400u);
}

// A correct leader that has more to do than it can is not taken for a censor.
TEST(PbftHeals, ABacklogRemovesNoLeader) {
  PbftRun run(4);
  for (int k = 0; k < 30; ++k) {
    for (std::uint16_t i = 0; i < 4; ++i) (void)run.submit(i);
  }
  run.submit_for_ever(1, kNobody);
  run.net.link = [&](std::uint16_t, std::uint16_t, const Pbft::Message&) { return 1000; };
  run.net.run_until(500 * kDelta);
  EXPECT_EQ(run.net.node(0).view(), 1u);
}

// `withhold`: what keeps the others' views from lasting while node 3 is away for `views` of them.
// True: it comes to their view, and is not missed when another one dies.
template <class F>
bool comes_back(F withhold, std::uint64_t views, std::uint16_t dies, bool joins) {
  PbftRun run(4, joins);
  bool bad = true;
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const Pbft::Message& m) -> std::int64_t {
    if (bad && (from == 3 || to == 3 || withhold(run, from, m))) return kLost;
    return 300;
  };
  run.submit_for_ever(5, kNobody);
  while (run.net.node(0).view() < views && run.net.now() < 40'000 * kDelta)
    run.net.run_until(run.net.now() + kDelta);
  EXPECT_LT(run.net.node(3).view(), 10u);
  bad = false;
  run.net.run_until(run.net.now() + bound_of(4, 8 + 20) * kDelta);
  const bool together = run.net.node(3).view() == run.net.node(0).view();
  run.net.kill(dies);
  const std::uint64_t before = run.least_delivered();
  run.net.run_until(run.net.now() + bound_of(4, 8) * kDelta);
  return together && run.least_delivered() > before + 20;
}

// A leader's vote names its proposal, and who knows it by name asks for it.
bool proposes_late(const PbftRun& run, std::uint16_t from, const Pbft::Message& m) {
  const auto late = [&](std::uint64_t view) {
    return from == view % 4 && run.net.node(from).delivered() >= view / 4;
  };
  const auto* p = std::get_if<pbft::PrePrepare>(&m);
  const auto* v = std::get_if<pbft::Vote>(&m);
  return (p != nullptr && late(p->view)) || (v != nullptr && late(v->view));
}
bool commits_late(const PbftRun& run, std::uint16_t from, const Pbft::Message& m) {
  const auto* v = std::get_if<pbft::Vote>(&m);
  return v != nullptr && from == 2 && v->phase == pbft::kCommit &&
         run.net.node(from).delivered() >= v->view / 2;
}

TEST(PbftHeals, WhoMissedManyViewsOfBadLeadersComesBack) {
  EXPECT_TRUE(comes_back(proposes_late, 140, 0, true));
}

TEST(PbftHeals, WhoMissedManyViewsOfALiarsComesBack) {
  EXPECT_TRUE(comes_back(commits_late, 140, 2, true));
}

// Without R8 who missed views stays away: drawn sieges find that from their seeds.
TEST(PbftHeals, WhoDoesNotJoinTheOthersViewIsFoundFromSeeds) {
  const auto siege = [](std::uint64_t seed, bool joins) {
    Prng random(seed, 10);
    const std::uint64_t views = 20 + random.below(160);
    const auto dies = static_cast<std::uint16_t>(random.below(3));
    const bool proposals = random.below(2) == 0;
    return comes_back(
        [&](const PbftRun& run, std::uint16_t from, const Pbft::Message& m) {
          return proposals ? proposes_late(run, from, m) : commits_late(run, from, m);
        },
        views, dies, joins);
  };
  std::uint64_t seed = 1;
  while (seed <= 10 && siege(seed, false)) ++seed;
  ASSERT_LE(seed, 10u);
  EXPECT_TRUE(siege(seed, true)) << "seed " << seed;
}

// Each restart used to lead into a view of its own, one further every time; when another node died
// then, nobody ever met again.
TEST(PbftHeals, RestartsLeadNobodyAway) {
  for (const int restarts : {1, 2, 3, 12}) {
    for (const bool busy : {false, true}) {
      PbftRun run(4);
      run.submit_for_ever(5, kNobody);
      run.net.run_until(20 * kDelta);
      for (int k = 0; k < restarts; ++k) {
        run.net.restart(3);
        run.net.run_until(run.net.now() + (busy ? 10 : 1) * kDelta);
      }
      run.net.kill(0);
      const std::uint64_t before = run.least_delivered();
      run.net.run_until(run.net.now() + bound_of(4, 8) * kDelta);
      EXPECT_GT(run.least_delivered(), before + 10) << restarts << " restarts";
    }
  }
}

// Node 3 alone prepares what the liar, node 2, asked the leader for in view 1, and is cut off. Then
// the liar asks each leader for something new, withholds its votes and takes part in view changes,
// so that the others are shown another value in each of `views` views; as a leader it may also show
// each of them another one. Then it falls silent.
// True: requests are ordered again.
bool heals_from_values(std::uint64_t views, bool equivocates) {
  enum { kPrepares, kShows, kLeaves, kHealed } phase = kPrepares;
  PbftRun run(4);
  std::uint64_t value = 0;
  bool instead = false;  // a lie is on its way
  const auto fresh = [&] { return Bytes::from(Writer().u64(1'000'000 + ++value).u16(2).take()); };
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const Pbft::Message& m) -> std::int64_t {
    const bool vote = std::holds_alternative<pbft::Vote>(m);
    const bool liar = from == 2 || to == 2;
    const bool away = from == 3 || to == 3;
    if (phase == kPrepares) return vote && to != 3 ? kLost : 300;
    if (phase == kShows && (away || (vote && liar))) return kLost;
    const auto* shown = std::get_if<pbft::PrePrepare>(&m);
    if (phase == kShows && equivocates && shown != nullptr && from == 2 && !instead) {
      instead = true;
      run.net.say(2, to, pbft::PrePrepare{shown->view, shown->slot, fresh()});
      instead = false;
      return kLost;
    }
    if (phase == kLeaves && (away || liar)) return kLost;
    return phase == kHealed && liar ? kLost : 300;
  };
  constexpr std::uint16_t kCorrect[] = {0, 1, 3};
  const auto urge = [&] {
    const Bytes wanted = fresh();
    for (const std::uint16_t i : kCorrect) run.net.say(2, i, pbft::Forward{wanted, true});
  };
  const auto see_through = [&](std::uint64_t view) {
    for (std::uint64_t last = 0; run.net.node(0).view() < view;) {
      if (run.net.node(0).view() != std::exchange(last, run.net.node(0).view())) urge();
      run.net.run_until(run.net.now() + kDelta);
    }
  };
  for (std::uint16_t i = 0; i < 2; ++i) (void)run.submit(i);
  run.net.run_until(kDelta / 2);
  urge();
  run.net.run_until(run.net.now() + 6 * kDelta);
  phase = kShows;
  see_through(views);
  phase = kLeaves;
  while (std::min(run.net.node(0).view(), run.net.node(1).view()) <= views)
    run.net.run_until(run.net.now() + kDelta);
  phase = kHealed;
  std::uint64_t patience = 0;
  std::vector<std::uint64_t> wanted;
  for (const std::uint16_t i : kCorrect) {
    patience = std::max(patience, run.net.node(i).patience());
    wanted.push_back(run.submit(i));
  }
  run.net.run_until(run.net.now() + bound_of(4, patience) * kDelta);
  return std::all_of(wanted.begin(), wanted.end(), [&](std::uint64_t payload) {
    return run.has(0, payload) && run.has(1, payload) && run.has(3, payload);
  });
}

TEST(PbftHeals, ValuesThatALiarShowsMakeNobodyForgetWhatOneReplicaPrepared) {
  for (const std::uint64_t views : {3U, 4U, 5U, 6U, 8U, 40U}) {
    for (const bool equivocates : {false, true})
      EXPECT_TRUE(heals_from_values(views, equivocates)) << views << " views, " << equivocates;
  }
}

// Everything at once, drawn: a liar that withholds some kinds of messages from some for ever, loss
// and delay before GST, a node that restarts, another that is cut off.
// True: each request is delivered everywhere within the bound.
bool heals_from_drawn_liars(std::uint64_t seed) {
  constexpr std::uint32_t kSizes[] = {4, 5, 7};
  Prng random(seed, 9);
  const std::uint32_t n = kSizes[seed % std::size(kSizes)];
  PbftRun run(n);
  const auto any = [&] { return static_cast<std::uint16_t>(random.below(n)); };
  const std::uint64_t gst = (50 + random.below(100)) * kDelta;
  const std::uint64_t loss = random.below(600'000);
  const std::uint64_t withheld = random.next();  // one bit for each kind, and for each peer
  const std::uint16_t liar = any();
  const std::uint16_t lonely = any();
  const auto crashing = static_cast<std::uint16_t>((liar + 1 + random.below(n - 1)) % n);
  run.net.link = [&](std::uint16_t from, std::uint16_t to, const Pbft::Message& m) -> std::int64_t {
    const bool kind = (withheld >> m.index() & 1) != 0;
    if (from == liar && kind && (withheld >> (16 + to) & 1) != 0) return kLost;
    if (run.net.now() >= gst) return static_cast<std::int64_t>(100 + random.below(900));
    if ((from == lonely || to == lonely) && run.net.now() > gst / 2) return kLost;
    if (random.chance_ppm(loss)) return kLost;
    return static_cast<std::int64_t>(100 + random.below(3000));
  };
  run.submit_for_ever(4, kNobody);
  run.net.run_until(random.below(gst));
  run.net.restart(crashing);
  run.net.run_until(gst);
  std::map<std::uint64_t, std::uint16_t> wanted;
  for (std::uint16_t i = 0; i < n; ++i) {
    if (i != liar) wanted[run.submit(i)] = i;
  }
  // Views that failed before GST made the nodes patient: k of them take k (k + 8) Delta.
  run.net.run_until(gst + bound_of(n, 8 + 2 * 10) * kDelta);
  for (const auto& [payload, from] : wanted) {
    for (std::uint16_t i = 0; i < n; ++i) {
      if (i != liar && !run.has(i, payload)) return false;
    }
  }
  return true;
}

TEST(PbftHeals, DrawnLiarsAndCrashesDelayARequestByTheBoundAtMost) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    ASSERT_TRUE(heals_from_drawn_liars(seed)) << "seed " << seed;
}

}  // namespace
}  // namespace thresher
