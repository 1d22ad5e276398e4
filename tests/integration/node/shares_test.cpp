// What a node promises those who wait: one who asks for little beside a flood, and one whose
// transaction is not ordered in its time.
#include <deque>
#include <set>

#include "name_of_suite.hpp"
#include "submitter.hpp"

namespace thresher::net {
namespace {

Texts numbered(const std::string& name, std::uint64_t count, std::size_t size) {
  Texts out;
  for (std::uint64_t k = 0; k < count; ++k) {
    out.push_back({k, name + std::to_string(k) + std::string(size, '.')});
  }
  return out;
}

// Two clients have tens of thousands of transactions in the pool of a node. One that comes with one
// at a time is in the next block all the same: what is ordered before it is what was in blocks
// already, and its share of one or two.
TEST(Shares, ASmallClientIsInTheNextBlockBesideAFlood) {
  constexpr std::uint64_t kFlood = 40'000;
  constexpr std::uint64_t kBlockBytes = 16 * 1024;
  constexpr std::uint64_t kEntry = 12 + 100;  // head and data, about
  Network net(4);
  NodeOptions o;
  o.block_bytes = kBlockBytes;
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i, o), "");
  std::deque<Submitter> floods;
  for (const char* name : {"a", "b"}) {
    floods.emplace_back(net);
    const Texts all = numbered(name, kFlood, 94);
    for (std::size_t from = 0; from < all.size(); from += 1000) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
      floods.back().submit(Texts(begin, begin + 1000));
    }
  }
  Submitter small(net);
  // In flight are the blocks of the rounds until a commit; the other nodes have nothing to say.
  constexpr std::uint64_t kBlocks = 32;
  for (std::uint64_t k = 0; k < 5; ++k) {
    const std::uint64_t before = small.log_length();
    const std::int64_t position = small.answer(k, "small");
    ASSERT_GE(position, 0);
    EXPECT_LE(static_cast<std::uint64_t>(position), before + kBlocks * kBlockBytes / kEntry);
  }
  // There was a flood all the while: most of it waits still.
  EXPECT_LT(small.log_length(), kFlood);
}

/// What became of transactions that may be ordered in few slots.
struct Fates {
  struct Sent {
    std::uint64_t sequence;
    Round since;
    Round until;
  };
  std::set<std::string> ordered;
  int in_time_only = 0;                 ///< taken, and answered as expired later
  std::map<std::string, Sent> expired;  ///< or too late: in any case not in the log
};

// Submits some with each life from 0 to 7 slots, while another client keeps the slots moving. Every
// answer is noted.
void submit_short_lived(Submitter& client, Submitter& mover, std::uint64_t& sequence,
                        Fates& fates) {
  (void)client.answer(sequence++, "where the log is");
  const Round since = client.slot();
  Texts texts;
  for (std::uint64_t life = 0; life < 8; ++life) {
    texts.push_back(
        {sequence++, "lives " + std::to_string(life) + " of " + std::to_string(since.value)});
    client.submit({texts.back()}, since, Round{since.value + life});
  }
  for (std::uint64_t k = 0; k < 8; ++k) (void)mover.answer(sequence + k, "moves the slots");
  const auto answers = client.answers(texts.size());
  ASSERT_EQ(answers.size(), texts.size());
  const std::uint64_t first = texts.front().first;
  for (const auto& [number, text] : texts) {
    const std::int64_t got = answers.at(number);
    if (got >= 0) {
      fates.ordered.insert(text);
      EXPECT_LE(client.told_in(number).value, since.value + number - first) << text;
      continue;
    }
    EXPECT_TRUE(got == -std::int64_t(Refusal::kExpired) || got == -std::int64_t(Refusal::kTooLate))
        << got;
    fates.in_time_only += got == -std::int64_t(Refusal::kExpired) ? 1 : 0;
    fates.expired[text] = {number, since, Round{since.value + number - first}};
  }
}

void expect_truth(const std::vector<std::string>& log, const Fates& fates) {
  const std::multiset<std::string> there(log.begin(), log.end());
  for (const std::string& text : fates.ordered) EXPECT_EQ(there.count(text), 1u) << text;
  for (const auto& [text, sent] : fates.expired) EXPECT_EQ(there.count(text), 0u) << text;
}

class Expiry : public testing::TestWithParam<std::string> {};

// "Expired" means that it is not in the log and never will be, on no node, whatever restarts: not
// even when the client, or somebody who saw it, submits the same again.
TEST_P(Expiry, WhatIsAnsweredExpiredIsNeverInTheLog) {
  Network net(4, GetParam());
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  Fates fates;
  std::uint64_t sequence = 0;
  const auto key = crypto::SigningKey::generate();
  {
    Submitter client(net, 0, key);
    Submitter mover(net, 1);
    for (int k = 0; k < 4; ++k) {
      ASSERT_NO_FATAL_FAILURE(submit_short_lived(client, mover, sequence, fates));
    }
  }
  EXPECT_GT(fates.in_time_only, 0);
  for (std::size_t i = 0; i < 4; ++i) net.stop(i);
  for (std::size_t i = 0; i < 4; ++i) expect_truth(log_of(net.home(i)), fates);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  Submitter again(net, 0, key);
  ASSERT_GE(again.answer(sequence++, "after the restart"), 0);
  for (const auto& [text, sent] : fates.expired) {
    again.submit({{sent.sequence, text}}, sent.since, sent.until);
    EXPECT_EQ(again.answers(1)[sent.sequence], -std::int64_t(Refusal::kTooLate)) << text;
  }
  Submitter mover(net, 1);
  ASSERT_NO_FATAL_FAILURE(submit_short_lived(again, mover, sequence, fates));
  for (std::size_t i = 0; i < 4; ++i) net.stop(i);
  for (std::size_t i = 0; i < 4; ++i) expect_truth(log_of(net.home(i)), fates);
}

INSTANTIATE_TEST_SUITE_P(Shares, Expiry, testing::Values("thresher", "anchored-bullshark", "pbft"),
                         name_of_suite);

}  // namespace
}  // namespace thresher::net
