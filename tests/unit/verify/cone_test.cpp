// Which rules a checker leaves out, by hand.
#include "cone.hpp"

#include <gtest/gtest.h>

#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

// a -> b raises x, which the way from b to c waits for; d is a side way, y is counted for nobody.
constexpr const char* kText =
    "skel S { shared x, y, z; parameters N; assumptions (0) { N >= 1; }\n"
    "locations (0) { a; b; c; d; e; }\n"
    "inits (0) { a == N; b == 0; c == 0; d == 0; e == 0; x == 0; y == 0; z == 0; }\n"
    "rules (0) { 0: a -> b when (true) do { x' == x + 1; };\n"
    "  1: b -> c when (x >= 2 && y < 3) do {};\n"
    "  2: c -> d when (true) do { y' == y + 1; };\n"
    "  3: d -> e when (z >= 1) do {};\n"
    "  4: d -> d when (true) do { z' == z + 1; }; }\n"
    "specifications (0) { c: [](c == 0); e: [](e == 0); stay: [](c < 2 || a >= 1);\n"
    "  leave: <>(c == 0); y: [](y == 0); } }";

std::vector<bool> kept(const std::string& text, const std::string& name) {
  const auto ta = parse_automaton(text, "cone.ta");
  EXPECT_TRUE(ta) << ta.error();
  for (const Property& p : ta->properties) {
    if (p.name != name) continue;
    return cone_of_influence(*ta, {normal(negate(p.formula))}, Budget(60, nullptr));
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(Cone, HasWhatBringsSomebodyThereAndWhatThatWaitsFor) {
  EXPECT_EQ(kept(kText, "c"), (std::vector<bool>{true, true, false, false, false}));
  EXPECT_EQ(kept(kText, "e"), (std::vector<bool>{true, true, true, true, true}));
}

TEST(Cone, HasWhatTakesSomebodyAway) {
  // Violated when c holds two and a nobody.
  EXPECT_EQ(kept(kText, "stay"), (std::vector<bool>{true, true, false, false, false}));
  // Violated when c is never left.
  EXPECT_EQ(kept(kText, "leave"), (std::vector<bool>{true, true, false, false, false}));
}

TEST(Cone, HasWhatRaisesAVariableOfTheProperty) {
  EXPECT_EQ(kept(kText, "y"), (std::vector<bool>{true, true, true, false, false}));
}

TEST(Cone, HasEveryRuleThatTakesFromAVariableAndWhatPutsSomethingThere) {
  std::string text = kText;
  text.replace(text.find("3: d -> e when (z >= 1) do {}"), 29,
               "3: d -> e when (true) do { z' == z - 1; }");
  EXPECT_EQ(kept(text, "c"), (std::vector<bool>{true, true, true, true, true}));
}

}  // namespace
}  // namespace thresher::verify
