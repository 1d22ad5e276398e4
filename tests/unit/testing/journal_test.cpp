// A node's inputs, kept and replayed.
#include "thresher/testing/journal.hpp"

#include <gtest/gtest.h>

namespace thresher::testing {
namespace {

/// Delivers the sum of what it has heard.
struct Sum {
  using Message = int;
  using Output = int;
  using Request = int;
  using Fx = Effects<int, int>;
  int received = 0;
  void on(const Received<int>& m, Fx& fx) {
    received += m.message;
    fx.deliver(received);
  }
  void on(const Requested<int>&, Fx&) {}
};

TEST(Journal, ReplayMakesTheSameEffectsAndState) {
  Journal<Sum> journal;
  for (const int m : {1, 20, 300}) journal.record(Received<int>{NodeId{0}, m});
  std::vector<int> delivered;
  const Sum last = journal.replay(Sum{}, [&](Sum::Fx& fx) {
    for (const auto& e : fx.list()) delivered.push_back(std::get<Deliver<int>>(e).output);
  });
  EXPECT_EQ(delivered, (std::vector<int>{1, 21, 321}));
  EXPECT_EQ(last.received, 321);
}

}  // namespace
}  // namespace thresher::testing
