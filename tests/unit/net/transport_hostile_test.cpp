// Peers that send frames by halves, and peers that fill a port with connections.
#include <gtest/gtest.h>

#include <deque>

#include "../../integration/node/raw_peer.hpp"
#include "transport_host.hpp"

namespace thresher::net {
namespace {

constexpr std::uint32_t kFrame = (8u << 20) - 5;

/// A client that has sent so many bytes of a frame of 8 MiB.
std::unique_ptr<RawPeer> half_sent(const TransportOptions& node, std::size_t bytes) {
  auto out =
      std::make_unique<RawPeer>(node.nodes[node.self.value].port, crypto::SigningKey::generate());
  EXPECT_TRUE(out->greet(node.chain));
  auto begun = head_of(1, 0, kFrame);
  begun.resize(begun.size() + bytes);
  EXPECT_TRUE(out->write(begun));
  return out;
}

// 200 clients with 7.9 of 8 MiB each made 1.6 GiB. The frames of all of them have a budget now.
TEST(TransportHostile, HalfSentFramesOfClientsShareOneBudget) {
  auto options = nodes(2);
  options[0].max_clients_frame_bytes = 4u << 20;
  options[0].max_clients = 64;
  Host node(options[0]);
  const std::uint64_t before = resident_bytes();
  std::deque<std::unique_ptr<RawPeer>> clients;
  for (int k = 0; k < 60; ++k) clients.push_back(half_sent(options[0], 3u << 20));
  // 180 MiB were sent; each client and its TLS here costs some 100 KiB on top of the budget.
  EXPECT_LT(resident_bytes(), before + (60u << 20));
  ASSERT_FALSE(node.errors().empty());
  EXPECT_NE(node.errors()[0].find("its frame is the oldest that is not whole"), std::string::npos)
      << node.errors()[0];
  // A peer that sends its frame in one go gets through, again and again.
  RawPeer good(options[0].nodes[0].port, crypto::SigningKey::generate());
  ASSERT_TRUE(good.greet(options[0].chain));
  for (std::uint64_t k = 1; k <= 3; ++k) {
    ASSERT_TRUE(good.write(bytes_of({1, {}, Bytes::from(std::vector<std::byte>(1u << 20))})));
    EXPECT_TRUE(Network::eventually([&] { return node.frames(kFirstClient + 60) == k; })) << k;
  }
}

// 27 bytes that cost 20 us each: 60 clients with 5,000 of them held up a node for 6 s.
TEST(TransportHostile, KeysAreRenewedNowAndThenAndNotWithoutEnd) {
  auto options = nodes(2);
  Host node(options[0]);
  RawPeer client(options[0].nodes[0].port, crypto::SigningKey::generate());
  ASSERT_TRUE(client.greet(options[0].chain));
  const auto large = bytes_of({1, {}, Bytes::from(std::vector<std::byte>(1u << 20))});
  std::uint64_t sent = 0;
  const auto arrives = [&](ByteView frame) {
    ++sent;
    return client.write(frame) &&
           Network::eventually([&] { return node.frames(kFirstClient) == sent; });
  };
  const auto small = bytes_of({1, {}, {}});
  for (int k = 0; k < 30; ++k) ASSERT_TRUE(client.renew_keys() && arrives(small));
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(client.renew_keys() && arrives(large));
  EXPECT_TRUE(node.errors().empty());
  for (int k = 0; k < 1000 && client.renew_keys(); ++k) continue;
  ASSERT_TRUE(Network::eventually([&] { return !node.up(kFirstClient); }));
  ASSERT_TRUE(Network::eventually([&] { return !node.errors().empty(); }));  // told behind it
  ASSERT_EQ(node.errors().size(), 1u);
  EXPECT_NE(node.errors()[0].find("renews its TLS keys without end"), std::string::npos);
  RawPeer other(options[0].nodes[0].port, crypto::SigningKey::generate());
  EXPECT_TRUE(other.greet(options[0].chain));
}

// AES-GCM bears some millions of records with one key, which a busy link writes in an hour.
TEST(TransportHostile, ANodeRenewsItsOwnKeysAfterSoManyRecords) {
  auto options = nodes(2);
  options[0].records_per_key = 50;
  Host node(options[0]);
  RawPeer client(options[0].nodes[0].port, crypto::SigningKey::generate());
  ASSERT_TRUE(client.greet(options[0].chain));
  ASSERT_TRUE(Network::eventually([&] { return node.up(kFirstClient); }));
  Digest sent{};
  Digest read{};
  for (std::size_t k = 0; k < 600; ++k) {
    const Frame frame{1, {}, Bytes::from(std::vector<std::byte>(k % 100 == 0 ? 200'000 : k))};
    ASSERT_TRUE(node.on_loop([&](Transport& t) { return t.send(kFirstClient, frame); }));
    sent = hash_behind(sent, frame);
    const auto got = client.frame();
    ASSERT_TRUE(got);
    read = hash_behind(read, *got);
  }
  EXPECT_EQ(read, sent);
  EXPECT_GE(client.renewals(), 12u);
  EXPECT_LE(client.renewals(), 16u);
}

// A frame of ten bytes that waits takes some 130. They counted as ten: 4 MiB of them were 60.
TEST(TransportHostile, SmallFramesThatNobodyReadsCountForWhatTheyTake) {
  auto options = nodes(2);
  Host node(options[0]);
  RawPeer deaf(options[0].nodes[0].port, crypto::SigningKey::generate());
  ASSERT_TRUE(deaf.greet(options[0].chain));
  ASSERT_TRUE(Network::eventually([&] { return node.up(kFirstClient); }));
  const std::uint64_t before = resident_bytes();
  const bool full = node.on_loop([](Transport& t) {
    for (int i = 0; i < 4'000'000; ++i) {
      if (!t.send(kFirstClient, {1, Bytes::copy_of(as_view("x")), {}})) return true;
    }
    return false;
  });
  EXPECT_TRUE(full);
  EXPECT_LT(resident_bytes(), before + (16u << 20));
}

// A member's frame gets its room at once: of the system that is address space, until it comes.
TEST(TransportHostile, WhatMembersAnnounceCostsNoMemory) {
  auto options = nodes(13);
  Host node(options[0]);
  std::deque<std::unique_ptr<RawPeer>> members;
  for (std::size_t k = 1; k < options.size(); ++k) {
    members.push_back(std::make_unique<RawPeer>(options[0].nodes[0].port, options[k].key));
    ASSERT_TRUE(members.back()->greet(options[0].chain));
    ASSERT_TRUE(Network::eventually([&] { return node.up(k); }));
  }
  const std::uint64_t before = resident_bytes();
  for (const auto& member : members) ASSERT_TRUE(member->write(head_of(1, 0, kFrame)));
  // The heads are read: what follows them of another link is, too.
  RawPeer client(options[0].nodes[0].port, crypto::SigningKey::generate());
  ASSERT_TRUE(client.greet(options[0].chain));
  ASSERT_TRUE(client.write(bytes_of({1, {}, {}})));
  ASSERT_TRUE(Network::eventually([&] { return node.frames(kFirstClient) == 1; }));
  EXPECT_LT(resident_bytes(), before + (16u << 20));  // of 96 MiB that were announced
}

TEST(TransportHostile, AFrameThatDoesNotGoOnIsGivenUpAndItsPeerIsNamed) {
  auto options = nodes(3);
  options[0].frame_us = 300'000;
  Host node(options[0]);
  RawPeer member(options[0].nodes[0].port, options[1].key);
  ASSERT_TRUE(member.greet(options[0].chain));
  RawPeer quiet(options[0].nodes[0].port, options[2].key);  // between frames there is no hurry
  ASSERT_TRUE(quiet.greet(options[0].chain));
  ASSERT_TRUE(Network::eventually([&] { return node.up(1) && node.up(2); }));
  auto begun = head_of(1, 0, kFrame);
  begun.resize(begun.size() + 100'000);
  ASSERT_TRUE(member.write(begun));
  EXPECT_TRUE(member.ends());
  ASSERT_TRUE(Network::eventually([&] { return !node.up(1); }));
  const auto changes = node.changes();
  const auto last = std::find_if(changes.rbegin(), changes.rend(),
                                 [](const LinkChange& c) { return c.peer == 1; });
  ASSERT_NE(last, changes.rend());
  EXPECT_TRUE(last->refused && !last->up);
  EXPECT_EQ(last->address.rfind("127.0.0.1:", 0), 0u) << last->address;
  EXPECT_NE(last->why.find("unfinished frame"), std::string::npos) << last->why;
  EXPECT_TRUE(node.up(2));
  const auto half = half_sent(options[0], 1000);
  EXPECT_TRUE(half->ends());
}

// A size field under 5 was waited on for the rest of its head, half a minute; told as "over the
// limit" when that came.
TEST(TransportHostile, AFrameShorterThanItsHeadIsRefusedByItsSizeField) {
  auto options = nodes(2);
  Host node(options[0]);
  const auto size = [](std::uint32_t bytes) {
    Writer w;
    w.u32(bytes);
    return w.take();
  };
  std::size_t told = 0;
  const auto why = [&](const std::vector<std::byte>& sent) {
    RawPeer client(options[0].nodes[0].port, crypto::SigningKey::generate());
    EXPECT_TRUE(client.greet(options[0].chain) && client.write(sent) && client.ends());
    ++told;
    EXPECT_TRUE(Network::eventually([&] { return node.errors().size() == told; }));
    return node.errors().back();
  };
  for (std::uint32_t bytes = 0; bytes < 5; ++bytes) {
    EXPECT_EQ(why(size(bytes)),
              "a frame of " + std::to_string(bytes) + " bytes is shorter than its own head");
  }
  EXPECT_EQ(why(size((8u << 20) + 1)), "a frame of 8388609 bytes is over the limit of 8388608");
  EXPECT_EQ(why(head_of(1, 4, 3)), "a frame of 8 bytes is shorter than its control part of 4");
}

// Slow, but it goes on: 100 kB every tenth of a second.
TEST(TransportHostile, ASlowFrameThatGoesOnArrives) {
  auto options = nodes(2);
  options[0].frame_us = 1'500'000;
  Host node(options[0]);
  RawPeer member(options[0].nodes[0].port, options[1].key);
  ASSERT_TRUE(member.greet(options[0].chain));
  const auto frame = bytes_of({1, {}, Bytes::from(std::vector<std::byte>(4u << 20))});
  for (std::size_t at = 0; at < frame.size(); at += 100'000) {
    const std::size_t size = std::min<std::size_t>(100'000, frame.size() - at);
    ASSERT_TRUE(member.write(ByteView(frame.data() + at, size)));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_TRUE(Network::eventually([&] { return node.frames(1) == 1; }));
}

/// Opens connections to a port without end, with a pause after each; each lives until `kept` newer
/// ones are open.
class Flood {
 public:
  Flood(std::uint16_t port, std::size_t kept, std::string first_words,
        std::chrono::microseconds pause = std::chrono::microseconds(0))
      : thread_([this, port, kept, pause, words = std::move(first_words)] {
          std::deque<int> open;
          while (!over_) {
            const int fd = connect_to(port);
            if (fd < 0) continue;
            if (!words.empty()) (void)::send(fd, words.data(), words.size(), MSG_NOSIGNAL);
            open.push_back(fd);
            ++made_;
            std::this_thread::sleep_for(pause);
            if (open.size() <= kept) continue;
            ::close(open.front());
            open.pop_front();
          }
          for (const int fd : open) ::close(fd);
        }) {}
  ~Flood() {
    over_ = true;
    thread_.join();
  }
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;
  std::uint64_t made() const { return made_; }

 private:
  std::atomic<bool> over_{false};
  std::atomic<std::uint64_t> made_{0};
  std::thread thread_;
};

/// What a client of TLS 1.3 says first.
std::string client_hello() {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  &SSL_CTX_free);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()), &SSL_free);
  BIO* const out = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), out);  // theirs from here on
  SSL_set_connect_state(ssl.get());
  (void)SSL_do_handshake(ssl.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(out, &text);
  return {text, static_cast<std::size_t>(size)};
}

/// A member whose every message takes a tenth of a second more.
bool gets_in_slowly(const TransportOptions& node, const crypto::SigningKey& key) {
  constexpr std::chrono::milliseconds kWay{100};
  RawPeer member(node.nodes[node.self.value].port, key);
  if (!member.handshake_slowly(kWay)) return false;
  std::this_thread::sleep_for(kWay);
  return member.greet_now(node.chain);
}

// As many connections as the machine opens, all silent, and few places: with one pool for all of
// them, in which the oldest gave way, a member with a way of 100 ms never got in.
TEST(TransportHostile, AFloodOfSilentConnectionsKeepsNoSlowMemberOut) {
  auto options = nodes(2);
  options[0].max_strangers = 16;
  Host node(options[0]);
  const Flood flood(options[0].nodes[0].port, 64, "");
  ASSERT_TRUE(Network::eventually([&] { return flood.made() > 200; }));
  // Now and then the flood has filled the machine's own queue of connections: a member dials again.
  bool in = false;
  for (int tries = 0; tries < 20 && !in; ++tries) {
    const std::uint64_t before = flood.made();
    in = gets_in_slowly(options[0], options[1].key) &&
         flood.made() > before + 32;  // all places were filled twice in the meantime
  }
  EXPECT_TRUE(in);
}

// Half a word is no more than silence: it costs no TLS, and its places are those of the silent.
TEST(TransportHostile, AFloodOfHalfWordsKeepsNoSlowMemberOut) {
  auto options = nodes(2);
  options[0].max_strangers = 16;
  Host node(options[0]);
  const Flood flood(options[0].nodes[0].port, 64, "\x16\x03\x01\x02");
  ASSERT_TRUE(Network::eventually([&] { return flood.made() > 200; }));
  bool in = false;
  for (int tries = 0; tries < 20 && !in; ++tries) in = gets_in_slowly(options[0], options[1].key);
  EXPECT_TRUE(in);
}

// The flood says what begins a handshake, again and again, so that it competes for the same places
// and the same handshakes. By lot the member gets in after some tries; when the oldest gave way it
// never did.
TEST(TransportHostile, AFloodThatSpeaksKeepsNoSlowMemberOutForEver) {
  auto options = nodes(2);
  options[0].max_strangers = 64;
  Host node(options[0]);
  // A thousand a second fill all places several times while a member gets in. As many as the
  // machine opens would only take the processors from other tests.
  const Flood flood(options[0].nodes[0].port, 128, client_hello(), std::chrono::milliseconds(1));
  ASSERT_TRUE(Network::eventually([&] { return flood.made() > 200; }));
  bool in = false;
  EXPECT_TRUE(
      Network::eventually([&] { return in = in || gets_in_slowly(options[0], options[1].key); }));
}

// In pieces, as a way with a small path or a slow writer brings it; and what is no TLS.
TEST(TransportHostile, AFirstRecordInPiecesIsRead) {
  auto options = nodes(2);
  Host node(options[0]);
  const std::string hello = client_hello();
  const int fd = connect_to(options[0].nodes[0].port);
  ASSERT_GE(fd, 0);
  std::size_t from = 0;
  for (const std::size_t upto : {std::size_t{1}, std::size_t{4}, std::size_t{40}, hello.size()}) {
    ASSERT_EQ(::send(fd, hello.data() + from, upto - from, MSG_NOSIGNAL),
              static_cast<ssize_t>(upto - from));
    from = upto;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  char answer = 0;
  EXPECT_EQ(::recv(fd, &answer, 1, 0), 1);
  EXPECT_EQ(answer, 22);  // the server's hello
  ::close(fd);
  const int other = connect_to(options[0].nodes[0].port);
  ASSERT_GE(other, 0);
  ASSERT_EQ(::send(other, "GET / HTTP/1.1", 14, MSG_NOSIGNAL), 14);
  EXPECT_LE(::recv(other, &answer, 1, 0), 0);  // closed without a word
  ::close(other);
}

}  // namespace
}  // namespace thresher::net
