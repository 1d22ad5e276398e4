// Small automata drawn at random, as text, for tests that compare checkers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "thresher/core/prng.hpp"

namespace thresher::verify {

inline std::string pick(Prng& random, const std::vector<std::string>& all) {
  return all[random.below(all.size())];
}

/// Up to five locations, two variables, guards of both kinds; cyclic when `cycles`, with
/// resets and decrements when `lowers`. `properties`
/// gets the name of the last location.
inline std::string random_automaton(
    Prng& random, bool cycles, const std::function<std::string(const std::string&)>& properties,
    bool lowers = false) {
  const std::uint64_t places = 3 + random.below(3);
  std::string locations;
  std::string inits = "l0 + l1 == N; x == 0; y == 0;";
  for (std::uint64_t i = 0; i < places; ++i) {
    locations += "l" + std::to_string(i) + "; ";
    if (i > 1) inits += " l" + std::to_string(i) + " == 0;";
  }
  std::string rules;
  const std::uint64_t count = 3 + random.below(5);
  for (std::uint64_t r = 0; r < count; ++r) {
    std::uint64_t from = random.below(places - 1);
    std::uint64_t to = from + 1 + random.below(places - from - 1);
    const bool back = cycles && random.below(3) == 0;
    if (back) std::swap(from, to);
    const std::string guard =
        pick(random, {"true", "x >= T", "x >= N - T", "y >= 1", "x + y >= T + 1", "x < T", "y < 1",
                      "x < T && y >= 1", "2 * x >= N || y >= T", "x >= T + 1 && y < T"});
    std::string grows =
        back ? "" : pick(random, {"", "x' == x + 1;", "y' == y + 1;", "x' == x + 1; y' == y + 1;"});
    if (lowers && random.below(2) == 0) {
      grows = pick(random, {"x' == 0;", "y' == 0;", "x' == 0; y' == 0;", "x' == x - 1;", "y' == 2;",
                            "y' == y - 1; x' == x + 1;"});
    }
    rules += "  " + std::to_string(r) + ": l" + std::to_string(from) + " -> l" +
             std::to_string(to) + " when (" + guard + ") do { " + grows + " };\n";
  }
  const std::string last = "l" + std::to_string(places - 1);
  return "skel R { shared x, y; parameters N, T; assumptions (0) { N >= 2 * T + 1; T >= 1; }\n"
         "locations (0) { " +
         locations + "}\ninits (0) { " + inits + " }\nrules (0) {\n" + rules +
         "}\nspecifications (0) { " + properties("l" + std::to_string(places - 1)) + " } }\n";
}

}  // namespace thresher::verify
