// Clients that believe what f+1 nodes say alike, with a member that lies to them.
#include <chrono>
#include <deque>
#include <mutex>
#include <semaphore>

#include "fake_member.hpp"
#include "tills.hpp"

namespace thresher::net {
namespace {

const AskOptions kCompared{.patience_us = 15'000'000, .words = Words::kQuorum};
using Submitted = FakeMember::Submitted;

// Before: its word was the outcome, and who submitted again, as it says, paid twice.
TEST(ClientWords, ARefusalOfOneMemberEndsNothing) {
  for (const Refusal reason : {Refusal::kExpired, Refusal::kTooLarge, Refusal::kTooLate,
                               Refusal::kObserves, Refusal::kTooEarly, Refusal::kMalformed}) {
    Tills tills(4);
    for (std::size_t i = 1; i < 4; ++i) tills.start(i);
    // In a slot of its own making, where nobody else would take it.
    const FakeMember liar(tills.net(), NodeId{0}, Round{1u << 30}, [&](const Submitted& got) {
      return refusal_of(Round{1u << 30}, got.sequences, reason);
    });
    const auto client = tills.client();
    const CommitStatus out = client->submit(as_view("add 1"), kCompared).get();
    EXPECT_EQ(result_of(out), "1") << static_cast<int>(reason);
    EXPECT_EQ(out.receipt.position, 0u);
  }
}

TEST(ClientWords, ARefusalOfOneMoreThanMayLieIsTheOutcome) {
  Network net(4);
  NodeOptions small;
  small.transaction_bytes = 100;
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i, small), "");
  const auto client = Client::open(net.home(0) + "/../genesis.json");
  ASSERT_TRUE(client) << client.error();
  const CommitStatus out = (*client)->submit(as_view(std::string(101, 'x')), kCompared).get();
  EXPECT_EQ(out.kind, CommitStatus::Kind::kRefused) << out.why;
  EXPECT_EQ(out.refusal, Refusal::kTooLarge) << out.why;
}

/// Four members that say what the test has them say, and with which slots they were asked.
class FourFakes {
 public:
  using Says = std::function<std::optional<Frame>(std::size_t member, int nth, const Submitted&)>;

  explicit FourFakes(Says says) : says_(std::move(says)) {
    for (std::uint16_t i = 0; i < 4; ++i) {
      members_.emplace_back(net_, NodeId{i}, Round{100}, [this, i](const Submitted& got) {
        {
          const std::lock_guard lock(mutex_);
          asked_.push_back(got.valid);
        }
        return says_(i, ++times_[i], got);
      });
    }
  }
  CommitStatus submit(std::uint64_t patience_us) {
    const auto client = Client::open(net_.home(0) + "/../genesis.json");
    EXPECT_TRUE(client) << client.error();
    AskOptions ask = kCompared;
    ask.patience_us = patience_us;
    return (*client)->submit(as_view("x"), ask).get();
  }
  std::vector<Validity> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  Network net_{4};
  Says says_;
  std::mutex mutex_;  // guards asked_
  std::vector<Validity> asked_;
  std::array<int, 4> times_{};  // each counted on its member's thread
  std::deque<FakeMember> members_;
};

// The slots of a client that has heard nothing for long are over everywhere. A question with the
// old ones may reach a member after others have answered the one with the new ones.
TEST(ClientWords, OldSlotsAreChangedWhenMoreThanMayLieSaySo) {
  constexpr std::uint64_t kOld = 100 - kSlotsBack;
  FourFakes fakes([](std::size_t, int, const Submitted& got) {
    if (got.valid.since.value == kOld) {
      return refusal_of(Round{50'000}, got.sequences, Refusal::kTooLate);
    }
    return results_of(Round{50'001}, got.sequences,
                      [](std::uint64_t) { return std::pair(std::uint64_t{7}, "done"); });
  });
  const CommitStatus out = fakes.submit(5'000'000);
  EXPECT_TRUE(out.committed()) << out.why;
  const std::vector<Validity> asked = fakes.asked();
  EXPECT_EQ(asked.front().since.value, kOld);
  for (const Validity& valid : asked) {
    if (valid.since.value != kOld) {
      EXPECT_EQ(valid.since.value, 50'000 - kSlotsBack);
    }
  }
}

// A member that took it with the old slots counts the new attempt as that one, and says that it has
// expired when those are over. Before: two such words were the outcome, "never", of what others
// could still order.
TEST(ClientWords, ARefusalOfOldSlotsSaysNothingOfNewOnes) {
  constexpr std::uint64_t kOld = 100 - kSlotsBack;
  std::array<int, 4> anew{};  // each counted on its member's thread
  FourFakes fakes([&](std::size_t member, int, const Submitted& got) -> std::optional<Frame> {
    const bool old = got.valid.since.value == kOld;
    if (old && member > 1) return std::nullopt;
    if (old) return refusal_of(Round{50'000}, got.sequences, Refusal::kTooLate);
    if (member < 2) return refusal_of(Round{50'000}, got.sequences, Refusal::kTooEarly);
    if (++anew[member] == 1) return refusal_of(Round{50'001}, got.sequences, Refusal::kExpired);
    return results_of(Round{50'002}, got.sequences,
                      [](std::uint64_t) { return std::pair(std::uint64_t{7}, "done"); });
  });
  const CommitStatus out = fakes.submit(10'000'000);
  EXPECT_TRUE(out.committed()) << out.why;
}

// Member 0 has taken it, and may have ordered it in the slots that the others have forgotten.
TEST(ClientWords, SlotsThatOneMemberUsedAreNotChanged) {
  FourFakes fakes([](std::size_t member, int, const Submitted& got) {
    const Refusal why = member == 0 ? Refusal::kExpired : Refusal::kTooLate;
    return refusal_of(Round{50'000}, got.sequences, why);
  });
  const CommitStatus out = fakes.submit(5'000'000);
  EXPECT_EQ(out.kind, CommitStatus::Kind::kUnknown);
  EXPECT_NE(out.why.find("remember too little"), std::string::npos) << out.why;
  for (const Validity& valid : fakes.asked()) EXPECT_EQ(valid, fakes.asked().front());
}

// Two have no room, and the others may have taken it: it is not known to be in no log. The second
// word comes when the others have it, because a client whose links with them are not up yet has
// asked two alone, and then may say so.
TEST(ClientWords, WhatOthersMayHaveTakenIsNotRefused) {
  std::counting_semaphore<> with_others(0);
  FourFakes fakes([&](std::size_t member, int nth, const Submitted& got) -> std::optional<Frame> {
    if (member > 1) {
      if (nth == 1) with_others.release();
      return std::nullopt;
    }
    if (member == 1 && nth == 1) {
      for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(with_others.try_acquire_for(std::chrono::seconds(10)));
      }
    }
    return refusal_of(Round{100}, got.sequences, Refusal::kOverloaded);
  });
  EXPECT_EQ(fakes.submit(1'500'000).kind, CommitStatus::Kind::kUnknown);
}

// Before: whatever was no common refusal passed for a submission that the node could not read.
TEST(ClientWords, EachRefusalHasWordsOfItsOwn) {
  for (const auto& [reason, words] :
       {std::pair{Refusal::kTooEarly, "its first slot is ahead of the node's log"},
        {Refusal::kTooLate, "cannot tell any more whether it was ordered before"},
        {Refusal::kMalformed, "could not read the submission"}}) {
    FourFakes fakes([&](std::size_t member, int, const Submitted& got) -> std::optional<Frame> {
      if (member > 0) return std::nullopt;
      return refusal_of(Round{100}, got.sequences, reason);
    });
    const CommitStatus out = fakes.submit(1'500'000);
    EXPECT_EQ(out.kind, CommitStatus::Kind::kUnknown);
    EXPECT_NE(out.why.find("node 0 refuses it: "), std::string::npos) << out.why;
    EXPECT_NE(out.why.find(words), std::string::npos) << out.why;
  }
}

TEST(ClientWords, WhatNobodyHasRoomForIsRefused) {
  FourFakes fakes([](std::size_t, int, const Submitted& got) {
    return refusal_of(Round{100}, got.sequences, Refusal::kOverloaded);
  });
  const CommitStatus out = fakes.submit(5'000'000);
  EXPECT_EQ(out.kind, CommitStatus::Kind::kRefused) << out.why;
  EXPECT_EQ(out.refusal, Refusal::kOverloaded) << out.why;
}

}  // namespace
}  // namespace thresher::net
