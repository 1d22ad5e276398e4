// What a file says of faults, and would be another fault or none at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "thresher/sim/outcome.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<std::vector<Cell>, Errors> read(const std::string& members) {
  return read_experiments(R"({"schema": 1, "protocol": {"name": "pbft"}, )" + members + "}",
                          {"exp.json", {}, simulated_protocols()});
}

// A count of none was taken for an absent `who`, which is all leaders.
TEST(ReadFaults, ACountOfNoneStarvesNobody) {
  const auto left = [](const std::string& who) {
    const auto cells = read(R"("committee": {"n": 2}, "faults": [{)" + who +
                            R"("what": "starve"}, {"who": [1], "what": "starve"}])");
    return cells ? cells->front().experiment.faults : std::vector<FaultAction>{};
  };
  EXPECT_EQ(left(R"("who": {"count": 1}, )").size(), 2U);
  ASSERT_EQ(left("").size(), 2U);
  EXPECT_TRUE(left("").front().who.empty());
  for (const char* none : {R"("who": {"count": 0}, )", R"("who": {"count": "f"}, )"}) {
    ASSERT_EQ(left(none).size(), 1U) << none;
    EXPECT_THAT(left(none).front().who, ElementsAre(NodeId{1}));
  }
}

// Between two rounds nothing happens: such a fault was none, and nobody said so.
TEST(ReadFaults, InRoundsAWindowHasARoundInIt) {
  const auto complaints = [](const std::string& window, const std::string& engine) {
    const auto cells = read(R"("engine": ")" + engine +
                            R"(", "faults": [{"who": [1], "what": "crash", )" + window + "}]");
    return cells ? Errors{} : cells.error();
  };
  for (const char* none : {R"("from": 3.2, "to": 3.8)", R"("from": 3.2, "to": 4)"}) {
    const Errors in_rounds = complaints(none, "rounds");
    ASSERT_EQ(in_rounds.size(), 1U) << none;
    EXPECT_THAT(in_rounds.front().text(), HasSubstr("faults[0].to: no round lies in the time"));
    EXPECT_THAT(in_rounds.front().text(), HasSubstr("let it last until 5"));
    EXPECT_TRUE(complaints(none, "events").empty()) << none;
  }
  for (const char* one : {R"("from": 3, "to": 3.5)", R"("from": 2.9, "to": 3.1)", R"("from": 3.2)"})
    EXPECT_TRUE(complaints(one, "rounds").empty()) << one;
}

}  // namespace
}  // namespace thresher::sim
