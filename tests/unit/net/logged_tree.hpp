// A log in a store with the tree over it, for tests of what reads both.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "../../integration/node/payloads.hpp"
#include "ledger/ledger.hpp"
#include "ledger/log_reader.hpp"
#include "life/log_tree.hpp"
#include "store/memory_store.hpp"
#include "thresher/core/prng.hpp"

namespace thresher::net {

inline constexpr std::uint32_t kBodies = 3;
inline constexpr LogForm kForm{{}, 4, &plain_id_of};

/// A log in a store, as a node writes it, with a checkpoint after every commit.
struct LoggedTree {
  MemoryStore store;
  Ledger ledger;
  LogTree tree;
  std::vector<LeafContent> contents;
  std::vector<OwnCheckpoint> checkpoints;

  static Bytes body_key(Round slot, std::uint64_t block) {
    return Bytes::from(Writer().u64(slot.value).u64(block).take());
  }
  static OrderedBlockPtr block_of(Round slot, std::uint64_t block, std::uint64_t transactions,
                                  Prng& rng) {
    std::vector<std::byte> packed;
    RunWriter out(packed);
    for (std::uint64_t i = 0; i < transactions; ++i) {
      const std::string data(rng.below(300), 'x');
      out.add({some_client(rng.below(3)), {Round{0}, Round{kLongestLife}}},
              (slot.value * 100 + block) * 1000 + i, as_view(data));
    }
    return unsigned_block(slot, Bytes::from(std::move(packed)), {}, {});
  }
  void write(const Persist& record) { ASSERT_TRUE(store.write({&record, 1}, Sync::kYes)); }

  /// `results`: 1, all alike; else drawn from so many.
  void commit(std::uint64_t transactions, std::uint64_t results, Prng& rng) {
    commit_of_blocks(1, transactions, rng, results);
  }
  void commit_of_blocks(std::uint64_t blocks, std::uint64_t transactions, Prng& rng,
                        std::uint64_t results = 3) {
    const Round slot{ledger.slot().value + 1};
    Commit commit{slot, {}, {}, ledger.slot()};
    for (std::uint64_t b = 0; b < blocks; ++b) {
      commit.blocks.push_back(block_of(slot, b, transactions, rng));
      write({kBodies, body_key(slot, b), slot_key(slot), commit.blocks.back()->payload, true});
    }
    LogEntry entry = ledger.append(commit, [&](const Transaction& t, const NewTransaction&) {
      const Digest result = hash(Writer().u64(rng.below(results)).view());
      tree.add(t, result);
      contents.push_back({t.client, t.sequence, payload_hash(t.data), result});
    });
    for (std::uint64_t b = 0; b < blocks; ++b)
      entry.blocks[b].place = store.locate(kBodies, body_key(slot, b).view()).value_or(BodyPlace{});
    const Bytes key = slot_key(slot);
    for (const Persist& r : tree.take_records()) write(r);
    write({kLedgerTable, key, encode_entry(entry), {}, true});
    const Checkpoint c{slot, ledger.length(), ledger.log_hash(), tree.root(), {}};
    checkpoints.push_back({{c, NodeId{0}, {}}, true, tree.open_results()});
  }
};

}  // namespace thresher::net
