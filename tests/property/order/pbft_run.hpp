// PBFT replicas on a network with a clock, what they were asked to order, and what came of it.
//
//   PbftRun run(4);
//   const std::uint64_t payload = run.submit(0);
//   run.net.run_until(bound_of(4, 8) * kDelta);
//   EXPECT_TRUE(run.has(3, payload));
//
// Guarantees: a function of what the test says.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "../../timed.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/protocols/order/pbft.hpp"
#include "thresher/protocols/promises.hpp"

namespace thresher {

inline constexpr std::uint64_t kWindow = 8;

/// Delta within which the page says that a request is ordered, when views last `patience` at first.
inline std::uint64_t bound_of(std::uint32_t n, std::uint64_t patience) {
  return promises::pbft(*Committee::of(n), patience, kWindow, 0);
}

class PbftRun {
 public:
  explicit PbftRun(std::uint32_t n, bool joins = true, bool remembers = true)
      : net(n,
            [=](NodeId id) {
              return Pbft({.committee = *Committee::of(n),
                           .self = id,
                           .window = kWindow,
                           .joins = joins,
                           .remembers = remembers});
            }),
        got_(n) {
    net.delivered = [this](std::uint16_t i, const pbft::Delivery& d) {
      Reader r(d.value.view());
      got_[i].insert(r.u64());
    };
  }

  std::uint64_t submit(std::uint16_t i) {
    net.feed(i, Requested<pbft::Submit>{{Bytes::from(Writer().u64(++last_).u16(i).take())}});
    return last_;
  }
  static std::uint16_t submitter(const Bytes& value) {
    Reader r(value.view());
    (void)r.u64();
    return r.u16();
  }
  bool has(std::uint16_t i, std::uint64_t payload) const { return got_[i].contains(payload); }
  std::uint64_t least_delivered() const {
    std::uint64_t least = ~std::uint64_t{0};
    for (std::uint16_t i = 0; i < net.size(); ++i) {
      if (net.up(i)) least = std::min(least, net.node(i).delivered());
    }
    return least;
  }
  void submit_for_ever(std::uint64_t period, std::uint16_t except) {
    net.every(period * kDelta, [this, except] {
      for (std::uint16_t i = 0; i < net.size(); ++i) {
        if (net.up(i) && i != except) (void)submit(i);
      }
    });
  }

  Timed<Pbft> net;

 private:
  std::vector<std::set<std::uint64_t>> got_;
  std::uint64_t last_ = 0;
};

}  // namespace thresher
