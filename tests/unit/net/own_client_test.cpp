// Every transaction of the process around a node has one outcome, whatever comes first.
#include "service/own_client.hpp"

#include <gtest/gtest.h>

#include <stop_token>
#include <string>
#include <vector>

namespace thresher::net {
namespace {

struct Process {
  Submissions::Answers answers;  // to what is submitted next
  std::vector<std::uint64_t> submitted;
  std::size_t gave_way = 0, taken = 0;
  std::vector<std::function<void()>> posted;
  std::vector<CommitStatus> outcomes;
  ClientId id{};
  OwnClient own{id,
                100,
                1000,
                {[this](const RunHead& head, const Bytes& entries) {
                   EXPECT_EQ(head.client, id);
                   EXPECT_EQ(head.valid.until.value, head.valid.since.value + kLongestLife);
                   each_entry(entries.view(), [&](std::uint64_t sequence, ByteView) {
                     submitted.push_back(sequence);
                   });
                   return answers;
                 },
                 [this](const std::vector<Submission>& others) { gave_way += others.size(); },
                 [this] { ++taken; },
                 [this](std::function<void()> work) { posted.push_back(std::move(work)); }}};

  bool add(std::uint64_t deadline_us = 0, std::stop_token cancel = {}) {
    return own.add({Bytes::copy_of(as_view("data")), Prove::kNo, deadline_us, std::move(cancel),
                    [this](const CommitStatus& out) { outcomes.push_back(out); }});
  }
  void run_posted() {
    for (const auto& work : std::exchange(posted, {})) work();
  }
};

TEST(OwnClient, TheSequencesRiseAndTakeIsDueOnce) {
  Process p;
  EXPECT_TRUE(p.add());
  EXPECT_FALSE(p.add());  // take() is due already
  p.own.take(Round{5});
  EXPECT_TRUE(p.add());
  p.own.take(Round{6});
  EXPECT_EQ(p.submitted, (std::vector<std::uint64_t>{100, 101, 102}));
  EXPECT_EQ(p.taken, 3u);
  EXPECT_TRUE(p.outcomes.empty());
  ASSERT_TRUE(p.own.ordered(101));
  EXPECT_FALSE(p.own.ordered(101));
  p.own.refused(101, Refusal::kExpired);  // it has its outcome
  EXPECT_TRUE(p.outcomes.empty());
}

TEST(OwnClient, ARefusalIsInWords) {
  Process p;
  p.answers.refused[Refusal::kTooLarge] = {100};
  p.answers.gave_way.resize(2);
  p.add();
  p.own.take(Round{5});
  ASSERT_EQ(p.outcomes.size(), 1u);
  EXPECT_EQ(p.outcomes[0].kind, CommitStatus::Kind::kRefused);
  EXPECT_NE(p.outcomes[0].why.find("larger than the 1000 bytes"), std::string::npos);
  EXPECT_EQ(p.gave_way, 2u);
  EXPECT_EQ(p.taken, 0u);
  p.answers = {};
  p.answers.rejected["no money"] = {101};
  p.add();
  p.own.take(Round{5});
  EXPECT_EQ(p.outcomes[1].why, "no money");
  p.answers = {};
  p.add();
  p.own.take(Round{5});
  p.own.refused(102, Refusal::kExpired);
  EXPECT_EQ(p.outcomes[2].kind, CommitStatus::Kind::kRefused);
  EXPECT_EQ(p.outcomes[2].refusal, Refusal::kExpired);
}

TEST(OwnClient, WhatIsLateIsUnknownAndNotRefused) {
  Process p;
  p.add(2'000'000);
  p.add();
  p.own.take(Round{5});
  EXPECT_TRUE(p.own.end_late(1'999'999));
  EXPECT_TRUE(p.outcomes.empty());
  EXPECT_FALSE(p.own.end_late(2'000'000));  // the other one has time
  ASSERT_EQ(p.outcomes.size(), 1u);
  EXPECT_EQ(p.outcomes[0].kind, CommitStatus::Kind::kUnknown);
}

TEST(OwnClient, WhatIsCancelledIsRefusedBeforeTheNodeTookItAndUnknownAfterwards) {
  Process p;
  std::stop_source before, after;
  p.add(0, before.get_token());
  before.request_stop();
  p.add(0, after.get_token());
  p.own.take(Round{5});
  EXPECT_EQ(p.submitted.size(), 1u);
  ASSERT_EQ(p.outcomes.size(), 1u);
  EXPECT_EQ(p.outcomes[0].kind, CommitStatus::Kind::kRefused);
  after.request_stop();
  EXPECT_EQ(p.outcomes.size(), 1u);  // on the node's thread
  p.run_posted();
  ASSERT_EQ(p.outcomes.size(), 2u);
  EXPECT_EQ(p.outcomes[1].kind, CommitStatus::Kind::kUnknown);
}

TEST(OwnClient, NothingIsWithoutAnOutcomeWhenItIsClosed) {
  Process p;
  p.add();
  p.own.take(Round{5});
  p.add();
  p.own.close("the node has stopped");
  p.add();
  ASSERT_EQ(p.outcomes.size(), 3u);
  std::size_t unknown = 0;
  for (const CommitStatus& out : p.outcomes)
    unknown += out.kind == CommitStatus::Kind::kUnknown ? 1 : 0;
  EXPECT_EQ(unknown, 1u);  // the one that the node took
}

}  // namespace
}  // namespace thresher::net
