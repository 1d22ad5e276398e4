// What an application and its clients see of each other: results, failures, checks, questions, and
// the agreed time.
#include <future>

#include "name_of_suite.hpp"
#include "thresher/net/client.hpp"
#include "tills.hpp"

namespace thresher::net {
namespace {

class Application : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Protocols, Application, testing::ValuesIn(node_protocols()),
                         name_of_suite);

TEST_P(Application, AnswersWhoeverSubmitted) {
  Tills tills(4, GetParam());
  tills.start_all();
  const Receipt first = tills.node(0).submit(as_view("add 5")).get();
  ASSERT_TRUE(first.result);
  EXPECT_EQ(text_of(*first.result), "5");
  const auto client = tills.client();
  EXPECT_EQ(result_of(client->submit(as_view("add 2")).get()), "7");
  EXPECT_EQ(result_of(client->submit(as_view("take 8"), {.words = Words::kQuorum}).get()),
            "failed: overdraft: there are 7");
  EXPECT_EQ(result_of(client->submit(as_view("take 7"), {.words = Words::kQuorum}).get()), "0");
  ASSERT_TRUE(tills.all_have(4));
  const std::vector<Till::Seen> seen = tills.app(0).seen();
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(tills.app(i).seen(), seen);
    EXPECT_EQ(tills.app(i).state(), tills.app(0).state());
  }
  for (std::size_t k = 1; k < seen.size(); ++k) {
    EXPECT_GT(seen[k].slot, seen[k - 1].slot);
    if (seen[k - 1].time_us > 0) {
      EXPECT_GT(seen[k].time_us, seen[k - 1].time_us);
    }
  }
}

TEST(ApplicationTime, IsThatOfTheClocksAndSurvivesARestart) {
  const auto now_us = [] {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  };
  const std::uint64_t begin = now_us();
  Tills tills(4);
  tills.start_all();
  // One member alone gets transactions: the others write their clocks beside them.
  for (int k = 0; k < 20; ++k) (void)tills.node(1).submit(as_view("add 1")).get();
  ASSERT_TRUE(tills.all_have(20));
  const auto seen = tills.app(0).seen();
  EXPECT_GE(seen.back().time_us, begin);
  EXPECT_LE(seen.back().time_us, now_us());
  EXPECT_EQ(tills.app(2).seen(), seen);
  tills.stop(2);
  tills.forget(2);
  tills.start(2);
  EXPECT_EQ(tills.app(2).seen(), seen);
}

// Between silent members and none who order anything, nobody writes a block for its clock alone.
TEST(ApplicationTime, KeepsNoIdleNetworkAwake) {
  Tills tills(4);
  tills.start_all();
  (void)tills.node(0).submit(as_view("add 1")).get();
  const auto client = tills.client();
  std::uint64_t round = 0;
  EXPECT_TRUE(Network::eventually([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const std::uint64_t before = std::exchange(round, client->status().get().round);
    return round == before;
  }));
}

TEST(ApplicationResults, OneThatIsTooLargeFailsAlikeEverywhere) {
  Tills tills(4);
  tills.start_all();
  const Receipt r = tills.node(0).submit(as_view("large")).get();
  ASSERT_TRUE(r.result);
  EXPECT_TRUE(r.result->failed);
  EXPECT_EQ(text_of(*r.result), "the result has 65537 bytes; at most 65536 are told");
  const auto client = tills.client();
  const Outcome out = client->submit(as_view("large"), {.words = Words::kQuorum}).get();
  EXPECT_EQ(result_of(out), "failed: " + text_of(*r.result));
}

// Its answer was lost: a client that sends it again to another node gets the same one, also after a
// restart of that node.
TEST(ApplicationResults, AreToldAgainToWhoSubmitsAgain) {
  Tills tills(4);
  tills.start_all();
  const auto key = crypto::SigningKey::generate();
  ClientOptions first_node{.node = NodeId{0}, .key = key};
  EXPECT_EQ(result_of(tills.client(first_node)->submit(as_view("add 3")).get()), "3");
  EXPECT_EQ(result_of(tills.client()->submit(as_view("add 4")).get()), "7");
  ASSERT_TRUE(tills.all_have(2));
  tills.stop(1);
  tills.forget(1);
  tills.start(1);
  ClientOptions second_node{.node = NodeId{1}, .key = key};
  const Outcome again = tills.client(second_node)->submit(as_view("add 3")).get();
  EXPECT_EQ(again.receipt.position, 0u);
  EXPECT_EQ(result_of(again), "3");
  EXPECT_EQ(tills.app(0).seen().size(), 2u);
}

TEST(ApplicationResults, ABugAtOneNodeStopsThatNodeAndNoOther) {
  Tills tills(4);
  tills.app(3).breaks_by("add 2");
  tills.start_all();
  (void)tills.node(0).submit(as_view("add 1")).get();
  const auto stuck = tills.node(0).submit(as_view("add 2"));
  const std::string why = tills.ending(3);
  EXPECT_NE(why.find("at position 1 (client "), std::string::npos) << why;
  EXPECT_NE(why.find("a bit of my memory has turned"), std::string::npos) << why;
  const auto client = tills.client();
  EXPECT_EQ(result_of(client->submit(as_view("add 4"), {.words = Words::kQuorum}).get()), "7");
}

/// Says how often it was asked for its state, which may take it long.
struct Counted final : App {
  Bytes apply(const Transaction&) override { return {}; }
  Digest state() const override {
    ++asked;
    return {};
  }
  mutable std::atomic<int> asked{0};
};

TEST(ApplicationState, IsAskedForOnceASlotHoweverOftenClientsAskTheNode) {
  Network net(1);
  NodeOptions options;
  options.home = net.home(0);
  Counted app;
  auto opened = Node::open(options, app);
  ASSERT_TRUE(opened) << opened.error();
  const auto node = std::move(*opened);
  auto ended = std::async(std::launch::async, [&] { return node->run(); });
  auto reached = Client::open(net.home(0) + "/../genesis.json");
  ASSERT_TRUE(reached) << reached.error();
  const auto client = std::move(*reached);
  EXPECT_EQ(node->submit(as_view("one")).get().position, 0u);
  (void)client->status().get();
  const int before = app.asked;
  for (int k = 0; k < 50; ++k) EXPECT_EQ(client->status().get().length, 1u);
  EXPECT_EQ(app.asked, before);
  EXPECT_EQ(node->submit(as_view("two")).get().position, 1u);
  (void)client->status().get();
  EXPECT_GT(app.asked, before);
  node->stop();
  EXPECT_TRUE(ended.get());
}

TEST(ApplicationCheck, RefusesWithItsReasonAndStopsNobody) {
  Tills tills(4);
  tills.start_all();
  const auto client = tills.client();
  const Outcome out = client->submit(as_view("nonsense")).get();
  EXPECT_EQ(out.kind, Outcome::Kind::kRefused);
  EXPECT_EQ(out.refusal, Refusal::kRejected);
  EXPECT_EQ(out.why, "not a word that a till knows");
  const Outcome thrown = client->submit(as_view("throw in check")).get();
  EXPECT_EQ(thrown.refusal, Refusal::kRejected);
  EXPECT_EQ(thrown.why, "check() threw: check is broken");
  try {
    (void)tills.node(0).submit(as_view("nonsense")).get();
    ADD_FAILURE() << "it was taken";
  } catch (const NotCommitted& e) {
    EXPECT_EQ(e.outcome.refusal, Refusal::kRejected);
    EXPECT_STREQ(e.what(), "not a word that a till knows");
  }
  // A refused transaction waits nowhere, and the one after it is ordered.
  EXPECT_EQ(result_of(client->submit(as_view("add 1")).get()), "1");
  EXPECT_EQ(tills.app(0).seen().size(), 1u);
}

TEST(ApplicationQuery, ReadsWhatOneWroteAtAnyNode) {
  Tills tills(4);
  tills.start_all();
  const auto client = tills.client();
  for (int k = 0; k < 20; ++k) {
    const Outcome out = client->submit(as_view("add 1")).get();
    ASSERT_TRUE(out.committed()) << out.why;
    for (std::uint16_t i = 0; i < 4; ++i) {
      const auto at = tills.client({.node = NodeId{i}});
      const Answer answer = at->query(as_view("sum"), {.length = out.receipt.position + 1}).get();
      EXPECT_FALSE(answer.failed);
      EXPECT_GE(answer.length, out.receipt.position + 1);
      EXPECT_EQ(as_text(answer.bytes.view()), std::to_string(k + 1));
    }
  }
}

TEST(ApplicationQuery, TheProgramAroundTheNodeMayAsk) {
  Tills tills(4);
  tills.start_all();
  const Receipt r = tills.node(0).submit(as_view("add 3")).get();
  EXPECT_EQ(as_text(tills.node(3).query(as_view("sum"), r.position + 1).get().bytes.view()), "3");
  EXPECT_TRUE(tills.node(3).query(as_view("rabbits")).get().failed);
  auto waits = tills.node(3).query(as_view("sum"), 1000);
  (void)tills.node(3).query(as_view("sum")).get();  // behind the other one
  tills.stop(3);
  const Answer stopped = waits.get();
  EXPECT_TRUE(stopped.failed);
  EXPECT_EQ(as_text(stopped.bytes.view()), "the node has stopped");
}

TEST(ApplicationQuery, SaysWhyThereIsNoAnswer) {
  Tills tills(1);
  const auto client = tills.client();
  const Answer nobody = client->query(as_view("sum"), {.patience_us = 300'000}).get();
  EXPECT_TRUE(nobody.failed);
  EXPECT_NE(as_text(nobody.bytes.view()).find("cannot connect"), std::string::npos)
      << as_text(nobody.bytes.view());
  tills.start_all();
  EXPECT_EQ(as_text(client->query(as_view("rabbits")).get().bytes.view()), "what is that?");
  const Answer early = client->query(as_view("sum"), {.patience_us = 300'000, .length = 1}).get();
  EXPECT_TRUE(early.failed);
  const std::string large(70'000, 'q');
  EXPECT_EQ(as_text(client->query(as_view(large)).get().bytes.view()),
            "the question has 70000 bytes, and no node takes more than 65536");
  EXPECT_EQ(as_text(tills.node(0).query(as_view(large)).get().bytes.view()),
            "a question has at most 65536 bytes");
}

// One member lies about what its application holds, and about what it answered.
TEST(ApplicationQuery, FromAQuorumALieDoesNotCount) {
  Tills tills(4);
  tills.start_all();
  tills.app(0).lies_by(1'000'000);
  const auto client = tills.client();
  EXPECT_EQ(result_of(client->submit(as_view("add 1"), {.words = Words::kQuorum}).get()), "1");
  for (int k = 0; k < 10; ++k) {
    const Answer answer =
        client->query(as_view("sum"), {.words = Words::kQuorum, .length = 1}).get();
    EXPECT_FALSE(answer.failed);
    EXPECT_EQ(as_text(answer.bytes.view()), "1");
  }
}

}  // namespace
}  // namespace thresher::net
