// What a member that takes its state from here is offered, and what stays for it.
#include "life/snapshot_giver.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

constexpr NodeId kNewcomer{3};
constexpr NodeId kOther{2};

/// A node of four with snapshots of the slots 10, 20, ... 50, all certified.
class Giving : public testing::Test {
 protected:
  Giving() : data_(fs::temp_directory_path() / ("thresher-giver-" + std::to_string(::getpid()))) {
    fs::remove_all(data_);
    fs::create_directories(data_);
    for (std::uint64_t slot = 10; slot <= 50; slot += 10) {
      const SnapshotFolder folder(data_.string());
      const auto file = folder.begin(Round{slot});
      EXPECT_TRUE(file && file->append(as_view("state")) &&
                  file->append_ledger(as_view("ledger")) && file->finish(at(slot), {}));
    }
    make(true);
  }
  ~Giving() override { fs::remove_all(data_); }

  static Checkpoint at(std::uint64_t slot) {
    return {Round{slot}, slot * 10, hash({}), hash({}), hash({})};
  }
  void make(bool shares) {
    giver_ = std::make_unique<SnapshotGiver>(
        SnapshotFolder(data_.string()), ChainContext{}, 4, shares, holds_,
        SnapshotGiver::Hooks{[this](NodeId to, const Frame& f) {
                               sent_.emplace_back(to, f);
                               return true;
                             },
                             [this](Round slot) -> std::optional<Certificate> {
                               if (slot == uncertified_) return std::nullopt;
                               return Certificate{at(slot.value), {NodeSet(4), {}}};
                             },
                             [this](Round slot) { return slot >= stays_from_; },
                             [] { return Round{55}; }, [] { return std::uint8_t{1}; },
                             [this] { return now_; },
                             [this](NodeId who, Round slot) { held_.emplace_back(who, slot); },
                             [this](const SnapshotPart& part) { damaged_.push_back(part); }});
  }
  /// Slots that a member is offered when it asks now.
  std::vector<std::uint64_t> asks(NodeId who, const WantSnapshots& want = {}) {
    now_.us += SnapshotService::kOffersEach;
    sent_.clear();
    giver_->hear(who, want);
    EXPECT_EQ(sent_.size(), 1u);
    std::vector<std::uint64_t> out;
    if (sent_.empty()) return out;
    const auto own = decode_own_snapshots(sent_[0].second.control.view(), 4);
    EXPECT_TRUE(own && own->grid == 1);
    for (const SnapshotOffer& offer : own ? own->offers : std::vector<SnapshotOffer>())
      out.push_back(offer.certificate.checkpoint.slot.value);
    return out;
  }

  fs::path data_;
  SnapshotHolds holds_{4, 1u << 30};
  SnapshotHolds::Now now_{1'000'000, 0};
  Round uncertified_{0};
  Round stays_from_{0};
  std::vector<std::pair<NodeId, Frame>> sent_;
  std::vector<std::pair<NodeId, Round>> held_;
  std::vector<SnapshotPart> damaged_;
  std::unique_ptr<SnapshotGiver> giver_;
};

using Slots = std::vector<std::uint64_t>;

TEST_F(Giving, TheNewestThatAreCertifiedAndStayAreOffered) {
  EXPECT_EQ(asks(kOther), (Slots{50, 40, 30, 20}));
  uncertified_ = Round{40};
  stays_from_ = Round{20};
  EXPECT_EQ(asks(kNewcomer), (Slots{50, 30, 20}));
}

// Members that lie could keep one by turns.
TEST_F(Giving, WhatOneMemberAloneHoldsIsOfferedToItAlone) {
  (void)asks(kNewcomer, {Round{20}, {}});
  EXPECT_EQ(held_, (std::vector<std::pair<NodeId, Round>>{{kNewcomer, Round{20}}}));
  stays_from_ = Round{40};
  const Slots offered = asks(kNewcomer);
  EXPECT_EQ(offered.front(), 20u);
  EXPECT_EQ(asks(kOther), (Slots{50, 40}));
  (void)asks(kOther, {Round{20}, {}});
  EXPECT_EQ(held_.size(), 1u);
  EXPECT_EQ(holds_.oldest(), Round{20});
}

TEST_F(Giving, NothingIsHeldThatIsAheadOfTheLog) {
  (void)asks(kNewcomer, {Round{60}, {}});
  EXPECT_TRUE(held_.empty());
  // One that is not here, but behind whose checkpoint the log goes on from here.
  (void)asks(kNewcomer, {Round{45}, {}});
  EXPECT_EQ(held_.size(), 1u);
}

// The one of the coarsest grid is older than all that would be offered.
TEST_F(Giving, WhatSlowerMembersAreAboutToHaveStays) {
  const std::uint8_t grids[] = {2, 1, 0, 1, 0};  // of the slots 10, 20, ...
  for (std::uint64_t i = 0; i < 5; ++i) holds_.took(Round{10 * (i + 1)}, grids[i]);
  EXPECT_EQ(asks(kOther), (Slots{50, 40, 30, 20}));
  EXPECT_FALSE(holds_.keeps(Round{10}));
  EXPECT_EQ(asks(kNewcomer, {{}, {2}}).front(), 10u);
  EXPECT_TRUE(holds_.keeps(Round{10}));
}

TEST_F(Giving, WhoAsksTooOftenIsNotAnswered) {
  EXPECT_EQ(asks(kNewcomer).size(), 4u);
  sent_.clear();
  giver_->hear(kNewcomer, {});
  EXPECT_TRUE(sent_.empty());
}

TEST_F(Giving, ANodeWhoseStateNobodyCanTakeOffersNothing) {
  make(false);
  EXPECT_TRUE(asks(kNewcomer).empty());
  (void)asks(kNewcomer, {Round{20}, {}});
  EXPECT_TRUE(held_.empty());
}

TEST_F(Giving, PartsAreGivenUntilNobodyWaits) {
  const SnapshotPart part{Round{30}, SnapshotFileName::kState, 0};
  giver_->want(kNewcomer, part);
  giver_->want(kNewcomer, {Round{30}, SnapshotFileName::kManifest, 0});
  while (const auto next = giver_->step()) now_.us = std::max(now_.us + 1, *next);
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(sent_[0].second.kind, kPart);
  EXPECT_EQ(sent_[0].second.payload, Bytes::copy_of(as_view("state")));
  EXPECT_TRUE(damaged_.empty());
}

// It was sent as it lay there, and the one that took it called this node a liar.
TEST_F(Giving, WhatTheDiskChangedIsNotGiven) {
  const SnapshotPart state{Round{30}, SnapshotFileName::kState, 0};
  const SnapshotPart ledger{Round{30}, SnapshotFileName::kLedger, 0};
  const SnapshotPart none{Round{30}, SnapshotFileName::kState, 1};
  std::ofstream(SnapshotFolder(data_.string()).path_of(Round{30}) + "/state") << "State";
  for (const SnapshotPart& part : {state, ledger, none}) giver_->want(kNewcomer, part);
  while (const auto next = giver_->step()) now_.us = std::max(now_.us + 1, *next);
  ASSERT_EQ(sent_.size(), 3u);
  for (const auto& [to, answer] : sent_) {
    const auto head = decode_given_part(answer.control.view());
    ASSERT_TRUE(head);
    EXPECT_EQ(head->found, head->part == ledger);
    EXPECT_EQ(answer.payload.empty(), !head->found);
  }
  EXPECT_EQ(damaged_, (std::vector<SnapshotPart>{state}));
}

}  // namespace
}  // namespace thresher::net
