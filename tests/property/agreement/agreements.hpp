// The agreements that go in rounds, with the committees that they are tested in.
#pragma once

#include <algorithm>
#include <cstdlib>
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

inline std::string test_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// THRESHER_SCHEDULES: how many to play, for a longer look than a test has time for.
inline std::uint64_t schedules(std::uint64_t standard) {
  const char* asked = std::getenv("THRESHER_SCHEDULES");
  return asked == nullptr ? standard : std::strtoull(asked, nullptr, 10);
}

}  // namespace thresher
