// Shares of the coins of slots that are decided: of no use here any more, while others may lack
// them.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "schedule.hpp"
#include "thresher/core/committee.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::dag {
namespace {

constexpr std::uint64_t kSeed = 9;
constexpr std::uint64_t kDepth = 30;
constexpr TimerId kCoinTimer{1, {{1}, 1}};  // behind the hop of the coin

std::shared_ptr<const crypto::CoinScheme> coin_of(std::uint16_t i) {
  return std::make_shared<coin::IdealCoin>(3, NodeId{i}, kSeed);
}

/// A node whose leaders a coin draws; the test plays the others, and the disk.
class CoinShares : public testing::Test {
 protected:
  CoinShares() {
    for (auto& digest : last_) digest = Digest{};
  }
  void feed(const InputOf<Dag>& input) {
    Dag::Fx fx;
    step(node_, input, fx);
    for (auto& effect : fx.list()) {
      if (const auto* b = std::get_if<Broadcast<Message>>(&effect))
        said_to_all_ += std::holds_alternative<coin::Share>(b->message) ? 1 : 0;
      const auto* s = std::get_if<Send<Message>>(&effect);
      if (s == nullptr || !std::holds_alternative<coin::Share>(s->message)) continue;
      answers_.push_back(std::get<coin::Share>(s->message));
      EXPECT_EQ(s->to, NodeId{1});
    }
  }
  void share(std::uint16_t from, std::uint64_t slot, bool ask = false) {
    feed(Received<Message>{NodeId{from}, coin::Share{slot, *coin_of(from)->share(slot), ask}});
  }
  /// Blocks of all others up to round `top`, and that `slot` was committed after `before`.
  void take_over_the_log(std::uint64_t before, std::uint64_t slot, std::uint64_t top) {
    Digest leader{};
    for (; round_ <= top; ++round_) {
      for (std::uint16_t author = 1; author <= 3; ++author) {
        Header h;
        h.author = NodeId{author};
        h.round = Round{round_};
        h.self = {h.author, Round{round_ - 1}, last_[author]};
        const BlockPtr b = make_block(std::move(h), {}, {}, {});
        last_[author] = b->digest;
        if (author == 1 && round_ == slot) leader = b->digest;
        Writer value;
        encode_header(*b, value);
        value.u8(kCameWithLog);
        feed(Restored{kBlock, block_key(b->edge()), Bytes::from(value.take()), {}});
      }
    }
    Writer mark;
    mark.u64(before).bytes(leader.bytes);
    if (!started_) {
      // At a start the record also says who leads later: what a schedule is at the beginning.
      Schedule(node_config().committee, Rules::mahi_mahi()).encode(mark);
    }
    feed(
        Restored{kDelivered, Bytes::from(Writer().u64(slot).take()), Bytes::from(mark.take()), {}});
  }
  void start() {
    feed(Start{0});
    started_ = true;
  }
  static Config node_config() {
    Config c;
    c.rules = Rules::mahi_mahi();
    c.self = NodeId{0};
    c.gc_depth = kDepth;
    c.coin = coin_of(0);
    return c;
  }

  Dag node_{node_config()};
  std::array<Digest, 4> last_{};
  std::uint64_t round_ = 1;
  std::uint64_t said_to_all_ = 0;
  std::vector<coin::Share> answers_;
  bool started_ = false;
};

// While a node catches up it hears live shares. They were kept though their slots were decided by
// the log, and took the place of all later ones for a thousand slots.
TEST_F(CoinShares, OfSlotsThatTheLogDecidedTakeNoPlace) {
  start();
  for (std::uint64_t slot = 100; slot < 164; ++slot) {
    for (std::uint16_t peer = 1; peer <= 3; ++peer) share(peer, slot);
  }
  take_over_the_log(0, 200, 200);
  ASSERT_EQ(node_.next_slot(), Round{201});
  for (std::uint64_t slot = 140; slot < 201; ++slot) {
    for (std::uint16_t peer = 1; peer <= 3; ++peer) share(peer, slot);
  }
  for (std::uint16_t peer = 1; peer <= 3; ++peer) share(peer, 210);  // their only copy
  const std::uint64_t before = node_.stats().coin_batches;
  take_over_the_log(200, 209, 215);
  ASSERT_EQ(node_.next_slot(), Round{210});
  feed(Expired{TimerId{3, {}}});  // it looks at what it has
  EXPECT_GE(said_to_all_, 1u) << "the coin of slot 210 is tossed";
  EXPECT_EQ(node_.stats().coin_batches, before + 1);
  EXPECT_EQ(node_.stats().refused, 0u);
}

// A node that restarted tossed the coin of a decided slot for whoever asked, told everybody, and
// waited for the others.
TEST_F(CoinShares, OfDecidedSlotsAreToldToTheirAskerAlone) {
  take_over_the_log(0, 1000, 1000);
  start();
  ASSERT_EQ(node_.next_slot(), Round{1001});
  said_to_all_ = 0;
  for (std::uint64_t slot = 1; slot <= 1000; ++slot) share(1, slot, true);
  EXPECT_EQ(said_to_all_, 0u);
  EXPECT_EQ(answers_.size(), coin::kEarlyShares);
  EXPECT_EQ(node_.stats().refused, 0u);
  // Those that it still lacks it gets later.
  for (std::uint64_t slot = 1; slot <= 1000;) {
    feed(Expired{kCoinTimer});
    const std::size_t so_far = answers_.size();
    const std::uint64_t first = slot;
    for (; slot <= 1000 && slot < first + coin::kEarlyShares; ++slot) share(1, slot, true);
    ASSERT_EQ(answers_.size(), so_far + (slot - first));
    EXPECT_EQ(answers_.back().share.bytes, coin_of(0)->share(slot - 1)->bytes);
    EXPECT_FALSE(answers_.back().ask);
  }
  EXPECT_EQ(said_to_all_, 0u);
}

}  // namespace
}  // namespace thresher::dag
