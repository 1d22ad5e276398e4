// A node whose newest data are lost: it is refused with what to do, and what it is told to do
// works.
#include "member.hpp"
#include "name_of_suite.hpp"
#include "submitter.hpp"

namespace thresher::net {
namespace {

class Observer : public testing::TestWithParam<std::string> {
 protected:
  Observer() : net_(4, GetParam()) {}

  // Node 3 stops with its newest data in `newest()`, and an old copy of them in their place.
  void restore_an_old_copy() {
    for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net_.start(i), "");
    for (int k = 0; k < 5; ++k) net_.submit(3, "before the backup");
    net_.stop(3);
    std::filesystem::copy(data(), net_.home(3) + "/backup");
    ASSERT_EQ(net_.start(3), "");
    for (int k = 0; k < 5; ++k) net_.submit(3, "after it");
    net_.stop(3);
    std::filesystem::rename(data(), newest());
    std::filesystem::rename(net_.home(3) + "/backup", data());
  }
  std::string data() const { return net_.home(3) + "/data"; }
  std::string newest() const { return net_.home(3) + "/newest"; }
  std::string observe() {
    NodeOptions o;
    o.observe = true;
    return net_.start(3, o);
  }

  Network net_;
};

TEST_P(Observer, FollowsTheLogFromAnOldCopyAndItsNewestDataStartAfterwards) {
  ASSERT_NO_FATAL_FAILURE(restore_an_old_copy());
  const std::string why = net_.start(3);
  EXPECT_NE(why.find("put the newest data back"), std::string::npos) << why;
  EXPECT_NE(why.find("`thresher node run --observe`"), std::string::npos) << why;
  ASSERT_EQ(observe(), "");
  EXPECT_TRUE(net_.reaches(3, 10));
  net_.submit(0, "the observer hears of it");
  net_.expect_same_state(11);
  net_.stop(3);
  // It has changed nothing of what says who may sign: the old copy is still refused, the newest
  // not.
  EXPECT_NE(net_.start(3).find("One key must never sign twice"), std::string::npos);
  std::filesystem::remove_all(data());
  std::filesystem::rename(newest(), data());
  ASSERT_EQ(net_.start(3), "");
  EXPECT_EQ(net_.submit(3, "signs again").position, 11u);
  net_.expect_same_state(12);
}

// Nothing at all is left of the data.
TEST_P(Observer, FollowsTheLogFromNothing) {
  ASSERT_NO_FATAL_FAILURE(restore_an_old_copy());
  std::filesystem::remove_all(data());
  ASSERT_EQ(observe(), "");
  EXPECT_TRUE(net_.reaches(3, 10));
  net_.expect_same_state(10);
  net_.stop(3);
  ASSERT_EQ(observe(), "");  // reads what it has written
  net_.submit(1, "and goes on");
  net_.expect_same_state(11);
}

// Peers that would make a node speak as soon as it may, and a client that has something to order.
TEST_P(Observer, SaysNothingOfTheProtocol) {
  ASSERT_EQ(observe(), "");
  Member first(net_, 3, 0);
  Member second(net_, 3, 1);
  first.know({});
  second.know({});
  (void)net_.submit_later(3, as_view("not by this node"));
  EXPECT_TRUE(
      Network::eventually([&] { return first.heard(kWantLog) > 0 && second.heard(kWantLog) > 0; }));
  EXPECT_EQ(first.spoken_to() + second.spoken_to(), 0);
  EXPECT_EQ(first.heard(kWantKnown), 0);
}

// Before: a submission to it had no answer, and a client waited until its patience ended.
TEST_P(Observer, RefusesWhatIsSubmittedAndClientsGoToTheNext) {
  NodeOptions observing;
  observing.observe = true;
  ASSERT_EQ(net_.start(0, observing), "");  // where a client begins
  for (std::size_t i = 1; i < 4; ++i) ASSERT_EQ(net_.start(i), "");
  const std::string genesis = net_.home(0) + "/../genesis.json";
  const auto any = Client::open(genesis);
  const auto only = Client::open(genesis, {.node = NodeId{0}});
  ASSERT_TRUE(any && only);
  const CommitStatus ordered = (*any)->submit(as_view("by another")).get();
  EXPECT_TRUE(ordered.committed()) << ordered.why;
  EXPECT_TRUE((*any)->submit(as_view("of two"), {.words = Words::kQuorum}).get().committed());
  const CommitStatus here = (*only)->submit(as_view("by this one")).get();
  EXPECT_EQ(here.kind, CommitStatus::Kind::kRefused);
  EXPECT_EQ(here.refusal, Refusal::kObserves);
  EXPECT_NE(here.why.find("submit it to another node"), std::string::npos) << here.why;
  auto own = net_.submit_later(0, as_view("from its own process"));
  try {
    (void)own.get();
    ADD_FAILURE() << "it was ordered";
  } catch (const NotCommitted& e) {
    EXPECT_EQ(e.outcome.refusal, Refusal::kObserves);
  }
}

// As a client of another language meets it, with what it has submitted elsewhere before.
TEST_P(Observer, TellsWhereWhatAnotherNodeOrderedIs) {
  NodeOptions observing;
  observing.observe = true;
  ASSERT_EQ(net_.start(0, observing), "");
  for (std::size_t i = 1; i < 4; ++i) ASSERT_EQ(net_.start(i), "");
  const auto key = crypto::SigningKey::generate();
  Submitter there(net_, 1, key);
  ASSERT_EQ(there.answer(0, "ordered there"), 0);
  ASSERT_TRUE(net_.reaches(0, 1));
  Submitter here(net_, 0, key);
  EXPECT_EQ(here.answer(0, "ordered there"), 0);
  EXPECT_EQ(here.answer(1, "not here"), -static_cast<int>(Refusal::kObserves));
}

// Nobody is there but nodes that observe: the outcome says so, and that it is in no log.
TEST_P(Observer, AloneIsTheReasonInTheEnd) {
  ASSERT_EQ(observe(), "");
  const auto client = Client::open(net_.home(0) + "/../genesis.json");
  ASSERT_TRUE(client);
  const CommitStatus out =
      (*client)->submit(as_view("to nobody"), {.patience_us = 3'000'000}).get();
  EXPECT_EQ(out.kind, CommitStatus::Kind::kRefused);
  EXPECT_NE(out.why.find("no other node took it"), std::string::npos) << out.why;
}

INSTANTIATE_TEST_SUITE_P(Start, Observer,
                         testing::Values("thresher", "anchored-bullshark", "pbft", "raft"),
                         name_of_suite);

// What comes from the logs of peers wakes whoever waits for it, as what the node orders itself
// does.
TEST(Observes, AnswersAQuestionThatWaitedForTheLog) {
  Network net(4);
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(net.start(i), "");
  NodeOptions observing;
  observing.observe = true;
  ASSERT_EQ(net.start(3, observing), "");
  auto answer = net.query(3, "anything", 1);
  net.submit(0, "the observer hears of it");
  ASSERT_EQ(answer.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_EQ(answer.get().length, 1u);
}

}  // namespace
}  // namespace thresher::net
