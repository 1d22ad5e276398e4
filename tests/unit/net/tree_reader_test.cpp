// The tree as it was at a checkpoint, from what the store has: for every length, with leaves and
// chunks that were open then and are whole now.
#include <gtest/gtest.h>

#include "../../integration/node/payloads.hpp"
#include "ledger.hpp"
#include "life/log_tree.hpp"
#include "log_reader.hpp"
#include "memory_store.hpp"
#include "thresher/core/prng.hpp"

namespace thresher::net {
namespace {

constexpr std::uint32_t kBodies = 3;
constexpr LogForm kForm{{}, 4, &plain_id_of};

/// A log in a store, as a node writes it, with a checkpoint after every commit.
struct Log {
  MemoryStore store;
  Ledger ledger;
  LogTree tree;
  std::vector<LeafContent> contents;
  std::vector<OwnCheckpoint> checkpoints;

  void write(const Persist& record) { ASSERT_TRUE(store.write({&record, 1}, true)); }

  /// `results`: 1, all alike; else drawn from so many.
  void commit(std::uint64_t transactions, std::uint64_t results, Prng& rng) {
    const Round slot{ledger.slot().value + 1};
    std::vector<std::byte> packed;
    RunWriter out(packed);
    for (std::uint64_t i = 0; i < transactions; ++i) {
      const std::string data(rng.below(300), 'x');
      out.add({some_client(rng.below(3)), {Round{0}, Round{kLongestLife}}}, slot.value * 1000 + i,
              as_view(data));
    }
    const auto block = unsigned_block(slot, Bytes::from(std::move(packed)), {}, {});
    const Bytes key = slot_key(slot);
    write({kBodies, key, key, block->payload, true});
    LogEntry entry =
        ledger.append({slot, {}, {block}, ledger.slot()},
                      [&](const Transaction& t, const OrderedBlockPtr&, const Fingerprint&) {
                        const Digest result = hash(Writer().u64(rng.below(results)).view());
                        tree.add(t, result);
                        contents.push_back({t.client, t.sequence, payload_hash(t.data), result});
                      });
    entry.blocks[0].place = store.locate(kBodies, key.view()).value_or(BodyPlace{});
    for (const Persist& r : tree.take_records()) write(r);
    write({kLedgerTable, key, encode_entry(entry), {}, true});
    const Checkpoint c{slot, ledger.length(), ledger.log_hash(), tree.root(), {}};
    checkpoints.push_back({{c, NodeId{0}, {}}, true, tree.open_results()});
  }
};

// Whatever was written since.
void expect_proofs(const Log& log, const OwnCheckpoint& at, Prng& rng) {
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
  Log log;
  while (log.ledger.length() < 1400) log.commit(rng.below(40), 1 + rng.below(2) * 5, rng);
  for (const OwnCheckpoint& at : log.checkpoints) expect_proofs(log, at, rng);
}
INSTANTIATE_TEST_SUITE_P(Seeds, TreeReaderOf, testing::Range<std::uint64_t>(1, 9));

// One transaction a commit: each length has a checkpoint.
TEST(TreeReader, ProvesLogsOfEveryLength) {
  Prng rng(99);
  Log log;
  while (log.ledger.length() < 530) log.commit(1, 3, rng);
  for (const OwnCheckpoint& at : log.checkpoints) expect_proofs(log, at, rng);
}

// A foreign or damaged store: how many results there are decides how far a leaf is read.
TEST(TreeReader, ACheckpointWithOtherResultsThanItsLengthSaysProvesNothing) {
  Prng rng(3);
  Log log;
  while (log.ledger.length() < 301) log.commit(7, 3, rng);
  OwnCheckpoint at = log.checkpoints.back();
  const Checkpoint& c = at.signed_checkpoint.checkpoint;
  const LogReader reader(log.store, kForm);
  for (const bool more : {false, true}) {
    at.open_results.resize(c.length % LogTree::kChunk + (more ? 1 : -1));
    TreeReader tree(log.store, reader, at);
    const auto proof = proof_of(tree, c.length - 1, {c, {NodeSet(4), {}}}, 3);
    ASSERT_FALSE(proof);
    EXPECT_NE(proof.error().find("it is damaged"), std::string::npos) << proof.error();
  }
}

}  // namespace
}  // namespace thresher::net
