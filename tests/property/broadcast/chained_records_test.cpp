// The records of chained echo about what was delivered: written two ticks after the delivery, since
// a crash before the host has it must not keep it from the host; no payload is erased before; and
// after a restart everything is delivered again that the host may lack.
#include "chained_records.hpp"

#include <gtest/gtest.h>

#include "thresher/protocols/broadcast/chained_echo.hpp"

namespace thresher {
namespace {

using namespace chained_echo;  // NOLINT(google-build-using-namespace): the protocol's own words

constexpr NodeId kOrigin{1};

Bytes payload(std::uint64_t number) {
  return Bytes::from(Writer().u64(number).take());
}
Head head_after(std::uint64_t count) {
  Head at = genesis({}, kOrigin);
  for (std::uint64_t k = 0; k < count; ++k)
    at = successor({}, kOrigin, at, hash(payload(k).view()));
  return at;
}

/// Node 0 of four, and a stream of node 1. The results of the last step are in `delivered`
/// (numbers), `recorded` (counts of delivered and base) and `erased` (positions).
class One {
 public:
  explicit One(std::uint64_t window) : node_(config(window)) {}

  void step(const InputOf<ChainedEcho>& input) {
    ChainedEcho::Fx fx;
    thresher::step(node_, input, fx);
    delivered.clear();
    recorded.clear();
    erased.clear();
    for (const auto& effect : fx.list()) {
      if (const auto* e = std::get_if<Deliver<broadcast::Delivery>>(&effect)) note(e->output);
      if (const auto* e = std::get_if<Persist>(&effect)) note(*e);
    }
  }
  void tick() { step(Expired{{1, {}}}); }
  /// All others echo and are ready for `count` payloads.
  void all_say(std::uint64_t count) {
    std::vector<std::uint64_t> all;
    for (std::uint16_t k = 1; k < 4; ++k) {
      step(Received<ChainedEcho::Message>{
          NodeId{k}, Status{kOrigin, head_after(count), head_after(count), false}});
      all.insert(all.end(), delivered.begin(), delivered.end());
    }
    delivered = all;
  }
  /// The next payload comes, and the node delivers it.
  void take(std::uint64_t number) {
    step(
        Received<ChainedEcho::Message>{kOrigin, Extend{{kOrigin, number}, payload(number), false}});
    all_say(number + 1);
  }
  void restore(std::uint32_t table, const Bytes& key, const Bytes& value, const Bytes& body = {}) {
    step(Restored{table, key, value, body});
  }
  void restore_payloads(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t k = first; k < count; ++k) {
      restore(kLinks, key_of(kOrigin, k + 1),
              link_record(head_after(k + 1), hash(payload(k).view())), payload(k));
    }
    restore(kStatus, key_of(kOrigin), two_heads(head_after(count), head_after(count)));
  }
  const ChainedEcho& node() const { return node_; }

  std::vector<std::uint64_t> delivered;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> recorded;
  std::vector<std::uint64_t> erased;

 private:
  static ChainedEcho::Config config(std::uint64_t window) {
    ChainedEcho::Config out;
    out.window = window;
    return out;
  }
  void note(const broadcast::Delivery& d) {
    EXPECT_EQ(d.payload, payload(d.instance.number));
    delivered.push_back(d.instance.number);
  }
  void note(const Persist& record) {
    Reader key(record.key.view());
    Reader value(record.value.view());
    (void)key.u16();
    if (record.table == kLinks && record.value.empty()) erased.push_back(key.u64());
    if (record.table != kDelivered) return;
    const std::uint64_t told = read_head(value).count;
    recorded.emplace_back(told, read_head(value).count);
  }

  ChainedEcho node_;
};

using Counts = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
using Numbers = std::vector<std::uint64_t>;

TEST(ChainedRecords, ADeliveryIsRecordedAtTheSecondTickAfterIt) {
  One one(64);
  one.take(0);
  EXPECT_EQ(one.delivered, Numbers{0});
  EXPECT_EQ(one.recorded, Counts{}) << "the host has it only after this step";
  one.tick();
  EXPECT_EQ(one.recorded, Counts{}) << "a tick may come with the delivery";
  one.take(1);
  one.tick();
  EXPECT_EQ(one.recorded, (Counts{{1, 0}})) << "the later one waits for its own second tick";
  one.tick();
  EXPECT_EQ(one.recorded, (Counts{{2, 0}}));
  one.tick();
  EXPECT_EQ(one.recorded, Counts{}) << "nothing is new";
}

// With a window of two the base moves at every position that all echo.
TEST(ChainedRecords, NoPayloadIsErasedBeforeItsDeliveryIsRecorded) {
  One one(2);
  one.take(0);
  one.tick();
  EXPECT_EQ(one.erased, Numbers{}) << "the base may be beyond it, the host may lack it";
  one.tick();
  EXPECT_EQ(one.recorded, (Counts{{1, 1}}));
  EXPECT_EQ(one.erased, Numbers{1});
  one.take(1);
  EXPECT_EQ(one.erased, Numbers{}) << "what is erased is erased once";
}

TEST(ChainedRecords, WhatTheHostMayLackIsDeliveredAgainBelowTheBase) {
  One one(64);
  one.restore_payloads(1, 3);
  one.restore(kDelivered, key_of(kOrigin), two_heads(head_after(1), head_after(3)));
  one.step(Start{1});
  EXPECT_EQ(one.delivered, (Numbers{1, 2})) << "in order, and not what the host had";
  one.take(3);
  EXPECT_EQ(one.delivered, Numbers{3}) << "and it goes on";
}

TEST(ChainedRecords, WhatTheHostMayLackIsDeliveredAgainAboveTheBase) {
  One one(64);
  one.restore_payloads(0, 3);
  one.restore(kDelivered, key_of(kOrigin), two_heads(head_after(1), head_after(0)));
  one.step(Start{1});
  EXPECT_EQ(one.delivered, Numbers{}) << "its own ready alone delivers nothing";
  one.all_say(3);
  EXPECT_EQ(one.delivered, (Numbers{1, 2}));
}

// A node that restarts before the record is written: the payload is on disk all the same.
TEST(ChainedRecords, WithoutARecordEverythingIsDeliveredAgain) {
  One one(64);
  one.restore_payloads(0, 2);
  one.step(Start{1});
  one.all_say(2);
  EXPECT_EQ(one.delivered, (Numbers{0, 1}));
}

// A payload that was delivered again is erased once its record is written, not before.
TEST(ChainedRecords, AfterARestartErasingGoesOnWhereItStood) {
  One one(2);
  one.restore_payloads(1, 3);
  one.restore(kDelivered, key_of(kOrigin), two_heads(head_after(1), head_after(3)));
  one.step(Start{1});
  EXPECT_EQ(one.delivered, (Numbers{1, 2}));
  EXPECT_EQ(one.erased, Numbers{});
  one.tick();
  one.tick();
  EXPECT_EQ(one.recorded, (Counts{{3, 3}}));
  EXPECT_EQ(one.erased, (Numbers{2, 3}));
}

}  // namespace
}  // namespace thresher
