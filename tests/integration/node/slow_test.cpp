// Peers and clients that are slow, greedy or gone; rows 1, 4, 17 and 24 of the reliability
// checklist on real nodes. What one of them does costs the others nothing but bounded memory.
#include <cstring>
#include <deque>

#include "network.hpp"
#include "payloads.hpp"
#include "raw_peer.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/payload_root.hpp"

namespace thresher::net {
namespace {

/// What a test allows a node's process to grow by; rows 1 and 4.
constexpr std::uint64_t kGrowth = 64u << 20;

crypto::SigningKey key_of(const Network& net, std::size_t node) {
  return *crypto::load_key(net.home(node) + "/node.key");
}
std::uint16_t port_of(const Network& net, std::size_t node) {
  return net.genesis().nodes[node].port;
}
Digest chain_of(const Network& net) {
  return net.genesis().context().chain;
}

/// Nodes 0 to 2 of four run; the test is node 3.
void start_three(Network& net) {
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(net.start(i), "");
}

/// Each node in turn commits `batches` times nine transactions of 200 kB.
void commit_much(Network& net, int batches) {
  const std::string big(200'000, 'x');
  for (int k = 0; k < batches; ++k) {
    std::vector<std::future<Receipt>> batch;
    for (std::size_t i = 0; i < 9; ++i) batch.push_back(net.submit_later(i % 3, as_view(big)));
    for (auto& future : batch) {
      ASSERT_EQ(future.wait_for(std::chrono::seconds(20)), std::future_status::ready);
      (void)future.get();
    }
  }
}

// A length alone took memory: a hundred clients that announced 8 MiB each had 800 MiB.
TEST(Slow, Row4AnAnnouncedLengthTakesNoMemory) {
  Network net(4);
  start_three(net);
  net.submit(0, "warm");
  std::deque<RawPeer> clients;
  for (int k = 0; k < 100; ++k) {
    clients.emplace_back(port_of(net, 0), crypto::SigningKey::generate());
    ASSERT_TRUE(clients.back().greet(chain_of(net)));
  }
  const std::uint64_t before = resident_bytes();
  for (RawPeer& c : clients) {
    auto begun = head_of(kSubmit, 0, (8u << 20) - 5);
    begun.resize(begun.size() + 100);
    ASSERT_TRUE(c.write(begun));
  }
  for (int k = 0; k < 20; ++k) net.submit(0, "meanwhile " + std::to_string(k));
  EXPECT_LT(resident_bytes(), before + kGrowth);
}

TEST(Slow, Row4LengthsThatCannotBeEndTheConnectionBeforeAndAfterTheHello) {
  Network net(4);
  start_three(net);
  for (const bool greeted : {false, true}) {
    for (const std::uint32_t body : {0xffffffffu - 5, 0x7fffffffu, (8u << 20) + 1, 0xfffffffbu}) {
      RawPeer peer(port_of(net, 0), crypto::SigningKey::generate());
      ASSERT_TRUE(greeted ? peer.greet(chain_of(net)) : peer.handshake());
      ASSERT_TRUE(peer.write(head_of(kSubmit, 0, body)));
      EXPECT_TRUE(peer.ends()) << greeted << " " << body;
    }
    RawPeer peer(port_of(net, 0), crypto::SigningKey::generate());
    ASSERT_TRUE(greeted ? peer.greet(chain_of(net)) : peer.handshake());
    ASSERT_TRUE(peer.write(head_of(kSubmit, 100, 10)));  // more control than frame
    EXPECT_TRUE(peer.ends());
  }
  EXPECT_EQ(net.submit(0, "the node goes on").position, 0u);
}

TEST(Slow, Row4AByteAtATimeIsWaitedFor) {
  Network net(4);
  start_three(net);
  RawPeer client(port_of(net, 0), crypto::SigningKey::generate());
  ASSERT_TRUE(client.greet(chain_of(net)));
  std::thread drip([&] {
    for (const std::byte b : bytes_of({kSubmit, {}, entry(0, "slowly said")})) {
      ASSERT_TRUE(client.write(ByteView(&b, 1)));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  for (int k = 0; k < 20; ++k) net.submit(static_cast<std::size_t>(k) % 3, "meanwhile");
  drip.join();
  const auto answer = client.answer();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, kAck);
}

// A member that reads a byte now and then, and one that writes so. The other three commit.
TEST(Slow, Row17AMemberThatReadsAndWritesAByteAtATimeHoldsUpNobody) {
  Network net(4);
  start_three(net);
  const auto key = key_of(net, 3);
  std::deque<RawPeer> links;
  for (std::size_t i = 0; i < 3; ++i) {
    links.emplace_back(port_of(net, i), key, 4096);
    ASSERT_TRUE(links.back().greet(chain_of(net)));
    ASSERT_TRUE(links.back().write(head_of(kPush, 1000, (8u << 20) - 5)));
  }
  std::atomic<bool> over{false};
  std::atomic<int> read{0};
  std::thread slow([&] {
    const std::byte zero{0};
    while (!over) {
      for (RawPeer& link : links) {
        read += static_cast<int>(link.read(1).size());
        (void)link.write(ByteView(&zero, 1));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  commit_much(net, 8);
  over = true;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(net.reaches(i, 72));
  EXPECT_GT(read, 0);
  slow.join();
}

// Row 1: frames of rounds that nobody will reach, signed by a member, over its real connection.
TEST(Slow, Row1AMemberThatFloodsFarRoundsTakesNoMemory) {
  Network net(4);
  start_three(net);
  net.submit(0, "warm");
  const auto key = key_of(net, 3);
  const ChainContext chain = net.genesis().context();
  RawPeer liar(port_of(net, 0), key);
  ASSERT_TRUE(liar.greet(chain.chain));
  const std::uint64_t before = resident_bytes();
  std::vector<std::byte> chunk;
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    const std::uint64_t bases[] = {1'000'000, std::uint64_t{1} << 31, std::uint64_t{1} << 62,
                                   ~std::uint64_t{0} - 100'000};
    dag::Header h;
    h.author = NodeId{3};
    h.round = Round{bases[i % 4] + i};
    h.self = {h.author, Round{h.round.value - 1}, hash(Writer().u64(i).view())};
    const Signature signature = key.sign(dag::digest_of(h, chain).bytes);
    const auto block = dag::make_block(std::move(h), {}, signature, chain);
    const auto frame = bytes_of(encode(dag::Message{dag::Push{block}}));
    chunk.insert(chunk.end(), frame.begin(), frame.end());
    if (chunk.size() > 60'000) {
      ASSERT_TRUE(liar.write(chunk));
      chunk.clear();
      if (i % 10 == 0) net.submit(i % 3, "meanwhile");
    }
  }
  EXPECT_LT(resident_bytes(), before + kGrowth);
  EXPECT_TRUE(net.reaches(0, net.app(1).count()));
  EXPECT_FALSE(net.ended(0));
}

// Row 4: a block whose push just fits a frame, to two of three. They took it and referred to it,
// and the answer that gave it to the third did not fit: the third closed its links to both for
// ever.
TEST(Slow, Row4ABlockThatFitsItsPushAloneStopsNobody) {
  Network net(4);
  start_three(net);
  const auto key = key_of(net, 3);
  const ChainContext chain = net.genesis().context();
  dag::Header h;
  h.author = NodeId{3};
  h.round = Round{1};
  h.self = {h.author, Round{0}, {}};
  constexpr std::size_t kControl = 2 + 8 + 1 + 32 + 4 + 8 + 32 + 2 + 64;
  const Bytes payload = Bytes::from(std::vector<std::byte>((8u << 20) - 5 - kControl));
  h.payload_root = payload_root(payload.view());
  h.payload_bytes = static_cast<std::uint32_t>(payload.size());
  const Signature signature = key.sign(dag::digest_of(h, chain).bytes);
  const auto block = dag::make_block(h, {payload, h.payload_root}, signature, chain);
  const auto frame = bytes_of(encode(dag::Message{dag::Push{block}}));
  ASSERT_EQ(frame.size(), (8u << 20) + 4);
  std::deque<RawPeer> links;
  for (std::size_t i = 0; i < 2; ++i) {
    links.emplace_back(port_of(net, i), key);
    ASSERT_TRUE(links.back().greet(chain.chain));
    ASSERT_TRUE(links.back().write(frame));
  }
  commit_much(net, 3);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(net.reaches(i, 27)) << i;
}

// A subscriber that does not read costs its own queue, and gets all of the log when it does.
TEST(Slow, ASubscriberThatDoesNotReadCostsItsQueueAndLosesNothing) {
  Network net(4);
  start_three(net);
  commit_much(net, 1);
  const std::uint64_t before = resident_bytes();
  std::deque<RawPeer> subscribers;
  for (int k = 0; k < 20; ++k) {
    subscribers.emplace_back(port_of(net, 0), crypto::SigningKey::generate(), 4096);
    ASSERT_TRUE(subscribers.back().greet(chain_of(net)));
    ASSERT_TRUE(
        subscribers.back().write(bytes_of({kSubscribe, wire::encode(wire::Subscribe{0}), {}})));
  }
  commit_much(net, 13);
  // 20 subscribers that have not taken 23 MB each: 450 MiB without a bound, 80 with it, and what
  // three nodes need themselves.
  EXPECT_LT(resident_bytes(), before + 4 * kGrowth);
  std::uint64_t next = 0;
  while (next < 126) {
    const auto f = subscribers[7].answer();
    ASSERT_TRUE(f);
    const auto part = wire::decode<wire::Log>(f->control.view());
    ASSERT_TRUE(part);
    EXPECT_EQ(part->first, next);
    next = part->first + part->count;
  }
  EXPECT_EQ(next, 126u);
}

// An answer that has no room would be missed for ever: the connection ends, and on the next one the
// client asks again.
TEST(Slow, AClientThatDoesNotReadItsAnswersIsDropped) {
  Network net(4);
  start_three(net);
  RawPeer client(port_of(net, 0), crypto::SigningKey::generate(), 4096);
  ASSERT_TRUE(client.greet(chain_of(net)));
  const Bytes one = entry(0, "once");
  ASSERT_TRUE(client.write(bytes_of({kSubmit, {}, one})));
  const auto first = client.answer();
  ASSERT_TRUE(first);
  ASSERT_EQ(first->kind, kAck);
  std::vector<std::byte> again;
  while (again.size() < 900'000) again.insert(again.end(), one.view().begin(), one.view().end());
  const auto frame = bytes_of({kSubmit, {}, Bytes::from(std::move(again))});
  // Each of them is answered with as much; the kernel takes some megabytes, the queue four.
  for (int k = 0; k < 24 && client.write(frame); ++k) {
  }
  EXPECT_TRUE(client.ends());
  EXPECT_EQ(net.submit(0, "others").position, 1u);
}

// Row 24: one that reconnects again and again under a member's name does not keep that member out.
TEST(Slow, Row24AMemberGetsInThroughAFlood) {
  Network net(4);
  start_three(net);
  std::vector<int> idle;
  std::deque<RawPeer> clients;
  for (int k = 0; k < 600; ++k) {
    const int fd = connect_to(port_of(net, static_cast<std::size_t>(k) % 3));
    if (fd >= 0) idle.push_back(fd);
    if (k % 10 != 0) continue;
    clients.emplace_back(port_of(net, 0), crypto::SigningKey::generate());
    (void)clients.back().greet(chain_of(net));
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(net.ended(i)) << net.ending(i);
  EXPECT_GT(idle.size(), 500u);
  const auto key = key_of(net, 3);
  for (int k = 0; k < 20; ++k) {
    RawPeer again(port_of(net, 0), key);
    EXPECT_TRUE(again.greet(chain_of(net)));
  }
  ASSERT_EQ(net.start(3), "");
  EXPECT_EQ(net.submit(3, "in").position, 0u);
  for (const int fd : idle) ::close(fd);
}

}  // namespace
}  // namespace thresher::net
