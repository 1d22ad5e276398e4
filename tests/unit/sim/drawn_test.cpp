// What the fuzzer draws can be written to a file and read back, or a failure could not be replayed.
#include <gtest/gtest.h>

#include "thresher/sim/fuzz.hpp"
#include "thresher/sim/names.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

TEST(Drawn, EverySchedulesFileReadsBack) {
  const auto protocols = simulated_protocols();
  for (const ProtocolInfo& info : protocols) {
    if (!info.stuffs) continue;  // what people fuzz: all that bears liars, and Raft
    Experiment base;
    base.protocol = info.name;
    base.n = 10;
    base.f = info.faults_of(base.n);
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      const std::string page = write_experiment(draw_schedule(base, seed, menu_of(info.name)));
      const auto cells = read_experiments(page, {"drawn.json", {}, protocols});
      ASSERT_TRUE(cells) << info.name << ", seed " << seed << ": " << cells.error().front();
      ASSERT_EQ(cells->size(), 1u);
    }
  }
}

}  // namespace
}  // namespace thresher::sim
