// What a broadcast keeps of the past for nodes that lag: one that is slow, cut off or killed for a
// little misses nothing, and none waits for it meanwhile; one that lags more than the history holds
// goes on where the others are and says how much it missed.
#include <gtest/gtest.h>

#include <set>

#include "../../timed.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/avid.hpp"
#include "thresher/protocols/broadcast/bracha.hpp"
#include "thresher/protocols/broadcast/das_xiang_ren.hpp"
#include "thresher/protocols/broadcast/imbs_raynal.hpp"
#include "thresher/protocols/broadcast/memory_archive.hpp"
#include "thresher/protocols/broadcast/signed_broadcast.hpp"

namespace thresher {
namespace {

constexpr std::uint64_t kWindow = 8;
constexpr std::uint64_t kHistoryOfOne = 64;
constexpr std::uint64_t kSeldom = 80 * kDelta;  // who heard nothing hears of it by then
constexpr std::uint64_t kSlow = 2 * kDelta;     // from one payload to the next
constexpr std::uint64_t kFast = kDelta / 4;
constexpr std::size_t kPayload = 96;

/// A stream of node 0. The last node is the one that lags.
template <class B>
class History : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kNodes = B::kNodesPerFault + 1;
  static constexpr std::uint16_t kLast = kNodes - 1;
  /// Its history is what lies on disk, and has no end.
  static constexpr bool kArchives = requires(typename B::Config c) { c.archive; };

  static typename B::Config config(NodeId self = {}) {
    typename B::Config out;
    out.committee = *Committee::make(kNodes, 1);
    out.self = self;
    out.window = kWindow;
    out.payload_bytes = 100;
    out.origin_bytes = 1 << 20;
    // A chain delivers within 2n/c later instances, and keeps a window after that.
    if constexpr (kArchives) out.window = 4 * kWindow;
    if constexpr (requires { out.history; }) out.history = kNodes * kHistoryOfOne;
    return out;
  }
  History()
      : archives_(kNodes), net_(kNodes, [this](NodeId id) {
          typename B::Config out = config(id);
          if constexpr (kArchives) out.archive = &archives_[id.value];
          return B(out);
        }) {
    net_.written = [this](std::uint16_t i, const Persist& record) { archives_[i].add(record); };
    net_.delivered = [this](std::uint16_t i, const broadcast::Delivery& d) {
      if (i != kLast || !crashing_) got_.emplace(i, d.instance.number);
    };
    net_.link = [this](std::uint16_t from, std::uint16_t to, const auto&) {
      return cut_ && (from == kLast || to == kLast) ? kLost : std::int64_t{300};
    };
  }
  /// Sends `count` more payloads, whatever happens to them. How many were not taken at once.
  std::uint64_t stream(std::uint64_t count, std::uint64_t pause) {
    std::uint64_t late = 0;
    for (const std::uint64_t end = sent_ + count; sent_ < end;) {
      Writer w;
      while (w.view().size() < kPayload) w.u64(sent_);
      net_.feed(0, Requested<broadcast::Submit>{{Bytes::from(w.take())}});
      const bool taken = net_.node(0).submitted(sent_);
      sent_ += taken ? 1 : 0;
      late += taken ? 0 : 1;
      net_.run_until(net_.now() + pause);
    }
    return late;
  }
  void settle() { net_.run_until(net_.now() + 3 * kSeldom); }
  std::uint64_t missed(std::uint16_t node) const {
    std::uint64_t count = 0;
    for (std::uint64_t k = 0; k < sent_; ++k) count += got_.contains({node, k}) ? 0 : 1;
    return count;
  }
  void expect_nothing_is_missed() {
    for (std::uint16_t i = 0; i < kNodes; ++i) {
      EXPECT_EQ(missed(i), 0u) << "node " << i;
      EXPECT_EQ(net_.node(i).skipped(), 0u) << "node " << i;
      EXPECT_EQ(net_.node(i).open(), 0u) << "node " << i;
    }
  }

  std::vector<MemoryArchive> archives_;
  Timed<B> net_;
  bool cut_ = false;
  bool crashing_ = false;  // the last node's host does not get what it delivers any more
  std::uint64_t sent_ = 0;

 private:
  std::set<std::pair<std::uint16_t, std::uint64_t>> got_;
};

using Broadcasts = ::testing::Types<Bracha, ImbsRaynal, Avid, DasXiangRen, SignedBroadcast,
                                    CertifiedBroadcast, ChainedEcho>;
struct Names {
  template <class B>
  static std::string GetName(int) {
    return std::string(B::kName);
  }
};
TYPED_TEST_SUITE(History, Broadcasts, Names);

// A node that did not hear of anything for 16 Delta, as on a disk that is slow for a third of a
// second, lost what the others delivered meanwhile.
TYPED_TEST(History, WhoWasCutOffMissesNothing) {
  this->stream(kWindow, kSlow);
  this->cut_ = true;
  this->stream(kHistoryOfOne, kSlow);
  this->cut_ = false;
  this->settle();
  this->expect_nothing_is_missed();
  this->stream(3 * kWindow, kSlow);
  this->settle();
  this->expect_nothing_is_missed();
}

TYPED_TEST(History, WhoIsBackCatchesUpWhileTheStreamGoesOn) {
  this->cut_ = true;
  this->stream(kHistoryOfOne / 2, kSlow);
  this->cut_ = false;
  this->stream(2 * kHistoryOfOne, kSlow);
  this->settle();
  this->expect_nothing_is_missed();
}

TYPED_TEST(History, WhoWasKilledMissesNothing) {
  this->stream(3 * kWindow, kFast);
  this->net_.kill(this->kLast);
  this->stream(kHistoryOfOne - 2 * kWindow, kSlow);
  this->net_.restart(this->kLast);
  this->settle();
  this->expect_nothing_is_missed();
}

// A step's records are written before its deliveries are handed over, and the disk takes its time:
// what was marked as delivered when the process died then was never heard of.
TYPED_TEST(History, WhatACrashKeptFromTheHostComesAgain) {
  this->stream(kWindow, kSlow);
  this->crashing_ = true;
  this->stream(kWindow, kDelta / 2);
  this->net_.kill(this->kLast);
  this->crashing_ = false;
  this->net_.restart(this->kLast);
  this->settle();
  this->expect_nothing_is_missed();
}

// What the others keep for it outlives their own restarts.
TYPED_TEST(History, TheOthersMayRestartMeanwhile) {
  this->cut_ = true;
  this->stream(kHistoryOfOne, kSlow);
  for (std::uint16_t i = 0; i < this->kLast; ++i) this->net_.restart(i);
  this->cut_ = false;
  this->settle();
  EXPECT_EQ(this->missed(this->kLast), 0u);
  EXPECT_EQ(this->net_.node(this->kLast).skipped(), 0u);
}

// The others took a window in 16 Delta as long as one of them was silent.
TYPED_TEST(History, NobodyWaitsForWhoIsSilent) {
  this->cut_ = true;
  EXPECT_EQ(this->stream(kHistoryOfOne, kFast), 0u);
  for (std::uint16_t i = 0; i < this->kLast; ++i) {
    const auto held = this->net_.node(i).footprint();
    const auto most = TypeParam::most_held(this->config());
    EXPECT_LE(held.instances, most.instances);
    EXPECT_LE(held.payload_bytes, most.payload_bytes);
  }
}

// It skipped exactly what it missed, each once. With archives that is nothing.
TYPED_TEST(History, WhoMissedMoreGoesOnAndSaysHowMuch) {
  this->cut_ = true;
  this->stream(4 * kHistoryOfOne, kSlow);
  this->cut_ = false;
  this->stream(kWindow, kSlow);
  this->settle();
  this->stream(3 * kWindow, kSlow);
  this->settle();
  for (std::uint16_t i = 0; i < this->kLast; ++i) EXPECT_EQ(this->missed(i), 0u);
  if (this->kArchives) return this->expect_nothing_is_missed();
  const std::uint64_t missed = this->missed(this->kLast);
  EXPECT_GE(missed, 2 * kHistoryOfOne);
  EXPECT_LE(missed, 4 * kHistoryOfOne);
  EXPECT_EQ(this->net_.node(this->kLast).skipped(), missed);
}

}  // namespace
}  // namespace thresher
