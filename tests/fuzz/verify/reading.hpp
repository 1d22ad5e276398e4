// What every reader of automata owes to any bytes: an automaton that is printed and read again as
// the same one, or an error that names the place, both soon.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "thresher/verify/text.hpp"

inline void check(bool ok, const std::string& what) {
  if (ok) return;
  std::fprintf(stderr, "wrong: %s\n", what.c_str());
  std::abort();
}

/// Larger than what a text of a few kilobytes may become: a few names, guards split into cases.
inline constexpr std::size_t kMostPrinted = 1u << 24;

inline void check_reading(
    const thresher::Result<thresher::verify::Automaton, thresher::Error>& read) {
  if (!read) {
    check(read.error().where.rfind("fuzz", 0) == 0,
          "an error names its place: " + read.error().text());
    return;
  }
  const std::string printed = thresher::verify::print_automaton(*read);
  check(printed.size() < kMostPrinted, "an automaton is not much larger than its text");
  const auto again = thresher::verify::parse_automaton(printed, "again");
  check(bool(again),
        "what was printed is read: " + (again ? "" : again.error().text()) + "\n" + printed);
  check(*again == *read, "what was printed is the same\n" + printed);
}

/// A small automaton with everything that the grammar has, both kinds of properties included.
inline constexpr const char* kSample = R"(skel S {
  shared x, y; parameters N, T, F;
  define LIMIT == N - T - F; /* a macro */
  assumptions (0) { N > 3 * T; T >= F; F >= 0; }
  locations (0) { a: [0]; b: [1]; c: [2]; }
  inits (0) { (a + b) == N - F; c == 0; x == 0; y == 0; }
  rules (0) {
    0: a -> b when (true) do { x' == x + 1; unchanged(y); };
    1: b -> c when (x >= LIMIT || (x + y > T && y < 2 * T)) do { y' == y + 2; reset(x); };
    2: c -> c when (true) do { unchanged(x, y); };
  }
  specifications (0) {
    never: a == 0 -> [](c == 0);
    live: <>[](x >= LIMIT) -> <>(a == 0 && b == 0);
    /*@ two_futures f: after (b >= 1) not (c >= 1) and (a >= 1 && c == 0); @*/
  }
})";
