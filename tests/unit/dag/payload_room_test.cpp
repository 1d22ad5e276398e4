// Which payloads are kept, driven alone.
#include "payload_room.hpp"

#include <gtest/gtest.h>

#include "alone.hpp"

namespace thresher::dag {
namespace {

using Found = PayloadRoom::Found;

/// A node that keeps 100 bytes of each author.
class ThePayloadRoom : public ::testing::Test {
 protected:
  static Config small() {
    Config out = four();
    out.limits.waiting_bytes_per_peer = 100;
    return out;
  }
  BlockPtr held(Header header, std::size_t bytes, std::uint8_t name = 7) {
    const BlockPtr block = node_.hold(std::move(header), bytes, name);
    room_.begins_to_wait(*block);
    return block;
  }

  Alone node_{small()};
  PayloadRoom room_{node_.parts.config, node_.parts.store, node_.parts.culprits, node_.where};
};

TEST_F(ThePayloadRoom, DropsWhatIsTooMuchAndTakesItAgain) {
  node_.where.made(minted(header(0, 1)));
  held(header(1, 1), 60);
  EXPECT_TRUE(room_.has_room(node(1)));
  const BlockPtr more = held(header(1, 2), 50);
  EXPECT_FALSE(room_.has_room(node(1)));
  EXPECT_TRUE(room_.has_room(node(2)));
  room_.drop_if_too_much(more->edge());
  EXPECT_TRUE(room_.lacks(more->edge()));
  EXPECT_TRUE(node_.entry(more).block->payload.bytes.empty());
  EXPECT_EQ(room_.look_at(node_.entry(more)), Found::kLacking);
  EXPECT_FALSE(room_.take(node_.entry(more).block));  // without what lacks
  EXPECT_TRUE(room_.take(more));
  EXPECT_FALSE(room_.take(more));
  EXPECT_EQ(room_.look_at(node_.entry(more)), Found::kHere);
}

TEST_F(ThePayloadRoom, NamesWhatWasFarWhenItIsNear) {
  const BlockPtr far = held(header(1, 9), 120);
  EXPECT_EQ(room_.look_at(node_.entry(far)), Found::kFar);
  std::vector<Edge> ready;
  room_.bring_near(ready);
  EXPECT_TRUE(ready.empty());
  node_.where.made(minted(header(0, 8)));
  room_.bring_near(ready);
  EXPECT_EQ(ready, std::vector{far->edge()});
  EXPECT_EQ(room_.look_at(node_.entry(far)), Found::kLacking);
}

TEST_F(ThePayloadRoom, HoldsATwinBackUntilSomebodyNeedsIt) {
  held(header(3, 1), 10, 1);
  const BlockPtr twin = held(header(3, 1), 120, 2);
  room_.hold_twin(twin->edge(), node(1));
  EXPECT_EQ(room_.payer(twin->edge()), node(1));
  EXPECT_EQ(room_.look_at(node_.entry(twin)), Found::kHeldBack);
  EXPECT_TRUE(room_.holds_back());
  std::vector<PayloadRoom::Wanted> wanted;
  EXPECT_FALSE(room_.want_held_back(0, wanted));  // nobody does
  Header above = header(1, 2);
  above.refs.push_back(twin->edge());
  const BlockPtr child = held(std::move(above), 0);
  EXPECT_TRUE(room_.want_held_back(1, wanted));  // but no quota has room for it in this tick
  EXPECT_TRUE(wanted.empty());
  EXPECT_TRUE(room_.want_held_back(32, wanted));
  ASSERT_EQ(wanted.size(), 1u);
  EXPECT_EQ(wanted.front().edge, twin->edge());
  EXPECT_EQ(wanted.front().child, child->edge());
  EXPECT_EQ(wanted.front().payer, node(1));
  EXPECT_FALSE(room_.holds_back());
}

TEST_F(ThePayloadRoom, GivesBackWhatLeavesTheStore) {
  const BlockPtr one = held(header(1, 1), 100);
  EXPECT_FALSE(room_.has_room(node(1)));
  room_.leaves_store(node_.entry(one));
  EXPECT_TRUE(room_.has_room(node(1)));
}

TEST_F(ThePayloadRoom, OfACopyIsItsOwn) {
  held(header(1, 1), 100);
  Alone other(small());
  PayloadRoom copy(other.parts.config, other.parts.store, other.parts.culprits, other.where,
                   &room_);
  EXPECT_FALSE(copy.has_room(node(1)));
  copy.waits_no_more(*minted(header(1, 1), 100));
  EXPECT_TRUE(copy.has_room(node(1)));
  EXPECT_FALSE(room_.has_room(node(1)));
}

}  // namespace
}  // namespace thresher::dag
