// The log of peers is taken over while a block of the node's own is being signed, so that the block
// lies below the floor when the signature comes. Found by kills with `gc_rounds = 20`: the node
// stopped, and said that somebody is Byzantine.
#include <gtest/gtest.h>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint64_t kDepth = 4;
constexpr std::uint64_t kRounds = 9;

class Overtaken : public testing::Test {
 protected:
  Overtaken() {
    feed(Start{0});
    const Bytes text = Bytes::copy_of(as_view("on its way"));
    payload_ = {text, hash(text.view())};
    feed(Requested<Submit>{{payload_, {}}});
  }
  void feed(const InputOf<Dag>& input) {
    Dag::Fx fx;
    step(node_, input, fx);
    for (auto& effect : fx.list()) {
      if (const auto* e = std::get_if<Endorse>(&effect)) signing_.push_back(e->ticket);
      if (const auto* b = std::get_if<Broadcast<Message>>(&effect)) {
        if (const auto* push = std::get_if<Push>(&b->message)) pushed_.push_back(push->block);
      }
    }
  }
  /// Rounds of all others, the last of them a committed leader's.
  void take_over_the_log() {
    std::array<Digest, 4> last{};
    BlockPtr leader;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      for (std::uint16_t author = 1; author <= 3; ++author) {
        Header h;
        h.author = NodeId{author};
        h.round = Round{round};
        h.self = {h.author, Round{round - 1}, last[author]};
        const BlockPtr b = make_block(std::move(h), {}, {}, {});
        last[author] = b->digest;
        if (author == kRounds % 4) leader = b;
        Writer value;
        encode_header(*b, value);
        value.u8(kCameWithLog);
        feed(Restored{kBlock, block_key(b->edge()), Bytes::from(value.take()), {}});
      }
    }
    Writer mark;
    mark.u64(0).bytes(leader->digest.bytes);
    feed(Restored{
        kDelivered, Bytes::from(Writer().u64(kRounds).take()), Bytes::from(mark.take()), {}});
  }

  Dag node_{[] {
    Config c;
    c.self = NodeId{0};
    c.gc_depth = kDepth;
    return c;
  }()};
  Payload payload_;
  std::vector<Ticket> signing_;
  std::vector<BlockPtr> pushed_;
};

TEST_F(Overtaken, TheNodeGoesOnAboveTheFloorAndProposesThePayloadAgain) {
  ASSERT_EQ(signing_.size(), 1u);
  take_over_the_log();
  ASSERT_EQ(signing_.size(), 1u) << "one block at a time";
  feed(Endorsed{signing_[0], {}});
  // No leader of the log is dense: each is waited for, by steps of half a Delta.
  for (int step = 0; step < 12 && signing_.size() < 2; ++step) feed(Expired{{1, {}}});
  ASSERT_EQ(signing_.size(), 2u);
  feed(Endorsed{signing_[1], {}});
  ASSERT_EQ(pushed_.size(), 2u);
  EXPECT_EQ(pushed_[0]->round(), Round{1});
  EXPECT_GT(pushed_[1]->round(), Round{kRounds - kDepth});
  EXPECT_EQ(pushed_[1]->header.payload_root, payload_.root);
}

}  // namespace
}  // namespace thresher::dag
