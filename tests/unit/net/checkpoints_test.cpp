// What a node makes of the statements of others, without a network.
#include "life/checkpoints.hpp"

#include <gtest/gtest.h>

#include "store/memory_store.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

Digest digest(std::uint64_t seed) {
  return hash(Writer().u64(seed).view());
}

Checkpoint at(std::uint64_t slot, std::uint64_t root = 1, std::uint64_t state = 1) {
  return {Round{slot}, slot * 10, digest(slot), digest(root), digest(state)};
}

/// Node 0 of four, and the keys of the others.
struct Four {
  std::vector<crypto::SigningKey> keys;
  Genesis genesis;
  MemoryStore store;
  std::vector<std::pair<NodeId, Frame>> sent;
  std::vector<std::function<void()>> waiting;  // for the disk
  std::vector<NodeId> blamed;
  std::vector<std::string> warnings;
  std::unique_ptr<Checkpoints> checkpoints;

  Four() {
    genesis.f = 1;
    for (std::uint16_t i = 0; i < 4; ++i) {
      keys.push_back(crypto::SigningKey::generate());
      genesis.nodes.push_back({keys.back().public_key(), "127.0.0.1", i});
    }
    start();
  }
  void start() {
    checkpoints = std::make_unique<Checkpoints>(
        genesis, NodeId{0}, keys[0], store,
        Checkpoints::Hooks{[this](NodeId to, const Frame& f) { sent.emplace_back(to, f); },
                           [this](const Persist& record, std::function<void()> done) {
                             EXPECT_TRUE(store.write({&record, 1}, Sync::kYes));
                             waiting.push_back(std::move(done));
                           },
                           [this](const Persist& record) {
                             EXPECT_TRUE(store.write({&record, 1}, Sync::kNo));
                           },
                           [this](NodeId who, Deed) { blamed.push_back(who); },
                           [this](const std::string& why) { warnings.push_back(why); }});
    checkpoints->recall();
  }
  void durable() {
    for (const auto& done : std::exchange(waiting, {})) done();
  }
  bool says(std::uint16_t who, const Checkpoint& c) {
    const auto s = signed_checkpoint(keys[who], NodeId{who}, genesis.context(), c);
    return checkpoints->frame(NodeId{who}, {kCheckpoint, encode(s), {}});
  }
  int count(std::uint8_t kind) const {
    int out = 0;
    for (const auto& [to, f] : sent) out += f.kind == kind ? 1 : 0;
    return out;
  }
  std::uint64_t certified() const {
    const auto& c = checkpoints->newest_certificate();
    return c ? c->checkpoint.slot.value : 0;
  }
};

TEST(Checkpoints, NothingIsSentBeforeItIsOnTheDiskAndAQuorumCertifies) {
  Four f;
  f.checkpoints->may_sign();
  f.checkpoints->reached(at(8), {});
  EXPECT_EQ(f.count(kCheckpoint), 0);
  EXPECT_TRUE(f.says(1, at(8)));
  EXPECT_TRUE(f.says(1, at(8))) << "said twice, counted once";
  f.durable();
  EXPECT_EQ(f.count(kCheckpoint), 3);
  EXPECT_EQ(f.certified(), 0u);
  EXPECT_TRUE(f.says(3, at(8)));
  EXPECT_EQ(f.certified(), 8u);
  EXPECT_TRUE(check_certificate(f.genesis, *f.checkpoints->newest_certificate()));
}

TEST(Checkpoints, WhatCameBeforeTheOwnLogDidIsCountedLaterAndBounded) {
  Four f;
  f.checkpoints->may_sign();
  for (std::uint64_t slot = 8; slot <= 800; slot += 8) {
    EXPECT_TRUE(f.says(1, at(slot)));
    EXPECT_TRUE(f.says(2, at(slot)));
  }
  f.checkpoints->reached(at(8), {});  // forgotten: it was too far ahead
  f.durable();
  EXPECT_EQ(f.certified(), 0u);
  f.checkpoints->reached(at(800), {});
  f.durable();
  EXPECT_EQ(f.certified(), 800u);
}

TEST(Checkpoints, ASignatureThatDoesNotHoldIsBlamedOnceAndCountsForNothing) {
  Four f;
  f.checkpoints->may_sign();
  f.checkpoints->reached(at(8), {});
  auto forged = signed_checkpoint(f.keys[1], NodeId{2}, f.genesis.context(), at(8));
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(f.checkpoints->frame(NodeId{2}, {kCheckpoint, encode(forged), {}}));
  EXPECT_EQ(f.blamed, std::vector<NodeId>{NodeId{2}});
  EXPECT_FALSE(f.checkpoints->frame(NodeId{3}, {kCheckpoint, encode(forged), {}})) << "of another";
  EXPECT_FALSE(f.checkpoints->frame(NodeId{3}, {kCheckpoint, Bytes::copy_of(as_view("x")), {}}));
  f.durable();
  EXPECT_EQ(f.certified(), 0u);
}

TEST(Checkpoints, OneLiarStopsNobodyAndTwoThatAgreeDo) {
  Four f;
  f.checkpoints->may_sign();
  f.checkpoints->reached(at(8), {});
  f.durable();
  EXPECT_TRUE(f.says(1, at(8, 2)));
  EXPECT_FALSE(f.checkpoints->difference());
  EXPECT_TRUE(f.says(2, at(8, 3)));
  EXPECT_FALSE(f.checkpoints->difference()) << "they do not agree with each other";
  f.checkpoints->reached(at(16), {});
  f.durable();
  EXPECT_TRUE(f.says(1, at(16, 2)));
  EXPECT_TRUE(f.says(3, at(16, 2)));
  ASSERT_TRUE(f.checkpoints->difference());
  EXPECT_EQ(f.checkpoints->difference()->there.root, digest(2));
  EXPECT_EQ(f.checkpoints->difference()->peers, (std::vector<NodeId>{NodeId{1}, NodeId{3}}));
}

// With f = 0 one statement is f+1 of them. Two nodes that differ would stop each other, so it takes
// more than say the same as this node.
TEST(Checkpoints, WithoutByzantineMembersItTakesMoreThanAgree) {
  Four f;
  f.genesis.f = 0;
  f.start();
  f.checkpoints->may_sign();
  f.checkpoints->reached(at(8), {});
  f.durable();
  EXPECT_TRUE(f.says(1, at(8, 2)));
  EXPECT_FALSE(f.checkpoints->difference());
  EXPECT_TRUE(f.says(2, at(8, 2)));
  EXPECT_TRUE(f.checkpoints->difference());
}

// Another log is the standing check's business, with its own rules.
TEST(Checkpoints, AnotherLogIsNoDifferenceOfTheApplication) {
  Four f;
  f.checkpoints->may_sign();
  f.checkpoints->reached(at(8), {});
  f.durable();
  Checkpoint other = at(8, 2);
  other.log_hash = digest(77);
  EXPECT_TRUE(f.says(1, other));
  EXPECT_TRUE(f.says(2, other));
  EXPECT_FALSE(f.checkpoints->difference());
}

TEST(Checkpoints, TheStateAloneMayDiffer) {
  Four f;
  f.checkpoints->may_sign();
  f.checkpoints->reached(at(8), {});
  f.durable();
  EXPECT_TRUE(f.says(1, at(8)));
  EXPECT_TRUE(f.says(2, at(8)));
  f.checkpoints->reached(at(16, 1, 9), {});
  f.durable();
  EXPECT_TRUE(f.says(1, at(16)));
  EXPECT_TRUE(f.says(2, at(16)));
  ASSERT_TRUE(f.checkpoints->difference());
  EXPECT_EQ(f.checkpoints->difference()->same, at(8));
  EXPECT_EQ(f.checkpoints->difference()->here.root, f.checkpoints->difference()->there.root);
}

// A node that gives another state when it reads its log again keeps what it signed.
TEST(Checkpoints, OneSlotIsSignedOnceAcrossStarts) {
  Four f;
  f.checkpoints->may_sign();
  f.checkpoints->reached(at(8), {});
  f.durable();
  f.sent.clear();
  f.start();
  f.checkpoints->reached(at(8, 2), {});
  f.checkpoints->may_sign();
  f.durable();
  EXPECT_EQ(f.count(kCheckpoint), 0);
  EXPECT_EQ(f.warnings.size(), 1u);
  f.start();
  f.checkpoints->reached(at(8), {});
  f.checkpoints->may_sign();
  f.durable();
  EXPECT_EQ(f.count(kCheckpoint), 3) << "the same statement may be said again";
}

TEST(Checkpoints, AStartThatComputesAnotherRootThanWasCertifiedKnowsIt) {
  Four f;
  f.checkpoints->may_sign();
  for (const std::uint64_t slot : {8u, 16u}) {
    f.checkpoints->reached(at(slot), {});
    f.durable();
    EXPECT_TRUE(f.says(1, at(slot)));
    EXPECT_TRUE(f.says(2, at(slot)));
  }
  f.start();
  EXPECT_EQ(f.certified(), 16u);
  f.checkpoints->reached(at(8), {});
  EXPECT_FALSE(f.checkpoints->difference());
  f.checkpoints->reached(at(16, 2), {});
  ASSERT_TRUE(f.checkpoints->difference());
  EXPECT_EQ(f.checkpoints->difference()->same, at(8));
  EXPECT_EQ(f.checkpoints->difference()->peers, (std::vector<NodeId>{NodeId{1}, NodeId{2}}));
}

TEST(Checkpoints, WhatIsAskedForIsAnswered) {
  Four f;
  f.checkpoints->may_sign();
  const auto ask = [&](std::uint64_t slot) {
    f.sent.clear();
    const Bytes question = Bytes::from(Writer().u64(slot).take());
    EXPECT_TRUE(f.checkpoints->frame(NodeId{3}, {kWantCheckpoint, question, {}}));
  };
  ask(0);
  EXPECT_TRUE(f.sent.empty());
  f.checkpoints->reached(at(8), {});
  f.durable();
  ask(8);
  EXPECT_EQ(f.count(kCheckpoint), 1) << "no certificate yet: the own word";
  EXPECT_TRUE(f.says(1, at(8)));
  EXPECT_TRUE(f.says(2, at(8)));
  ask(8);
  EXPECT_EQ(f.count(kCertificate), 1);
  ask(0);
  EXPECT_EQ(f.count(kCertificate), 1);
  ask(9);
  EXPECT_TRUE(f.sent.empty());
}

// Frames are lost with links: a certificate of a peer takes their place, when it holds.
TEST(Checkpoints, ACertificateOfAPeerIsTakenWhenItHolds) {
  Four f;
  f.checkpoints->may_sign();
  f.checkpoints->reached(at(8), {});
  f.durable();
  Certificate c{at(8), {NodeSet(4), {}}};
  for (const std::uint16_t i : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{3}}) {
    c.signatures.signers.insert(NodeId{i});
    c.signatures.signatures.push_back(
        signed_checkpoint(f.keys[i], NodeId{i}, f.genesis.context(), at(8)).signature);
  }
  Certificate forged = c;
  forged.checkpoint.root = digest(99);
  EXPECT_FALSE(f.checkpoints->frame(NodeId{1}, {kCertificate, encode(forged), {}}));
  EXPECT_EQ(f.certified(), 0u);
  // Each costs the signatures of a quorum, and a liar had as much of the node's time as it liked.
  EXPECT_FALSE(f.checkpoints->frame(NodeId{1}, {kCertificate, encode(c), {}}));
  EXPECT_EQ(f.certified(), 0u) << "who forged one is not looked at again";
  EXPECT_TRUE(f.checkpoints->frame(NodeId{2}, {kCertificate, encode(c), {}}));
  EXPECT_EQ(f.certified(), 8u);
}

// A node that was behind passes checkpoints that the others certified before.
TEST(Checkpoints, OfTheOnesThatWerePassedTheOldestIsAskedFor) {
  Four f;
  f.checkpoints->may_sign();
  for (const std::uint64_t slot : {8u, 16u, 24u}) f.checkpoints->reached(at(slot), {});
  f.durable();
  EXPECT_TRUE(f.says(1, at(24)));
  EXPECT_TRUE(f.says(2, at(24)));
  EXPECT_EQ(f.certified(), 24u);
  f.sent.clear();
  f.checkpoints->tick(Checkpoints::kPeriod);
  EXPECT_EQ(f.count(kWantCheckpoint), 3);
  EXPECT_TRUE(f.says(1, at(8)));
  EXPECT_TRUE(f.says(2, at(8)));
  EXPECT_TRUE(load_certificate(f.store, Round{8}, 4));
  EXPECT_EQ(f.certified(), 24u) << "the newest stays the newest";
}

// A node that fetches its log passes hundreds of checkpoints a second; the snapshot of one of them
// is of use only with a certificate.
TEST(Checkpoints, WhatASnapshotNeedsStaysOpenAndIsAskedFor) {
  Four f;
  f.checkpoints->may_sign();
  f.checkpoints->reached(at(8), {});
  f.checkpoints->need(Round{8});
  for (std::uint64_t slot = 16; slot <= 8 * 200; slot += 8) f.checkpoints->reached(at(slot), {});
  f.durable();
  f.sent.clear();
  f.checkpoints->tick(Checkpoints::kPeriod);
  EXPECT_EQ(f.count(kWantCheckpoint), 3);
  for (const auto& [to, frame] : f.sent) {
    if (frame.kind == kWantCheckpoint) {
      EXPECT_EQ(Reader(frame.control.view()).u64(), 8u);
    }
  }
  EXPECT_TRUE(f.says(1, at(8)));
  EXPECT_TRUE(f.says(2, at(8)));
  EXPECT_TRUE(load_certificate(f.store, Round{8}, 4));
  f.sent.clear();
  f.checkpoints->tick(2 * Checkpoints::kPeriod);
  for (const auto& [to, frame] : f.sent) {
    if (frame.kind == kWantCheckpoint) {
      EXPECT_NE(Reader(frame.control.view()).u64(), 8u) << "it is here";
    }
  }
}

TEST(Checkpoints, OfWhatSnapshotsNeedTheOldestIsGivenUp) {
  Four f;
  f.checkpoints->may_sign();
  for (std::uint64_t k = 1; k <= Checkpoints::kMostNeeded + 2; ++k) {
    f.checkpoints->reached(at(8 * k), {});
    f.checkpoints->need(Round{8 * k});
  }
  for (std::uint64_t k = 100; k <= 300; ++k) f.checkpoints->reached(at(8 * k), {});
  f.durable();
  f.sent.clear();
  f.checkpoints->tick(Checkpoints::kPeriod);
  EXPECT_EQ(f.count(kWantCheckpoint), static_cast<int>(3 * Checkpoints::kMostNeeded));
}

// It was taken, the node got the certificate of a later slot, and was killed: its next start reads
// its log from an older snapshot on, and comes to that slot again.
TEST(Checkpoints, WhatIsNeededIsAskedForThoughALaterOneIsCertified) {
  Four f;
  f.checkpoints->may_sign();
  f.checkpoints->reached(at(24), {});
  f.durable();
  EXPECT_TRUE(f.says(1, at(24)));
  EXPECT_TRUE(f.says(2, at(24)));
  f.start();
  f.checkpoints->need(Round{16});
  for (const std::uint64_t slot : {8u, 16u, 24u}) f.checkpoints->reached(at(slot), {});
  f.checkpoints->may_sign();
  f.sent.clear();
  f.checkpoints->tick(Checkpoints::kPeriod);
  EXPECT_EQ(f.count(kWantCheckpoint), 3);
  EXPECT_TRUE(f.says(1, at(16)));
  EXPECT_TRUE(f.says(2, at(16)));
  EXPECT_TRUE(f.says(3, at(16)));
  EXPECT_TRUE(load_certificate(f.store, Round{16}, 4));
}

TEST(Checkpoints, WhatHasNoCertificateAfterAWhileIsSaidAndAskedAgain) {
  Four f;
  f.checkpoints->may_sign();
  f.checkpoints->reached(at(8), {});
  f.durable();
  f.sent.clear();
  f.checkpoints->tick(Checkpoints::kPeriod);
  EXPECT_TRUE(f.sent.empty()) << "it has just come";
  f.checkpoints->tick(2 * Checkpoints::kPeriod);
  EXPECT_EQ(f.count(kCheckpoint), 3);
  EXPECT_EQ(f.count(kWantCheckpoint), 3);
}

}  // namespace
}  // namespace thresher::net
