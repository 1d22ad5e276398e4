// Your own protocol against thousands of adversarial schedules. The second test finds a bug.
#include "echo_subject.hpp"
#include "thresher/testing/check.hpp"

using namespace thresher;           // NOLINT: an example
using namespace thresher::testing;  // NOLINT

const std::vector<Property> properties = {agreement(), integrity(), validity(), bounded_memory(56)};

TEST(Echo, WithAQuorumAgrees) {
  check_protocol<Echo<kQuorum>>(properties);
}
TEST(Echo, WithFewerDoesNot) {
  check_protocol<Echo<kValidity>>(properties);
}
