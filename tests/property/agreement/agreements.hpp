// The agreements that go in rounds, with the committees that they are tested in.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "thresher/protocols/agreement/round.hpp"

namespace thresher {

struct OnTables {
  std::string name;
  const RoundTables* proved;
  std::vector<std::uint32_t> sizes;  ///< 3f+1, 3f+2, 3f+3, 4f+1, or the like for n > 5f
};

inline const std::vector<OnTables>& agreements() {
  static const std::vector<OnTables> all{
      {"bca-agreement", &agreement::kBcaRounds, {4, 5, 6, 7, 9}},
      {"ben-or", &agreement::kBenOrRounds, {6, 7, 8, 11}},
      {"cobalt", &agreement::kCobaltRounds, {4, 5, 6, 7, 9}},
      {"graded-bca", &agreement::kGradedRounds, {4, 5, 6, 7, 9}},
      {"mmr14", &agreement::kMmr14Rounds, {4, 5, 6, 7, 9}},
  };
  return all;
}

inline std::ostream& operator<<(std::ostream& out, const OnTables& one) {
  return out << one.name;
}

}  // namespace thresher
