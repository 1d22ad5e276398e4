// How far own blocks are apart while little is on its way.
#include "pace.hpp"

#include <gtest/gtest.h>

#include "bookkeeping.hpp"

namespace thresher::dag {
namespace {

constexpr std::size_t kLoad = 100;

Config paced() {
  Config out;
  out.pace = Delay{200};
  out.pace_bytes = 10 * kLoad;
  return out;
}

/// Node 0 of four, whose last block is of round 1.
class ThePace : public ::testing::Test {
 protected:
  void accept(std::uint16_t author, std::size_t bytes) {
    Header h;
    h.author = NodeId{author};
    h.round = Round{1};
    h.payload_bytes = static_cast<std::uint32_t>(bytes);
    const BlockPtr block = make_block(std::move(h), payload(bytes, 1), {}, {});
    store_.insert(block, std::nullopt);
    store_.accept(*store_.find(block->edge()), std::nullopt);
    undelivered_.add(*block, Round{1});
  }
  void submit(std::size_t bytes) { backlog_.add({payload(bytes, 2), {}}); }
  bool begins() { return pace_.begins(store_, backlog_, Round{1}); }
  bool holds() { return pace_.holds(store_, backlog_, undelivered_, Round{1}); }

  Config config_ = paced();
  Store store_{config_.committee, config_.rules};
  Backlog backlog_{64};
  Undelivered undelivered_;
  Pace pace_{config_};
};

TEST_F(ThePace, DoesNotHoldALonePayload) {
  submit(kLoad);
  EXPECT_FALSE(begins());
  EXPECT_FALSE(holds());
}

TEST_F(ThePace, HoldsALightLoadUntilItIsOver) {
  accept(1, kLoad);
  accept(2, kLoad);
  submit(kLoad);
  EXPECT_TRUE(begins());
  EXPECT_TRUE(holds());
  pace_.over();
  EXPECT_FALSE(holds());
}

TEST_F(ThePace, DoesNotCountWhatAHostSaysOfItself) {
  accept(1, 32);
  accept(2, 32);
  submit(32);
  EXPECT_FALSE(begins());
}

TEST_F(ThePace, DoesNotHoldALargeLoad) {
  accept(1, kLoad);
  accept(2, kLoad);
  submit(8 * kLoad);
  EXPECT_TRUE(begins());
  EXPECT_FALSE(holds());
}

TEST_F(ThePace, HoldsNobodyWhereThereIsNone) {
  Pace none({});
  accept(1, kLoad);
  accept(2, kLoad);
  submit(kLoad);
  EXPECT_FALSE(none.begins(store_, backlog_, Round{1}));
  EXPECT_FALSE(none.holds(store_, backlog_, undelivered_, Round{1}));
}

}  // namespace
}  // namespace thresher::dag
