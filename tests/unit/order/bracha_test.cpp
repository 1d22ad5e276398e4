// One Bracha node alone, and what makes a table a table.
#include "thresher/protocols/broadcast/bracha.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "thresher/core/transcript.hpp"

namespace thresher {
namespace {

TEST(Bracha, RefusesWhatIsOutOfBounds) {
  Bracha node(
      {.committee = *Committee::of(4), .self = NodeId{0}, .window = 4, .payload_bytes = 10});
  Bracha::Fx fx;
  const auto receive = [&](NodeId from, Bracha::Message m) {
    step(node, InputOf<Bracha>{Received<Bracha::Message>{from, std::move(m)}}, fx);
  };
  const bracha::Instance far{NodeId{1}, 1'000'000};
  receive(NodeId{1}, bracha::Statement{far, bracha::kEcho, {}});
  receive(NodeId{1}, bracha::Init{{NodeId{1}, 8}, {}});
  receive(NodeId{1}, bracha::Init{{NodeId{2}, 0}, {}});  // in another's name
  receive(NodeId{1}, bracha::Init{{NodeId{1}, 0}, Bytes::copy_of(as_view("eleven char"))});
  receive(NodeId{9}, bracha::Init{{NodeId{9}, 0}, {}});
  receive(NodeId{1}, bracha::Statement{{NodeId{9}, 0}, bracha::kEcho, {}});
  receive(NodeId{1}, bracha::Give{{NodeId{1}, 0}, Bytes::copy_of(as_view("forged"))});
  EXPECT_EQ(node.refused(), 6u);
  // A flood of digests from one peer opens one instance and counts once for each counter.
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const auto counter = i % 2 == 0 ? bracha::kEcho : bracha::kReadied;
    receive(NodeId{1}, bracha::Statement{{NodeId{1}, 1}, counter, hash(Writer().u64(i).view())});
  }
  EXPECT_LE(node.open(), 2u);
  EXPECT_EQ(node.footprint().digests, 2u);
}

Bytes sized(std::uint64_t number, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < sizeof number; ++i)
    bytes[i] = static_cast<std::byte>(number >> (8 * i));
  return Bytes::from(std::move(bytes));
}

// Unfinished broadcasts of one peer held 770 MB; they take no room from others.
TEST(BrachaBounds, OfUnfinishedBroadcastsHold) {
  Bracha::Config config;
  config.payload_bytes = 1 << 16;
  config.origin_bytes = 4 << 16;
  Bracha node(config);
  Bracha::Fx fx;
  const auto init = [&](std::uint16_t from, std::uint64_t number, std::size_t size) {
    fx.clear();
    const bracha::Init m{{NodeId{from}, number}, sized(number, size)};
    step(node, InputOf<Bracha>{Received<Bracha::Message>{NodeId{from}, m}}, fx);
  };
  for (std::uint64_t k = 200; k-- > 0;) init(3, k, config.payload_bytes);
  EXPECT_LE(node.footprint().payload_bytes, config.origin_bytes);
  EXPECT_FALSE(fx.list().empty());  // echoed: those after it do not keep the oldest out
  const std::size_t held = node.footprint().payload_bytes;
  init(2, 0, config.payload_bytes);
  EXPECT_EQ(node.footprint().payload_bytes, held + config.payload_bytes);
  EXPECT_LE(node.footprint().instances, Bracha::most_held(config).instances);
}

// One peer may lie about what it keeps; of f+1 one does not.
TEST(BrachaBounds, NothingIsSkippedOnTheWordOfF) {
  Bracha node({.window = 4});
  Bracha::Fx fx;
  const auto floor = [&](std::uint16_t from, std::uint64_t number) {
    const bracha::Floor m{NodeId{1}, number, false};
    step(node, InputOf<Bracha>{Received<Bracha::Message>{NodeId{from}, m}}, fx);
  };
  const auto takes = [&](std::uint64_t number) {
    const std::size_t digests = node.footprint().digests;
    const bracha::Statement m{{NodeId{1}, number}, bracha::kEcho, hash(as_view("x"))};
    step(node, InputOf<Bracha>{Received<Bracha::Message>{NodeId{2}, m}}, fx);
    return node.footprint().digests > digests;
  };
  for (int k = 0; k < 3; ++k) floor(3, 1000);
  EXPECT_TRUE(takes(0));
  EXPECT_FALSE(takes(500));
  floor(2, 500);
  EXPECT_FALSE(takes(0));
  EXPECT_TRUE(takes(500));
}

// The records of instances beyond the first window were dropped at a restart, and what was said in
// them could be said otherwise.
TEST(BrachaRestart, RemembersWhatItSaidInLateInstances) {
  const bracha::Instance late{NodeId{1}, 1000};
  Bracha node({.window = 4});
  Bracha::Fx fx;
  const Bytes payload = sized(1, 100);
  Writer key;
  key.u16(1).u64(1000).u8(bracha::kEcho);
  step(node,
       InputOf<Bracha>{Restored{
           4, Bytes::from(Writer().u16(1).take()), Bytes::from(Writer().u64(997).take()), {}}},
       fx);
  step(node,
       InputOf<Bracha>{Restored{1, Bytes::from(key.take()),
                                Bytes::copy_of(hash(payload.view()).bytes), payload}},
       fx);
  step(node, InputOf<Bracha>{Start{1}}, fx);
  fx.clear();
  const Bracha::Message other = bracha::Init{late, sized(2, 100)};
  step(node, InputOf<Bracha>{Received<Bracha::Message>{NodeId{1}, other}}, fx);
  for (const auto& effect : fx.list())
    EXPECT_FALSE(std::holds_alternative<Broadcast<Bracha::Message>>(effect));
  fx.clear();
  const Bracha::Message want = bracha::Want{late};
  step(node, InputOf<Bracha>{Received<Bracha::Message>{NodeId{2}, want}}, fx);
  const auto* answer =
      fx.list().empty() ? nullptr : std::get_if<Send<Bracha::Message>>(&fx.list().front());
  ASSERT_NE(answer, nullptr);  // the payload outlived the crash as the echo did
  EXPECT_EQ(std::get<bracha::Give>(answer->message).payload, payload);
}

// The table's checks are worth something: each broken table is refused.
TEST(RuleTables, BrokenOnesAreNotWellFormed) {
  constexpr LocationInfo kPlaces[] = {{"A", true, false}, {"B", false, true}};
  constexpr std::string_view kCounters[] = {"c"};
  constexpr Rule kCycle[] = {{"go", 0, 1, Guard{0, kAny}, {}}, {"back", 1, 0, Guard{0, kAny}, {}}};
  constexpr Rule kSame[] = {{"go", 0, 1, Guard{0, kAny}, {}}, {"go", 0, 1, Guard{0, kQuorum}, {}}};
  constexpr Rule kUnbound[] = {{"go", 0, 1, {}, {}}};
  constexpr Rule kNowhere[] = {{"go", 0, 2, Guard{0, kAny}, {}}};
  constexpr Rule kUnknown[] = {{"go", 0, 1, Guard{1, kAny}, {}}};
  constexpr Rule kGood[] = {{"go", 0, 1, Guard{0, kAny}, Say{0, Value::kCounted}}};
  static_assert(!well_formed({"cycle", kPlaces, kCounters, kCycle}));
  static_assert(!well_formed({"same", kPlaces, kCounters, kSame}));
  static_assert(!well_formed({"unbound", kPlaces, kCounters, kUnbound}));
  static_assert(!well_formed({"nowhere", kPlaces, kCounters, kNowhere}));
  static_assert(!well_formed({"unknown", kPlaces, kCounters, kUnknown}));
  static_assert(well_formed({"good", kPlaces, kCounters, kGood}));
  constexpr LocationInfo kThree[] = {{"A", true, false}, {"B", true, true}, {"C", false, true}};
  constexpr Rule kTwice[] = {{"one", 0, 1, Guard{0, kAny}, Say{0, Value::kCounted}},
                             {"two", 1, 2, Guard{0, kAny}, Say{0, Value::kCounted}}};
  static_assert(!well_formed({"twice", kThree, kCounters, kTwice}));
  SUCCEED();
}

}  // namespace
}  // namespace thresher
