// How often a node of the certified family asks for verdicts: about once a round on certificates
// and once on votes, whatever the size of the committee.
#include <gtest/gtest.h>

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {
namespace {

double measure(const Outcome& o, const std::string& name) {
  for (const Measure& m : o.measures) {
    if (m.name == name) return m.value;
  }
  ADD_FAILURE() << "no measure " << name;
  return 0;
}

class Calls : public testing::TestWithParam<const char*> {
 protected:
  /// `gather`: in thousandths of Delta, which is the mean delay of a link.
  static void expect_calls(std::int64_t gather, double most) {
    for (const std::uint32_t n : {4U, 7U, 10U, 31U}) {
      for (const Ticks spread : {kUnit / 50, kUnit / 10, kUnit / 2}) {
        Experiment e;
        e.protocol = GetParam();
        e.engine = Engine::kEvents;
        e.n = n;
        e.f = (n - 1) / 3;
        e.parameters["gather"] = gather;
        e.network.delay = {DelayLaw::Kind::kUniform, kUnit, 0, kUnit - spread, kUnit + spread};
        e.stop.time = 150 * kUnit;
        const Outcome o = simulate(e, {});
        EXPECT_EQ(o.verdict, Verdict::kPass) << o.why;
        EXPECT_GT(o.rounds, 35U);
        const double votes = measure(o, "vote_calls_per_round");
        const double certificates = measure(o, "certificate_calls_per_round");
        std::printf("  n %u, spread %.2f: %.2f on votes, %.2f on certificates, %llu rounds\n", n,
                    static_cast<double>(spread) / kUnit, votes, certificates,
                    static_cast<unsigned long long>(o.rounds));
        EXPECT_LE(votes, 1.0);
        EXPECT_GT(votes, 0.8);
        EXPECT_LE(certificates, most);
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Certified, Calls,
                         testing::Values("bullshark", "anchored-bullshark", "sparse-bullshark",
                                         "bullshark-async"),
                         [](const auto& suite) {
                           std::string name = suite.param;
                           std::erase(name, '-');
                           return name;
                         });

// Delays of a millisecond, give or take 2 %, 10 %, a half. What a round needs is one call when its
// certificates could complete it and one when the first header of the next round names a late one;
// bullshark asks a third time in every second round, when f+1 votes could commit.
TEST_P(Calls, DoNotGrowWithTheCommittee) {
  expect_calls(0, std::string_view(GetParam()) == "bullshark" ? 3.0 : 2.6);
}

// With a wait for the rest of a round, one call is enough, as long as the rest comes within it.
TEST_P(Calls, AreOneARoundWhenTheRestIsWaitedFor) {
  expect_calls(1000, 1.1);
}

}  // namespace
}  // namespace thresher::sim
