// Histories for tests, in a shorthand of one operation a word.
//
//   judge_of("a:x=1[0,1] b:x?1[2,3] b:x?-[4,5]")    // client, key, = put or ? get, value, times
//
// "-" is nothing, "[4,]" never ended.
#pragma once

#include <gtest/gtest.h>

#include <sstream>

#include "thresher/verify/history/levels.hpp"

namespace thresher::history {

/// The lines of a file. Pre: `text` is as above.
inline std::string lines_of(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string word; in >> word;) {
    const auto open = word.find('[');
    const auto comma = word.find(',', open);
    const std::string value = word.substr(4, open - 4);
    const std::string end = word.substr(comma + 1, word.size() - comma - 2);
    out += std::string(R"({"client":")") + word[0] + R"(","key":")" + word[2] + R"(","op":")" +
           (word[3] == '=' ? "put" : "get") + R"(","value":)" + (value == "-" ? "null" : value) +
           R"(,"begin":)" + word.substr(open + 1, comma - open - 1) +
           (end.empty() ? "" : R"(,"end":)" + end) + "}\n";
  }
  return out;
}

inline History history_of(const std::string& text) {
  const auto history = read(lines_of(text), "test");
  EXPECT_TRUE(history) << (history ? "" : history.error().front().text());
  return history ? *history : History{};
}

inline Report judge_of(const std::string& text, const Bounds& bounds = {}) {
  return judge(history_of(text), bounds);
}

}  // namespace thresher::history
