// The tree as it was at a checkpoint, from what the store has: for every length, with leaves and
// chunks that were open then and are whole now.
#include <gtest/gtest.h>

#include "logged_tree.hpp"

namespace thresher::net {
namespace {

// Whatever was written since.
void expect_proofs(const LoggedTree& log, const OwnCheckpoint& at, Prng& rng) {
  const Checkpoint& c = at.signed_checkpoint.checkpoint;
  const LogReader reader(log.store, kForm);
  TreeReader tree(log.store, reader, at);
  ASSERT_EQ(tree.leaves(), leaves_of(c.length));
  if (c.length == 0) return;
  const auto whole = tree.part(0, tree.leaves());
  ASSERT_TRUE(whole) << whole.error();
  EXPECT_EQ(*whole, c.root);
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t position = i == 0 ? c.length - 1 : rng.below(c.length);
    const auto proof = proof_of(tree, position, {c, {NodeSet(4), {}}}, 3);
    ASSERT_TRUE(proof) << proof.error();
    EXPECT_EQ(proof->content, log.contents[position]);
    std::vector<LeafContent> leaf = proof->beside;
    leaf.insert(leaf.begin() + static_cast<std::ptrdiff_t>(position % kLeafPositions),
                proof->content);
    ASSERT_EQ(leaf.size(), positions_in(position / kLeafPositions, c.length));
    EXPECT_TRUE(coding::merkle_included(leaf_of(leaf), position / kLeafPositions, tree.leaves(),
                                        proof->path, c.root))
        << position << " of " << c.length;
  }
}

class TreeReaderOf : public testing::TestWithParam<std::uint64_t> {};

TEST_P(TreeReaderOf, ProvesEveryCheckpointWhileTheLogGoesOn) {
  Prng rng(GetParam());
  LoggedTree log;
  while (log.ledger.length() < 1400) log.commit(rng.below(40), 1 + rng.below(2) * 5, rng);
  for (const OwnCheckpoint& at : log.checkpoints) expect_proofs(log, at, rng);
}
INSTANTIATE_TEST_SUITE_P(Seeds, TreeReaderOf, testing::Range<std::uint64_t>(1, 9));

// One transaction a commit: each length has a checkpoint.
TEST(TreeReader, ProvesLogsOfEveryLength) {
  Prng rng(99);
  LoggedTree log;
  while (log.ledger.length() < 530) log.commit(1, 3, rng);
  for (const OwnCheckpoint& at : log.checkpoints) expect_proofs(log, at, rng);
}

const Enough kAtOnce = [] { return true; };

// Blocks full of duplicates make the positions of one proof hundreds of MiB of payload, and a node
// that read them in one go did nothing else meanwhile.
TEST(TreeReader, WhatAProofTakesIsReadABlockAtATimeAndOnce) {
  Prng rng(5);
  LoggedTree log;
  while (log.ledger.length() < 2 * LogTree::kChunk + 30) log.commit(1 + rng.below(3), 3, rng);
  const OwnCheckpoint at = log.checkpoints.back();
  const Checkpoint& c = at.signed_checkpoint.checkpoint;
  const LogReader reader(log.store, kForm);
  TreeReader tree(log.store, reader, at);
  const std::uint64_t position = LogTree::kChunk + 7;
  std::uint64_t pieces = 1;
  while (!tree.read_for_proof(position / kLeafPositions, kAtOnce)) ++pieces;
  std::uint64_t blocks = 0;  // of the commits of that chunk, and of the open one
  (void)reader.each(Round{0}, [&](const LogEntry& e) {
    blocks += e.first + e.count > LogTree::kChunk ? e.blocks.size() : 0;
    return true;
  });
  EXPECT_GE(pieces + 2, blocks);
  EXPECT_LE(pieces, blocks + 2);
  // Whatever goes now is not looked for again.
  for (std::uint64_t slot = 1; slot <= c.slot.value; ++slot)
    log.write({kLedgerTable, slot_key(Round{slot}), {}, {}, true});
  const auto proof = proof_of(tree, position, {c, {NodeSet(4), {}}}, 3);
  ASSERT_TRUE(proof) << proof.error();
  EXPECT_EQ(proof->content, log.contents[position]);
}

// A commit of many blocks is left between two of them, and read on from there.
TEST(ContentReading, GoesOnInTheMiddleOfACommit) {
  Prng rng(6);
  LoggedTree log;
  log.commit(30, 3, rng);
  log.commit_of_blocks(5, 40, rng);
  log.commit(30, 3, rng);
  const LogReader reader(log.store, kForm);
  std::vector<Digest> results;
  for (const LeafContent& one : log.contents) results.push_back(one.result);
  const auto read = [&](std::uint64_t begin, std::uint64_t count, const Enough& enough) {
    const auto first = results.begin() + static_cast<std::ptrdiff_t>(begin);
    ContentReading reading(
        reader, {begin, {first, first + static_cast<std::ptrdiff_t>(count)}, {}, Round{3}});
    int pieces = 1;
    while (!reading.read_on(enough)) ++pieces;
    EXPECT_TRUE(reading.whole());
    const auto wanted = log.contents.begin() + static_cast<std::ptrdiff_t>(begin);
    EXPECT_TRUE(std::ranges::equal(reading.take(),
                                   std::span(wanted, wanted + static_cast<std::ptrdiff_t>(count))));
    return pieces;
  };
  EXPECT_EQ(read(0, 260, kAtOnce), 7);
  EXPECT_EQ(read(0, 260, [] { return false; }), 1);
  EXPECT_EQ(read(75, 60, kAtOnce), 3);  // from the second block of the commit to the third, of 5
}

// A part that is not on the disk at first is there later: no failure is remembered.
TEST(TreeReader, WhatCannotBeReadIsLookedForAgainByTheNextQuestion) {
  Prng rng(7);
  LoggedTree log;
  while (log.ledger.length() < 40) log.commit(4, 3, rng);
  const OwnCheckpoint at = log.checkpoints.back();
  const Checkpoint& c = at.signed_checkpoint.checkpoint;
  const LogReader reader(log.store, kForm);
  TreeReader tree(log.store, reader, at);
  const Bytes key = slot_key(Round{3});
  Bytes kept;
  (void)log.store.scan(kLedgerTable, key.view(), [&](ByteView, ByteView value) {
    kept = Bytes::copy_of(value);
    return false;
  });
  log.write({kLedgerTable, key, {}, {}, true});
  while (!tree.read_for_proof(0, kAtOnce)) {
  }
  const auto proof = proof_of(tree, 0, {c, {NodeSet(4), {}}}, 3);
  ASSERT_FALSE(proof);
  EXPECT_NE(proof.error().text().find("cannot be read back"), std::string::npos) << proof.error();
  log.write({kLedgerTable, key, kept, {}, true});
  expect_proofs(log, at, rng);
  EXPECT_TRUE(proof_of(tree, 0, {c, {NodeSet(4), {}}}, 3));
}

// A foreign or damaged store: how many results there are decides how far a leaf is read.
TEST(TreeReader, ACheckpointWithOtherResultsThanItsLengthSaysProvesNothing) {
  Prng rng(3);
  LoggedTree log;
  while (log.ledger.length() < 301) log.commit(7, 3, rng);
  OwnCheckpoint at = log.checkpoints.back();
  const Checkpoint& c = at.signed_checkpoint.checkpoint;
  const LogReader reader(log.store, kForm);
  for (const bool more : {false, true}) {
    at.open_results.resize(c.length % LogTree::kChunk + (more ? 1 : -1));
    TreeReader tree(log.store, reader, at);
    const auto proof = proof_of(tree, c.length - 1, {c, {NodeSet(4), {}}}, 3);
    ASSERT_FALSE(proof);
    EXPECT_NE(proof.error().text().find("it is damaged"), std::string::npos) << proof.error();
  }
}

}  // namespace
}  // namespace thresher::net
