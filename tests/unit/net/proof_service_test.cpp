// Each question for a proof is answered once, however many pieces of the log that takes.
#include "life/proof_service.hpp"

#include "logged_tree.hpp"

namespace thresher::net {
namespace {

Genesis genesis_of_four(const std::string& checkpoint_every) {
  Genesis genesis;
  genesis.f = 1;
  genesis.nodes.resize(4);
  genesis.parameters["checkpoint"] = checkpoint_every;
  return genesis;
}

/// A log of four members with a checkpoint after every commit, of which this node has written down
/// all, and a service over it. Time goes on with each look at the clock.
struct Proved {
  Prng rng{5};
  LoggedTree log;
  std::optional<LogReader> reader;
  std::optional<Certificate> newest;
  std::vector<std::pair<ProofQueue::Question, ProofService::Proof>> told;
  std::uint64_t now = 1'000'000;
  std::uint64_t look_us = 1;  ///< that a look at the clock takes
  std::optional<ProofService> service;

  explicit Proved(std::uint64_t transactions, const std::string& every = "8") {
    while (log.ledger.length() < transactions) log.commit(1 + rng.below(5), 3, rng);
    for (const OwnCheckpoint& at : log.checkpoints) log.write(record_of(at));
    reader.emplace(log.store, kForm);
    service.emplace(genesis_of_four(every), log.store, *reader,
                    ProofService::Hooks{
                        [this] { return newest; }, [this] { return log.ledger.length(); },
                        [this](const ProofQueue::Question& of, const ProofService::Proof& proof) {
                          told.emplace_back(of, proof);
                        },
                        [this] { return now += look_us; }});
  }
  Certificate certificate_of(std::size_t commit) const {
    return {log.checkpoints[commit].signed_checkpoint.checkpoint, {NodeSet(4), {}}};
  }
  /// Each piece ends with the first block that it reads.
  void hurry() { look_us = 2 * ThreadShare::kBurst; }
  std::size_t serve_all() {
    std::size_t pieces = 0;
    for (; const auto at = service->step(); ++pieces) now = std::max(now, *at);
    return pieces;
  }
  std::string refusal(std::uint64_t position) {
    told.clear();
    EXPECT_TRUE(service->ask(7, position));
    serve_all();
    EXPECT_EQ(told.size(), 1u);
    EXPECT_FALSE(told[0].second);
    return told[0].second ? std::string() : told[0].second.error().text();
  }
};

void expect_proved(const Proved& p, const ProofService::Proof& proof, const Checkpoint& against) {
  ASSERT_TRUE(proof) << proof.error();
  EXPECT_EQ(proof->certificate.checkpoint, against);
  EXPECT_EQ(proof->content, p.log.contents[proof->position]);
  std::vector<LeafContent> leaf = proof->beside;
  leaf.insert(leaf.begin() + static_cast<std::ptrdiff_t>(proof->position % kLeafPositions),
              proof->content);
  EXPECT_TRUE(coding::merkle_included(leaf_of(leaf), proof->position / kLeafPositions,
                                      leaves_of(against.length), proof->path, against.root));
}

TEST(ProofService, EveryLinkGetsTheProofsThatItAskedFor) {
  Proved p(700);
  p.newest = p.certificate_of(p.log.checkpoints.size() - 1);
  for (ConnectionId link = 1; link <= 3; ++link)
    for (std::uint64_t at = link; at < 700; at += 97) ASSERT_TRUE(p.service->ask(link, at));
  p.serve_all();
  EXPECT_EQ(p.told.size(), 3 * 8u);
  for (const auto& [question, proof] : p.told) {
    expect_proved(p, proof, p.newest->checkpoint);
    EXPECT_EQ(proof->position, question.position);
    EXPECT_EQ(question.position % 97, question.from);
  }
}

// Certificates come while a chunk is read: a proof against each in turn would never be ended.
TEST(ProofService, AProofIsEndedAgainstTheCertificateWithWhichItBegan) {
  Proved p(2 * LogTree::kChunk);
  const std::size_t last = p.log.checkpoints.size() - 1;
  p.newest = p.certificate_of(last - 9);
  const Checkpoint began = p.newest->checkpoint;
  p.hurry();
  ASSERT_TRUE(p.service->ask(1, 3));
  ASSERT_TRUE(p.service->ask(2, 3));
  for (std::size_t k = 8; p.told.empty(); k = k > 0 ? k - 1 : 0) {
    const auto at = p.service->step();
    ASSERT_TRUE(at);
    p.now = std::max(p.now, *at);
    p.newest = p.certificate_of(last - k);
  }
  EXPECT_GT(p.serve_all(), 8u);
  ASSERT_EQ(p.told.size(), 2u);
  expect_proved(p, p.told[0].second, began);
  expect_proved(p, p.told[1].second, p.certificate_of(last).checkpoint);
}

TEST(ProofService, SaysWhyThereIsNoProof) {
  Proved none(20, "0");
  EXPECT_NE(none.refusal(3).find("has no checkpoints"), std::string::npos);
  Proved p(300);
  EXPECT_NE(p.refusal(3).find("0 are certified"), std::string::npos);
  p.newest = p.certificate_of(2);
  const Checkpoint& certified = p.newest->checkpoint;
  EXPECT_NE(p.refusal(certified.length).find("has no certificate yet"), std::string::npos);
  // Peers certified what this node is still writing down.
  p.log.write({kCheckpointTable, slot_key(certified.slot), {}, {}, true});
  p.service->forget();
  EXPECT_NE(p.refusal(0).find("has not written down its own checkpoint of slot " +
                              std::to_string(certified.slot.value)),
            std::string::npos);
  p.newest = p.certificate_of(p.log.checkpoints.size() - 1);
  p.reader->begins({Round{2}, 5, {}});
  EXPECT_NE(p.refusal(4).find("pruned"), std::string::npos);
}

// What its proof was begun against is not the next link's.
TEST(ProofService, NothingMoreIsReadForALinkThatLeft) {
  Proved p(2 * LogTree::kChunk);
  const std::size_t last = p.log.checkpoints.size() - 1;
  p.newest = p.certificate_of(last - 1);
  p.hurry();
  ASSERT_TRUE(p.service->ask(1, 3));
  ASSERT_TRUE(p.service->ask(2, 4));
  p.now = std::max(p.now, *p.service->step());
  EXPECT_TRUE(p.told.empty());
  p.service->leave(1);
  p.newest = p.certificate_of(last);
  p.serve_all();
  ASSERT_EQ(p.told.size(), 1u);
  EXPECT_EQ(p.told[0].first.from, 2u);
  expect_proved(p, p.told[0].second, p.newest->checkpoint);
}

TEST(ProofService, WhatIsBeyondALinksPlacesIsNotTaken) {
  Proved p(20);
  for (std::size_t k = 0; k < ProofQueue::kMostOfOne; ++k) ASSERT_TRUE(p.service->ask(1, k % 20));
  EXPECT_FALSE(p.service->ask(1, 0));
  EXPECT_TRUE(p.service->ask(2, 0));
}

}  // namespace
}  // namespace thresher::net
