// What the host's code may do to a node: block, throw, stop it from within, and make its start
// long.
#include <condition_variable>
#include <future>

#include "http_get.hpp"
#include "network.hpp"
#include "thresher/core/hex.hpp"

namespace thresher::net {
namespace {

/// Does what the test says when a transaction comes.
struct Hosted final : App {
  explicit Hosted(std::function<void(const Transaction&)> f) : on_apply(std::move(f)) {}
  Bytes apply(const Transaction& t) override {
    on_apply(t);
    return {};
  }
  Digest state() const override { return {}; }
  std::function<void(const Transaction&)> on_apply;
};

/// Until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    waits_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void await_visitor() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waits_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool waits_ = false;
  bool open_ = false;
};

std::unique_ptr<Node> open(const Network& net, App& app, NodeOptions options = {}) {
  options.home = net.home(0);
  auto node = Node::open(std::move(options), app);
  EXPECT_TRUE(node) << node.error();
  return node ? std::move(*node) : nullptr;
}

// run() never came back: stop() was a word in a queue that the blocked thread did not read.
TEST(Host, AnApplicationThatBlocksDoesNotHoldUpTheStop) {
  Network net(1);
  Gate gate;
  Hosted app([&](const Transaction&) { gate.pass(); });
  auto node = open(net, app);
  auto ended = std::async(std::launch::async, [&] { return node->run(); });
  auto receipt = node->submit(as_view("stuck"));
  gate.await_visitor();
  node->stop();
  const auto why = ended.get();
  ASSERT_FALSE(why);
  EXPECT_EQ(why.error().code, ErrorCode::kBusy);
  EXPECT_EQ(why.error().what, kHostBlocks);
  // The node's thread is still in the call, and the object may go all the same.
  node.reset();
  gate.open();
  // It ends then, and gives the store back.
  Hosted after([](const Transaction&) {});
  EXPECT_TRUE(Network::eventually([&] {
    NodeOptions options;
    options.home = net.home(0);
    return static_cast<bool>(Node::open(options, after));
  }));
}

// A commit of many transactions, each of them slow: the stop waits for one of them, not for all,
// and the next start gives the application what it missed.
TEST(Host, AnApplicationThatIsSlowIsNotWaitedForToTheEnd) {
  Network net(1);
  Gate begun;
  std::atomic<int> applied{0};
  Hosted app([&](const Transaction&) {
    begun.pass();
    ++applied;
  });
  {
    const auto node = open(net, app);
    auto ended = std::async(std::launch::async, [&] { return node->run(); });
    std::vector<std::future<Receipt>> all;
    for (int k = 0; k < 50; ++k) all.push_back(node->submit(as_view("slow")));
    begun.await_visitor();
    node->stop();
    begun.open();
    EXPECT_TRUE(ended.get());
    EXPECT_EQ(applied, 1);
  }
  int again = 0;
  Hosted after([&](const Transaction&) { ++again; });
  EXPECT_NE(open(net, after), nullptr);
  EXPECT_GE(again, 1);
}

// An operator has to find the one transaction of millions that all nodes stumble over.
void expect_names_the_transaction(const std::string& why, const Network& net) {
  const auto key = crypto::load_key(net.home(0) + "/node.key");
  const std::string client = to_hex(client_id_of(key->public_key()).bytes);
  EXPECT_NE(why.find("apply() of the transaction at position 1 (client " + client + ", sequence "),
            std::string::npos)
      << why;
  EXPECT_NE(why.find(", 3 bytes): no such account; mend the application"), std::string::npos)
      << why;
}

TEST(Host, AnApplicationThatThrowsStopsTheNodeWithTheReason) {
  Network net(1);
  Hosted app([](const Transaction& t) {
    if (as_text(t.data) == "bad") throw std::runtime_error("no such account");
  });
  {
    const auto node = open(net, app);
    auto ended = std::async(std::launch::async, [&] { return node->run(); });
    EXPECT_EQ(node->submit(as_view("good")).get().position, 0u);
    auto receipt = node->submit(as_view("bad"));
    const auto why = ended.get();
    ASSERT_FALSE(why);
    EXPECT_EQ(why.error().code, ErrorCode::kRejected);
    expect_names_the_transaction(why.error().text(), net);
  }
  // It is in the log: the next start gives it to the application again, before anything else.
  NodeOptions options;
  options.home = net.home(0);
  const auto again = Node::open(options, app);
  ASSERT_FALSE(again);
  expect_names_the_transaction(again.error().text(), net);
  int seen = 0;
  Hosted mended([&](const Transaction&) { ++seen; });
  EXPECT_NE(open(net, mended), nullptr);
  EXPECT_EQ(seen, 2);
}

TEST(Host, ALogThatThrowsLosesItsLinesAndNothingElse) {
  Network net(1);
  Hosted app([](const Transaction&) {});
  NodeOptions options;
  options.accelerator = "none such";  // it is warned of
  options.log = [](Level, const std::string&) { throw std::runtime_error("disk full"); };
  const auto node = open(net, app, options);
  auto ended = std::async(std::launch::async, [&] { return node->run(); });
  EXPECT_EQ(node->submit(as_view("goes on")).get().position, 0u);
  node->stop();
  EXPECT_TRUE(ended.get());
}

TEST(Host, ACallbackMayStopTheNode) {
  Network net(1);
  Node* stops = nullptr;
  Hosted app([&](const Transaction&) { stops->stop(); });
  const auto node = open(net, app);
  stops = node.get();
  auto ended = std::async(std::launch::async, [&] { return node->run(); });
  auto receipt = node->submit(as_view("the last"));
  EXPECT_TRUE(ended.get());
}

// A long log: the pages answer while it is read, and who stops the node need not wait for the end.
TEST(Host, WhileItReadsItsLogItSaysSoAndCanBeStopped) {
  Network net(1);
  {
    Hosted app([](const Transaction&) {});
    const auto node = open(net, app);
    auto ended = std::async(std::launch::async, [&] { return node->run(); });
    for (int k = 0; k < 3; ++k) node->submit(as_view("entry")).get();
    node->stop();
    EXPECT_TRUE(ended.get());
  }
  Gate gate;
  Hosted slow([&](const Transaction&) { gate.pass(); });
  NodeOptions options;
  options.home = net.home(0);
  const std::uint16_t port = free_ports(1).at(0);
  options.metrics_listen = "127.0.0.1:" + std::to_string(port);
  std::stop_source stop;
  options.stop = stop.get_token();
  auto opened = std::async(std::launch::async, [&] {
    const auto node = Node::open(options, slow);
    return node ? std::string() : node.error().text();
  });
  gate.await_visitor();
  EXPECT_EQ(http_get(port, "/healthz"), "200 ok\n");
  EXPECT_EQ(http_get(port, "/readyz"), "503 reads its log; it has no links before that\n");
  EXPECT_NE(http_get(port, "/metrics").find("thresher_round 0"), std::string::npos);
  stop.request_stop();
  gate.open();
  EXPECT_EQ(opened.get(), kStoppedAtStart);
}

}  // namespace
}  // namespace thresher::net
