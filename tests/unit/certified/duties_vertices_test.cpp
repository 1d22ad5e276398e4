// The duties of a node about certified vertices: what is checked, accepted, asked for, handed out.
#include <gtest/gtest.h>

#include "accusing.hpp"
#include "admission.hpp"
#include "asking.hpp"
#include "below_floor.hpp"
#include "duties.hpp"
#include "giving.hpp"
#include "parking.hpp"
#include "recovery.hpp"
#include "timers.hpp"

namespace thresher::certified {
namespace {

/// With the duties that those about vertices look at.
struct VertexParts : Parts {
  explicit VertexParts(Rules rules = Rules::bullshark(), Limits limits = {})
      : Parts(rules, 0, limits),
        checking(config, tickets, stats),
        accusing(config, checking, stats),
        pacemaker(config, store, rounds, ordered, accusing.offenders()),
        bringing(config, own, accusing.offenders()),
        composing(config, store, own, ordered, bringing, tickets),
        parking(config, store, own, rounds, ordered, pacemaker),
        asking({config, store, ordered, rounds, headers, batches, parking, bringing, stats}) {}

  Checking checking;
  Accusing accusing;
  Pacemaker pacemaker;
  Bringing bringing;
  Composing composing;
  Parking parking;
  Asking asking;
};

TEST(Checking, AWholeCertificateIsOneQuestion) {
  VertexParts parts;
  Check check;
  check.from = node(1);
  check.vertex = vertex(1, 3, 3);
  EXPECT_TRUE(parts.checking.begin(check, parts.fx));
  const auto asked = parts.all<VerifyAll>();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(parts.stats.signatures_checked, 3u);
  EXPECT_EQ(parts.stats.certificate_calls, 1u);
  const auto done = parts.checking.verdict({asked[0].ticket, true});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->what.vertex, check.vertex);
  EXPECT_EQ(parts.checking.size(), 0u);
}

TEST(Checking, WhoCausesTooMuchOfItIsRefused) {
  Limits limits;
  limits.checks_per_peer = 1;
  VertexParts parts(Rules::bullshark(), limits);
  Check check;
  check.from = node(1);
  check.vertex = vertex(1, 3, 3);
  EXPECT_TRUE(parts.checking.begin(check, parts.fx));
  EXPECT_FALSE(parts.checking.begin(check, parts.fx));
  EXPECT_EQ(parts.stats.refused, 1u);
  EXPECT_EQ(parts.all<VerifyAll>().size(), 1u);
}

TEST(Accusing, NobodyIsAccusedBeforeBothSignaturesAreGood) {
  VertexParts parts;
  auto& accusing = parts.accusing;
  const auto judge = [&](bool second) {
    accusing.suspect_two(proposal(1, 3, 1), proposal(1, 3, 2), parts.fx);
    accusing.suspect_two(proposal(1, 3, 1), proposal(1, 3, 3), parts.fx);  // one pair at a time
    const auto asked = parts.all<Verify>();
    ASSERT_EQ(asked.size(), 2u);
    EXPECT_FALSE(parts.checking.verdict({asked[0].ticket, true}));
    const auto done = parts.checking.verdict({asked[1].ticket, second});
    ASSERT_TRUE(done);
    parts.fx.clear();
    accusing.judge(*done, parts.fx);
  };
  judge(false);
  EXPECT_TRUE(parts.all<Accuse>().empty());
  EXPECT_FALSE(accusing.offenders().convicted(node(1)));
  judge(true);
  ASSERT_EQ(parts.all<Accuse>().size(), 1u);
  EXPECT_EQ(parts.all<Accuse>()[0].who, node(1));
  EXPECT_TRUE(accusing.offenders().convicted(node(1)));
  EXPECT_EQ(parts.stats.equivocations, 1u);
  parts.fx.clear();
  accusing.suspect_two(proposal(1, 5, 1), proposal(1, 5, 2), parts.fx);
  EXPECT_TRUE(parts.fx.empty());
}

TEST(Parking, CertificatesWaitUntilTheyCouldCompleteTheRound) {
  VertexParts parts;
  for (std::uint64_t author = 1; author < 3; ++author) (void)parts.parking.add(vertex(author, 1));
  EXPECT_TRUE(parts.parking.due(false, 0, parts.fx).empty());
  (void)parts.parking.add(vertex(3, 1));
  EXPECT_EQ(parts.parking.due(false, 0, parts.fx).size(), 3u);
  EXPECT_TRUE(parts.parking.empty());
}

TEST(Parking, TheRestOfARoundIsWaitedForALittleButNotOnceOthersWentOn) {
  VertexParts parts;
  parts.config.gather = Delay{2000};
  for (std::uint64_t author = 0; author < 3; ++author) (void)parts.parking.add(vertex(author, 1));
  EXPECT_TRUE(parts.parking.due(false, 0, parts.fx).empty());
  EXPECT_TRUE(parts.parking.due(false, 0, parts.fx).empty());
  ASSERT_EQ(parts.all<ArmTimer>().size(), 1u);
  EXPECT_EQ(parts.all<ArmTimer>()[0].id.local, kGatherTimer);
  Parking others(parts.config, parts.store, parts.own, parts.rounds, parts.ordered,
                 parts.pacemaker);
  for (std::uint64_t author = 0; author < 3; ++author) (void)others.add(vertex(author, 1));
  EXPECT_EQ(others.due(false, 2, parts.fx).size(), 3u);
  parts.parking.waited();
  EXPECT_EQ(parts.parking.due(false, 0, parts.fx).size(), 3u);
}

TEST(Parking, WhatIsWantedIsDueAtOnceAndWhatIsHeldIsNot) {
  VertexParts parts;
  (void)parts.parking.add(vertex(1, 1));
  (void)parts.parking.add(vertex(2, 1));
  parts.hold(2, 1);
  parts.parking.want();
  const auto due = parts.parking.due(false, 0, parts.fx);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0]->ref(), ref(1, 1));
}

TEST(Asking, WhatIsNamedIsAskedForAndItsAnswerIsExpectedOnce) {
  VertexParts parts;
  parts.asking.arm(parts.fx);
  EXPECT_TRUE(parts.fx.empty());
  parts.asking.need(ref(2, 1), node(1), true);
  parts.asking.arm(parts.fx);
  parts.asking.arm(parts.fx);
  ASSERT_EQ(parts.all<ArmTimer>().size(), 1u);
  EXPECT_FALSE(parts.asking.expects(node(1)));
  parts.asking.tick(parts.fx);
  const auto wants = parts.sent<Want>();
  ASSERT_EQ(wants.size(), 1u);
  EXPECT_EQ(wants[0].vertices, (std::vector{ref(2, 1)}));
  EXPECT_EQ(parts.all<ArmTimer>().size(), 2u);
  EXPECT_TRUE(parts.asking.expects(node(1)));
  parts.asking.came(node(1));
  EXPECT_FALSE(parts.asking.expects(node(1)));
  parts.asking.found(ref(2, 1));
  EXPECT_EQ(parts.asking.missing(), 0u);
}

TEST(Asking, APeerThatIsAheadIsAskedForTheLowestRoundThatLacks) {
  VertexParts parts;
  parts.complete(1);
  parts.accept(1, 2);
  parts.asking.reached(node(3), Round{9});
  EXPECT_TRUE(parts.asking.lagging());
  parts.asking.tick(parts.fx);
  const auto wants = parts.sent<WantRound>();
  ASSERT_EQ(wants.size(), 1u);
  EXPECT_EQ(wants[0].round, Round{2});
  ASSERT_EQ(wants[0].have.size(), 1u);
  EXPECT_TRUE(wants[0].have[0].contains(node(1)));
  EXPECT_EQ(parts.asking.frontier(), Round{0});  // one peer may lie
}

TEST(Asking, WhatACertificateNamesAndIsParkedIsWanted) {
  VertexParts parts;
  (void)parts.parking.add(vertex(1, 1));
  parts.asking.need(ref(1, 1), node(2), false);
  EXPECT_TRUE(parts.parking.due(false, 0, parts.fx).empty());
  parts.asking.need(ref(1, 1), node(2), true);
  EXPECT_EQ(parts.parking.due(false, 0, parts.fx).size(), 1u);
}

TEST(Giving, HandsOutWhatHasACertificateAndBoundsWhatOnePeerGets) {
  Limits limits;
  limits.serve_bytes_per_peer = 1;
  VertexParts parts(Rules::bullshark(), limits);
  Giving giving({parts.config, parts.store, parts.attic, parts.own, parts.composing, parts.batches,
                 parts.headers, parts.bringing, parts.stats});
  parts.accept(1, 1);
  parts.store.insert(vertex(2, 1, 0));  // as the log tells of it
  giving.answer(node(3), Want{{ref(1, 1), ref(2, 1), ref(0, 1)}, {}}, parts.fx);
  const auto given = parts.sent<Give>();
  ASSERT_EQ(given.size(), 1u);
  ASSERT_EQ(given[0].vertices.size(), 1u);
  EXPECT_EQ(given[0].vertices[0]->ref(), ref(1, 1));
  ASSERT_EQ(parts.all<ArmTimer>().size(), 1u);
  EXPECT_EQ(parts.all<ArmTimer>()[0].id.local, kServeTimer);
  parts.fx.clear();
  giving.answer(node(3), Want{{ref(1, 1)}, {}}, parts.fx);
  EXPECT_TRUE(parts.fx.empty());
  giving.afresh();
  giving.answer(node(3), WantRound{Round{1}, {}}, parts.fx);
  EXPECT_EQ(parts.sent<Give>().size(), 1u);
}

TEST(Giving, PayloadsAreFoundWhereverTheyWait) {
  VertexParts parts;
  Giving giving({parts.config, parts.store, parts.attic, parts.own, parts.composing, parts.batches,
                 parts.headers, parts.bringing, parts.stats});
  const Payload own = payload(3, 1);
  const Payload of_a_peer = payload(4, 2);
  EXPECT_TRUE(parts.composing.add(own));
  (void)parts.batches.keep(node(2), of_a_peer);
  giving.answer(node(3), Want{{}, {own.root, payload(9, 9).root, of_a_peer.root}}, parts.fx);
  const auto given = parts.sent<Give>();
  ASSERT_EQ(given.size(), 1u);
  ASSERT_EQ(given[0].batches.size(), 2u);
  EXPECT_EQ(given[0].batches[1].root, of_a_peer.root);
}

TEST(Admission, AVertexIsAcceptedAfterAllThatItRefersTo) {
  VertexParts parts;
  Admission admission({parts.config, parts.store, parts.asking, parts.pacemaker, parts.from_log,
                       parts.undelivered, parts.records, parts.stats});
  const VertexPtr child = parts.hold(2, 2, {1, 3});
  EXPECT_FALSE(admission.acceptable(child->ref(), node(2)));
  EXPECT_EQ(parts.asking.missing(), 2u);
  EXPECT_EQ(admission.waiting(), 1u);
  parts.accept(3, 1);
  parts.hold(1, 1);
  EXPECT_FALSE(admission.settle({ref(1, 1)}, parts.fx));
  EXPECT_TRUE(parts.store.accepted(child->ref()));
  EXPECT_EQ(admission.waiting(), 0u);
  EXPECT_EQ(parts.stats.vertices_accepted, 2u);
  EXPECT_EQ(parts.all<Persist>().size(), 2u);
  parts.hold(2, 1);
  EXPECT_TRUE(admission.settle({ref(2, 1)}, parts.fx)) << "the third of its round";
}

TEST(BelowFloor, WhatCanBeHandedOutStaysAWhileAndItsRecordGoesWithIt) {
  VertexParts parts;
  parts.config.gc_depth = 5;  // and so many rounds are kept below the floor
  BelowFloor below(parts.config, parts.own, parts.records);
  below.keep(vertex(1, 3), parts.fx);
  EXPECT_TRUE(parts.fx.empty());
  EXPECT_TRUE(below.attic().find(Round{3}, node(1)));
  below.keep(vertex(2, 3, 0), parts.fx);  // without a certificate
  EXPECT_EQ(parts.all<Persist>().size(), 1u);
  EXPECT_FALSE(below.attic().find(Round{3}, node(2)));
  below.raise(Round{8}, parts.fx);
  EXPECT_EQ(parts.all<Persist>().size(), 2u);
  EXPECT_EQ(below.attic().size(), 0u);
}

/// With what a disk and the log of peers are read into.
struct RecoveryParts : VertexParts {
  RecoveryParts()
      : VertexParts(Rules::bullshark()),
        below(config, own, records),
        admission({config, store, asking, pacemaker, from_log, undelivered, records, stats}),
        recovery({config, store, ordered, own, headers, records, from_log, undelivered, below,
                  accusing, asking, admission, stats}) {}

  /// The record that the last effect writes, as a host reads it again.
  Restored read_again() {
    const Persist written = all<Persist>().back();
    return {written.table, written.key, written.value, written.body};
  }
  Restored record_of(const VertexPtr& v, Round slot) {
    records.put_vertex(*v, slot, fx);
    return read_again();
  }
  Restored commit_of(Round slot, const VertexPtr& anchor) {
    records.put_delivered({slot, anchor->digest, {}, Round{0}}, ordered.leaders(), fx);
    return read_again();
  }
  /// As it is read from a disk: its digest follows from its content.
  static VertexPtr certified(std::uint64_t author, std::uint64_t round,
                             const std::vector<std::uint64_t>& parents = {}) {
    Header h;
    h.author = node(author);
    h.round = Round{round};
    h.parents = NodeSet(4);
    for (const std::uint64_t p : parents) h.parents.insert(node(p));
    Certificate c{NodeSet(4), {}};
    for (std::uint64_t i = 1; i < 4; ++i) {
      c.signers.insert(node(i));
      c.signatures.push_back(signature(static_cast<std::uint8_t>(i)));
    }
    return make_vertex(*make_proposal(h, signature(1), {}), {}, c);
  }

  BelowFloor below;
  Admission admission;
  Recovery recovery;
};

TEST(Recovery, WhatWasAcceptedIsAcceptedAgainInTheOrderOfRounds) {
  RecoveryParts parts;
  const VertexPtr parent = RecoveryParts::certified(1, 1);
  const VertexPtr child = RecoveryParts::certified(2, 2, {1});
  const VertexPtr orphan = RecoveryParts::certified(3, 2, {2});
  for (const VertexPtr& v : {child, orphan, parent})
    parts.recovery.read(parts.record_of(v, Round{0}));
  EXPECT_EQ(parts.recovery.rebuild(parts.fx), (std::vector{orphan->ref()}));
  EXPECT_TRUE(parts.store.accepted(child->ref()));
  EXPECT_FALSE(parts.store.accepted(orphan->ref()));
  EXPECT_TRUE(parts.recovery.take_commits().empty());
  EXPECT_EQ(parts.ordered.last(), Round{0});
}

TEST(Recovery, CommitsOfTheDiskAreOrderedAgain) {
  RecoveryParts parts;
  const VertexPtr anchor = RecoveryParts::certified(0, 2, {1});
  parts.recovery.read(parts.commit_of(Round{2}, anchor));
  (void)parts.recovery.rebuild(parts.fx);
  EXPECT_EQ(parts.ordered.last(), Round{2});
  const auto commits = parts.recovery.take_commits();
  ASSERT_EQ(commits.size(), 1u);
  EXPECT_EQ(commits[0].leader, anchor->digest);
}

TEST(Recovery, ACommitOfTheLogIsTakenOverOnceWithWhatItDelivered) {
  RecoveryParts parts;
  (void)parts.recovery.rebuild(parts.fx);
  const VertexPtr old = RecoveryParts::certified(1, 1);
  std::vector<Ref> ready;
  EXPECT_FALSE(parts.recovery.take(parts.record_of(old, Round{2}), ready, parts.fx));
  const Restored commit = parts.commit_of(Round{2}, RecoveryParts::certified(0, 2, {1}));
  EXPECT_EQ(parts.recovery.take(commit, ready, parts.fx), Round{2});
  EXPECT_TRUE(parts.store.accepted(old->ref()));
  EXPECT_TRUE(parts.store.find(old->ref())->delivered);
  EXPECT_EQ(parts.ordered.last(), Round{2});
  EXPECT_FALSE(parts.recovery.take(commit, ready, parts.fx));
}

}  // namespace
}  // namespace thresher::certified
