// Your own protocol against thousands of adversarial schedules. The second test finds a bug.
#include "echo.hpp"

#include "thresher/testing/check.hpp"

using namespace thresher;           // NOLINT: an example
using namespace thresher::testing;  // NOLINT

template <Threshold kEnough>
struct EchoSubject : SubjectBase<Echo<kEnough>> {
  using Base = SubjectBase<Echo<kEnough>>;
  using Base::Base;
  using Base::facts_of;
  static constexpr bool kOrdered = false;
  sim::OutputFacts facts_of(const typename Echo<kEnough>::Output& o) const {
    const std::uint64_t key = (std::uint64_t{o.origin.value} << 48) + o.number;
    return {.key = key, .digest = hash(o.payload.view()), .round = o.number};
  }
  std::size_t held(const Echo<kEnough>& node) const { return node.open(); }
};
template <Threshold kEnough>
struct thresher::testing::SubjectOf<Echo<kEnough>> {
  using type = EchoSubject<kEnough>;
};

const std::vector<Property> properties = {agreement(), integrity(), validity(), bounded_memory(56)};

TEST(Echo, WithAQuorumAgrees) {
  check_protocol<Echo<kQuorum>>(properties);
}
TEST(Echo, WithFewerDoesNot) {
  check_protocol<Echo<kValidity>>(properties);
}
