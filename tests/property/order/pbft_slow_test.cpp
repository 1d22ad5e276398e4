// PBFT where the network is slow for what it has to carry: a burst of large requests, and links
// that take many Delta for a window of proposals. Views then fail although nobody is faulty, and
// what a failed view costs decides whether anything is ever ordered.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "pbft_run.hpp"
#include "thresher/protocols/order/pbft_wire.hpp"

namespace thresher {
namespace {

constexpr std::uint16_t kNodes = 4;
constexpr std::size_t kRequestBytes = 60'000;

/// Each node's messages leave it one behind the other, at so many bytes a Delta.
class SlowNetwork {
 public:
  explicit SlowNetwork(std::uint64_t bytes_per_delta)
      : net_(kNodes,
             [](NodeId id) {
               return Pbft({.committee = *Committee::of(kNodes), .self = id, .window = kWindow});
             }),
        rate_(bytes_per_delta) {
    net_.link = [this](std::uint16_t from, std::uint16_t, const Pbft::Message& m) {
      const std::uint64_t bytes = encode(m).size();
      sent_ += bytes;
      free_[from] = std::max(free_[from], net_.now()) + bytes * kDelta / rate_;
      return static_cast<std::int64_t>(free_[from] - net_.now() + kDelta / 10);
    };
    net_.delivered = [this](std::uint16_t i, const pbft::Delivery&) { ++delivered_[i]; };
  }

  void submit(std::uint16_t i) {
    Writer w;
    w.u64(++submitted_);
    for (std::size_t k = 0; k < kRequestBytes / 8; ++k) w.u64(k);
    net_.feed(i, Requested<pbft::Submit>{{Bytes::from(w.take())}});
  }
  /// In Delta; `most` when not everything was delivered everywhere by then.
  std::uint64_t until_all_delivered(std::uint64_t most) {
    std::uint64_t now = 0;
    const auto all = [&] {
      return std::all_of(delivered_.begin(), delivered_.end(),
                         [&](std::uint64_t d) { return d == submitted_; });
    };
    while (now < most && !all()) net_.run_until(++now * kDelta);
    return now;
  }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t submitted_bytes() const { return submitted_ * kRequestBytes; }

 private:
  Timed<Pbft> net_;
  std::uint64_t rate_;
  std::array<std::uint64_t, kNodes> free_{};
  std::array<std::uint64_t, kNodes> delivered_{};
  std::uint64_t submitted_ = 0;
  std::uint64_t sent_ = 0;
};

// Each request goes to three nodes, and its proposal does too. Everything else is what failed views
// cost. When view changes carried values, and what might be lost was said again in full, all but
// the fastest of these networks had not ordered the burst after 75 times the least time, in which
// they sent each request between 1,600 and 4,300 times.
TEST(PbftSlow, ABurstThatTakesManyDeltaIsOrdered) {
  for (const std::uint64_t rate : {400'000, 200'000, 100'000, 50'000, 25'000}) {
    SlowNetwork run(rate);
    for (std::uint64_t k = 0; k < kNodes * kWindow; ++k)
      run.submit(static_cast<std::uint16_t>(k % kNodes));
    // The leader sends its proposals and the requests of its own.
    const std::uint64_t least = (3 + 1) * run.submitted_bytes() / rate;
    const std::uint64_t took = run.until_all_delivered(8 * least);
    EXPECT_LT(took, 4 * least) << "bytes a Delta: " << rate;
    EXPECT_LT(run.sent(), 40 * run.submitted_bytes()) << "bytes a Delta: " << rate;
  }
}

}  // namespace
}  // namespace thresher
