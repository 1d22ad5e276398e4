// What a program around a node, or around a client, may do wrong: options out of range, callbacks
// that throw, a second start, a restore() that only says that it worked, transactions of any size.
#include "thresher/net/completion.hpp"
//
#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <set>

#include "thresher/net/node_store.hpp"
#include "tills.hpp"

namespace thresher::net {
namespace {

using testing::HasSubstr;

NodeOptions quiet(const Network& net) {
  NodeOptions out;
  out.home = net.home(0);
  out.log = [](Level, const std::string&) {};
  return out;
}

// A Delta of 0 divided by it; a block of 0 bytes, and much else, opened and never ordered anything.
TEST(Embedding, EachOptionOutOfItsRangeIsNamed) {
  Network net(1);
  using O = NodeOptions;
  struct Wrong {
    const char* name;
    std::uint64_t O::*option;
    std::uint64_t value;
  };
  const std::uint64_t most = ~std::uint64_t{0};
  for (const Wrong& w : {Wrong{"threads", &O::threads, 0},
                         {"threads", &O::threads, most},
                         {"network.delta_us", &O::delta_us, 0},
                         {"network.delta_us", &O::delta_us, most},
                         {"network.pace_us", &O::pace_us, most},
                         {"verify.gather_us", &O::gather_us, most},
                         {"verify.deadline_us", &O::verify_deadline_us, most},
                         {"network.link_delay_us", &O::link_delay_us, most},
                         {"limits.block_bytes", &O::block_bytes, 0},
                         {"limits.block_bytes", &O::block_bytes, most},
                         {"limits.pool_bytes", &O::pool_bytes, 0},
                         {"limits.transaction_bytes", &O::transaction_bytes, 0},
                         {"limits.transaction_bytes", &O::transaction_bytes, most},
                         {"limits.gc_rounds", &O::gc_rounds, 0},
                         {"limits.gc_rounds", &O::gc_rounds, most},
                         {"limits.sync_rounds", &O::sync_rounds, 0},
                         {"retention.positions", &O::keep_positions, most},
                         {"retention.snapshots", &O::keep_snapshots, most},
                         {"retention.segment_bytes", &O::segment_bytes, 0},
                         {"retention.hold_bytes", &O::hold_bytes, most},
                         {"journal.bytes", &O::journal_bytes, most}}) {
    NodeOptions options = quiet(net);
    options.*w.option = w.value;
    Till app;
    const auto node = Node::open(options, app);
    ASSERT_FALSE(node) << w.name << " = " << w.value;
    EXPECT_EQ(node.error().code, ErrorCode::kMalformed) << w.name;
    EXPECT_THAT(node.error().text(), HasSubstr(std::string(w.name) + " is " +
                                               std::to_string(w.value) + ", which is not a"));
  }
}

TEST(Embedding, AStoreThatCannotBeMadeIsTold) {
  Network net(1);
  NodeOptions options = quiet(net);
  options.make_store = [](const NodeOptions&) -> Result<std::unique_ptr<NodeStore>, Error> {
    throw std::runtime_error("no space on the moon");
  };
  Till app;
  const auto node = Node::open(options, app);
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error().what, "NodeOptions::make_store threw: no space on the moon");
}

// It ended the process: the node's thread, or the client's, had nobody to catch it.
TEST(Embedding, WhatACallbackThrowsIsToldAndLost) {
  Network net(1);
  std::mutex mutex;
  std::vector<std::string> told;
  const auto tell = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    told.push_back(line);
  };
  NodeOptions options = quiet(net);
  options.log = [&](Level level, const std::string& line) {
    if (level == Level::kWarning) tell(line);
  };
  Till app;
  auto opened = Node::open(options, app);
  ASSERT_TRUE(opened) << opened.error();
  Node& node = **opened;
  auto ended = std::async(std::launch::async, [&] { return static_cast<bool>(node.run()); });
  const OnCommitStatus throws = [](const CommitStatus&) {
    throw std::runtime_error("I am a callback");
  };
  node.submit(as_view("add 1"), throws);
  node.submit(as_view("add 1"), OnCommitStatus());
  EXPECT_EQ(text_of(*node.submit(as_view("add 1")).get().result), "3");
  {
    auto client = Client::open(options.home + "/../genesis.json", {.on_problem = tell});
    ASSERT_TRUE(client) << client.error();
    std::atomic<int> visited{0};
    (*client)->subscribe(0, [&](const Transaction&) {
      ++visited;
      throw 7;  // NOLINT: anything can be thrown
    });
    (*client)->submit(as_view("add 1"), throws);
    (*client)->submit(as_view("add 1"), OnCommitStatus());
    EXPECT_EQ(result_of((*client)->submit(as_view("add 1")).get()), "6");
    EXPECT_TRUE(Network::eventually([&] { return visited == 6; }));
  }
  node.submit(as_view("add 1"), throws);
  node.stop();
  EXPECT_TRUE(ended.get());
  const std::lock_guard lock(mutex);
  EXPECT_THAT(
      told,
      testing::Contains("a callback of submit() threw, which is lost: I am a callback").Times(3));
  EXPECT_THAT(told, testing::Contains(HasSubstr("a callback of subscribe() threw")).Times(6));
}

// It took the token for a callback, and the outcome was dropped.
TEST(Embedding, AFutureOfAsiosGetsTheReceipt) {
  Tills tills(4);
  tills.start_all();
  std::future<Receipt> first = tills.node(0).submit(as_view("add 1"), boost::asio::use_future);
  EXPECT_EQ(text_of(*first.get().result), "1");
  const auto client = tills.client();
  std::future<Receipt> second = client->submit(as_view("add 1"), boost::asio::use_future);
  EXPECT_EQ(text_of(*second.get().result), "2");
  std::future<Receipt> never = client->submit(as_view("nonsense"), boost::asio::use_future);
  EXPECT_THROW(never.get(), NotCommitted);
}

// The second start closed what the first one had opened.
TEST(Embedding, ANodeThatRunsIsNotStartedAgain) {
  Network net(1);
  Till app;
  boost::asio::io_context context;
  NodeOptions options = quiet(net);
  options.context = &context;
  auto node = Node::open(options, app);
  ASSERT_TRUE(node) << node.error();
  bool stopped = false;
  ASSERT_TRUE(
      (*node)->start([&](const Result<Unit, Error>& r) { stopped = static_cast<bool>(r); }));
  const auto again = (*node)->start([](const Result<Unit, Error>&) { FAIL() << "of the second"; });
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kBusy);
  std::thread host([&] { context.run(); });
  EXPECT_EQ(text_of(*(*node)->submit(as_view("add 1")).get().result), "1");
  (*node)->stop();
  host.join();
  EXPECT_TRUE(stopped);
}

TEST(Embedding, ANodeThatRunsIsNotRunAgain) {
  Tills tills(1);
  tills.start_all();
  (void)tills.node(0).submit(as_view("add 1")).get();
  const auto ran = tills.node(0).run();
  ASSERT_FALSE(ran);
  EXPECT_THAT(ran.error().text(), HasSubstr("this node was started before"));
  EXPECT_EQ(text_of(*tills.node(0).submit(as_view("add 1")).get().result), "2");
}

// No node takes it, and the link that it went over was closed: with it all that the client had
// sent.
TEST(Embedding, ATransactionThatNoFrameHoldsIsRefusedAndTheOthersGoOn) {
  Tills tills(4);
  tills.start_all();
  const auto client = tills.client();
  for (const std::size_t size : {kMostTransaction + 1, std::size_t{9} << 20}) {
    const std::vector<std::byte> large(size);
    for (const Words words : {Words::kOne, Words::kQuorum}) {
      const CommitStatus out = client->submit(large, {.words = words}).get();
      EXPECT_EQ(out.kind, CommitStatus::Kind::kRefused);
      EXPECT_EQ(out.refusal, Refusal::kTooLarge);
      EXPECT_THAT(out.why, HasSubstr(std::to_string(size) + " bytes, and no node takes more than"));
    }
    const Answer answer = client->query(large).get();
    EXPECT_TRUE(answer.failed);
    EXPECT_THAT(std::string(as_text(answer.bytes.view())),
                HasSubstr("no node takes more than 65536"));
  }
  EXPECT_EQ(result_of(client->submit(as_view("add 1")).get()), "1");
}

// Both count from 0. Half of them were told the other's position and result.
TEST(Embedding, OfTwoClientsWithOneKeyEachIsToldOfItsOwn) {
  Tills tills(4);
  tills.start_all();
  const auto key = crypto::SigningKey::generate();
  const auto first = tills.client({.node = NodeId{0}, .key = key});
  const auto second = tills.client({.node = NodeId{0}, .key = key});
  std::vector<std::future<CommitStatus>> all;
  for (int k = 0; k < 50; ++k) {
    all.push_back(first->submit(as_view("add " + std::to_string(2 * k))));
    all.push_back(second->submit(as_view("add " + std::to_string(2 * k + 1))));
  }
  std::set<std::uint64_t> positions;
  for (auto& one : all) {
    const CommitStatus out = one.get();
    EXPECT_TRUE(out.committed()) << out.why;
    EXPECT_TRUE(positions.insert(out.receipt.position).second) << out.receipt.position;
  }
  // And each at the position of what it submitted.
  EXPECT_EQ(positions.size(), 100u);
}

// It said yes and had another state: the next results were acknowledged as if nothing were wrong.
TEST(Embedding, ARestoreThatOnlySaysThatItWorkedStopsTheStart) {
  Network net(1);
  ASSERT_EQ(net.start(0), "");
  (void)net.submit(0, "before the stop");
  net.stop(0);
  const std::string why = net.start(0, {}, [](Recorder& app) { app.restore_wrongly(); });
  EXPECT_THAT(why, HasSubstr("does not give the state that the application had at the stop"));
  EXPECT_EQ(net.start(0), "");
  EXPECT_EQ(net.app(0).count(), 1u);
}

// run() waited for it.
TEST(Embedding, ASnapshotThatIsNeverWrittenDoesNotHoldUpTheStop) {
  Network net(1, "thresher", {{"checkpoint", "4"}});
  NodeOptions options = quiet(net);
  options.snapshot_checkpoints = 1;
  /// Writes when the test says so.
  struct Stuck final : App {
    struct View final : Frozen {
      explicit View(Stuck& s) : app(s) {}
      bool write(const std::function<bool(ByteView)>&) const override {
        app.writes = true;
        while (app.held) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return false;
      }
      Stuck& app;
    };
    Bytes apply(const Transaction&) override { return {}; }
    Digest state() const override { return {}; }
    std::unique_ptr<Frozen> freeze() const override {
      return std::make_unique<View>(const_cast<Stuck&>(*this));
    }
    std::atomic<bool> writes{false}, held{true};
  } app;
  auto node = Node::open(options, app);
  ASSERT_TRUE(node) << node.error();
  auto ended = std::async(std::launch::async, [&] { return (*node)->run(); });
  EXPECT_TRUE(Network::eventually([&] {
    (void)(*node)->submit(as_view("more")).get();
    return app.writes.load();
  }));
  (*node)->stop();
  const auto why = ended.get();  // while it is held
  ASSERT_FALSE(why);
  EXPECT_EQ(why.error().what, kHostBlocks);
  node->reset();
  app.held = false;
  Till after;
  EXPECT_TRUE(Network::eventually([&] { return static_cast<bool>(Node::open(options, after)); }));
}

}  // namespace
}  // namespace thresher::net
