// When transactions of the pool go to the protocol, and how many together.
#include "service/feeder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../../integration/node/payloads.hpp"
#include "ledger/agreed_time.hpp"
#include "thresher/net/payload_root.hpp"

namespace thresher::net {
namespace {

constexpr std::size_t kBlock = 1u << 20;
constexpr std::uint64_t kClock = 1'700'000'000'000'000;

/// A protocol that takes payloads, and makes blocks of them when it is told.
struct Fed {
  Pool pool{16u << 20};
  std::vector<Bytes> payloads;  // that wait, the newest last
  std::size_t blocks = 0;       // that were made
  bool links_keep_up = true;
  std::uint64_t sequence = 0;
  Feeder feeder;

  explicit Fed(const Feeder::Options& options)
      : feeder(pool, options,
               {[this] { return payloads.size(); }, [this] { return links_keep_up; },
                [](ByteView payload) { return payload_root(payload); },
                [this](const Bytes& payload, const Digest& root,
                       const std::optional<Digest>& replaced) {
                  EXPECT_EQ(root, payload_root(payload.view()));
                  if (replaced) {
                    ASSERT_FALSE(payloads.empty());
                    EXPECT_EQ(*replaced, payload_root(payloads.back().view()));
                    payloads.pop_back();
                  }
                  payloads.push_back(payload);
                },
                [] { return kClock; }}) {}
  void submit(std::size_t bytes, int times = 1) {
    for (; times > 0; --times) {
      const Bytes one = entries({{sequence++, std::string(bytes, 'x')}});
      pool.make_room(one.size(), 1, [](const RunHead&, std::uint64_t, ByteView) {});
      pool.add({some_client(1), {Round{0}, Round{kLongestLife}}}, one, 1);
    }
  }
  /// Sequences that are in the payloads that wait.
  std::vector<std::uint64_t> taken() const {
    std::vector<std::uint64_t> out;
    for (const Bytes& p : payloads)
      each_transaction(p.view(),
                       [&](const RunHead&, std::uint64_t s, ByteView) { out.push_back(s); });
    return out;
  }
  void make_block() {
    payloads.clear();
    ++blocks;
  }
};

TEST(Feeder, TheProtocolHasOnePayloadAtATime) {
  Fed node({kBlock, false, false});
  EXPECT_FALSE(node.feeder.has_something());
  EXPECT_TRUE(node.feeder.feed());
  EXPECT_TRUE(node.payloads.empty());
  node.submit(100);
  EXPECT_TRUE(node.feeder.has_something());
  EXPECT_TRUE(node.feeder.feed());
  node.submit(100);
  EXPECT_TRUE(node.feeder.feed());
  EXPECT_EQ(node.taken(), std::vector<std::uint64_t>{0});
  node.make_block();
  EXPECT_TRUE(node.feeder.feed());
  EXPECT_EQ(node.taken(), std::vector<std::uint64_t>{1});
}

TEST(Feeder, APayloadThatWaitsGetsWhatCameSince) {
  Fed node({kBlock, false, true});
  for (std::uint64_t i = 0; i < 5; ++i) {
    node.submit(100);
    EXPECT_TRUE(node.feeder.feed());
    ASSERT_EQ(node.payloads.size(), 1u);
  }
  EXPECT_EQ(node.taken(), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  // The next one begins anew: what was made a block of is not said twice.
  node.make_block();
  node.submit(100);
  EXPECT_TRUE(node.feeder.feed());
  EXPECT_EQ(node.taken(), std::vector<std::uint64_t>{5});
}

// All of it is hashed again each time.
TEST(Feeder, ALongPayloadIsExtendedOnlyByMuch) {
  Fed node({kBlock, false, true});
  node.submit(40'000);
  EXPECT_TRUE(node.feeder.feed());
  node.submit(100);
  EXPECT_TRUE(node.feeder.feed());
  EXPECT_EQ(node.taken().size(), 1u);  // what came since is too little
  node.submit(10'000);
  EXPECT_TRUE(node.feeder.feed());
  EXPECT_EQ(node.taken().size(), 3u);
  node.submit(100'000);
  EXPECT_TRUE(node.feeder.feed());
  node.submit(100'000);
  EXPECT_TRUE(node.feeder.feed());
  EXPECT_EQ(node.taken().size(), 4u);  // it is long: never again
}

TEST(Feeder, NothingIsTakenWhileLinksAreFull) {
  Fed node({kBlock, false, false});
  node.submit(100);
  node.links_keep_up = false;
  EXPECT_FALSE(node.feeder.feed());
  EXPECT_TRUE(node.feeder.has_something());
  EXPECT_TRUE(node.payloads.empty());
  node.links_keep_up = true;
  EXPECT_TRUE(node.feeder.feed());
  EXPECT_EQ(node.taken().size(), 1u);
}

TEST(Feeder, NoPayloadIsLargerThanABlock) {
  Fed node({10'000, false, true});
  node.submit(1'000, 50);
  for (int i = 0; i < 20 && node.feeder.has_something(); ++i) {
    EXPECT_TRUE(node.feeder.feed());
    ASSERT_EQ(node.payloads.size(), 1u);
    EXPECT_LE(node.payloads[0].size(), 10'000u);
    node.make_block();
  }
  EXPECT_TRUE(node.pool.empty());
}

// Where members agree on a time, one without transactions gives its clock to those that have some.
TEST(Feeder, WritesItsClockAloneOncePerTimeThatOthersOrder) {
  Fed node({kBlock, true, true});
  EXPECT_FALSE(node.feeder.has_something());
  node.feeder.others_order();
  node.links_keep_up = false;
  EXPECT_TRUE(node.feeder.has_something());
  EXPECT_FALSE(node.feeder.feed());
  node.links_keep_up = true;
  EXPECT_TRUE(node.feeder.has_something());  // it is still due
  EXPECT_TRUE(node.feeder.feed());
  ASSERT_EQ(node.payloads.size(), 1u);
  EXPECT_EQ(stamp_of(node.payloads[0].view()), kClock);
  EXPECT_TRUE(node.taken().empty());
  node.make_block();
  EXPECT_FALSE(node.feeder.has_something());
  EXPECT_TRUE(node.feeder.feed());
  EXPECT_TRUE(node.payloads.empty());
}

TEST(Feeder, EachPayloadBeginsWithOneClock) {
  Fed node({kBlock, true, true});
  node.submit(100);
  EXPECT_TRUE(node.feeder.feed());
  node.submit(100);
  EXPECT_TRUE(node.feeder.feed());
  ASSERT_EQ(node.payloads.size(), 1u);
  EXPECT_EQ(stamp_of(node.payloads[0].view()), kClock);
  const ByteView behind = node.payloads[0].view().subspan(kRunHead);
  EXPECT_FALSE(stamp_of(behind));
  EXPECT_EQ(node.taken().size(), 2u);
}

// A protocol whose payloads are not extended has a clock in every block that has transactions.
TEST(Feeder, WithoutExtensionNoClockIsWrittenAlone) {
  Fed node({kBlock, true, false});
  node.feeder.others_order();
  EXPECT_FALSE(node.feeder.has_something());
}

}  // namespace
}  // namespace thresher::net
