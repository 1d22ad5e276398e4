// What clients submit, against a model that is simple: each submission has exactly one answer and
// it is true, a small client is always taken and in the next block, and nothing is left over.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "../../how_many.hpp"
#include "../../integration/node/payloads.hpp"
#include "service/submissions.hpp"
#include "thresher/core/prng.hpp"

namespace thresher::net {
namespace {

constexpr std::size_t kPool = 40'000;
constexpr std::size_t kBlock = 8192;
constexpr std::size_t kLimit = 300;
constexpr std::uint64_t kStrangers = 12;
constexpr std::uint64_t kHonest = 1000;  // ids from here on submit one small transaction each

using Identity = std::tuple<ClientId, std::uint64_t, std::string>;
using WithSlots = std::pair<Identity, std::pair<std::uint64_t, std::uint64_t>>;

WithSlots with_slots(const RunHead& run, std::uint64_t sequence, std::string_view data) {
  return {{run.client, sequence, std::string(data)},
          {run.valid.since.value, run.valid.until.value}};
}

/// One node's intake, and what a simple observer knows of it.
class Observed {
 public:
  explicit Observed(std::uint64_t seed) : random(seed) {}

  void submit(const RunHead& head, const Texts& texts) {
    const auto answers = submissions.submit(head, entries(texts), ledger, kFirstClient);
    std::map<std::uint64_t, int> refused;
    for (const auto& [why, sequences] : answers.refused) {
      for (const std::uint64_t s : sequences) ++refused[s];
      check_refusal(head, why, sequences, texts);
    }
    std::map<std::uint64_t, int> placed;
    for (const Placed& p : answers.placed) {
      ++placed[p.sequence];
      EXPECT_TRUE(positions.contains(p.position));
      EXPECT_EQ(std::get<0>(positions[p.position]), head.client);
      EXPECT_EQ(std::get<1>(positions[p.position]), p.sequence);
    }
    for (const auto& [sequence, text] : texts) {
      // Each has one answer now, or waits for one. Data are a function of the sequence here.
      if (refused[sequence]-- > 0 || placed[sequence]-- > 0) continue;
      const WithSlots mine = with_slots(head, sequence, text);
      if (waiting.emplace(mine.first, mine.second).second) in_pool.insert(mine);
    }
    for (const auto& [sequence, count] : refused) EXPECT_LE(count, 0);
    for (const Submission& gone : answers.gave_way) {
      EXPECT_NE(gone.client, head.client);
      gave_way(gone.client, gone.sequence);
    }
  }

  void check_refusal(const RunHead& head, Refusal why, const std::vector<std::uint64_t>& sequences,
                     const Texts& texts) {
    const std::uint64_t slot = ledger.slot().value;
    const auto [since, until] = head.valid;
    const bool old = until.value <= slot || since.value + kLongestLife <= slot;
    const bool early = since.value > slot;
    EXPECT_TRUE(why != Refusal::kTooEarly || early);
    EXPECT_TRUE(why != Refusal::kTooLate || old);
    EXPECT_TRUE(why != Refusal::kOverloaded || (!early && !old));
    for (const std::uint64_t s : sequences) {
      const auto it = std::find_if(texts.begin(), texts.end(),
                                   [&](const auto& text) { return text.first == s; });
      ASSERT_NE(it, texts.end());
      EXPECT_EQ(why == Refusal::kTooLarge, it->second.size() > kLimit);
    }
  }

  // Given up: nobody may ever see it in a block of this node.
  void gave_way(const ClientId& client, std::uint64_t sequence) {
    EXPECT_FALSE(honest.contains(client)) << "a small client gave way";
    const auto it = waiting_of(client, sequence);
    ASSERT_NE(it, waiting.end());
    in_pool.erase({it->first, it->second});
    waiting.erase(it);
    ++given_up;
  }

  std::map<Identity, std::pair<std::uint64_t, std::uint64_t>>::iterator waiting_of(
      const ClientId& client, std::uint64_t sequence) {
    const auto it = waiting.lower_bound({client, sequence, ""});
    const bool is_it = it != waiting.end() && std::get<0>(it->first) == client &&
                       std::get<1>(it->first) == sequence;
    return is_it ? it : waiting.end();
  }

  /// The next block. Every small client that waits is in it.
  void make_block() {
    std::vector<std::byte> packed;
    submissions.pool().take(kBlock, packed);
    EXPECT_LE(packed.size(), kBlock);
    std::set<ClientId> in_it;
    EXPECT_TRUE(each_transaction(packed, [&](const RunHead& run, std::uint64_t s, ByteView data) {
      in_it.insert(run.client);
      EXPECT_EQ(in_pool.erase(with_slots(run, s, as_text(data))), 1u) << "not submitted";
    }));
    for (const ClientId& client : small) EXPECT_TRUE(in_it.contains(client));
    small.clear();
    blocks.push_back(Bytes::from(std::move(packed)));
  }

  /// Orders some blocks of this node, and what another member's block has.
  void commit(std::size_t count, std::uint64_t slots, const Bytes& foreign) {
    const Round slot{ledger.slot().value + slots};
    Commit out{slot, {}, {}};
    const auto add = [&](const Bytes& payload) {
      out.blocks.push_back(unsigned_block(slot, payload, {}, {}));
    };
    if (!foreign.empty()) add(foreign);
    for (; count > 0 && !blocks.empty(); --count) {
      add(blocks.front());
      blocks.pop_front();
    }
    (void)ledger.append(out, [&](const Transaction& t, const NewTransaction& of) {
      const Identity identity{t.client, t.sequence, std::string(as_text(t.data))};
      EXPECT_FALSE(expired.contains(identity)) << "told that it never will be";
      positions[t.position] = identity;
      bool told = false;
      submissions.ordered(t.client, of.print, [&](const Submission&) { told = true; });
      EXPECT_EQ(told, waiting.erase(identity) == 1);
    });
    submissions.expire(ledger, [&](const Submission& s) {
      const auto it = waiting_of(s.client, s.sequence);
      ASSERT_NE(it, waiting.end()) << "a second answer";
      EXPECT_LE(std::min(it->second.second, it->second.first + kLongestLife), slot.value);
      expired.insert(it->first);
      waiting.erase(it);
    });
  }

  Prng random;
  Ledger ledger;
  Submissions submissions{{kLimit, kPool}};
  std::map<Identity, std::pair<std::uint64_t, std::uint64_t>> waiting;  // for an answer; slots
  std::multiset<WithSlots> in_pool;                                     // at least what is there
  std::set<Identity> expired;
  std::map<std::uint64_t, Identity> positions;
  std::set<ClientId> honest;
  std::set<ClientId> small;  // of them, those not in a block yet
  std::deque<Bytes> blocks;  // that are not ordered yet
  std::uint64_t given_up = 0;
};

std::uint64_t some_since(Prng& random, std::uint64_t slot) {
  switch (random.below(8)) {
    case 0:
      return slot + 1 + random.below(20);
    case 1:
      return ~std::uint64_t{0} - kLongestLife - random.below(3);
    case 2:
      return slot - std::min(slot, random.below(2 * kLongestLife));
    default:
      return slot - std::min(slot, random.below(3));
  }
}

std::uint64_t some_life(Prng& random) {
  return random.chance_ppm(300'000) ? random.below(4) : kLongestLife - random.below(2);
}

// Whatever strangers do: many ids, any slots, any sizes, the same again.
void strangers_submit(Observed& node) {
  Prng& random = node.random;
  const std::uint64_t client = 1 + random.below(kStrangers);
  const std::uint64_t since = some_since(random, node.ledger.slot().value);
  const RunHead head{some_client(client), {Round{since}, Round{since + some_life(random)}}};
  Texts texts;
  const bool tiny = random.chance_ppm(300'000);
  for (std::uint64_t k = random.below(tiny ? 400 : 60); k > 0; --k) {
    const std::uint64_t sequence = random.below(4000);
    const std::size_t size = tiny ? 0 : sequence % (kLimit + 3);
    texts.push_back({sequence, std::string(size, static_cast<char>('a' + client))});
  }
  // A sequence that was told to be over is not used again: its answer stands for ever.
  std::erase_if(texts, [&](const auto& text) {
    return node.expired.contains({head.client, text.first, text.second});
  });
  std::set<std::uint64_t> once;
  std::erase_if(texts, [&](const auto& text) {
    const auto other = node.waiting_of(head.client, text.first);
    const bool other_data = other != node.waiting.end() && std::get<2>(other->first) != text.second;
    return other_data || (!once.insert(text.first).second && random.chance_ppm(900'000));
  });
  node.submit(head, texts);
}

void honest_submits(Observed& node, std::uint64_t number) {
  const ClientId id = some_client(kHonest + number);
  const std::uint64_t slot = node.ledger.slot().value;
  node.honest.insert(id);
  node.small.insert(id);
  const Texts texts{{number, "a small one of an honest client"}};
  node.submit({id, {Round{slot}, Round{slot + kLongestLife}}}, texts);
  EXPECT_TRUE(node.waiting.contains({id, number, texts[0].second})) << "not taken";
}

// Another member's block has some of what waits here, with its slots, and some without them.
Bytes foreign_block(Observed& node) {
  std::vector<std::byte> packed;
  RunWriter out(packed);
  for (const auto& [identity, slots] : node.waiting) {
    if (!node.random.chance_ppm(50'000)) continue;
    const auto& [client, sequence, data] = identity;
    out.add({client, {Round{slots.first}, Round{slots.second}}}, sequence, as_view(data));
    out.add({client, {Round{slots.second}, Round{slots.second}}}, sequence + 5000, as_view(data));
  }
  return Bytes::from(std::move(packed));
}

void check_idle(Observed& node) {
  while (!node.submissions.pool().empty()) node.make_block();
  node.commit(node.blocks.size(), 1, {});
  EXPECT_TRUE(node.waiting.empty()) << node.waiting.size() << " without an answer";
  EXPECT_EQ(node.submissions.awaited(), 0u);
  EXPECT_EQ(node.submissions.pool().bytes(), 0u);
  // Exactly the half that one client may have: nothing is charged to anybody.
  EXPECT_TRUE(node.submissions.pool().has_room(some_client(1), kPool / 2, 0));
}

TEST(IntakeFuzz, OneTrueAnswerEachAndAPlaceForTheSmall) {
  std::uint64_t given_up = 0;
  const std::uint64_t seeds = how_many(50, 150);
  for (std::uint64_t seed = 1; seed <= seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Observed node(seed);
    std::uint64_t number = 0;
    node.commit(0, 1 + node.random.below(2 * kLongestLife), {});
    for (int step = 0; step < 150; ++step) {
      const std::uint64_t what = node.random.below(10);
      if (what < 6) strangers_submit(node);
      if (what == 6 && node.small.size() < 8) honest_submits(node, number++);
      if (what == 7) node.make_block();
      if (what > 7) {
        const bool jump = node.random.chance_ppm(20'000);
        const std::uint64_t slots = jump ? kLongestLife : 1 + node.random.below(3);
        const Bytes foreign = node.random.chance_ppm(300'000) ? foreign_block(node) : Bytes();
        node.commit(node.random.below(4), slots, foreign);
      }
    }
    check_idle(node);
    given_up += node.given_up;
  }
  EXPECT_GT(given_up, seeds * 20 / 3);  // it was crowded
}

}  // namespace
}  // namespace thresher::net
