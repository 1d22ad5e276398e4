// What a node promises its clients, against clients and members that lie: an acknowledgement is the
// truth, and everything submitted is answered once.
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "submitter.hpp"
#include "thresher/net/client.hpp"
#include "thresher/net/payload_root.hpp"
#include "thresher/protocols/dag/message.hpp"

namespace thresher::net {
namespace {

// acks.py D6: a stranger read a client's id from the log, used its next numbers, and the client was
// told that its own had been committed.
TEST(Clients, AnIdIsAKeyAndNobodyElseUsesItsSequences) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  Submitter victim(net);
  Submitter stranger(net, 2);
  EXPECT_NE(victim.id(), stranger.id());
  EXPECT_EQ(victim.answer(0, "first"), 0);
  for (std::uint64_t k = 0; k < 20; ++k) EXPECT_EQ(stranger.answer(k, "evil"), 1 + std::int64_t(k));
  EXPECT_EQ(victim.answer(1, "rent"), 21);
  // more.py B: an old public transaction of the victim, sent by the stranger, took its answers.
  victim.submit({{2, "two"}});
  stranger.submit({{40, "first"}});
  EXPECT_GE(victim.answers(1)[2], 22);
  EXPECT_GE(stranger.answers(1)[40], 22);
  for (std::size_t i = 0; i < 4; ++i) net.stop(i);
  const auto log = log_of(net.home(1));
  ASSERT_EQ(log.size(), 24u);
  EXPECT_EQ(log[21], "rent");
}

// acks.py D6b, D7: far ahead there was no answer, far behind a wrong one.
TEST(Clients, AnySequenceIsAnsweredWithItsPlace) {
  Network net(1);
  ASSERT_EQ(net.start(0), "");
  Submitter client(net);
  Texts many;
  for (std::uint64_t k = 1; k <= 70'000; ++k) many.push_back({k, ""});
  client.submit(many);
  EXPECT_EQ(client.answers(many.size()).size(), many.size());
  EXPECT_EQ(client.answer(0, "overtaken"), 70'000);
  EXPECT_EQ(client.answer(1u << 21, "far"), 70'001);
  EXPECT_EQ(client.answer(~std::uint64_t{0}, "farther"), 70'002);
  // A transaction that is submitted again is answered with the place that it has.
  EXPECT_EQ(client.answer(0, "overtaken"), 70'000);
  EXPECT_EQ(client.answer(1u << 21, "far"), 70'001);
}

// It was taken, skipped in its block as too early, and what came again was swallowed.
TEST(Clients, WhatIsAheadOfTheNodeIsRefusedAndTakenOnceItsSlotHasCome) {
  Network net(1);
  ASSERT_EQ(net.start(0), "");
  Submitter early(net);
  Submitter driver(net);
  for (const std::uint64_t since : {std::uint64_t{5}, std::uint64_t{100}, ~std::uint64_t{0} >> 1}) {
    early.submit({{0, "early"}}, Round{since}, Round{since + (1u << 14)});
    EXPECT_EQ(early.answers(1)[0], -std::int64_t(Refusal::kTooEarly)) << since;
  }
  std::int64_t length = 0;
  std::int64_t got = -std::int64_t(Refusal::kTooEarly);
  for (std::uint64_t k = 0; k < 100 && got == -std::int64_t(Refusal::kTooEarly); ++k) {
    EXPECT_EQ(driver.answer(k, "drives"), length++);
    early.submit({{0, "early"}}, Round{5}, Round{5 + (1u << 14)});
    got = early.answers(1)[0];
  }
  EXPECT_EQ(got, length);
}

// misc.py D9: one that was too large had a hundred good ones answered as refused.
TEST(Clients, EachTransactionOfAFrameHasItsOwnAnswer) {
  Network net(1);
  NodeOptions o;
  o.transaction_bytes = 100;
  ASSERT_EQ(net.start(0, o), "");
  Submitter client(net);
  client.submit({{0, "a"}, {1, std::string(101, 'x')}, {2, "c"}});
  const auto got = client.answers(3);
  EXPECT_EQ(got, (std::map<std::uint64_t, std::int64_t>{
                     {0, 0}, {1, -std::int64_t(Refusal::kTooLarge)}, {2, 1}}));
}

TEST(Clients, WhatCannotBeReadIsRefusedAsSuch) {
  Network net(1);
  ASSERT_EQ(net.start(0), "");
  Submitter client(net);
  const Bytes good = entry(0, "cut short");
  const Bytes slots = wire::encode(wire::Submit{std::pair(Round{5}, Round{5 + (1u << 14) + 1})});
  const std::vector<Frame> bad{{kSubmit, {}, good.slice(0, good.size() - 1)},
                               {kSubmit, Bytes::copy_of(as_view("\xff")), good},
                               {kSubmit, slots, good}};
  for (const Frame& f : bad) {
    ASSERT_TRUE(client.peer().write(bytes_of(f)));
    const auto answer = client.peer().answer();
    ASSERT_TRUE(answer && answer->kind == kRefused);
    const auto why = wire::decode<wire::Refused>(answer->control.view());
    ASSERT_TRUE(why);
    EXPECT_EQ(why->reason, Refusal::kMalformed);
  }
  EXPECT_EQ(client.answer(0, "whole"), 0);
}

// One of four nodes, so nothing is ordered and pools stay full. Thirty clients have their shares;
// one that sends far more than its own is not read for a while, and all others are.
TEST(Clients, WhoIsOverItsShareIsReadLessAndHoldsNobodyUp) {
  Network net(4);
  NodeOptions o;
  o.pool_bytes = 1u << 16;
  ASSERT_EQ(net.start(0, o), "");
  std::deque<Submitter> others;
  for (int k = 0; k < 30; ++k) {
    others.emplace_back(net).submit({{0, "small"}});
    ASSERT_TRUE(others.back().reads());
  }
  Submitter greedy(net);
  Texts much;
  for (std::uint64_t k = 0; k < 30; ++k) much.push_back({k, std::string(200'000, 'x')});
  greedy.submit(much);
  EXPECT_EQ(greedy.answers(much.size()).size(), much.size());
  ASSERT_TRUE(greedy.peer().write(bytes_of({kStatus, {}, {}})));
  Submitter newcomer(net);
  newcomer.submit({{0, "below its share"}});
  EXPECT_TRUE(newcomer.reads());
  for (Submitter& other : others) EXPECT_TRUE(other.reads());
  EXPECT_FALSE(greedy.peer().readable()) << "it was read like everybody";
  const auto later = greedy.peer().answer();  // a rest ends
  EXPECT_TRUE(later && later->kind == kStatusReply);
}

TEST(Clients, ConnectionsOfOneKeyShareItsAnswers) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  const auto key = crypto::SigningKey::generate();
  Submitter one(net, 0, key);
  Submitter two(net, 0, key);
  Submitter elsewhere(net, 3, key);
  const Texts texts{{7, "from three sides"}};
  for (Submitter* s : {&one, &two, &elsewhere}) s->submit(texts);
  for (Submitter* s : {&one, &two, &elsewhere}) EXPECT_EQ(s->answers(1)[7], 0);
  EXPECT_EQ(one.answer(8, "next"), 1);
}

// A member writes what it likes in the victim's name, ahead of the victim.
TEST(Clients, AForgeryOfAMemberNeitherDisplacesNorAnswers) {
  Network net(4);
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(net.start(i), "");
  Submitter victim(net);
  const auto key = *crypto::load_key(net.home(3) + "/node.key");
  const ChainContext chain = net.genesis().context();
  Texts evil;
  for (std::uint64_t k = 0; k < 50; ++k) evil.push_back({k, "evil " + std::to_string(k)});
  const Bytes forged = block_of(victim.id(), evil);
  dag::Header h;
  h.author = NodeId{3};
  h.round = Round{1};
  h.self = {h.author, Round{0}, {}};
  h.payload_root = payload_root(forged.view());
  h.payload_bytes = static_cast<std::uint32_t>(forged.size());
  const Signature signature = key.sign(dag::digest_of(h, chain).bytes);
  const auto block = dag::make_block(h, {forged, h.payload_root}, signature, chain);
  std::deque<RawPeer> links;
  for (std::size_t i = 0; i < 3; ++i) {
    links.emplace_back(net.genesis().nodes[i].port, key);
    ASSERT_TRUE(links.back().greet(chain.chain));
    ASSERT_TRUE(links.back().write(bytes_of(encode(dag::Message{dag::Push{block}}))));
  }
  net.submit(1, "wakes everybody up");
  ASSERT_TRUE(net.reaches(0, 51));  // the forgery is in the log
  const std::int64_t rent = victim.answer(1, "rent");
  EXPECT_EQ(rent, 51);
  EXPECT_EQ(victim.answer(1, "rent"), rent);
  for (std::size_t i = 0; i < 3; ++i) net.stop(i);
  EXPECT_EQ(log_of(net.home(2)).at(51), "rent");
}

// 256 idle connections locked out submit, status and log for ever, and nothing was logged.
TEST(Clients, IdleConnectionsLockOutNobody) {
  Network net(1);
  NodeOptions o;
  std::mutex mutex;
  std::vector<std::string> lines;
  o.log = [&](Level level, const std::string& line) {
    const std::lock_guard lock(mutex);
    if (level >= Level::kWarning) lines.push_back(line);
  };
  ASSERT_EQ(net.start(0, o), "");
  Submitter working(net);
  EXPECT_EQ(working.answer(0, "early"), 0);
  std::deque<Submitter> idle;
  for (int k = 0; k < 300; ++k) idle.emplace_back(net);
  Submitter late(net);
  EXPECT_EQ(late.answer(0, "late"), 1);
  ASSERT_TRUE(late.peer().write(bytes_of({kStatus, {}, {}})));
  const auto status = late.peer().answer();
  EXPECT_TRUE(status && status->kind == kStatusReply);
  EXPECT_EQ(working.answer(1, "who works keeps its place"), 2);
  EXPECT_TRUE(idle.front().peer().ends());
  net.stop(0);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("256 places for clients are taken"), std::string::npos) << lines[0];
}

/// The genesis of a network as a file, for the client of the library.
std::unique_ptr<net::Client> client_of(const Network& net, ClientOptions options = {}) {
  auto client = net::Client::open(net.home(0) + "/../genesis.json", std::move(options));
  EXPECT_TRUE(client) << client.error();
  return std::move(*client);
}

TEST(Clients, TheLibraryTellsCommittedRefusedAndUnknownApart) {
  Network net(4);
  NodeOptions o;
  o.transaction_bytes = 100;
  const auto client = client_of(net);
  // Nobody is there: it was never sent.
  const Outcome nobody = client->submit(as_view("too early"), {.patience_us = 300'000}).get();
  EXPECT_EQ(nobody.kind, Outcome::Kind::kRefused);
  EXPECT_EQ(nobody.refusal, Refusal::kUnreachable);
  EXPECT_NE(nobody.why.find("cannot connect"), std::string::npos) << nobody.why;
  // One of four: sent, and nobody knows.
  ASSERT_EQ(net.start(0, o), "");
  Outcome alone;
  ASSERT_TRUE(Network::eventually([&] {
    alone = client->submit(as_view("alone"), {.patience_us = 300'000}).get();
    return alone.kind == Outcome::Kind::kUnknown;
  }));
  EXPECT_GT(alone.until, 0u);
  for (std::size_t i = 1; i < 4; ++i) ASSERT_EQ(net.start(i, o), "");
  const Outcome large = client->submit(as_view(std::string(101, 'x'))).get();
  EXPECT_EQ(large.kind, Outcome::Kind::kRefused);
  EXPECT_EQ(large.refusal, Refusal::kTooLarge);
  const Outcome good = client->submit(as_view("good")).get();
  EXPECT_TRUE(good.committed()) << good.why;
}

TEST(Clients, TheLibraryGoesToAnotherNodeAndItCountsOnce) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  const auto client = client_of(net);
  std::vector<std::future<Outcome>> outcomes;
  for (int k = 0; k < 400; ++k) {
    outcomes.push_back(client->submit(as_view("transaction " + std::to_string(k))));
    if (k == 200) net.stop(0);
  }
  std::set<std::uint64_t> positions;
  for (auto& o : outcomes) {
    const Outcome out = o.get();
    ASSERT_TRUE(out.committed()) << out.why;
    EXPECT_TRUE(positions.insert(out.receipt.position).second);
  }
  EXPECT_EQ(*positions.rbegin(), 399u);
  EXPECT_EQ(net.submit(1, "after").position, 400u);
}

void expect_stopped(std::future<Receipt>& receipt) {
  ASSERT_EQ(receipt.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  try {
    (void)receipt.get();
    ADD_FAILURE() << "committed by nobody";
  } catch (const std::future_error& e) {
    ADD_FAILURE() << "a broken promise: " << e.what();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("the node has stopped"), std::string::npos) << e.what();
  }
}

// Before: a question to a node that had stopped was never answered.
void expect_no_answer(std::future<Answer> answer) {
  ASSERT_EQ(answer.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  const Answer out = answer.get();
  EXPECT_TRUE(out.failed);
  EXPECT_NE(as_text(out.bytes.view()).find("the node has stopped"), std::string::npos);
}

/// One node of four, of which nobody else starts.
struct Alone {
  Network net{4};
  Recorder app;
  std::unique_ptr<Node> node;

  Alone() {
    NodeOptions o;
    o.home = net.home(0);
    auto opened = Node::open(o, app);
    EXPECT_TRUE(opened) << opened.error();
    if (opened) node = std::move(*opened);
  }
};

TEST(Clients, AStoppedNodeAnswersWhatItWasGiven) {
  Alone alone;
  ASSERT_TRUE(alone.node);
  std::thread runner([&] { EXPECT_TRUE(alone.node->run()); });
  auto waiting = alone.node->submit(as_view("nobody else is there"));
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  alone.node->stop();
  runner.join();
  expect_stopped(waiting);
  auto late = alone.node->submit(as_view("too late"));
  expect_stopped(late);
  expect_no_answer(alone.node->query(as_view("too late")));
}

// Stopped before anybody called run(): nobody is left who would answer.
TEST(Clients, ANodeStoppedBeforeItRanAnswersToo) {
  Alone alone;
  ASSERT_TRUE(alone.node);
  auto waiting = alone.node->submit(as_view("early"));
  auto question = alone.node->query(as_view("early"));
  alone.node->stop();
  expect_stopped(waiting);
  expect_no_answer(std::move(question));
  expect_no_answer(alone.node->query(as_view("too late")));
  auto late = alone.node->submit(as_view("too late"));
  expect_stopped(late);
  EXPECT_TRUE(alone.node->run());
}

}  // namespace
}  // namespace thresher::net
