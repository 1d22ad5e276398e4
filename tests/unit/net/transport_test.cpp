#include "thresher/net/transport.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "../../integration/node/raw_peer.hpp"
#include "thresher/core/prng.hpp"
#include "transport_host.hpp"

namespace thresher::net {
namespace {

// The third frame was read together with the second when the receiver closes. It must neither be
// handed out nor end the process.
TEST(Transport, NothingIsHandedOutAfterClose) {
  Loop loop;
  auto options = nodes(2);
  int frames = 0;
  std::unique_ptr<Transport> receiver;
  receiver = std::make_unique<Transport>(
      loop, std::move(options[1]),
      TransportCallbacks{[&](ConnectionId, const Frame&) {
                           if (++frames != 2) return;
                           receiver->close();
                           loop.call_after(100'000, [&] { loop.stop(); });
                         },
                         [](ConnectionId, bool) {}, [](const std::string&) {}});
  std::unique_ptr<Transport> sender;
  sender = std::make_unique<Transport>(
      loop, std::move(options[0]),
      TransportCallbacks{[](ConnectionId, const Frame&) {},
                         [&](ConnectionId to, bool up) {
                           const Frame frame{1, Bytes::copy_of(as_view("one of three")), {}};
                           for (int i = 0; up && i < 3; ++i) EXPECT_TRUE(sender->send(to, frame));
                         },
                         [](const std::string&) {}});
  ASSERT_TRUE(receiver->start());
  ASSERT_TRUE(sender->start());
  EXPECT_NO_THROW(loop.run());
  EXPECT_EQ(frames, 2);
}

// A thousand frames of nine bytes come at once. What else the loop has to do is done in between.
TEST(Transport, WhoSendsWithoutEndLetsOthersHaveTheirTurn) {
  Loop loop;
  auto options = nodes(2);
  constexpr int kFrames = 1000;
  int frames = 0;
  int longest = 0;
  int since = 0;  // frames since the loop did something else
  std::function<void()> other = [&] {
    longest = std::max(longest, std::exchange(since, 0));
    if (frames < kFrames) loop.post(other);
  };
  Transport receiver(loop, std::move(options[1]),
                     TransportCallbacks{[&](ConnectionId, const Frame&) {
                                          ++since;
                                          if (++frames == 1) loop.post(other);
                                          if (frames == kFrames) loop.post([&] { loop.stop(); });
                                        },
                                        [](ConnectionId, bool) {}, [](const std::string&) {}});
  ASSERT_TRUE(receiver.start());
  Host sender(options[0]);
  loop.call_after(50'000, [&] {
    loop.post([&] {
      sender.on_loop([](Transport& t) {
        for (int i = 0; i < kFrames; ++i) EXPECT_TRUE(t.send(1, {1, {}, {}}));
        return 0;
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until all of them are here
    });
  });
  loop.run();
  EXPECT_EQ(frames, kFrames);
  EXPECT_GT(longest, 0);
  EXPECT_LE(longest, 20);
}

// Neither of them dials, and who comes all the same is turned away.
TEST(Transport, NodesWithoutALinkStayApart) {
  auto options = nodes(3);
  options[0].linked = {false, false, true};
  options[1].linked = {false, false, true};
  Host first(options[0]);
  Host second(options[1]);
  Host third(options[2]);
  ASSERT_TRUE(Network::eventually([&] { return third.up(0) && third.up(1); }));
  EXPECT_FALSE(first.up(1));
  RawPeer comes(options[0].nodes[0].port, options[1].key);
  EXPECT_FALSE(comes.greet(options[0].chain));
  EXPECT_FALSE(first.up(1));
}

// Row 17: a peer that does not read fills its own queue to its limit; frames to others arrive.
TEST(Transport, Row17ThePeerThatDoesNotReadFillsItsOwnQueueOnly) {
  auto options = nodes(3);
  options[0].max_queue_bytes = 1 << 20;
  Host sender(options[0]);
  Host reader(options[1]);
  RawPeer slow(options[0].nodes[0].port, options[2].key, 4096);
  ASSERT_TRUE(slow.greet(options[0].chain));
  ASSERT_TRUE(Network::eventually(
      [&] { return sender.up(ConnectionId{1}) && sender.up(ConnectionId{2}); }));
  const Frame frame{1, {}, Bytes::from(std::vector<std::byte>(64 * 1024))};
  std::uint64_t refused = 0;
  for (std::uint64_t k = 1; k <= 400; ++k) {  // 25 MiB: more than kernels hold
    refused += sender.on_loop([&](Transport& t) { return t.send(2, frame); }) ? 0 : 1;
    EXPECT_LE(sender.on_loop([](const Transport& t) { return t.queued_bytes(2); }), 1u << 20);
    ASSERT_TRUE(sender.on_loop([&](Transport& t) { return t.send(1, frame); }));
    ASSERT_TRUE(Network::eventually([&] { return reader.frames(0) == k; }));
  }
  EXPECT_GT(refused, 100u);
  EXPECT_EQ(sender.on_loop([](const Transport& t) { return t.dropped(); }), refused);
  EXPECT_TRUE(sender.up(ConnectionId{2}));
}

TEST(Transport, AFrameLargerThanTheQueueGoesWhenNothingWaits) {
  auto options = nodes(2);
  options[0].max_queue_bytes = 1000;
  Host sender(options[0]);
  Host reader(options[1]);
  ASSERT_TRUE(Network::eventually([&] { return sender.up(ConnectionId{1}); }));
  const Frame frame{1, {}, Bytes::from(std::vector<std::byte>(100'000))};
  EXPECT_TRUE(sender.on_loop([&](Transport& t) { return t.send(1, frame); }));
  EXPECT_TRUE(Network::eventually([&] { return reader.frames(0) == 1; }));
}

// What a peer has to refuse would cost the link, and again after each new one.
TEST(Transport, AFrameOverTheLimitIsNotSentAndItIsSaid) {
  auto options = nodes(2);
  for (TransportOptions& o : options) o.max_frame_bytes = 100'000;
  Host sender(options[0]);
  Host reader(options[1]);
  ASSERT_TRUE(Network::eventually([&] { return sender.up(ConnectionId{1}); }));
  const Frame most{1, Bytes::from(std::vector<std::byte>(95)),
                   Bytes::from(std::vector<std::byte>(99'900))};
  const Frame over{1, most.control, Bytes::from(std::vector<std::byte>(99'901))};
  EXPECT_FALSE(sender.on_loop([&](Transport& t) { return t.send(1, over); }));
  EXPECT_TRUE(sender.on_loop([&](Transport& t) { return t.send(1, most); }));
  EXPECT_TRUE(Network::eventually([&] { return reader.frames(0) == 1; }));
  EXPECT_TRUE(sender.up(ConnectionId{1}));
  EXPECT_EQ(sender.on_loop([](const Transport& t) { return t.dropped(); }), 1u);
  ASSERT_EQ(sender.errors().size(), 1u);
  EXPECT_NE(sender.errors()[0].find("a frame of 100001 bytes for node 1"), std::string::npos)
      << sender.errors()[0];
}

// Half-open: the peer's machine is gone and said nothing. It is noticed with data under way and
// without; a peer that is only quiet stays.
/// Small and large ones in turns, at the sizes where their way through a connection changes.
std::vector<Frame> frames_of_all_sizes() {
  std::vector<Frame> out;
  Prng rng(41);
  const auto some = [&](std::size_t size) {
    std::vector<std::byte> data(size);
    for (std::byte& b : data) b = static_cast<std::byte>(rng.below(256));
    return Bytes::from(std::move(data));
  };
  for (const std::size_t size :
       {0u,       32'767u,  32'768u,  1u,         32'769u, 65'536u,  65'537u,
        0u,       200'000u, 131'071u, 131'072u,   1u,      131'073u, 131'072u,
        300'000u, 7u,       262'144u, 1'500'000u, 40'000u, 12u}) {
    out.push_back({1, some(rng.below(100)), some(size)});
  }
  return out;
}

TEST(Transport, FramesOfAllSizesArriveWholeAndInOrder) {
  auto options = nodes(2);
  Host sender(options[0]);
  Host reader(options[1]);
  ASSERT_TRUE(Network::eventually([&] { return sender.up(ConnectionId{1}); }));
  Digest expected;
  std::uint64_t count = 0;
  for (int round = 0; round < 3; ++round) {
    for (const Frame& frame : frames_of_all_sizes()) {
      EXPECT_TRUE(sender.on_loop([&](Transport& t) { return t.send(1, frame); }));
      expected = hash_behind(expected, frame);
      ++count;
    }
  }
  ASSERT_TRUE(Network::eventually([&] { return reader.frames(0) == count; }));
  EXPECT_EQ(reader.hashes(0), expected);
}

// A client's room grows with what it sends.
TEST(Transport, FramesOfAllSizesOfAClientArriveWhole) {
  auto options = nodes(1);
  Host node(options[0]);
  RawPeer client(options[0].nodes[0].port, crypto::SigningKey::generate());
  ASSERT_TRUE(client.greet(options[0].chain));
  Digest expected;
  std::uint64_t count = 0;
  for (const Frame& frame : frames_of_all_sizes()) {
    ASSERT_TRUE(client.write(bytes_of(frame)));
    expected = hash_behind(expected, frame);
    ++count;
  }
  ASSERT_TRUE(Network::eventually([&] { return node.frames(kFirstClient) == count; }));
  EXPECT_EQ(node.hashes(kFirstClient), expected);
}

TEST(Transport, APeerThatVanishedIsNoticedAndAQuietOneIsNot) {
  auto options = nodes(4);
  options[0].silence_us = 2'000'000;
  Host node(options[0]);
  std::vector<std::unique_ptr<RawPeer>> peers;
  for (std::size_t i = 1; i < 4; ++i) {
    peers.push_back(std::make_unique<RawPeer>(options[0].nodes[0].port, options[i].key));
    ASSERT_TRUE(peers.back()->greet(options[0].chain));
    ASSERT_TRUE(Network::eventually([&] { return node.up(i); }));
  }
  if (!peers[0]->vanish()) GTEST_SKIP() << "this kernel attaches no filter to a socket";
  ASSERT_TRUE(peers[1]->vanish());
  const Frame frame{1, Bytes::copy_of(as_view("are you there?")), {}};
  EXPECT_TRUE(node.on_loop([&](Transport& t) { return t.send(1, frame); }));
  EXPECT_TRUE(
      Network::eventually([&] { return !node.up(ConnectionId{1}) && !node.up(ConnectionId{2}); }));
  EXPECT_TRUE(node.up(ConnectionId{3}));
  EXPECT_TRUE(node.on_loop([&](Transport& t) { return t.send(3, frame); }));
  const auto got = peers[2]->frame();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->control, frame.control);
  // The one that vanished comes back on a new connection.
  RawPeer back(options[0].nodes[0].port, options[1].key);
  ASSERT_TRUE(back.greet(options[0].chain));
  EXPECT_TRUE(Network::eventually([&] { return node.up(ConnectionId{1}); }));
}

// Row 24: connections that say nothing have few places, of which one is drawn; those that speak are
// apart from them.
TEST(Transport, Row24StrangersGiveWayAndDoNotKeepAnybodyOut) {
  auto options = nodes(2);
  options[0].max_strangers = 8;
  options[0].handshake_us = 600'000'000;  // not the time closes them here
  Host node(options[0]);
  const std::uint16_t port = options[0].nodes[0].port;
  RawPeer known(port, options[1].key);
  ASSERT_TRUE(known.greet(options[0].chain));
  ASSERT_TRUE(Network::eventually([&] { return node.up(ConnectionId{1}); }));
  std::vector<int> strangers;
  for (int k = 0; k < 30; ++k) strangers.push_back(connect_to(port));
  RawPeer client(port, crypto::SigningKey::generate());
  EXPECT_TRUE(client.greet(options[0].chain));
  const auto closed = [&] {
    return std::count_if(strangers.begin(), strangers.end(), [](int fd) {
      char c = 0;
      return ::recv(fd, &c, 1, MSG_DONTWAIT) == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    });
  };
  // One more goes when the client is accepted before its first byte is there.
  EXPECT_TRUE(Network::eventually([&] { return closed() >= 22; })) << closed();
  EXPECT_LE(closed(), 23);
  EXPECT_TRUE(node.up(ConnectionId{1}));
  EXPECT_TRUE(Network::eventually([&] { return node.up(kFirstClient); }));
  for (const int fd : strangers) ::close(fd);
}

TEST(Transport, ClientsOverTheLimitAreClosedAndNodesAreNot) {
  auto options = nodes(2);
  options[0].max_clients = 3;
  Host node(options[0]);
  const std::uint16_t port = options[0].nodes[0].port;
  std::vector<std::unique_ptr<RawPeer>> clients;
  for (int k = 0; k < 4; ++k) {
    clients.push_back(std::make_unique<RawPeer>(port, crypto::SigningKey::generate()));
    ASSERT_TRUE(clients.back()->greet(options[0].chain));
    ASSERT_TRUE(k == 3 || Network::eventually([&] { return node.up(kFirstClient + k); }));
  }
  EXPECT_TRUE(clients[3]->ends());
  EXPECT_FALSE(node.up(kFirstClient + 3));
  RawPeer member(port, options[1].key);
  EXPECT_TRUE(member.greet(options[0].chain));
  EXPECT_TRUE(Network::eventually([&] { return node.up(ConnectionId{1}); }));
  clients[0].reset();
  ASSERT_TRUE(Network::eventually([&] { return !node.up(kFirstClient); }));
  RawPeer next(port, crypto::SigningKey::generate());
  EXPECT_TRUE(next.greet(options[0].chain));
}

/// A node, and clients that read only when the test does.
class Crowd {
 public:
  Crowd(std::size_t clients, std::size_t budget) : options_(nodes(2)) {
    options_[0].max_client_queue_bytes = 1u << 20;
    options_[0].max_all_clients_queue_bytes = budget;
    node_ = std::make_unique<Host>(options_[0]);
    for (std::size_t k = 0; k < clients; ++k) join();
  }
  void join() {
    clients_.push_back(
        std::make_unique<RawPeer>(options_[0].nodes[0].port, crypto::SigningKey::generate(), 4096));
    EXPECT_TRUE(clients_.back()->greet(options_[0].chain));
    EXPECT_TRUE(Network::eventually([&] { return up(clients_.size() - 1); }));
  }
  bool up(std::size_t k) const { return node_->up(kFirstClient + k); }
  bool send(std::size_t k, std::size_t bytes) {
    const Frame frame{1, {}, Bytes::from(std::vector<std::byte>(bytes))};
    return node_->on_loop([&](Transport& t) { return t.send(kFirstClient + k, frame); });
  }
  std::size_t waiting(std::size_t k) {
    return node_->on_loop([&](const Transport& t) { return t.queued_bytes(kFirstClient + k); });
  }
  std::size_t waiting_for_all() {
    std::size_t sum = 0;
    for (std::size_t k = 0; k < clients_.size(); ++k) sum += waiting(k);
    return sum;
  }
  /// Sends until the kernel takes no more and `bytes` wait here.
  /// A queue that is still being written is not full, so it has to be so ten looks in a row.
  void fill(std::size_t k, std::size_t bytes) {
    int full = 0;
    ASSERT_TRUE(Network::eventually([&] {
      full = waiting(k) + 64 * 1024 >= bytes ? full + 1 : 0;
      while (waiting(k) + 32 * 1024 < bytes) EXPECT_TRUE(send(k, 32 * 1024));
      return full == 10;
    }));
  }
  RawPeer& client(std::size_t k) { return *clients_[k]; }
  Host& node() { return *node_; }
  const TransportOptions& member() const { return options_[1]; }

 private:
  std::vector<TransportOptions> options_;
  std::unique_ptr<Host> node_;
  std::vector<std::unique_ptr<RawPeer>> clients_;
};

// 256 clients of 4 MiB each could have held 1 GiB: all of them together have a budget, and the one
// with the longest queue gives way to those that read.
TEST(Transport, ClientsThatDoNotReadShareOneBudget) {
  constexpr std::size_t kBudget = 2u << 20;
  Crowd crowd(12, kBudget);
  std::size_t most = 0;
  for (int round = 0; round < 200; ++round) {
    for (std::size_t k = 0; k < 12; ++k) (void)crowd.send(k, 32 * 1024);
    most = std::max(most, crowd.waiting_for_all());
  }
  EXPECT_LE(most, kBudget);
  EXPECT_GT(most, kBudget / 2);  // and the test came near it
  // Nobody who reads is kept out: a new client is answered at once.
  crowd.join();
  EXPECT_TRUE(crowd.send(12, 100'000));
  const auto got = crowd.client(12).frame();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->payload.size(), 100'000u);
}

TEST(Transport, TheLongestQueueOfAClientGivesWayAndItIsSaid) {
  Crowd crowd(3, 1u << 20);
  crowd.fill(0, 700'000);
  crowd.fill(1, 200'000);
  // The longest itself is refused, and stays: it only has to read.
  EXPECT_FALSE(crowd.send(0, 300'000));
  EXPECT_TRUE(crowd.up(0));
  EXPECT_TRUE(crowd.node().errors().empty());
  // Another one's frame ends it, and no more than it.
  EXPECT_TRUE(crowd.send(2, 300'000));
  EXPECT_FALSE(crowd.up(0));
  EXPECT_TRUE(crowd.up(1) && crowd.up(2));
  EXPECT_EQ(crowd.waiting(0), 0u);
  const auto errors = crowd.node().errors();
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("client 65536 is disconnected"), std::string::npos) << errors[0];
  EXPECT_NE(errors[0].find("1048576 bytes together"), std::string::npos) << errors[0];
  // The memory that it held is free again: as much fits once more.
  crowd.fill(2, 600'000);
  EXPECT_TRUE(crowd.up(1) && crowd.up(2));
}

TEST(Transport, ClientsQueuesTakeNothingFromNodes) {
  Crowd crowd(1, 1u << 20);
  crowd.fill(0, 900'000);
  RawPeer member(crowd.member().nodes[0].port, crowd.member().key);
  ASSERT_TRUE(member.greet(crowd.member().chain));
  ASSERT_TRUE(Network::eventually([&] { return crowd.node().up(ConnectionId{1}); }));
  const Frame frame{1, {}, Bytes::from(std::vector<std::byte>(400'000))};
  EXPECT_TRUE(crowd.node().on_loop([&](Transport& t) { return t.send(1, frame); }));
  EXPECT_TRUE(crowd.up(0));
  EXPECT_TRUE(member.frame());
}

}  // namespace
}  // namespace thresher::net
