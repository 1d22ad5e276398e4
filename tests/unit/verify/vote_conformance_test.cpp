// Restarts in traces of rounds: what a node may say of where it stands.
#include "thresher/verify/vote_conformance.hpp"

#include <gtest/gtest.h>

#include "thresher/protocols/agreement/round.hpp"
#include "thresher/protocols/agreement/tables.hpp"

namespace thresher::verify {
namespace {

using namespace agreement;  // NOLINT: the tables are the subject

VoteEvent restart(std::uint64_t clock, std::uint8_t location, bool under = false) {
  VoteEvent e{.clock = clock, .node = NodeId{0}, .under = under, .rule = VoteEvent::kRestart};
  e.location = location;
  return e;
}

std::string judged(const RoundTables& tables, const VoteEvent& e) {
  VoteConformance check(tables, *Committee::of(4), NodeSet(4));
  const auto taken = check.add(e);
  return taken ? "" : taken.error().text();
}

// A node once stood anywhere: it restarted at C0, read the coin and had decided without a message.
TEST(VoteConformance, ARestartThatIsTheFirstEventIsWhereANodeMayBegin) {
  const VoteTable& table = *kBcaRounds.round;
  std::size_t refused = 0;
  for (std::size_t l = 0; l < table.locations.size(); ++l) {
    const std::string why = judged(kBcaRounds, restart(1, static_cast<std::uint8_t>(l)));
    if ((table.starts >> l & 1) != 0) {
      EXPECT_EQ(why, "") << table.locations[l];
    }
    refused += why.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 0u);
  for (const std::uint8_t nobody_begins : {bca::kC0, bca::kE0}) {
    EXPECT_NE(judged(kBcaRounds, restart(1, nobody_begins)).find("no node can stand there"),
              std::string::npos);
  }
}

// The end of the round read memory beyond the table's places.
TEST(VoteConformance, PlacesAndTablesThatAreNoneAreRefused) {
  for (const std::uint8_t l : {std::uint8_t{200}, std::uint8_t{255}}) {
    EXPECT_NE(judged(kBcaRounds, restart(1, l)).find("no such place"), std::string::npos);
    EXPECT_NE(judged(kBcaRounds, restart(1, l, true)).find("no such place"), std::string::npos);
  }
  RoundTables alone = kBcaRounds;
  alone.under = nullptr;
  // Out of order as well: the error looked its table up, which is none.
  EXPECT_NE(judged(alone, restart(0, 0, true)).find("stands on no other"), std::string::npos);
  EXPECT_NE(judged(alone, restart(1, 0, true)).find("stands on no other"), std::string::npos);
  EXPECT_NE(
      judged(alone, {.clock = 1, .node = NodeId{0}, .under = true}).find("stands on no other"),
      std::string::npos);
}

}  // namespace
}  // namespace thresher::verify
