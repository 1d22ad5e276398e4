// The name that GoogleTest takes for a test of one protocol.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace thresher::net {

/// "anchored-bullshark" without its hyphen.
inline std::string name_of_suite(const testing::TestParamInfo<std::string>& suite) {
  std::string name = suite.param;
  std::erase(name, '-');
  return name;
}

}  // namespace thresher::net
