// The Node facade over real sockets and disks: catch-up, subscriptions, and what must be refused.
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <fstream>

#include "network.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/receipt_proof.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {
namespace {

NodeOptions short_memory() {
  NodeOptions o;
  o.gc_rounds = 32;
  o.sync_rounds = 16;
  return o;
}

TEST(Node, ReceiptsNameThePosition) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  for (std::uint64_t k = 0; k < 5; ++k) {
    const Receipt r = net.submit(k % 4, "transaction " + std::to_string(k));
    EXPECT_EQ(r.position, k);
    EXPECT_GT(r.slot, 0u);
    EXPECT_FALSE(r.block.is_zero());
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(net.reaches(i, 5));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(net.app(i).state(), net.app(0).state());
}

// Nodes of one committee may use as many threads as each likes: what is ordered does not show it.
// Transactions are large enough for what helpers do, and one node is away for a while.
TEST(Node, ThreadsDoNotShowInTheLog) {
  for (const char* protocol : {"thresher", "anchored-bullshark", "pbft"}) {
    Network net(4, protocol);
    const auto with_threads = [](std::size_t node) {
      NodeOptions o = short_memory();
      o.threads = 1 + 2 * node;
      return o;
    };
    for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i, with_threads(i)), "");
    std::uint64_t sent = 0;
    const auto submit_some = [&] {
      std::vector<std::future<Receipt>> answers;
      for (std::uint64_t k = 0; k < 12; ++k, ++sent) {
        std::string text(k % 3 == 0 ? 60'000 : 700, static_cast<char>('a' + k));
        answers.push_back(net.submit_later(k % 3, as_view(text + std::to_string(sent))));
      }
      for (auto& answer : answers)
        ASSERT_EQ(answer.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    };
    submit_some();
    net.stop(3);
    for (int round = 0; round < 3; ++round) submit_some();
    ASSERT_EQ(net.start(3, with_threads(3)), "");
    for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(net.reaches(i, sent)) << protocol;
    for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(net.app(i).state(), net.app(0).state());
  }
}

// A third party that has the genesis file alone checks where a transaction ended up.
TEST(Node, ReceiptsProveThemselvesOnRequest) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  EXPECT_TRUE(net.submit(0, "not asked for").proof.empty());
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string text = "transaction " + std::to_string(i);
    auto future = net.submit_later(i, as_view(text), Prove::kYes);
    ASSERT_EQ(future.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    const Receipt r = future.get();
    const auto place = verify_receipt(net.genesis(), r.proof.view(), as_view(text));
    ASSERT_TRUE(place) << place.error();
    EXPECT_EQ(place->block, r.block);
    EXPECT_FALSE(verify_receipt(net.genesis(), r.proof.view(), as_view("another")));
    EXPECT_LT(r.proof.size(), 16'384u);
  }
}

// A node further behind than the DAG is kept could never follow again: it fetches the log.
TEST(Node, FarBehindItFetchesTheLog) {
  Network net(4);
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(net.start(i, short_memory()), "");
  std::uint64_t last_slot = 0;
  std::uint64_t sent = 0;
  while (last_slot < 200) last_slot = net.submit(0, "early " + std::to_string(sent++)).slot;
  ASSERT_EQ(net.start(3, short_memory()), "");
  for (int k = 0; k < 20; ++k) {
    net.submit(1, "late");
    ++sent;
  }
  EXPECT_TRUE(net.reaches(3, sent));
  EXPECT_TRUE(net.reaches(0, sent));
  EXPECT_EQ(net.app(3).state(), net.app(0).state());
  // It takes part again: its own transactions commit.
  EXPECT_EQ(net.submit(3, "mine").position, sent);
}

TEST(Node, AfterARestartTheLogIsTheSame) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i, short_memory()), "");
  for (int k = 0; k < 30; ++k) net.submit(2, "entry " + std::to_string(k));
  ASSERT_TRUE(net.reaches(2, 30));
  const Digest before = net.app(2).state();
  net.stop(2);
  ASSERT_EQ(net.start(2, short_memory()), "");
  EXPECT_EQ(net.app(2).count(), 30u);
  EXPECT_EQ(net.app(2).state(), before);
  EXPECT_EQ(net.submit(2, "after").position, 30u);
}

// Four nodes on one io_context of the host, which goes on when they have stopped.
TEST(Node, RunsOnTheHostsContext) {
  const Network net(4);
  boost::asio::io_context context(1);
  auto guard = std::make_optional(boost::asio::make_work_guard(context));
  std::thread host([&] { context.run(); });
  std::vector<Recorder> apps(4);
  std::vector<std::unique_ptr<Node>> nodes;
  std::atomic<int> stopped{0};
  for (std::size_t i = 0; i < 4; ++i) {
    NodeOptions options;
    options.home = net.home(i);
    options.context = &context;
    auto node = Node::open(options, apps[i]);
    ASSERT_TRUE(node) << node.error();
    nodes.push_back(std::move(*node));
    EXPECT_FALSE(nodes[i]->run());
    std::promise<bool> started;
    boost::asio::post(context, [&] {
      const auto begun = nodes[i]->start([&](const Result<Unit, Error>& ended) {
        EXPECT_TRUE(ended);
        ++stopped;
      });
      started.set_value(static_cast<bool>(begun));
    });
    ASSERT_TRUE(started.get_future().get());
  }
  for (std::uint64_t k = 0; k < 8; ++k) {
    auto receipt = nodes[k % 4]->submit(as_view("hosted " + std::to_string(k)));
    ASSERT_EQ(receipt.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    EXPECT_EQ(receipt.get().position, k);
  }
  for (const auto& node : nodes) node->stop();
  EXPECT_TRUE(Network::eventually([&] { return stopped == 4; }));
  std::promise<void> alive;
  boost::asio::post(context, [&] { alive.set_value(); });
  EXPECT_EQ(alive.get_future().wait_for(std::chrono::seconds(5)), std::future_status::ready);
  guard.reset();
  host.join();
}

TEST(Node, AfterACleanStopOnlyWhatIsNewIsReplayed) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  for (int k = 0; k < 10; ++k) net.submit(1, "old " + std::to_string(k));
  ASSERT_TRUE(net.reaches(3, 10));
  net.stop(3);
  for (int k = 0; k < 5; ++k) net.submit(1, "new " + std::to_string(k));
  ASSERT_EQ(net.start(3), "");
  ASSERT_TRUE(net.reaches(3, 15));
  EXPECT_EQ(net.app(3).applied(), 5u);
  EXPECT_EQ(net.app(3).state(), net.app(1).state());
  // A damaged snapshot is left aside: the log has everything.
  net.stop(3);
  std::ofstream(net.home(3) + "/data/snapshot") << "nonsense";
  ASSERT_EQ(net.start(3), "");
  EXPECT_EQ(net.app(3).applied(), 15u);
  EXPECT_EQ(net.app(3).state(), net.app(1).state());
}

TEST(Node, AnOldCopyOfTheDiskIsStopped) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  for (int k = 0; k < 5; ++k) net.submit(3, "first");
  net.stop(3);
  namespace fs = std::filesystem;
  fs::copy(net.home(3) + "/data", net.home(3) + "/copy", fs::copy_options::recursive);
  ASSERT_EQ(net.start(3), "");
  for (int k = 0; k < 5; ++k) net.submit(3, "second");
  net.stop(3);
  fs::remove_all(net.home(3) + "/data");
  fs::rename(net.home(3) + "/copy", net.home(3) + "/data");
  const std::string why = net.start(3);
  EXPECT_NE(why.find("One key must never sign twice"), std::string::npos) << why;
  EXPECT_NE(why.find(net.home(3)), std::string::npos) << why;
  for (int k = 0; k < 3; ++k) net.submit(0, "the others go on");
}

// Without peers that would have it: those are in integration_store_holes.
TEST(Node, ADamagedPayloadIsNoticedAtTheStart) {
  Network net(1);
  ASSERT_EQ(net.start(0), "");
  net.submit(0, "a transaction that will be damaged");
  ASSERT_TRUE(net.reaches(0, 1));
  net.stop(0);
  const std::string bodies = net.home(0) + "/data/wal";
  std::fstream file(bodies, std::ios::in | std::ios::out | std::ios::binary);
  std::string content(65536, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  const std::size_t at = content.find("damaged");
  ASSERT_NE(at, std::string::npos);
  file.clear();
  file.seekp(static_cast<std::streamoff>(at));
  file.write("DAMAGED", 7);
  file.close();
  std::filesystem::remove(net.home(0) + "/data/snapshot");  // so that the log is read
  const std::string why = net.start(0);
  EXPECT_NE(why.find("damaged"), std::string::npos) << why;
  EXPECT_NE(why.find(net.home(0)), std::string::npos) << why;
}

TEST(Node, OneFolderCannotRunTwice) {
  Network net(1);
  ASSERT_EQ(net.start(0), "");
  Recorder app;
  NodeOptions again;
  again.home = net.home(0);
  const auto second = Node::open(again, app);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  EXPECT_NE(second.error().text().find("must never run twice"), std::string::npos)
      << second.error();
}

TEST(Node, ATransactionOverTheLimitIsRefused) {
  Network net(1);
  NodeOptions o;
  o.transaction_bytes = 100;
  ASSERT_EQ(net.start(0, o), "");
  const std::string big(101, 'x');
  try {
    (void)net.submit_later(0, as_view(big)).get();
    ADD_FAILURE() << "taken";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("larger than the 100 bytes"), std::string::npos)
        << e.what();
  }
  EXPECT_EQ(net.submit(0, std::string(100, 'x')).position, 0u);
}

// A subscriber sees every transaction from its position on, in order, also those to come.
TEST(Node, SubscribersGetTheLogFromAPosition) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  for (int k = 0; k < 10; ++k) net.submit(0, "t" + std::to_string(k));
  Loop loop;
  std::vector<std::string> seen;
  std::vector<std::uint64_t> positions;
  std::string problem;
  std::unique_ptr<ClientLink> link;
  const auto on_frame = [&](ConnectionId, const Frame& f) {
    if (f.kind != kLog) return;
    const auto control = wire::decode<wire::Log>(f.control.view());
    ASSERT_TRUE(control);
    std::uint64_t position = control->first;
    Reader in(f.payload.view());
    while (in.remaining() > 0) {
      (void)in.bytes(16 + 8 + 2);  // of the run: client, since, life
      Reader run(in.bytes(in.u32()));
      while (run.remaining() > 0) {
        (void)run.u64();  // the sequence
        const ByteView data = run.bytes(run.u32());
        ASSERT_TRUE(in.ok() && run.ok());
        positions.push_back(position++);
        seen.emplace_back(reinterpret_cast<const char*>(data.data()), data.size());
      }
    }
    if (seen.size() >= 9) loop.stop();
  };
  const auto on_link = [&](ConnectionId, bool up) {
    if (!up) return;
    (void)link->send({kSubscribe, wire::encode(wire::Subscribe{4}), {}});
  };
  link = std::make_unique<ClientLink>(
      loop, net.genesis().context().chain, net.genesis().nodes[1],
      TransportCallbacks{on_frame, on_link, [&](const std::string& why) { problem = why; }});
  link->connect();
  std::thread more([&] {
    for (int k = 10; k < 13; ++k) net.submit(2, "t" + std::to_string(k));
  });
  loop.call_after(20'000'000, [&] { loop.stop(); });
  loop.run();
  more.join();
  ASSERT_EQ(seen.size(), 9u) << problem;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_EQ(positions[k], k + 4);
    EXPECT_EQ(seen[k], "t" + std::to_string(k + 4));
  }
}

}  // namespace
}  // namespace thresher::net
