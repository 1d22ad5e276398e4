// The protocols that are tested at every size of committee, in the simulator and over sockets, and
// the sizes that the build names (NODES).
//
//   INSTANTIATE_TEST_SUITE_P(All, Sizes, family_sizes(), size_name);
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace thresher {

using FamilySize = std::tuple<std::string, std::uint32_t>;

inline auto family_sizes() {
  return testing::Combine(testing::Values("bullshark", "anchored-bullshark", "sparse-bullshark",
                                          "bullshark-async", "mahi-mahi"),
                          testing::Values(NODES));
}

inline std::string size_name(const testing::TestParamInfo<FamilySize>& suite) {
  std::string name = std::get<0>(suite.param);
  std::erase(name, '-');
  return name + "N" + std::to_string(std::get<1>(suite.param));
}

}  // namespace thresher
