// Nodes against what the network and the disk may do to them; rows of the reliability checklist.
#include <fstream>

#include "network.hpp"
#include "payloads.hpp"
#include "raw_peer.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

// A client that runs until `done` or 20 s.
class Client {
 public:
  Client(const Network& net, std::size_t node,
         const crypto::SigningKey& key = crypto::SigningKey::generate())
      : net_(net), node_(node), key_(key) {}

  void run(std::function<void(ClientLink&)> on_up, std::function<bool(const Frame&)> on_frame) {
    const auto frame = [this, on_frame](ConnectionId, const Frame& f) {
      if (on_frame(f)) loop_.stop();
    };
    const auto changed = [this, on_up](ConnectionId, bool up) {
      if (up) {
        was_up_ = true;
        return on_up(*link_);
      }
      if (!was_up_) {  // the node does not listen yet
        loop_.call_after(20'000, [this] { link_->connect(); });
        return;
      }
      went_down = true;
      loop_.stop();
    };
    const Genesis& g = net_.genesis();
    link_ = std::make_unique<ClientLink>(
        loop_, g.context().chain, g.nodes[node_],
        TransportCallbacks{frame, changed, [this](const std::string& w) { why = w; }}, key_);
    link_->connect();
    loop_.call_after(20'000'000, [this] { loop_.stop(); });
    loop_.run();
  }
  bool went_down = false;
  std::string why;

 private:
  const Network& net_;
  std::size_t node_;
  crypto::SigningKey key_;
  bool was_up_ = false;
  Loop loop_;
  std::unique_ptr<ClientLink> link_;
};

TEST(Hardening, Row4And24GarbageAndHalfOpenConnectionsChangeNothing) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  net.submit(0, "before");
  std::vector<int> sockets;
  const std::string absurd(64, '\xff');
  for (int k = 0; k < 300; ++k) {
    const int fd = connect_to(net.genesis().nodes[0].port);
    if (fd < 0) continue;
    if (k % 3 != 0) (void)::send(fd, absurd.data(), static_cast<std::size_t>(k % 64), MSG_NOSIGNAL);
    sockets.push_back(fd);
  }
  EXPECT_GT(sockets.size(), 200u);
  for (int k = 0; k < 5; ++k) net.submit(static_cast<std::size_t>(k % 4), "meanwhile");
  // The half-open ones are closed by the node within its handshake time.
  const bool closed = Network::eventually([&] {
    char c = 0;
    return std::all_of(sockets.begin(), sockets.end(), [&](int fd) {
      return ::recv(fd, &c, 1, MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    });
  });
  EXPECT_TRUE(closed);
  for (const int fd : sockets) ::close(fd);
  EXPECT_EQ(net.submit(0, "after").position, 6u);
}

TEST(Hardening, Row4AFrameOverTheLimitClosesTheConnectionOnly) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  Client client(net, 1);
  const auto too_much = [](ClientLink& link) {
    EXPECT_TRUE(link.send({kSubmit, {}, Bytes::from(std::vector<std::byte>(9u << 20))}));
  };
  client.run(too_much, [](const Frame& f) { return f.kind != kWelcome; });
  EXPECT_TRUE(client.went_down);
  EXPECT_EQ(net.submit(1, "the node goes on").position, 0u);
}

TEST(Hardening, MalformedFramesFromClientsAreRefused) {
  Network net(1);
  ASSERT_EQ(net.start(0), "");
  Client client(net, 0);
  int answers = 0;
  const auto nonsense = [](ClientLink& link) {
    for (int kind = 0; kind < 256; ++kind) {
      const Bytes junk = Bytes::copy_of(as_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff junk"));
      (void)link.send({static_cast<std::uint8_t>(kind == 0 ? 1 : kind), junk, junk});
    }
    (void)link.send({kSubmit, {}, entry(0, "a good one")});
  };
  client.run(nonsense, [&](const Frame& f) {
    answers += f.kind == kAck ? 1 : 0;
    return f.kind == kAck;
  });
  EXPECT_FALSE(client.went_down) << client.why;
  EXPECT_EQ(answers, 1);
  EXPECT_TRUE(net.reaches(0, 1));
  EXPECT_EQ(net.app(0).count(), 1u);
}

TEST(Hardening, Row25ATransactionSentToAllNodesCountsOnce) {
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  const auto key = crypto::SigningKey::generate();
  const auto send_everywhere = [&] {
    for (std::size_t i = 0; i < 4; ++i) {
      Client client(net, i, key);
      client.run(
          [](ClientLink& link) {
            (void)link.send({kSubmit, {}, entry(0, "once")});
          },
          [](const Frame& f) { return f.kind == kAck; });
    }
  };
  send_everywhere();
  send_everywhere();
  net.stop(2);
  ASSERT_EQ(net.start(2), "");
  send_everywhere();
  EXPECT_EQ(net.submit(2, "another").position, 1u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(net.reaches(i, 2));
    EXPECT_EQ(net.app(i).count(), 2u);
  }
}

// The newest write-ahead log loses its tail: the node starts with a prefix and catches up, or says
// that its store is damaged. It never decides differently.
TEST(Hardening, Row12ATornLogIsAPrefixOrRefused) {
  for (const std::uintmax_t cut : {1u, 100u, 5000u}) {
    Network net(4);
    for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
    for (int k = 0; k < 20; ++k) net.submit(0, "entry " + std::to_string(k));
    ASSERT_TRUE(net.reaches(3, 20));
    net.stop(3);
    namespace fs = std::filesystem;
    fs::path newest;
    for (const auto& entry : fs::directory_iterator(net.home(3) + "/data/index")) {
      if (entry.path().extension() == ".log" && (newest.empty() || entry.path() > newest)) {
        newest = entry.path();
      }
    }
    ASSERT_FALSE(newest.empty());
    const auto size = fs::file_size(newest);
    fs::resize_file(newest, size > cut ? size - cut : 0);
    const std::string refused = net.start(3);
    if (!refused.empty()) {
      EXPECT_NE(refused.find(net.home(3)), std::string::npos) << refused;
      continue;
    }
    EXPECT_LE(net.app(3).count(), 20u);
    net.submit(0, "one more");
    // The missing part comes from the others; or the node sees that its own blocks are gone and
    // stops. Both keep the log one.
    Network::eventually([&] { return net.app(3).count() >= 21 || net.ended(3); });
    if (net.app(3).count() >= 21) {
      EXPECT_EQ(net.app(3).state(), net.app(0).state());
    } else {
      EXPECT_NE(net.ending(3).find("One key must never sign twice"), std::string::npos);
    }
  }
}

// The states that the log goes through: one for each number of transactions applied.
std::vector<Digest> states_of(const std::vector<std::string>& log) {
  std::vector<Digest> out{Digest{}};
  for (std::uint64_t k = 0; k < log.size(); ++k) {
    out.push_back(hash(Writer().bytes(out.back().bytes).u64(k).bytes(as_view(log[k])).view()));
  }
  return out;
}

void flip_bit(const std::filesystem::path& path, std::uintmax_t at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  const int was = file.get();
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(was ^ 0x10));
}

// A bit of any file of the store is not what it was: the node comes up with a prefix of the log, or
// says what is damaged. It never tells another history.
TEST(Hardening, Row12AFlippedBitIsAPrefixOrRefused) {
  namespace fs = std::filesystem;
  Network net(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  std::vector<std::string> log;
  for (int k = 0; k < 20; ++k) net.submit(0, log.emplace_back("entry " + std::to_string(k)));
  ASSERT_TRUE(net.reaches(3, 20));
  for (std::size_t i = 0; i < 4; ++i) net.stop(i);
  const std::vector<Digest> states = states_of(log);
  const std::string data = net.home(3) + "/data";
  fs::remove(data + "/snapshot");  // so that the log is read
  fs::rename(data, net.home(3) + "/good");
  fs::create_directories(data);
  int refused = 0;
  int read = 0;
  const auto open_damaged = [&](const fs::path& file, std::uintmax_t at) {
    fs::remove_all(data);
    fs::copy(net.home(3) + "/good", data, fs::copy_options::recursive);
    flip_bit(fs::path(data) / file, at);
    if (const std::string why = net.start(3); !why.empty()) {
      EXPECT_NE(why.find(net.home(3)), std::string::npos) << why;
      ++refused;
      return;
    }
    const std::uint64_t count = net.app(3).count();
    ASSERT_LE(count, 20u);
    EXPECT_EQ(net.app(3).state(), states[count]) << file << " " << at;
    ++read;
    net.stop(3);
  };
  for (const auto& entry : fs::directory_iterator(net.home(3) + "/good/index")) {
    const auto size = std::min<std::uintmax_t>(entry.file_size(), 8192);
    for (const auto at : {size / 10, size / 2, size - size / 10}) {
      if (size > 0) open_damaged(fs::path("index") / entry.path().filename(), at);
    }
  }
  for (const std::uintmax_t at : {50u, 500u}) open_damaged("wal", at);
  EXPECT_GT(refused, 0);
  EXPECT_GT(read, 0);
}

// Something stands where the store should be: a clear error, and the others go on.
TEST(Hardening, AStoreThatCannotBeWrittenIsRefused) {
  Network net(4);
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(net.start(i), "");
  std::ofstream(net.home(3) + "/data") << "in the way";
  const std::string why = net.start(3);
  EXPECT_NE(why.find("is no folder"), std::string::npos) << why;
  EXPECT_NE(why.find(net.home(3)), std::string::npos) << why;
  EXPECT_EQ(net.submit(0, "goes on").position, 0u);
}

}  // namespace
}  // namespace thresher::net
