// Where the log of a node may begin, by what a start may have to use and what members hold.
#include "life/retention.hpp"

#include "logged_tree.hpp"

namespace thresher::net {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;

/// A log of forty commits of ten transactions each, with a checkpoint after each, which a quorum
/// certified; some have snapshots.
struct Kept {
  Prng rng{1};
  LoggedTree log;
  SnapshotHolds holds{4, 1u << 30};
  std::optional<Retention> kept;

  explicit Kept(Retention::Options options = {2, 0, 3, 4}) {
    for (int i = 0; i < 40; ++i) log.commit(10, 1, rng);
    for (const OwnCheckpoint& at : log.checkpoints) {
      log.write(record_of(at));
      certify(at.signed_checkpoint.checkpoint);
    }
    kept.emplace(log.store, holds, options);
  }
  void certify(const Checkpoint& c) {
    Certificate certificate{c, {NodeSet(4), {}}};
    for (std::uint16_t i = 0; i < 3; ++i) {
      (void)certificate.signatures.signers.insert(NodeId{i});
      certificate.signatures.signatures.emplace_back();
    }
    log.write({kCertificateTable, slot_key(c.slot), encode(certificate), {}, true});
  }
  void forget_certificate(std::uint64_t slot) {
    log.write({kCertificateTable, slot_key(Round{slot}), {}, {}, true});
  }
  std::uint64_t next() {  // a slot; 0: nothing goes
    const auto to = kept->next(log.ledger.length());
    return to ? to->slot.value : 0;
  }
};

TEST(Retention, NothingGoesBeforeAStartHasEnoughToUse) {
  Kept k;
  EXPECT_FALSE(k.kept->look());
  k.kept->whole(Round{20});
  EXPECT_FALSE(k.kept->look());
  k.kept->whole(Round{30});
  EXPECT_TRUE(k.kept->look());
  EXPECT_EQ(k.kept->newest_whole(), Round{30});
}

// The log stays from a little in front of the older one, where a protocol can enter.
TEST(Retention, TheLogGoesUpToWhatThoseNeed) {
  Kept k;
  k.kept->whole(Round{20});
  k.kept->whole(Round{30});
  ASSERT_TRUE(k.kept->look());
  EXPECT_EQ(k.kept->prunable(), Round{17});
  EXPECT_EQ(k.next(), 17u);
  EXPECT_EQ(k.next(), 0u);  // once
  k.kept->whole(Round{40});
  ASSERT_TRUE(k.kept->look());
  EXPECT_EQ(k.next(), 27u);
}

TEST(Retention, OnlyWhatAQuorumCertifiedCounts) {
  Kept k;
  for (const std::uint64_t slot : {10u, 20u, 30u}) k.kept->whole(Round{slot});
  k.forget_certificate(20);
  ASSERT_TRUE(k.kept->look());
  EXPECT_EQ(k.kept->prunable(), Round{7});
  // Nor does the log begin at a checkpoint without one.
  k.forget_certificate(7);
  EXPECT_EQ(k.next(), 6u);
}

TEST(Retention, WhatMembersHoldStaysAndIsNotOfferedToOthers) {
  Kept k;
  for (const std::uint64_t slot : {10u, 20u, 30u}) k.kept->whole(Round{slot});
  EXPECT_TRUE(k.holds.takes(NodeId{1}, Round{10}, 0, {kSecond, 0}));
  ASSERT_TRUE(k.kept->look());
  EXPECT_EQ(k.next(), 7u);
  // The one member alone keeps it.
  EXPECT_FALSE(k.kept->stays(Round{10}, Round{0}));
  EXPECT_TRUE(k.kept->stays(Round{20}, Round{0}));
  EXPECT_FALSE(k.kept->stays(Round{20}, Round{18}));  // the log begins behind it
}

TEST(Retention, PositionsThatHaveToStayStay) {
  Kept k({2, 300, 3, 4});
  k.kept->whole(Round{20});
  k.kept->whole(Round{30});
  ASSERT_TRUE(k.kept->look());
  EXPECT_EQ(k.next(), 10u);  // of 400 positions
}

TEST(Retention, BeforeAnythingIsKnownAllStays) {
  Kept k;
  EXPECT_TRUE(k.kept->stays(Round{1}, Round{0}));
}

}  // namespace
}  // namespace thresher::net
