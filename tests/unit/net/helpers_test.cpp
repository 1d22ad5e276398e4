// A transport whose loop has helpers: the same frames in the same order, whatever their size and
// whenever a link ends. (All other tests of Transport run a second time with helpers, too.)
#include "links/helpers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "thresher/core/prng.hpp"
#include "transport_host.hpp"

namespace thresher::net {
namespace {

constexpr std::uint32_t kThreads = 3;

TEST(Helpers, EachDoesWhatItIsGivenInThatOrderAndAllOfIt) {
  Helpers helpers(2);
  const auto one = helpers.next();
  const auto other = helpers.next();
  EXPECT_NE(one, other) << "the second is held by fewer";
  std::vector<int> done;
  for (int i = 0; i < 1000; ++i) {
    std::function<void()> work = [&done, i] { done.push_back(i); };
    ASSERT_TRUE(one->give(work));
  }
  helpers.stop();
  ASSERT_EQ(done.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  std::function<void()> late = [] {};
  EXPECT_FALSE(one->give(late));
  EXPECT_TRUE(late) << "whoever gave it may do it";
}

TEST(Helpers, ThereMayBeNone) {
  Helpers none(0);
  EXPECT_EQ(none.next(), nullptr);
}

// Around what a record of TLS, a helper's least work, a portion and a socket's buffer hold.
Frame drawn_frame(Prng& rng) {
  constexpr std::size_t kSizes[] = {0,     1,     500,     9'000,   16'383,    16'384,
                                    16385, 65536, 140'000, 500'000, 1'500'000, 3'000'000};
  const std::size_t size = kSizes[rng.below(std::size(kSizes))] + rng.below(20);
  std::vector<std::byte> payload(size);
  for (std::size_t i = 0; i < size; i += 97) payload[i] = static_cast<std::byte>(rng.below(256));
  std::vector<std::byte> control(rng.below(4) == 0 ? rng.below(40'000) : rng.below(200));
  return {static_cast<std::uint8_t>(1 + rng.below(3)), Bytes::from(std::move(control)),
          Bytes::from(std::move(payload))};
}

bool send_to(Host& from, ConnectionId to, const Frame& frame) {
  return from.on_loop([&](Transport& t) { return t.send(to, frame); });
}

TEST(TransportWithHelpers, FramesOfAllSizesComeInTheirOrderFromEverybodyAtOnce) {
  auto options = nodes(3);
  std::vector<std::unique_ptr<Host>> hosts;
  for (auto& o : options) {
    o.threads = kThreads;
    hosts.push_back(std::make_unique<Host>(o));
  }
  const auto linked = [&](std::size_t i) {
    return hosts[i]->up((i + 1) % 3) && hosts[i]->up((i + 2) % 3);
  };
  ASSERT_TRUE(Network::eventually([&] { return linked(0) && linked(1) && linked(2); }));
  Prng rng(7);
  Digest sent[3][3]{};
  constexpr std::uint64_t kFrames = 60;
  for (std::uint64_t k = 0; k < kFrames; ++k) {
    for (std::size_t from = 0; from < 3; ++from) {
      for (std::size_t to = 0; to < 3; ++to) {
        if (from == to) continue;
        const Frame frame = drawn_frame(rng);
        while (!send_to(*hosts[from], to, frame)) std::this_thread::yield();
        sent[from][to] = hash_behind(sent[from][to], frame);
      }
    }
  }
  for (std::size_t from = 0; from < 3; ++from) {
    for (std::size_t to = 0; to < 3; ++to) {
      if (from == to) continue;
      ASSERT_TRUE(Network::eventually([&] { return hosts[to]->frames(from) == kFrames; }));
      EXPECT_EQ(hosts[to]->hashes(from), sent[from][to]);
    }
  }
}

TEST(TransportWithHelpers, LinksMayEndAtAnyMoment) {
  auto options = nodes(2);
  for (auto& o : options) o.threads = kThreads;
  Host a(options[0]);
  Host b(options[1]);
  Prng rng(11);
  for (int round = 0; round < 40; ++round) {
    ASSERT_TRUE(Network::eventually([&] { return a.up(1) && b.up(0); }));
    for (int k = 0; k < 6; ++k) {
      (void)send_to(a, 1, drawn_frame(rng));
      (void)send_to(b, 0, drawn_frame(rng));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(rng.below(4000)));
    Host& ends = rng.below(2) == 0 ? a : b;
    const ConnectionId peer = &ends == &a ? 1 : 0;
    const std::uint64_t links = ends.on_loop([&](Transport& t) {
      t.drop(peer, "a test");
      return t.peer(NodeId{static_cast<std::uint16_t>(peer)}).links;
    });
    ASSERT_TRUE(Network::eventually([&] {
      return ends.on_loop([&](Transport& t) {
        return t.peer(NodeId{static_cast<std::uint16_t>(peer)}).links > links;
      });
    }));
  }
  const std::uint64_t before = b.frames(0);
  ASSERT_TRUE(Network::eventually([&] { return send_to(a, 1, drawn_frame(rng)); }));
  EXPECT_TRUE(Network::eventually([&] { return b.frames(0) > before; }));
}

struct SizeOf : Prepared {
  explicit SizeOf(std::size_t s) : size(s) {}
  std::size_t size;
};

TEST(TransportWithHelpers, LargeFramesArePreparedBesideTheLoop) {
  auto options = nodes(2);
  for (auto& o : options) o.threads = kThreads;
  Loop loop;
  std::atomic<int> prepared{0};
  std::atomic<bool> on_the_loop{false};
  std::thread::id loop_thread;
  std::vector<std::pair<std::size_t, std::size_t>> seen;  // the payload's size, and what was said
  TransportCallbacks callbacks{[&](ConnectionId, const Frame& f) {
                                 const auto p = std::dynamic_pointer_cast<const SizeOf>(f.prepared);
                                 seen.emplace_back(f.payload.size(), p ? p->size : 0);
                                 if (seen.size() == 40) loop.stop();
                               },
                               [](ConnectionId, bool) {}, [](const std::string&) {}};
  callbacks.prepare = [&](const Frame& f) -> std::shared_ptr<const Prepared> {
    ++prepared;
    on_the_loop = on_the_loop || std::this_thread::get_id() == loop_thread;
    return std::make_shared<const SizeOf>(f.payload.size());
  };
  Transport receiver(loop, options[1], callbacks);
  ASSERT_TRUE(receiver.start());
  std::thread runs([&] {
    loop_thread = std::this_thread::get_id();
    loop.run();
  });
  Host sender(options[0]);
  ASSERT_TRUE(Network::eventually([&] { return sender.up(1); }));
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_TRUE(send_to(sender, 1, {1, {}, Bytes::from(std::vector<std::byte>(100'000 + i))}));
    EXPECT_TRUE(send_to(sender, 1, {1, {}, Bytes::from(std::vector<std::byte>(1 + i))}));
  }
  runs.join();
  ASSERT_EQ(seen.size(), 40u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(seen[2 * i], (std::pair<std::size_t, std::size_t>(100'000 + i, 100'000 + i)));
    EXPECT_EQ(seen[2 * i + 1], (std::pair<std::size_t, std::size_t>(1 + i, 0)));
  }
  EXPECT_EQ(prepared, 20);
  EXPECT_FALSE(on_the_loop);
}

}  // namespace
}  // namespace thresher::net
