// One Bracha node alone, and what makes a table a table.
#include "thresher/protocols/broadcast/bracha.hpp"

#include <gtest/gtest.h>

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
  // A flood of digests from one peer opens one instance and counts once.
  for (int i = 0; i < 1000; ++i) {
    Writer w;
    w.u64(static_cast<std::uint64_t>(i));
    receive(NodeId{1}, bracha::Statement{{NodeId{1}, 1}, bracha::kEcho, hash(w.view())});
  }
  EXPECT_LE(node.open(), 2u);
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
