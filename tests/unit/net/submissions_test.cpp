// What a node does with what clients submit: the pool, who waits for what, shares.
#include "service/submissions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../integration/node/payloads.hpp"
#include "service/queries.hpp"
#include "service/visitors.hpp"
#include "thresher/core/prng.hpp"

namespace thresher::net {
namespace {

constexpr std::size_t kBlock = 1u << 16;

RunHead head_of(std::uint64_t client, const Ledger& ledger) {
  return {some_client(client), {ledger.slot(), Round{ledger.slot().value + kLongestLife}}};
}

/// A node without a network: everything in the pool is ordered when told.
class Intake {
 public:
  explicit Intake(std::size_t pool_bytes = 1u << 20, bool observes = false)
      : submissions({1000, pool_bytes, observes}) {}

  Submissions::Answers submit(std::uint64_t client, const Texts& texts) {
    return submissions.submit(head_of(client, ledger), entries(texts), ledger, kFirstClient);
  }
  Bytes next_block(std::size_t room = kBlock) {
    std::vector<std::byte> packed;
    submissions.pool().take(room, packed);
    return Bytes::from(std::move(packed));
  }
  /// Returns what the clients here hear.
  std::vector<Placed> order(const Bytes& payload, std::uint64_t slots = 1) {
    const Round slot{ledger.slot().value + slots};
    std::vector<Placed> out;
    (void)ledger.append({slot, {}, {unsigned_block(slot, payload, {}, {})}},
                        [&](const Transaction& t, const NewTransaction& of) {
                          submissions.ordered(t.client, of.print, [&](const Submission& s) {
                            EXPECT_EQ(s.client, t.client);
                            out.push_back({s.sequence, t.position});
                          });
                        });
    return out;
  }
  std::vector<std::uint64_t> expired() {
    std::vector<std::uint64_t> out;
    submissions.expire(ledger, [&](const Submission& s) { out.push_back(s.sequence); });
    return out;
  }

  Ledger ledger;
  Submissions submissions;
};

TEST(Submissions, EachIsAnsweredOnceWithItsPosition) {
  Intake node;
  EXPECT_TRUE(node.submit(5, {{0, "a"}, {1, "b"}}).refused.empty());
  // Once more while it waits: no second place, no second answer.
  EXPECT_TRUE(node.submit(5, {{1, "b"}}).placed.empty());
  const Bytes block = node.next_block();
  const auto told = node.order(block);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[1].sequence, 1u);
  EXPECT_EQ(told[1].position, 1u);
  EXPECT_TRUE(node.order(block).empty());
  // And after: where it is, not "before".
  const auto again = node.submit(5, {{1, "b"}});
  ASSERT_EQ(again.placed.size(), 1u);
  EXPECT_EQ(again.placed[0].position, 1u);
  EXPECT_TRUE(node.next_block().empty());
}

// f of n write what they like under the victim's name, ahead of it and behind.
TEST(Submissions, AForgedTransactionAnswersNothing) {
  Prng random(3);
  for (int run = 0; run < 200; ++run) {
    Intake node;
    std::map<std::uint64_t, std::string> mine;
    Texts forged;
    for (std::uint64_t k = 0; k < 8; ++k) mine[k] = "pay " + std::to_string(k);
    for (int k = 0; k < 20; ++k) {
      forged.push_back({random.below(10), "pay " + std::to_string(random.below(10)) + " more"});
    }
    const auto forge = [&] {
      return node.order(block_of(some_client(5), forged, node.ledger.slot().value));
    };
    if (random.chance_ppm(500'000)) {
      EXPECT_TRUE(forge().empty());
    }
    for (const auto& [sequence, text] : mine) {
      EXPECT_TRUE(node.submit(5, {{sequence, text}}).placed.empty());
    }
    EXPECT_TRUE(forge().empty());
    const std::uint64_t before = node.ledger.length();
    const auto told = node.order(node.next_block());
    ASSERT_EQ(told.size(), mine.size());
    for (std::size_t k = 0; k < told.size(); ++k) {
      EXPECT_EQ(told[k].sequence, k);
      EXPECT_EQ(told[k].position, before + k);
    }
  }
}

// Before: it took them, and nobody was ever answered.
TEST(Submissions, OfANodeThatObservesNothingIsTaken) {
  Intake node(1u << 20, true);
  node.order(block_of(some_client(5), {{0, "a"}}, 0));
  const auto answers = node.submit(5, {{0, "a"}, {1, "b"}, {2, std::string(1001, 'x')}});
  ASSERT_EQ(answers.placed.size(), 1u);  // by another node
  EXPECT_EQ(answers.placed[0].position, 0u);
  ASSERT_EQ(answers.refused.size(), 1u);
  EXPECT_EQ(answers.refused.at(Refusal::kObserves), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(node.submissions.awaited(), 0u);
  EXPECT_TRUE(node.next_block().empty());
}

// Before: one that was too large had the whole frame answered as refused.
TEST(Submissions, OneThatIsTooLargeIsRefusedAloneAndNamed) {
  Intake node;
  const auto answers = node.submit(5, {{0, "a"}, {1, std::string(1001, 'x')}, {2, "c"}});
  ASSERT_EQ(answers.refused.size(), 1u);
  EXPECT_EQ(answers.refused.at(Refusal::kTooLarge), (std::vector<std::uint64_t>{1}));
  const auto told = node.order(node.next_block());
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].sequence, 0u);
  EXPECT_EQ(told[1].sequence, 2u);
}

TEST(Submissions, WhatWasNotOrderedInTimeIsRefusedForGood) {
  Intake node;
  EXPECT_TRUE(node.submit(5, {{0, "a"}}).refused.empty());
  const Bytes block = node.next_block();
  EXPECT_TRUE(node.expired().empty());
  (void)node.order({}, kLongestLife);
  EXPECT_EQ(node.expired(), (std::vector<std::uint64_t>{0}));
  EXPECT_TRUE(node.expired().empty());
  EXPECT_TRUE(node.order(block).empty());
  EXPECT_EQ(node.ledger.length(), 0u);
  // With slots that are over it is not taken at all.
  const net::RunHead late{some_client(5), {Round{0}, Round{kLongestLife}}};
  const auto answers = node.submissions.submit(late, entry(1, "b"), node.ledger, kFirstClient);
  EXPECT_EQ(answers.refused.count(Refusal::kTooLate), 1u);
  EXPECT_EQ(node.submissions.awaited(), 0u);
}

// Before: it went into a block, was skipped there as too early, and its place was lost for as long
// as its slots did not come; 21 ids shut a node to everybody.
TEST(Submissions, WhatHasNotBegunIsRefusedAtOnceAndTakesNoPlace) {
  Intake node;
  (void)node.order({}, 100);
  for (const std::uint64_t since : {std::uint64_t{101}, std::uint64_t{105}, 100 + kLongestLife,
                                    ~std::uint64_t{0} - kLongestLife, ~std::uint64_t{0}}) {
    const std::uint64_t until = since + std::min(kLongestLife, ~std::uint64_t{0} - since);
    const net::RunHead head{some_client(5), {Round{since}, Round{until}}};
    const auto answers =
        node.submissions.submit(head, entries({{0, ""}, {1, "b"}}), node.ledger, kFirstClient);
    ASSERT_EQ(answers.refused.size(), 1u) << since;
    EXPECT_EQ(answers.refused.at(Refusal::kTooEarly), (std::vector<std::uint64_t>{0, 1}));
    EXPECT_EQ(node.submissions.awaited(), 0u);
    EXPECT_TRUE(node.submissions.pool().empty());
  }
  // The same again, once its time has come.
  const net::RunHead soon{some_client(5), {Round{105}, Round{105 + kLongestLife}}};
  (void)node.order({}, 5);
  EXPECT_TRUE(
      node.submissions.submit(soon, entry(1, "b"), node.ledger, kFirstClient).refused.empty());
  EXPECT_EQ(node.order(node.next_block()).size(), 1u);
}

TEST(Submissions, AFullPoolRefusesTheRestOfAFrameAndKeepsTheOrder) {
  Intake node(40'000);
  Texts many;
  for (std::uint64_t k = 0; k < 100; ++k) many.push_back({k, std::string(900, 'x')});
  const auto answers = node.submit(5, many);
  const auto& refused = answers.refused.at(Refusal::kOverloaded);
  const auto told = node.order(node.next_block(1u << 20));
  ASSERT_EQ(told.size() + refused.size(), 100u);
  EXPECT_GT(told.size(), 10u);
  for (std::size_t k = 0; k < told.size(); ++k) EXPECT_EQ(told[k].sequence, k);
  // There is room again.
  EXPECT_TRUE(node.submit(5, {{99, "last"}}).refused.empty());
}

// Before: a client that filled the pool kept all others out.
TEST(Pool, GreedyClientsLeaveRoomForANewcomer) {
  Intake node(200'000);
  std::uint64_t sequence = 0;
  for (std::uint64_t client = 1; client <= 6; ++client) {
    for (int k = 0; k < 300; ++k) (void)node.submit(client, {{sequence++, std::string(900, 'x')}});
  }
  EXPECT_TRUE(node.submit(99, {{0, "newcomer"}}).refused.empty());
  EXPECT_TRUE(node.submit(99, {{1, std::string(900, 'y')}}).refused.empty());
}

// Before: each newcomer could take half of what was left, so 60 ids left nothing, and 19 of 21
// transactions of a small client were refused.
TEST(Pool, ManyGreedyIdsStarveNoSmallClient) {
  Intake node(2u << 20);
  Texts greedy;
  for (std::uint64_t k = 0; k < 300; ++k) greedy.push_back({k, std::string(900, 'x')});
  const auto flood = [&](std::uint64_t round) {
    for (std::uint64_t client = 1; client <= 200; ++client) {
      for (auto& [sequence, text] : greedy) sequence = 1000 * round + sequence % 1000;
      (void)node.submit(client, greedy);
    }
  };
  flood(1);
  EXPECT_GT(node.submissions.pool().bytes(), 1u << 20);
  for (std::uint64_t round = 2; round < 12; ++round) {
    const std::uint64_t honest = 1000 + round % 2;  // with and without one of its own before
    const auto answers = node.submit(honest, {{round, "small"}});
    ASSERT_TRUE(answers.refused.empty()) << round;
    flood(round);
    bool is_in = false;
    each_transaction(node.next_block().view(),
                     [&](const net::RunHead& run, std::uint64_t, ByteView) {
                       is_in = is_in || run.client == some_client(honest);
                     });
    EXPECT_TRUE(is_in) << round;
  }
}

TEST(Pool, WhoGivesWayLosesItsNewestAndIsTold) {
  Intake node(10'000);
  const auto submit = [&](std::uint64_t client, std::uint64_t first, std::uint64_t count) {
    Texts texts;
    for (std::uint64_t k = 0; k < count; ++k) texts.push_back({first + k, std::string(24, 'x')});
    return node.submit(client, texts);  // 100 each
  };
  EXPECT_EQ(submit(1, 0, 60).refused.at(Refusal::kOverloaded).size(), 10u);  // half is for others
  EXPECT_EQ(submit(2, 0, 40).refused.at(Refusal::kOverloaded).size(), 7u);   // a third is
  EXPECT_TRUE(submit(3, 0, 8).refused.empty());
  EXPECT_TRUE(submit(4, 0, 4).refused.empty());
  // 95 of 100 wait. A sixth of the pool for a fifth client: the one with most makes room for 11.
  const auto answers = submit(5, 0, 17);
  EXPECT_EQ(answers.refused.at(Refusal::kOverloaded), (std::vector<std::uint64_t>{16}));
  ASSERT_EQ(answers.gave_way.size(), 11u);
  for (const Submission& told : answers.gave_way) EXPECT_EQ(told.client, some_client(1));
  EXPECT_EQ(answers.gave_way.back().sequence, 49u);
  EXPECT_EQ(node.submissions.awaited(), 100u);
  EXPECT_EQ(node.order(node.next_block()).size(), 100u);
  EXPECT_EQ(node.submissions.awaited(), 0u);
}

// Places of those who wait for an answer are bounded too, and not the first come's.
TEST(Submissions, AnyNumberOfStrangersLeavesAPlaceForASmallClient) {
  Intake node(256u << 20);
  Texts many;
  for (std::uint64_t k = 0; k < 1u << 17; ++k) many.push_back({k, ""});
  std::uint64_t id = 0;
  for (; node.submissions.awaited() < kMostAwaited; ++id) (void)node.submit(id, many);
  for (std::uint64_t k = 0; k < 10; ++k) {
    EXPECT_TRUE(node.submit(id + k, {{0, "small"}}).refused.empty());
    EXPECT_LE(node.submissions.awaited(), kMostAwaited);
    (void)node.submit(k % id, {{1u << 20 | k, "more"}});  // and somebody fills it up again
  }
}

std::map<ClientId, std::size_t> bytes_by_client(const Bytes& block) {
  std::map<ClientId, std::size_t> out;
  EXPECT_TRUE(each_transaction(block.view(), [&](const RunHead& run, std::uint64_t, ByteView data) {
    out[run.client] += kEntryHead + data.size();
  }));
  return out;
}

TEST(Pool, BlocksAreSharedBetweenThoseWhoWait) {
  Intake node(16u << 20);
  Prng random(5);
  std::uint64_t sequence = 0;
  for (std::uint64_t client = 1; client <= 3; ++client) {  // of very different sizes
    for (std::size_t bytes = 0; bytes < 2'000'000;) {
      const std::size_t size = client == 1 ? 10 : client == 2 ? 999 : random.below(500);
      (void)node.submit(client, {{sequence++, std::string(size, 'x')}});
      bytes += size + kEntryHead;
    }
  }
  std::map<ClientId, std::size_t> got;
  for (int k = 0; k < 40; ++k) {
    const Bytes block = node.next_block();
    EXPECT_LE(block.size(), kBlock);
    EXPECT_GT(block.size(), kBlock * 9 / 10);
    // Somebody with one transaction comes at the end of the row each time, and is in the next.
    (void)node.submit(1000 + static_cast<std::uint64_t>(k), {{0, "small"}});
    const auto shares = bytes_by_client(block);
    for (const auto& [client, bytes] : shares) got[client] += bytes;
    EXPECT_TRUE(k == 0 || shares.contains(some_client(999 + static_cast<std::uint64_t>(k)))) << k;
  }
  for (std::uint64_t client = 1; client <= 3; ++client) {
    EXPECT_NEAR(static_cast<double>(got[some_client(client)]), 40.0 * kBlock / 3, kBlock) << client;
  }
}

TEST(Pool, EverythingComesOutOnceAndInOrder) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Prng random(seed);
    Intake node(16u << 20);
    std::map<ClientId, std::uint64_t> sent;
    std::map<ClientId, std::uint64_t> got;
    for (int step = 0; step < 300; ++step) {
      const std::uint64_t client = random.below(9);
      Texts texts;
      for (std::uint64_t k = random.below(6); k > 0; --k) {
        texts.push_back({sent[some_client(client)]++, std::string(random.below(1001), 'x')});
      }
      EXPECT_TRUE(node.submit(client, texts).refused.empty());
      if (random.chance_ppm(700'000) && step < 299) continue;
      // A block has room for the largest; at the end all goes out.
      for (int blocks = step == 299 ? 1000 : 1; blocks > 0; --blocks) {
        const Bytes block = node.next_block(1000 + kRunHead + kEntryHead + random.below(5000));
        EXPECT_TRUE(
            each_transaction(block.view(), [&](const net::RunHead& run, std::uint64_t s, ByteView) {
              EXPECT_EQ(s, got[run.client]++) << "seed " << seed;
            }));
        if (block.empty()) break;
      }
    }
    EXPECT_TRUE(node.submissions.pool().empty());
    EXPECT_EQ(node.submissions.pool().bytes(), 0u);
    for (const auto& [client, count] : sent) EXPECT_EQ(got[client], count);
  }
}

TEST(Awaited, ItHoldsAndFindsLikeAMap) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Prng random(seed);
    Awaited awaited;
    std::map<Fingerprint, std::uint64_t> model;
    for (int step = 0; step < 20'000; ++step) {
      // Few distinct low halves, so that places collide.
      const Fingerprint print{random.below(3000), random.below(2)};
      if (random.chance_ppm(500'000)) {
        if (model.try_emplace(print, step).second) {
          awaited.add(print, {some_client(1), static_cast<std::uint64_t>(step), {}});
        }
      } else {
        const auto it = model.find(print);
        const bool got =
            awaited.take(print, [&](const Submission& s) { ASSERT_EQ(s.sequence, it->second); });
        ASSERT_EQ(got, it != model.end()) << "seed " << seed << " step " << step;
        if (!got) continue;
        model.erase(it);
      }
      ASSERT_EQ(awaited.size(), model.size());
    }
    for (const auto& [print, sequence] : model) EXPECT_TRUE(awaited.again(print, kFirstClient));
  }
}

TEST(Fingerprints, EveryBitCounts) {
  const Fingerprinter prints(hash(as_view("a secret")));
  const Fingerprinter other(hash(as_view("another")));
  Prng random(9);
  for (const std::size_t size : {0u, 1u, 15u, 16u, 17u, 512u, 991u, 992u, 993u, 1100u, 4096u}) {
    std::vector<std::byte> data(size);
    for (std::byte& b : data) b = static_cast<std::byte>(random.below(256));
    std::set<Fingerprint> seen{prints.of(some_client(1), 7, data)};
    EXPECT_EQ(*seen.begin(), prints.of(some_client(1), 7, data));
    EXPECT_TRUE(seen.insert(other.of(some_client(1), 7, data)).second);
    EXPECT_TRUE(seen.insert(prints.of(some_client(2), 7, data)).second);
    EXPECT_TRUE(seen.insert(prints.of(some_client(1), 8, data)).second);
    for (std::size_t i = 0; i < size; ++i) {
      data[i] ^= std::byte{0x10};
      EXPECT_TRUE(seen.insert(prints.of(some_client(1), 7, data)).second) << size << " " << i;
      data[i] ^= std::byte{0x10};
    }
    // Zeros behind it are not nothing.
    data.push_back(std::byte{0});
    EXPECT_TRUE(seen.insert(prints.of(some_client(1), 7, data)).second);
  }
}

TEST(Visitors, WhoAskedForNothingGivesWayFirstAndTheOldestBeforeOthers) {
  Visitors visitors;
  for (ConnectionId id = 0; id < 16; ++id) {
    visitors.arrive(id, client_id_of(PublicKey{}), id);
    if (id < 12) visitors.served(id, 100 - id);
  }
  EXPECT_EQ(visitors.least_useful(), ConnectionId{12});  // four silent ones of 16
  visitors.leave(12);
  visitors.leave(13);
  visitors.leave(14);
  // One silent one left of 13: it may be about to ask.
  EXPECT_EQ(visitors.least_useful(), ConnectionId{11});
  visitors.served(11, 200);
  EXPECT_EQ(visitors.least_useful(), ConnectionId{10});
}

// Two programs with one key count from 0 both: each was told where the other's transaction is.
TEST(Submissions, TwoLinksOfOneKeyEachWaitForTheirOwnData) {
  Intake node;
  const auto head = head_of(5, node.ledger);
  const ConnectionId first = kFirstClient, second = kFirstClient + 1;
  EXPECT_TRUE(node.submissions.submit(head, entry(0, "a"), node.ledger, first).refused.empty());
  EXPECT_TRUE(node.submissions.submit(head, entry(0, "b"), node.ledger, second).refused.empty());
  EXPECT_EQ(node.submissions.awaited(), 2u);
  const auto from = [&](std::string_view text) {
    const Fingerprint print = node.ledger.print_of(head.client, 0, as_view(text));
    std::vector<ConnectionId> links;
    node.submissions.ordered(head.client, print,
                             [&](const Submission& s) { links.push_back(s.from); });
    return links;
  };
  EXPECT_EQ(from("b"), std::vector<ConnectionId>{second});
  EXPECT_EQ(from("b"), std::vector<ConnectionId>{});
}

// The link that had submitted it first was never answered.
TEST(Submissions, EachLinkThatSubmittedATransactionHearsOfItOnce) {
  Intake node;
  const auto head = head_of(5, node.ledger);
  const auto submit = [&](ConnectionId link) {
    EXPECT_TRUE(node.submissions.submit(head, entry(0, "a"), node.ledger, link).refused.empty());
  };
  const auto told = [&] {
    std::multiset<ConnectionId> links;
    node.submissions.ordered(head.client, node.ledger.print_of(head.client, 0, as_view("a")),
                             [&](const Submission& s) { links.insert(s.from); });
    return links;
  };
  for (const ConnectionId link : {10, 11, 10, 12, 12, 11}) submit(link);
  EXPECT_EQ(node.submissions.awaited(), 1u);
  EXPECT_EQ(told(), (std::multiset<ConnectionId>{10, 11, 12}));
  EXPECT_TRUE(told().empty());
  // Of a client that came back again and again the last links are told.
  for (ConnectionId link = 20; link < 40; ++link) submit(link);
  const auto last = told();
  EXPECT_EQ(last.size(), kMostLinks);
  EXPECT_EQ(*last.begin(), 40 - kMostLinks);
}

TEST(Visitors, ConnectionsOfOneKeyAreOneClient) {
  Visitors visitors;
  const ClientId id = some_client(4);
  visitors.arrive(1, id, 0);
  visitors.arrive(2, some_client(5), 0);
  visitors.arrive(3, id, 0);
  visitors.leave(1);
  EXPECT_EQ(visitors.client(1), nullptr);
  ASSERT_NE(visitors.client(3), nullptr);
  EXPECT_EQ(*visitors.client(3), id);
  visitors.leave(3);
  EXPECT_EQ(visitors.client(3), nullptr);
  EXPECT_EQ(visitors.size(), 1u);
}

}  // namespace
}  // namespace thresher::net
