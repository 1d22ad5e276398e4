// The same with protocols that take long. Where peers hold 1,024 slots in memory, a node is level
// by these until it lacks more, so that many have to be ordered first.
#include "joins.hpp"

namespace thresher::net {
namespace {

using SlowProtocols = JoinsWith;
TEST_P(SlowProtocols, AnEmptyNode) {
  an_empty_node_joins(100);
}
INSTANTIATE_TEST_SUITE_P(SlowJoins, SlowProtocols, testing::Values("mahi-mahi", "bullshark-async"),
                         name_of);

// hotstuff2 is simplex's engine with other rules, and takes minutes with one of four away.
using LongWindows = JoinsWith;
TEST_P(LongWindows, AnEmptyNode) {
  // A leader of Raft gives a follower more than it keeps of what all have.
  an_empty_node_joins(GetParam() == "raft" ? 3'000 : 1'100);
}
INSTANTIATE_TEST_SUITE_P(SlowJoins, LongWindows,
                         testing::Values("pbft", "honeybadger", "simplex", "raft"), name_of);

}  // namespace
}  // namespace thresher::net
