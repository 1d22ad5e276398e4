// The ways to submit, and that each ends: future, callback, coroutine; deadline, cancellation,
// stop.
#include "thresher/net/completion.hpp"
//
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tills.hpp"

namespace thresher::net {
namespace {

using boost::asio::use_awaitable;

CommitStatus outcome_of(std::future<Receipt>& receipt) {
  EXPECT_EQ(receipt.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  try {
    return {CommitStatus::Kind::kCommitted, receipt.get(), {}, 0, {}};
  } catch (const NotCommitted& e) {
    return e.outcome;
  }
}

TEST(Submit, ACoroutineWaitsForNodeAndClient) {
  Tills tills(4);
  tills.start_all();
  const auto client = tills.client();
  boost::asio::io_context context;
  std::vector<std::string> results;
  std::thread::id ran_on;
  const auto talk = [&]() -> boost::asio::awaitable<void> {
    Node& node = tills.node(0);
    const Receipt first = co_await node.submit(as_view("add 1"), use_awaitable);
    ran_on = std::this_thread::get_id();
    results.push_back(text_of(*first.result));
    const Receipt second = co_await client->submit(as_view("add 2"), use_awaitable,
                                                   AskOptions{.words = Words::kQuorum});
    results.push_back(text_of(*second.result));
    try {
      (void)co_await node.submit(as_view("nonsense"), use_awaitable);
    } catch (const NotCommitted& e) {
      results.emplace_back(e.what());
    }
  };
  boost::asio::co_spawn(context, talk(), boost::asio::detached);
  context.run();  // as long as one of them is on its way, and no longer
  EXPECT_EQ(results, (std::vector<std::string>{"1", "3", "not a word that a till knows"}));
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(Submit, ACallbackMaySubmitAgain) {
  Tills tills(4);
  tills.start_all();
  std::promise<std::string> last;
  int left = 10;
  OnCommitStatus again = [&](const CommitStatus& out) {
    if (--left == 0) return last.set_value(result_of(out));
    tills.node(0).submit(as_view("add 1"), again);
  };
  tills.node(0).submit(as_view("add 1"), again);
  EXPECT_EQ(last.get_future().get(), "10");
}

// One of four cannot order anything.
TEST(Submit, ADeadlineEndsTheWait) {
  Tills tills(4);
  tills.start(0);
  auto late = tills.node(0).submit(as_view("add 1"), SubmitOptions{.patience_us = 200'000});
  const CommitStatus out = outcome_of(late);
  EXPECT_EQ(out.kind, CommitStatus::Kind::kUnknown);
  EXPECT_NE(out.why.find("no commit in time: it may still be ordered until slot "),
            std::string::npos)
      << out.why;
  // And the transaction is ordered all the same.
  for (std::size_t i = 1; i < 4; ++i) tills.start(i);
  EXPECT_TRUE(tills.all_have(1));
}

TEST(Submit, AStopTokenEndsTheWaitAtNodeAndClient) {
  Tills tills(4);
  std::stop_source stop;
  const auto client = tills.client();
  auto never_sent = client->submit(as_view("add 1"), AskOptions{.cancel = stop.get_token()});
  stop.request_stop();
  EXPECT_EQ(never_sent.get().kind, CommitStatus::Kind::kRefused);
  // Requested before: nothing is taken.
  tills.start(0);
  auto too_late = tills.node(0).submit(as_view("add 1"), SubmitOptions{.cancel = stop.get_token()});
  EXPECT_EQ(outcome_of(too_late).kind, CommitStatus::Kind::kRefused);
  std::stop_source other;
  auto waits = tills.node(0).submit(as_view("add 1"), SubmitOptions{.cancel = other.get_token()});
  auto goes_on = tills.node(0).submit(as_view("add 2"));
  (void)tills.node(0).query(as_view("sum")).get();  // it has taken both by now
  other.request_stop();
  const CommitStatus out = outcome_of(waits);
  EXPECT_EQ(out.kind, CommitStatus::Kind::kUnknown);
  EXPECT_NE(out.why.find("it was cancelled: it may still be ordered until slot "),
            std::string::npos)
      << out.why;
  for (std::size_t i = 1; i < 4; ++i) tills.start(i);
  EXPECT_TRUE(outcome_of(goes_on).committed());
}

TEST(Submit, StopEndsAllThatWait) {
  Tills tills(4);
  tills.start(0);
  std::vector<std::future<Receipt>> all;
  for (int k = 0; k < 100; ++k) all.push_back(tills.node(0).submit(as_view("add 1")));
  boost::asio::io_context context;
  bool thrown = false;
  const auto talk = [&]() -> boost::asio::awaitable<void> {
    try {
      (void)co_await tills.node(0).submit(as_view("add 1"), use_awaitable);
    } catch (const NotCommitted&) {
      thrown = true;
    }
  };
  boost::asio::co_spawn(context, talk(), boost::asio::detached);
  context.poll();
  tills.stop(0);
  for (auto& receipt : all) EXPECT_NE(outcome_of(receipt).kind, CommitStatus::Kind::kCommitted);
  context.run();
  EXPECT_TRUE(thrown);
}

// The node at hand tells another result than the rest.
TEST(Submit, OneNodesLieIsOutvoted) {
  Tills tills(4);
  tills.app(0).lies_by(1'000'000);
  tills.start_all();
  const auto client = tills.client();
  EXPECT_EQ(result_of(client->submit(as_view("add 1")).get()), "1000001");  // its word alone
  for (int k = 2; k < 12; ++k) {
    const CommitStatus out = client->submit(as_view("add 1"), {.words = Words::kQuorum}).get();
    EXPECT_EQ(result_of(out), std::to_string(k));
  }
  // Three of four lie, each in its own way: no two say the same.
  tills.app(1).lies_by(2'000'000);
  tills.app(2).lies_by(3'000'000);
  const CommitStatus out =
      client->submit(as_view("add 1"), {.patience_us = 2'000'000, .words = Words::kQuorum}).get();
  EXPECT_EQ(out.kind, CommitStatus::Kind::kUnknown);
  EXPECT_NE(out.why.find("do not say the same (2 have to); node 0: position 11, a result of 7"),
            std::string::npos)
      << out.why;
}

TEST(Submit, WordsOfAQuorumNeedMoreThanOneNode) {
  Tills tills(4);
  const auto client = tills.client({.node = NodeId{0}});
  const CommitStatus out = client->submit(as_view("add 1"), {.words = Words::kQuorum}).get();
  EXPECT_EQ(out.kind, CommitStatus::Kind::kRefused);
  EXPECT_NE(out.why.find("open it without ClientOptions::node"), std::string::npos) << out.why;
}

// It takes what is sent, and says nothing: the next node is asked, and it counts once.
TEST(Submit, ASilentNodeGivesWayToTheNext) {
  Tills tills(4);
  tills.start_all();
  const auto client = tills.client();
  EXPECT_EQ(result_of(client->submit(as_view("add 1")).get()), "1");
  tills.app(0).hold(true);
  EXPECT_EQ(result_of(client->submit(as_view("add 2")).get()), "3");
  EXPECT_EQ(result_of(client->submit(as_view("add 4")).get()), "7");
  tills.app(0).hold(false);
  EXPECT_TRUE(tills.all_have(3));
}

}  // namespace
}  // namespace thresher::net
