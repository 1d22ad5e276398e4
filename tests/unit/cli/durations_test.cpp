#include "durations.hpp"

#include <gtest/gtest.h>

#include "text.hpp"

namespace thresher::cli {
namespace {

TEST(Durations, ThatAreTooLongAreToldFromThoseThatAreNone) {
  for (const char* text :
       {"1000001s", "1000001min", "1e11ms", "10000000000", "8589934592s", "9223372036854775808s",
        "18446744073709551615", "1e300min", "1e999s", "1e999", "inf"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
    const std::string said = no_duration("--patience", text);
    EXPECT_EQ(
        said.rfind("--patience '" + std::string(text) + "' is too long: more than 1000000", 0), 0U)
        << said;
  }
  for (const char* text :
       {"", "s", "-1s", "-1e999", "5h", "1e9h", "5 s", "nan", "0x10s", "twenty"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
    EXPECT_EQ(no_duration("--every", text, "time of 1s or more"),
              "--every '" + std::string(text) + "' is no time of 1s or more");
  }
  // A time that the verb does not take is none of what it wants.
  EXPECT_EQ(no_duration("--every", "5ms", "time of 1s or more"),
            "--every '5ms' is no time of 1s or more");
}

TEST(Durations, InPlainNumbersEndWithAYear) {
  EXPECT_EQ(too_long("--linger", kLongestSeconds), "");
  EXPECT_EQ(too_long("--pause", kLongestSeconds * 1000, 1000), "");
  EXPECT_EQ(too_long("--pause", kLongestSeconds * 1000 + 1, 1000),
            "--pause 31536000001 is more than a year, 31536000000 milliseconds; give less");
  for (const std::uint64_t seconds :
       {kLongestSeconds + 1, std::uint64_t{1} << 33, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    EXPECT_EQ(too_long("--linger", seconds),
              "--linger " + std::to_string(seconds) +
                  " is more than a year, 31536000 seconds; give less");
  }
}

}  // namespace
}  // namespace thresher::cli
