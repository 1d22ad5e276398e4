// What the protocol asks about signatures is answered once, and bad ones by the name of who sent
// them.
#include "node/verdicts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {
namespace {

/// Four members, of whom this node is the last.
struct Asked {
  std::vector<crypto::SigningKey> members;
  std::map<std::uint64_t, bool> verdicts;  // by ticket
  std::size_t judged = 0;
  std::map<std::uint32_t, std::size_t> bad;  // signatures, by sender
  std::size_t answered = 0;
  std::unique_ptr<Verdicts> of;

  explicit Asked(const crypto::BatcherOptions& batches = {}) {
    std::vector<PublicKey> keys;
    for (int i = 0; i < 4; ++i) {
      members.push_back(crypto::SigningKey::generate());
      keys.push_back(members.back().public_key());
    }
    of = std::make_unique<Verdicts>(keys, NodeId{3}, Verdicts::Options{batches, {}},
                                    Verdicts::Hooks{[this](const crypto::VerifyAnswer& a) {
                                                      ++answered;
                                                      if (!a.good()) ++bad[a.sender];
                                                    },
                                                    [this](const Ticket& t, bool good) {
                                                      ++judged;
                                                      verdicts[t.local] = good;
                                                    },
                                                    [] {}});
  }
  Signature signed_by(std::size_t who, const Digest& digest) const {
    return members[who].sign(digest.bytes);
  }
  void collect_all() {
    while (of->due_us()) of->collect();
  }
};

Digest digest(std::uint64_t number) {
  return hash(Writer().u64(number).view());
}
Ticket ticket(std::uint64_t local) {
  Ticket t;
  t.local = local;
  return t;
}

TEST(Verdicts, EverySignatureHasOneUnderItsTicket) {
  Asked asked;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint16_t signer = i % 4;
    const Digest of = digest(i % 3 == 0 ? i + 1 : i);  // every third one signed something else
    asked.of->ask(Verify{ticket(i), NodeId{signer}, digest(i), asked.signed_by(signer, of)},
                  NodeId{static_cast<std::uint16_t>(i % 2)}, crypto::Purpose::kQuorum);
  }
  asked.collect_all();
  EXPECT_EQ(asked.judged, 200u);
  for (const auto& [local, good] : asked.verdicts) EXPECT_EQ(good, local % 3 != 0) << local;
  // The one who sent it, who need not have signed it.
  EXPECT_EQ(asked.bad.size(), 2u);
  EXPECT_EQ(asked.bad[0] + asked.bad[1], 67u);
}

TEST(Verdicts, AListHasOneForAllOfItsSignatures) {
  Asked asked;
  for (const bool good : {true, false}) {
    auto list = std::make_shared<SignatureList>();
    list->signers = NodeSet(4);
    for (std::uint16_t i = 0; i < 3; ++i) {
      (void)list->signers.insert(NodeId{i});
      list->signatures.push_back(asked.signed_by(i, digest(good || i != 1 ? 7 : 8)));
    }
    asked.of->ask(VerifyAll{ticket(good ? 1 : 0), digest(7), list}, NodeId{2},
                  crypto::Purpose::kQuorum);
  }
  asked.collect_all();
  EXPECT_EQ(asked.answered, 6u);
  EXPECT_EQ(asked.judged, 2u);
  EXPECT_TRUE(asked.verdicts.at(1));
  EXPECT_FALSE(asked.verdicts.at(0));
  EXPECT_EQ(asked.bad[2], 1u);
}

// It has to verify its own words too: it names nobody else for them.
TEST(Verdicts, WhatNobodySentIsTheNodesOwn) {
  Asked asked;
  asked.of->ask(Verify{ticket(5), NodeId{1}, digest(1), asked.signed_by(1, digest(2))}, {},
                crypto::Purpose::kCatchUp);
  asked.collect_all();
  EXPECT_EQ(asked.bad[3], 1u);
}

TEST(Verdicts, WhoHasTooMuchWaitingLosesNothing) {
  crypto::BatcherOptions batches;
  batches.sender_quota = 4;
  batches.deadline_us = 3'600'000'000;
  batches.close_at = 4;
  Asked asked(batches);
  const Signature good = asked.signed_by(0, digest(1));
  for (std::uint64_t i = 0; i < 50; ++i)
    asked.of->ask(Verify{ticket(i), NodeId{0}, digest(1), good}, NodeId{1},
                  crypto::Purpose::kQuorum);
  EXPECT_GE(asked.judged, 46u);
}

TEST(Verdicts, AnOpenBatchIsDueAtItsEndAndNotBefore) {
  crypto::BatcherOptions batches;
  batches.deadline_us = 3'600'000'000;
  Asked asked(batches);
  EXPECT_FALSE(asked.of->due_us());
  EXPECT_FALSE(asked.of->are_due());
  const std::uint64_t before = Loop::now_us();
  asked.of->ask(Verify{ticket(1), NodeId{0}, digest(1), asked.signed_by(0, digest(1))}, NodeId{0},
                crypto::Purpose::kQuorum);
  ASSERT_TRUE(asked.of->due_us());
  EXPECT_GE(*asked.of->due_us(), before + batches.deadline_us);
  EXPECT_FALSE(asked.of->are_due());
  asked.of->collect();
  EXPECT_EQ(asked.judged, 0u);
}

}  // namespace
}  // namespace thresher::net
