// What a protocol's parameter may be in an experiment file, beyond its type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string file_with(const std::string& protocol, const std::string& parameter,
                      const std::string& value) {
  return R"({"schema": 1, "protocol": {"name": ")" + protocol + "\", \"" + parameter +
         "\": " + value + "}}";
}

TEST(Parameters, ANumberMayHaveToBeAMultiple) {
  ProtocolInfo info;
  info.name = "mine";
  info.parameters = {{"window", std::int64_t{8}, 2, 256, "", {}, 2}};
  const std::vector<ProtocolInfo> known{info};
  const auto read = [&](const std::string& value) {
    return read_experiments(file_with("mine", "window", value), {"exp.json", {}, known});
  };
  for (const std::string value : {"3", "255", "-2"}) {
    ASSERT_FALSE(read(value)) << value;
    EXPECT_THAT(texts_of(read(value).error()),
                ElementsAre(HasSubstr("protocol.window: must be a whole number "
                                      "from 2 to 256, a multiple of 2, not " +
                                      value)));
  }
  const auto good = read("4");
  ASSERT_TRUE(good);
  EXPECT_EQ(std::get<std::int64_t>(good->front().experiment.parameters.at("window")), 4);
}

// Its broadcasts keep twice the half of a window, and a coin of one side tells nobody anything.
TEST(Parameters, TheSetupFreeCoinRefusesAnOddWindowAndOneSide) {
  const auto read = [](const std::string& parameter, const std::string& value) {
    return read_experiments(file_with("setup-free-coin", parameter, value),
                            {"exp.json", {}, simulated_protocols()});
  };
  for (const auto& [parameter, value] :
       {std::pair("window", "3"), {"window", "1"}, {"sides", "1"}}) {
    const auto out = read(parameter, value);
    ASSERT_FALSE(out) << parameter << ' ' << value;
    EXPECT_THAT(texts_of(out.error()),
                ElementsAre(HasSubstr(std::string("protocol.") + parameter)));
  }
  EXPECT_TRUE(read("window", "2"));
  EXPECT_TRUE(read("sides", "2"));
}

}  // namespace
}  // namespace thresher::sim
