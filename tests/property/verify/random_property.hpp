// Automata with upper guards and properties with several moments, drawn at random, small enough to
// be run in full.
//
//   Prng random(seed);
//   const Automaton ta = *parse_automaton(random_instance(random), "random.ta");
//   for (const auto& parameters : kInstances) ...   // every instance that the assumptions admit
//
// The assumptions bound the parameters, so that running kInstances decides each property: a checker
// may err in neither direction. Rules are drawn so that they turn upper guards false, their own
// too, before and after the moments that the property speaks of.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "random_automaton.hpp"

namespace thresher::verify {

/// N and T of every instance.
inline constexpr std::array<std::array<std::int64_t, 2>, 6> kInstances{
    {{1, 1}, {2, 1}, {3, 1}, {2, 2}, {3, 2}, {4, 2}}};

namespace detail {

inline std::string digit(Prng& random, std::uint64_t least, std::uint64_t choices) {
  return std::to_string(least + random.below(choices));
}

/// The comparisons that an automaton's guards are made of: few, so that each change of truth
/// counts.
inline std::vector<std::string> some_guards(Prng& random) {
  const auto bound = [&] { return pick(random, {"1", "2", "2", "T", "T + 1", "N - 1"}); };
  std::vector<std::string> out{"true", "x < " + bound()};
  for (std::uint64_t more = random.below(5); more > 2; --more) {
    const std::string variable = pick(random, {"x", "y", "x + y"});
    switch (random.below(6)) {
      case 0:
        out.push_back("x < " + bound() + " && y >= " + digit(random, 0, 3));
        break;
      case 1:
        out.push_back("x < " + bound() + " || y >= " + bound());
        break;
      case 2:
        out.push_back("2 * " + variable + " < " + bound());
        break;
      case 3:
      case 4:
        out.push_back(variable + " >= " + bound());
        break;
      default:
        out.push_back(variable + " < " + bound());
    }
  }
  return out;
}

/// What the variables start with, and now and then a condition on the parameters among it. Mostly
/// 0: what else there is makes most guards true from the start.
inline std::string some_values(Prng& random) {
  if (random.below(3) != 0) return "x == 0; y == 0; ";
  return pick(random, {"x <= 1; y == 0; ", "x == 0; 2 * y == 2; ", "x == T; y == 0; ",
                       "x + y == 1; ", "x == 0 || x == 2; y == 0; ", "y <= x; x <= 1; ",
                       "x == 0; y == 0; T == 1; ", "x <= 1; y == 0; N == T + 1; "});
}

/// Draws the states and moments that a property speaks of.
class Properties {
 public:
  Properties(Prng& random, std::uint64_t places, std::vector<std::string> guards)
      : random_(random), places_(places), guards_(std::move(guards)) {}

  /// A property: half of the time that some moments never come in this order.
  std::string formula() {
    const int temporal = 1 + static_cast<int>(random_.below(3));
    switch (random_.below(8)) {
      case 0:
      case 1:
      case 2:
        return "!(<>(" + exactly() + " && <>(" + turned() + " && (" + state() + "))))";
      case 3:
        return "!(<>(" + exactly() + " && <>(" + exactly() + " && <>(" + turned() + "))))";
      case 4:
        return "!(<>(" + exactly() + ") && <>(" + exactly() + " && (" + state() + ")))";
      default:
        return any(temporal);
    }
  }

 private:
  /// A formula of at most so many temporal operators.
  std::string any(int temporal) {
    if (temporal == 0) return state();
    switch (random_.below(6)) {
      case 0:
        return "[](" + any(temporal - 1) + ")";
      case 1:
        return "<>(" + any(temporal - 1) + ")";
      case 2:
        return "[]((" + state() + ") -> " + any(temporal - 1) + ")";
      case 3:
        return "<>((" + state() + ") && " + any(temporal - 1) + ")";
      case 4:
        return "(" + any(temporal - 1) + ") || (" + any(temporal / 2) + ")";
      default:
        return "(" + any(temporal - 1) + ") && (" + any(temporal / 2) + ")";
    }
  }
  /// A state that a run leaves again.
  std::string exactly() {
    const std::string what = pick(random_, {"x", "y", "y", location()});
    return what + " == " + digit(random_, 1, 2);
  }
  /// A guard's comparison, false.
  std::string turned() { return "!(" + guards_[1 + random_.below(guards_.size() - 1)] + ")"; }
  std::string location() { return "l" + digit(random_, 0, places_); }
  std::string state() {
    const std::string shared = pick(random_, {"x", "y"});
    switch (random_.below(10)) {
      case 0:
      case 1:
        return location() + " == 0";
      case 2:
        return location() + " != 0";
      case 3:
        return location() + " >= " + digit(random_, 1, 3);
      case 4:
        return shared + " == " + digit(random_, 0, 3);
      case 5:
        return shared + " >= " + pick(random_, {"1", "2", "T"});
      case 6:
        return location() + " + " + location() + " <= 1";
      case 7:
        return "(" + shared + " >= 1 && " + location() + " != 0)";
      default:  // what the guards ask, so that it matters when their truth changes
        return pick(random_, {"(", "!("}) + guards_[1 + random_.below(guards_.size() - 1)] + ")";
    }
  }

  Prng& random_;
  std::uint64_t places_;
  std::vector<std::string> guards_;
};

}  // namespace detail

/// An automaton with upper guards and a property.
inline std::string random_instance(Prng& random) {
  const std::uint64_t places = 3 + random.below(2);
  std::string locations;
  std::string inits = pick(random, {"l0 == N;", "l0 + l1 == N;"});
  const bool two_starts = inits.size() > 8;
  inits += " ";
  for (std::uint64_t i = 0; i < places; ++i) {
    locations += "l" + std::to_string(i) + "; ";
    if (i > (two_starts ? 1u : 0u)) inits += "l" + std::to_string(i) + " == 0; ";
  }
  std::string rules;
  const std::uint64_t count = 3 + random.below(3);
  const bool cycles = random.below(8) == 0;
  const std::vector<std::string> guards = detail::some_guards(random);
  for (std::uint64_t r = 0; r < count; ++r) {
    std::uint64_t from = random.below(places - 1);
    std::uint64_t to = from + 1 + (random.below(2) == 0 ? 0 : random.below(places - from - 1));
    const bool back = cycles && from > 0 && random.below(2) == 0;
    if (back) std::swap(from, to);
    const bool turns =
        r > 0 && r < guards.size() && !cycles;  // each comparison is changed by its own rule
    const std::string guard = turns ? guards[r] : pick(random, guards);
    const bool once = !cycles || from == 0;  // what a cycle raises has no end
    const std::string grows =
        !once   ? ""
        : turns ? "x' == x + 1;"
                : pick(random, {"", "x' == x + 1;", "x' == x + 1;", "y' == y + 1;",
                                "x' == x + 1; y' == y + 1;", "x' == x + 2;"});
    rules += "  " + std::to_string(r) + ": l" + std::to_string(from) + " -> l" +
             std::to_string(to) + " when (" + guard + ") do { " + grows + " };\n";
  }
  const std::string property = detail::Properties(random, places, guards).formula();
  inits += detail::some_values(random);
  return "skel R { shared x, y; parameters N, T;\n"
         "assumptions (0) { T >= 1; T <= 2; N >= T; N <= T + 2; }\n"
         "locations (0) { " +
         locations + "}\ninits (0) { " + inits + "}\nrules (0) {\n" + rules +
         "}\nspecifications (0) { p: " + property + "; } }\n";
}

}  // namespace thresher::verify
