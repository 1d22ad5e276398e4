// A node that misbehaves is named: in the log, the status and the metrics, whatever others do.
#include <deque>

#include "http_get.hpp"
#include "network.hpp"
#include "raw_peer.hpp"
#include "thresher/net/client.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

/// The lines of one node's log.
class Lines {
 public:
  std::function<void(Level, const std::string&)> sink() {
    return [this](Level level, const std::string& line) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(level, line);
    };
  }
  /// Lines of at least this level that hold all of these words.
  std::size_t count(Level least, const std::vector<std::string>& words) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(lines_.begin(), lines_.end(), [&](const auto& entry) {
          return entry.first >= least &&
                 std::all_of(words.begin(), words.end(), [&](const std::string& w) {
                   return entry.second.find(w) != std::string::npos;
                 });
        }));
  }
  std::string all() const {
    const std::lock_guard lock(mutex_);
    std::string out;
    for (const auto& [level, line] : lines_) out += line + "\n";
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<Level, std::string>> lines_;
};

/// Nodes 0 to 2 of four run; the test is node 3, and reads node 0's log.
struct Culprit : testing::Test {
  Culprit() : net(4), key(*crypto::load_key(net.home(3) + "/node.key")) {
    NodeOptions first;
    first.log = lines.sink();
    metrics = free_ports(1).at(0);
    first.metrics_listen = "127.0.0.1:" + std::to_string(metrics);
    EXPECT_EQ(net.start(0, first), "");
    EXPECT_EQ(net.start(1), "");
    EXPECT_EQ(net.start(2), "");
    net.submit(0, "all are up");
  }
  ~Culprit() override {
    for (std::size_t i = 0; i < 3; ++i) net.stop(i);
  }
  std::uint16_t port() const { return net.genesis().nodes[0].port; }
  Digest chain() const { return net.genesis().context().chain; }
  PeerStatus seen_of(std::uint16_t peer) {
    const auto client = Client::open(net.home(0) + "/../genesis.json", {.node = NodeId{0}});
    for (const PeerStatus& p : (*client)->status(20'000'000).get().peers) {
      if (p.id.value == peer) return p;
    }
    return {};
  }
  static void send_many(RawPeer& peer, const Frame& frame, int times) {
    const auto one = bytes_of(frame);
    std::vector<std::byte> chunk;
    for (int k = 0; k < times; ++k) chunk.insert(chunk.end(), one.begin(), one.end());
    ASSERT_TRUE(peer.write(chunk));
  }

  Lines lines;  // outlives the nodes
  Network net;
  crypto::SigningKey key;
  std::uint16_t metrics = 0;
};

TEST_F(Culprit, NothingIsWarnedOfWhenNobodyDoesWrong) {
  for (int k = 0; k < 20; ++k) net.submit(static_cast<std::size_t>(k) % 3, "work");
  EXPECT_EQ(lines.count(Level::kWarning, {}), 0u) << lines.all();
  EXPECT_EQ(lines.count(Level::kInfo, {"the link to node 1 at 127.0.0.1:", "is up"}), 1u);
  const PeerStatus one = seen_of(1);
  EXPECT_TRUE(one.up);
  EXPECT_EQ(one.address.rfind("127.0.0.1:", 0), 0u);
  EXPECT_GT(one.round, 0u);
  EXPECT_LT(one.lag, 50u);
  EXPECT_EQ(one.links, 1u);
  EXPECT_GT(one.bytes_sent, 1000u);
  EXPECT_GT(one.bytes_received, 1000u);
  EXPECT_EQ(one.suspicion, 0u);
  const PeerStatus gone = seen_of(3);
  EXPECT_FALSE(gone.up);
  EXPECT_NE(gone.problem.find("cannot connect"), std::string::npos) << gone.problem;
  EXPECT_EQ(gone.round, 0u);
}

// Of no kind at all, and of kinds that members do not say: each counts.
TEST_F(Culprit, FramesOfNoKindAreMalformed) {
  RawPeer liar(port(), key);
  ASSERT_TRUE(liar.greet(chain()));
  send_many(liar, {200, Bytes::copy_of(as_view("?")), {}}, 300);
  send_many(liar, {kStatusReply, Bytes::copy_of(as_view("?")), {}}, 300);
  EXPECT_TRUE(Network::eventually([&] { return seen_of(3).malformed == 600; }))
      << seen_of(3).malformed;
}

// 41,000 malformed frames and 42,000 refused blocks from a member's key gave no line.
TEST_F(Culprit, AFloodOfMalformedFramesAndRefusedBlocksIsNamed) {
  RawPeer liar(port(), key);
  ASSERT_TRUE(liar.greet(chain()));
  send_many(liar, {kPush, Bytes::copy_of(as_view("no block")), {}}, 3000);
  // Somebody else's block, pushed as its own.
  dag::Header h;
  h.author = NodeId{1};
  h.round = Round{5};
  h.self = {h.author, Round{4}, hash(Writer().u64(4).view())};
  const auto block = dag::make_block(std::move(h), {}, {}, net.genesis().context());
  send_many(liar, encode(dag::Message{dag::Push{block}}), 3000);
  EXPECT_TRUE(Network::eventually([&] {
    return lines.count(Level::kWarning, {"node 3 at 127.0.0.1:", " malformed frames"}) > 0;
  })) << lines.all();
  EXPECT_LE(lines.count(Level::kWarning, {}), 2u) << lines.all();
  ASSERT_TRUE(Network::eventually([&] { return seen_of(3).refused >= 3000; }));
  const PeerStatus seen = seen_of(3);
  EXPECT_EQ(seen.malformed, 3000u);
  EXPECT_EQ(seen.suspicion, 1u);
  EXPECT_EQ(seen_of(1).malformed + seen_of(1).refused, 0u);
  EXPECT_TRUE(Network::eventually([&] {
    return http_get(metrics, "/metrics")
               .find("thresher_peer_malformed_frames_total{peer=\"3\"} 3000\n") !=
           std::string::npos;
  }));
  EXPECT_TRUE(Network::eventually([&] {
    return http_get(metrics, "/metrics").find("thresher_peer_suspicion{peer=\"3\"} 1\n") !=
           std::string::npos;
  }));
  net.submit(1, "the others go on");
}

TEST_F(Culprit, BadSignaturesAreThoseOfWhoSentThem) {
  RawPeer liar(port(), key);
  ASSERT_TRUE(liar.greet(chain()));
  dag::Header h;
  h.author = NodeId{3};
  h.round = Round{1};
  h.self = {h.author, Round{0}, {}};
  const auto block = dag::make_block(std::move(h), {}, Signature{}, net.genesis().context());
  ASSERT_TRUE(liar.write(bytes_of(encode(dag::Message{dag::Push{block}}))));
  EXPECT_TRUE(Network::eventually([&] {
    const PeerStatus seen = seen_of(3);
    return seen.bad_signatures + seen.refused >= 1;
  }));
  EXPECT_TRUE(Network::eventually([&] {
    return lines.count(Level::kInfo, {"node 3 at 127.0.0.1:", " sent in "}) > 0;
  })) << lines.all();
}

// Strangers with 17 kinds of nonsense silenced the line that names a member.
TEST_F(Culprit, JunkHellosOfStrangersDoNotSilenceTheNameOfAMember) {
  for (std::uint32_t version = 100; version < 130; ++version) {
    RawPeer stranger(port(), crypto::SigningKey::generate());
    ASSERT_TRUE(stranger.handshake());
    ASSERT_TRUE(stranger.write(bytes_of({0, wire::encode(wire::Hello{version, chain()}), {}})));
    EXPECT_TRUE(stranger.ends());
  }
  EXPECT_GE(lines.count(Level::kWarning, {"wire version"}), 16u);
  EXPECT_LT(lines.count(Level::kWarning, {"wire version"}), 30u);  // and they do not fill the log
  RawPeer member(port(), key);
  ASSERT_TRUE(member.handshake());
  Digest other = chain();
  other.bytes[0] ^= std::byte{1};
  ASSERT_TRUE(member.write(bytes_of({0, wire::encode(wire::Hello{kWireVersion, other}), {}})));
  EXPECT_TRUE(Network::eventually([&] {
    return lines.count(Level::kWarning, {"node 3: the peer has another genesis", "127.0.0.1:"}) > 0;
  })) << lines.all();
}

}  // namespace
}  // namespace thresher::net
