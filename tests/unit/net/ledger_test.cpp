#include "ledger/ledger.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "../../how_many.hpp"
#include "../../integration/node/payloads.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {
namespace {

struct Tx {
  std::uint64_t client = 0;
  std::uint64_t sequence = 0;
  std::string data = "x";
  Validity valid{Round{0}, Round{kLongestLife}};
};

Commit commit_of(std::uint64_t slot, const std::vector<Tx>& transactions) {
  std::vector<std::byte> packed;
  RunWriter out(packed);
  for (const Tx& t : transactions) {
    out.add({some_client(t.client), t.valid}, t.sequence, as_view(t.data));
  }
  return {Round{slot}, {}, {unsigned_block(Round{slot}, Bytes::from(std::move(packed)), {}, {})}};
}

std::vector<std::uint64_t> order(Ledger& ledger, const Commit& commit, LogEntry* entry = nullptr) {
  std::vector<std::uint64_t> sequences;
  LogEntry made = ledger.append(commit, [&](const Transaction& t, const NewTransaction&) {
    sequences.push_back(t.sequence);
  });
  if (entry != nullptr) *entry = std::move(made);
  return sequences;
}

std::optional<std::uint64_t> position_of(const Ledger& ledger, const Tx& t) {
  const ClientId client = some_client(t.client);
  return ledger.position_of(
      {client, t.sequence, ledger.print_of(client, t.sequence, as_view(t.data))}, as_view(t.data));
}

/// Valid from a slot on for as long as can be.
Validity from(std::uint64_t since) {
  return {Round{since}, Round{since + kLongestLife}};
}

using Sequences = std::vector<std::uint64_t>;

TEST(Ledger, EveryTransactionCountsOnce) {
  Ledger ledger;
  EXPECT_EQ(order(ledger, commit_of(1, {{5, 0}, {5, 1}, {5, 0}})), (Sequences{0, 1}));
  EXPECT_EQ(order(ledger, commit_of(2, {{5, 3}, {5, 1}, {5, 2}, {5, 3}, {6, 0}})),
            (Sequences{3, 2, 0}));
  EXPECT_EQ(ledger.length(), 5u);
  EXPECT_EQ(position_of(ledger, {5, 3}), 2u);
  EXPECT_EQ(position_of(ledger, {5, 2}), 3u);
  EXPECT_FALSE(position_of(ledger, {5, 4}));
}

// Before: a sequence 65,536 behind, or 2^20 ahead, was dropped and answered "had been committed".
TEST(Ledger, NoSequenceIsTooFarAheadOrBehind) {
  Ledger ledger;
  std::vector<Tx> later;
  for (std::uint64_t k = 1; k <= 70'000; ++k) later.push_back({5, k});
  EXPECT_EQ(order(ledger, commit_of(1, later)).size(), 70'000u);
  EXPECT_EQ(order(ledger, commit_of(2, {{5, 0}, {5, 1u << 21}, {5, ~0ull}, {5, 1u << 21}})),
            (Sequences{0, 1u << 21, ~0ull}));
  EXPECT_TRUE(order(ledger, commit_of(3, later)).empty());
}

// A member writes a client's sequences, with data of its own, before the client does.
TEST(Ledger, WhatIsForgedInAClientsNameDisplacesNothing) {
  Ledger ledger;
  std::vector<Tx> forged;
  for (std::uint64_t k = 0; k < 200; ++k) forged.push_back({5, k, "evil"});
  EXPECT_EQ(order(ledger, commit_of(1, forged)).size(), 200u);
  EXPECT_EQ(order(ledger, commit_of(2, {{5, 1, "rent"}, {5, 1, "rent"}})), (Sequences{1}));
  EXPECT_EQ(position_of(ledger, {5, 1, "rent"}), 200u);
  EXPECT_EQ(position_of(ledger, {5, 1, "evil"}), 1u);
}

TEST(Ledger, ATransactionIsOrderedInItsSlotsAlone) {
  Ledger ledger;
  const Validity valid{Round{4}, Round{6}};
  EXPECT_TRUE(order(ledger, commit_of(3, {{5, 0, "x", valid}})).empty());
  EXPECT_EQ(order(ledger, commit_of(4, {{5, 0, "x", valid}})).size(), 1u);
  EXPECT_EQ(order(ledger, commit_of(6, {{5, 1, "x", valid}})).size(), 1u);
  EXPECT_FALSE(ledger.may_still_order(valid));
  EXPECT_TRUE(order(ledger, commit_of(7, {{5, 2, "x", valid}})).empty());
  // A life that nobody remembers for is none.
  const Validity endless{Round{0}, Round{kLongestLife + 1}};
  EXPECT_TRUE(order(ledger, commit_of(8, {{5, 3, "x", endless}})).empty());
}

// The longest life there is: ordered in its first slot it is still known in its last, and in its
// last it may still be ordered.
TEST(Ledger, ALifeIsRememberedToItsLastSlot) {
  Ledger ledger;
  const Tx early{5, 0, "first slot", from(10)};
  const Tx late{5, 1, "last slot", from(10)};
  EXPECT_EQ(order(ledger, commit_of(10, {early})).size(), 1u);
  order(ledger, commit_of(10 + kLongestLife - 1, {{6, 0, "x", from(20)}}));
  EXPECT_TRUE(ledger.may_still_order(late.valid));
  EXPECT_EQ(order(ledger, commit_of(10 + kLongestLife, {early, late})), (Sequences{1}));
  EXPECT_FALSE(ledger.may_still_order(late.valid));
}

// Before: 262,144 transactions of others made every node forget, and whoever had seen an old one
// could have it ordered again.
TEST(Ledger, OthersCannotMakeATransactionCountTwice) {
  Ledger ledger;
  const Tx payment{1, 0, "pay 100 to Bob"};
  ASSERT_EQ(order(ledger, commit_of(1, {payment})).size(), 1u);
  std::uint64_t client = 1000;
  bool refused_by_size = false;
  for (std::uint64_t slot = 2; slot < 400; ++slot) {
    std::vector<Tx> flood;
    for (int k = 0; k < 6000; ++k) flood.push_back({++client, 0, "", from(slot)});
    ASSERT_EQ(order(ledger, commit_of(slot, flood)).size(), flood.size());
    ASSERT_LE(ledger.remembered(), kMostRemembered);
    if (slot % 20 == 0) {
      // Remembered, or too old to be ordered: never a second time.
      refused_by_size |= !position_of(ledger, payment);
      ASSERT_TRUE(order(ledger, commit_of(++slot, {payment})).empty()) << slot;
    }
  }
  EXPECT_TRUE(refused_by_size);  // the flood was large enough to matter
  EXPECT_FALSE(ledger.may_still_order(payment.valid));
  // A new submission is not held up by the flood.
  EXPECT_EQ(order(ledger, commit_of(401, {{1, 1, "now", from(400)}})).size(), 1u);
}

// A log entry names exactly what was ordered, so that a reader may start anywhere.
TEST(Ledger, EntriesNameWhatWasOrdered) {
  Ledger ledger;
  order(ledger, commit_of(1, {{5, 0}, {5, 1}}));
  const auto second = commit_of(2, {{5, 1}, {5, 2}, {5, 2}, {5, 3}});
  LogEntry entry;
  order(ledger, second, &entry);
  EXPECT_EQ(entry.first, 2u);
  EXPECT_EQ(entry.count, 2u);
  Sequences read;
  const auto end = each_ordered(entry.blocks[0], second.blocks[0]->payload.view(), entry.first,
                                [&](const Transaction& t, const Validity&) {
                                  EXPECT_EQ(t.position, 2 + read.size());
                                  EXPECT_EQ(t.client, some_client(5));
                                  read.push_back(t.sequence);
                                });
  EXPECT_EQ(read, (Sequences{2, 3}));
  EXPECT_EQ(end, 4u);
}

TEST(Ledger, EntriesSurviveEncoding) {
  Ledger ledger;
  LogEntry entry;
  order(ledger, commit_of(9, {{5, 0}, {5, 0}}), &entry);
  entry.blocks[0].place = {1234, 56};
  const auto read =
      decode_entry(slot_key(entry.slot).view(), encode_entry(entry).view(), {{}, 4, &plain_id_of});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->slot, entry.slot);
  EXPECT_EQ(read->log_hash, entry.log_hash);
  EXPECT_EQ(read->blocks[0].place.offset, 1234u);
  EXPECT_EQ(read->blocks[0].skipped, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(read->blocks[0].block->id, entry.blocks[0].block->id);
}

// Half of a payload is readable: all nodes order that half.
TEST(Ledger, AMalformedPayloadEndsWhereItIsWrong) {
  auto commit = commit_of(1, {{5, 0}, {5, 1}, {6, 0}});
  const Bytes whole = commit.blocks[0]->payload;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Ledger ledger;
    auto block = std::make_shared<OrderedBlock>(*commit.blocks[0]);
    block->payload = whole.slice(0, size);
    commit.blocks[0] = block;
    const std::size_t first_run = kRunHead + 2 * (kEntryHead + 1);
    EXPECT_EQ(order(ledger, commit).size(), size < first_run ? 0u : 2u) << size;
  }
}

/// Remembers everything, and looks through all of it.
class Naive {
 public:
  bool order(const Tx& t, std::uint64_t slot) {
    if (slot < t.valid.since.value || slot > t.valid.until.value) return false;
    if (t.valid.until.value - t.valid.since.value > kLongestLife) return false;
    return seen_.insert({t.client, t.sequence, t.data}).second;
  }

 private:
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::string>> seen_;
};

// As long as less than kMostRemembered is ordered in a life, the ledger does what one does that
// remembers everything, provided that a transaction keeps its slots. With restarts in between, and
// every node has another secret.
TEST(LedgerProperty, ItAgreesWithOneThatForgetsNothing) {
  for (std::uint64_t seed = 1; seed <= how_many(20, 60); ++seed) {
    Prng random(seed);
    Ledger ledger;
    Ledger other;
    Naive naive;
    std::vector<Tx> sent;
    std::uint64_t slot = 0;
    for (int commit = 0; commit < 150; ++commit) {
      slot += 1 + random.below(random.chance_ppm(100'000) ? kLongestLife : 40);
      std::vector<Tx> block;
      for (std::uint64_t k = random.below(12); k > 0; --k) {
        if (!sent.empty() && random.chance_ppm(400'000)) {
          block.push_back(sent[random.below(static_cast<std::uint32_t>(sent.size()))]);
          if (random.chance_ppm(300'000)) block.back().data += "'";  // a forgery of it
          continue;
        }
        const std::uint64_t since = slot - std::min<std::uint64_t>(slot, random.below(30));
        const std::uint64_t life = random.chance_ppm(50'000) ? kLongestLife + random.below(2)
                                                             : random.below(kLongestLife + 1);
        const std::uint64_t far = random.chance_ppm(50'000) ? random.next() : random.below(50);
        sent.push_back({random.below(4),
                        far,
                        std::to_string(random.below(3)),
                        {Round{since}, Round{since + life}}});
        block.push_back(sent.back());
      }
      // One identity keeps the slots that it had first, as clients do.
      std::map<std::tuple<std::uint64_t, std::uint64_t, std::string>, Validity> slots;
      for (const Tx& t : sent) slots.try_emplace({t.client, t.sequence, t.data}, t.valid);
      Sequences expected;
      for (Tx& t : block) {
        t.valid = slots.try_emplace({t.client, t.sequence, t.data}, t.valid).first->second;
        sent.push_back(t);
        if (naive.order(t, slot)) expected.push_back(t.sequence);
      }
      ASSERT_EQ(order(ledger, commit_of(slot, block)), expected) << "seed " << seed;
      ASSERT_EQ(order(other, commit_of(slot, block)), expected) << "seed " << seed;
      if (random.chance_ppm(50'000)) {
        Ledger again;
        ASSERT_TRUE(again.restore(ledger.save().view()));
        ledger = std::move(again);
      }
    }
    EXPECT_EQ(ledger.log_hash(), other.log_hash());
    EXPECT_EQ(ledger.length(), other.length());
  }
}

// The same beyond kMostRemembered: nodes that restarted at any time and others agree.
TEST(LedgerProperty, WhatIsForgottenForWantOfRoomIsForgottenByAll) {
  Prng random(7);
  Ledger ledger;
  Ledger restarts;
  std::vector<Tx> old;
  std::size_t forgotten = 0;
  std::uint64_t next = 0;
  for (std::uint64_t slot = 1; slot <= how_many(124, 160); ++slot) {
    std::vector<Tx> block;
    for (int k = 0; k < 9000; ++k) block.push_back({random.below(2000), next++, "", from(slot)});
    old.push_back(block.front());
    for (int k = 0; k < 20; ++k) {
      block.push_back(old[random.below(static_cast<std::uint32_t>(old.size()))]);
    }
    const auto ordered = order(ledger, commit_of(slot, block));
    ASSERT_EQ(order(restarts, commit_of(slot, block)), ordered);
    ASSERT_EQ(ordered.size(), 9000u) << slot;  // none of the old ones
    forgotten += position_of(ledger, old.front()) ? 0 : 1;
    if (slot % 41 != 0) continue;
    Ledger again;
    ASSERT_TRUE(again.restore(restarts.save().view()));
    restarts = std::move(again);
  }
  EXPECT_GT(forgotten, 0u);
  EXPECT_EQ(ledger.log_hash(), restarts.log_hash());
  EXPECT_EQ(ledger.remembered(), restarts.remembered());
}

TEST(Ledger, ACutOrLyingSnapshotIsRefused) {
  Ledger ledger;
  order(ledger, commit_of(1, {{5, 0}, {5, 1}, {5, 1, "forged"}}));
  const Bytes saved = ledger.save();
  Ledger copy;
  EXPECT_TRUE(copy.restore(saved.view()));
  for (std::size_t size = 0; size < saved.size(); ++size) {
    EXPECT_FALSE(copy.restore(saved.view().first(size))) << size;
  }
}

// A view of it is what the node had, whatever is ordered while another thread writes it out.
TEST(Ledger, AFrozenOneSavesWhatItWas) {
  Ledger ledger;
  std::vector<Tx> many;
  for (std::uint64_t k = 0; k < 5000; ++k) many.push_back({k % 7, k * 3 % 4999});
  order(ledger, commit_of(1, many));
  const Bytes then = ledger.save();
  const Ledger::Frozen frozen = ledger.freeze();
  order(ledger, commit_of(2, {{9, 1}, {3, 1, "other"}}));
  order(ledger, commit_of(kLongestLife + 2, {{9, 2, "x", from(kLongestLife)}}));  // forgets
  Writer w;
  frozen.save(w);
  EXPECT_EQ(w.view().size(), frozen.size());
  EXPECT_EQ(Bytes::from(w.take()), then);
}

// Without a client, or written when clients in the index were not named: found by their
// fingerprints alone, however often that is written and read.
TEST(Remembered, WhatHasNoClientIsFoundAfterManyRestarts) {
  Remembered memory;
  const ClientId client{{std::byte{5}}};
  const std::vector<std::pair<ClientId, std::uint64_t>> all{
      {client, 1}, {client, 1u << 30}, {ClientId{}, 4}, {ClientId{}, 5}};
  const auto key = [&](const Remembered& of, std::size_t i) {
    const auto& [who, sequence] = all[i];
    return Remembered::Key{who, sequence, of.print_of(who, sequence, as_view("data"))};
  };
  for (std::size_t i = 0; i < all.size(); ++i) memory.add(key(memory, i));
  memory.end_slot(Round{1});
  // As older releases wrote it: what lies in the index has neither mark nor client.
  Remembered::Frozen old = memory.freeze();
  SharedQueue<Remembered::Entry> unnamed;
  old.entries.each([&](const Remembered::Entry& e) {
    unnamed.push_back({e.print, e.sequence, e.sequence == 1u << 30 ? ClientId{} : e.client});
  });
  old.entries = unnamed.view();
  for (int restart = 0; restart < 3; ++restart) {
    Writer w;
    restart == 0 ? old.save(w) : memory.freeze().save(w);
    Remembered again;
    Reader in(w.view());
    ASSERT_TRUE(again.restore(in, all.size()) && in.done());
    memory = std::move(again);
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(memory.position_of(key(memory, i), as_view("data"), nullptr), i) << restart;
    EXPECT_FALSE(memory.position_of(key(memory, 0), as_view("data"), nullptr) == 1u);
  }
}

// The same of what was inherited, which the secrets of others were of.
TEST(Remembered, WhatWasInheritedIsFoundAfterManyRestarts) {
  RecentTransactions ordered;
  const ClientId client{{std::byte{5}}};
  for (std::uint64_t k = 0; k < 2000; ++k)
    ordered.push_back({client, k, payload_hash(as_view("data"))});
  const std::vector<Remembered::Slot> slots{{Round{3}, 2000}};
  Remembered memory;
  ASSERT_TRUE(memory.inherit(Round{0}, slots, ordered.view(), 5000));
  for (int restart = 0; restart < 3; ++restart) {
    for (const std::uint64_t k : {0u, 1u, 1023u, 1024u, 1999u}) {
      const Remembered::Key key{client, k, memory.print_of(client, k, as_view("data"))};
      EXPECT_EQ(memory.position_of(key, as_view("data"), nullptr), 3000 + k);
      const Digest hash = payload_hash(as_view("data"));  // known: the data are not hashed again
      EXPECT_EQ(memory.position_of(key, {}, &hash), 3000 + k);
      const Remembered::Key other{client, k, memory.print_of(client, k, as_view("else"))};
      EXPECT_FALSE(memory.position_of(other, as_view("else"), nullptr));
    }
    Writer w;
    const Remembered::Frozen frozen = memory.freeze();
    frozen.save(w);
    EXPECT_EQ(w.view().size(), frozen.size());
    Remembered again;
    Reader in(w.view());
    ASSERT_TRUE(again.restore(in, 5000) && in.done());
    memory = std::move(again);
  }
}

// Sequences that grow and are forgotten from everywhere but the ends leave no holes that cost.
TEST(Ledger, OneLeftAtEachEndOfManyStaysOne) {
  Ledger ledger;
  std::vector<Tx> many;
  for (std::uint64_t k = 1; k <= 50'000; ++k) many.push_back({5, k});
  order(ledger, commit_of(1, many));
  order(ledger, commit_of(kLongestLife / 2, {{5, 0, "x"}, {5, 50'001, "x"}}));
  order(ledger, commit_of(kLongestLife + 2, {}));
  EXPECT_EQ(ledger.remembered(), 2u);
  EXPECT_TRUE(position_of(ledger, {5, 0}) && position_of(ledger, {5, 50'001}));
  const Tx between{5, 25'000, "x", from(kLongestLife)};
  EXPECT_EQ(order(ledger, commit_of(kLongestLife + 3, {between})).size(), 1u);
  EXPECT_TRUE(order(ledger, commit_of(kLongestLife + 4, {between})).empty());
}

}  // namespace
}  // namespace thresher::net
