// What a peer or a program may send to any broadcast of the shelf: payloads of no bytes and of the
// most there may be, everything twice, what is over long ago, and a flood of instances of one
// origin. It is delivered once, refused or bounded, and takes nothing from anybody else.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "../../shelf_types.hpp"
#include "../../timed.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher {
namespace {

constexpr std::uint64_t kWindow = 8;

template <class B>
class BadInput : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kNodes = B::kNodesPerFault + 1;
  static constexpr std::uint16_t kLast = kNodes - 1;
  using Message = typename B::Message;
  struct Letter {
    std::uint16_t from;
    std::uint16_t to;
    Message message;
  };

  static typename B::Config config(NodeId self, std::size_t payload_bytes) {
    typename B::Config out;
    out.committee = *Committee::make(kNodes, 1);
    out.self = self;
    out.window = kWindow;
    out.payload_bytes = payload_bytes;
    out.origin_bytes = 8 * payload_bytes;
    if constexpr (requires { out.history; }) out.history = 0;
    return out;
  }
  static Bytes sized(std::uint64_t number, std::size_t size) {
    std::vector<std::byte> bytes(size, static_cast<std::byte>(number));
    return Bytes::from(std::move(bytes));
  }
  void create(std::size_t payload_bytes) {
    net_ = std::make_unique<Timed<B>>(
        kNodes, [payload_bytes](NodeId id) { return B(config(id, payload_bytes)); });
    net_->delivered = [this](std::uint16_t i, const broadcast::Delivery& d) {
      EXPECT_TRUE(got_[i].emplace(d.instance, d.payload).second) << "twice at " << i;
    };
  }
  void submit(std::uint16_t i, const Bytes& payload) {
    const std::uint64_t refused = net_->node(i).refused();
    net_->feed(i, Requested<broadcast::Submit>{{payload}});
    EXPECT_EQ(net_->node(i).refused(), refused);
  }
  void settle() { net_->run_until(net_->now() + 100 * kDelta); }
  void expect_delivered(const broadcast::Instance& i, const Bytes& payload) {
    for (std::uint16_t k = 0; k < kNodes; ++k) {
      const auto at = got_[k].find(i);
      ASSERT_NE(at, got_[k].end()) << "node " << k;
      EXPECT_EQ(at->second, payload) << "node " << k;
    }
  }
  void expect_bounded(std::size_t payload_bytes) {
    const auto most = B::most_held(config({}, payload_bytes));
    for (std::uint16_t k = 0; k < kNodes; ++k) {
      const auto held = net_->node(k).footprint();
      EXPECT_LE(held.instances, most.instances) << "node " << k;
      EXPECT_LE(held.digests, most.digests) << "node " << k;
      EXPECT_LE(held.payload_bytes, most.payload_bytes) << "node " << k;
    }
  }

  std::unique_ptr<Timed<B>> net_;
  std::map<std::uint16_t, std::map<broadcast::Instance, Bytes>> got_;
};

TYPED_TEST_SUITE(BadInput, Shelf, ShelfNames);

TYPED_TEST(BadInput, EmptyAndLargestPayloadsAreDelivered) {
  constexpr std::size_t kMost = std::size_t{16} << 20;
  this->create(kMost);
  const Bytes largest = this->sized(7, kMost);
  this->submit(0, Bytes{});
  this->submit(1, largest);
  this->settle();
  this->expect_delivered({NodeId{0}, 0}, Bytes{});
  this->expect_delivered({NodeId{1}, 0}, largest);
  const std::uint64_t refused = this->net_->node(2).refused();
  this->net_->feed(2, Requested<broadcast::Submit>{{this->sized(7, kMost + 1)}});
  EXPECT_EQ(this->net_->node(2).refused(), refused + 1);
}

TYPED_TEST(BadInput, WhatComesTwiceCountsOnce) {
  this->create(100);
  bool again = false;
  this->net_->link = [&](auto from, auto to, const auto& m) {
    if (!std::exchange(again, true)) {
      this->net_->say(from, to, m);
      again = false;
    }
    return std::int64_t{300};
  };
  for (std::uint64_t k = 0; k < kWindow; ++k) this->submit(0, this->sized(k, 32));
  this->settle();
  for (std::uint64_t k = 0; k < kWindow; ++k)
    this->expect_delivered({NodeId{0}, k}, this->sized(k, 32));
  this->expect_bounded(100);
}

// Everything that was said of the first window comes again when all of it is forgotten.
TYPED_TEST(BadInput, WhatIsOverStaysOver) {
  this->create(100);
  std::vector<typename TestFixture::Letter> early;
  bool noting = true;
  this->net_->link = [&](auto from, auto to, const auto& m) {
    if (noting) early.push_back({from, to, m});
    return std::int64_t{300};
  };
  std::uint64_t number = 0;
  for (; number < 8 * kWindow; ++number) {
    this->submit(0, this->sized(number, 32));
    this->settle();
    noting = noting && number + 1 < kWindow;
  }
  ASSERT_FALSE(early.empty());
  std::vector<std::uint64_t> refused;
  for (std::uint16_t i = 0; i < this->net_->size(); ++i)
    refused.push_back(this->net_->node(i).refused());
  for (const auto& letter : early) this->net_->say(letter.from, letter.to, letter.message);
  this->settle();
  // A link that was cut brings at once what was said meanwhile: its sender was told of as a liar.
  for (std::uint16_t i = 0; i < this->net_->size(); ++i)
    EXPECT_EQ(this->net_->node(i).refused(), refused[i]) << "node " << i << ": late is no offence";
  this->submit(0, this->sized(number, 32));
  this->settle();
  for (std::uint64_t k = 0; k <= number; ++k)
    this->expect_delivered({NodeId{0}, k}, this->sized(k, 32));
  for (std::uint16_t i = 0; i < this->net_->size(); ++i) {
    EXPECT_EQ(this->got_[i].size(), number + 1) << "node " << i;
    EXPECT_EQ(this->net_->node(i).skipped(), 0u) << "node " << i;
  }
  this->expect_bounded(100);
}

// A real node with a window that nobody else has, whose peers never answer.
TYPED_TEST(BadInput, AFloodOfOneOriginTakesNothingFromOthers) {
  constexpr std::uint64_t kFlood = 2000;
  this->create(1000);
  this->net_->kill(this->kLast);
  typename TypeParam::Config wide = this->config(NodeId{this->kLast}, 1000);
  wide.window = kFlood;
  wide.origin_bytes = 32 * kFlood * 1000;
  TypeParam liar(wide);
  for (std::uint64_t k = 0; k < kFlood; ++k) {
    typename TypeParam::Fx fx;
    step(liar, InputOf<TypeParam>{Requested<broadcast::Submit>{{this->sized(k, 1000)}}}, fx);
    for (const auto& effect : fx.list()) {
      if (const auto* e = std::get_if<Send<typename TypeParam::Message>>(&effect))
        this->net_->say(this->kLast, e->to.value, e->message);
      const auto* e = std::get_if<Broadcast<typename TypeParam::Message>>(&effect);
      for (std::uint16_t to = 0; e != nullptr && to < this->kLast; ++to)
        this->net_->say(this->kLast, to, e->message);
    }
  }
  EXPECT_TRUE(liar.submitted(kFlood - 1)) << "the flood was made";
  this->submit(0, this->sized(1, 900));
  this->net_->restart(this->kLast);
  this->settle();
  this->expect_delivered({NodeId{0}, 0}, this->sized(1, 900));
  this->expect_bounded(1000);
  EXPECT_GT(this->net_->node(0).refused(), 0u);
}

}  // namespace
}  // namespace thresher
