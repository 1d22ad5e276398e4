// Bracha's broadcast as a threshold automaton, with READY before ECHO (docs/verify/automata.md),
// and its thresholds as arguments, so that tests can break them.
#pragma once

#include <string>

namespace thresher::verify {

struct BrachaThresholds {
  std::string resilience = "N > 3 * T";
  std::string echo = "2 * (e% + F) >= N + T + 1";
  std::string amplify = "r% + F >= T + 1";
  std::string deliver = "r% + F >= 2 * T + 1";
};

/// `%` stands for the value.
inline std::string with_value(std::string text, char value) {
  for (char& c : text) c = c == '%' ? value : c;
  return text;
}

inline std::string bracha(const BrachaThresholds& t = {}) {
  std::string rules;
  int id = 0;
  const auto rule = [&](const std::string& from, const std::string& to, const std::string& when,
                        const std::string& grows) {
    rules += "    " + std::to_string(id++) + ": " + from + " -> " + to + " when (" + when +
             ") do {" + (grows.empty() ? "" : " " + grows + "' == " + grows + " + 1;") + " };\n";
  };
  for (const char x : {'0', '1'}) {
    const std::string s = std::string("locS") + x;
    const std::string e = std::string("locE") + x;
    rule(s, e, "true", std::string("e") + x);
    for (const char w : {'0', '1'}) {
      const std::string n = std::string("locN") + x + w;
      const std::string r = std::string("locR") + w;
      for (const std::string& guard : {t.echo, t.amplify}) {
        rule(e, r, with_value(guard, w), std::string("r") + w);
        rule(s, n, with_value(guard, w), std::string("r") + w);
      }
      rule(n, r, "true", std::string("e") + x);
      rule(n, std::string("locD") + w, with_value(t.deliver, w), "");
    }
    rule(std::string("locR") + x, std::string("locD") + x, with_value(t.deliver, x), "");
  }
  return "skel Bracha { shared e0, e1, r0, r1; parameters N, T, F;\n"
         "  assumptions (0) { " +
         t.resilience +
         "; T >= F; F >= 0; T >= 1; }\n"
         "  locations (0) { locS0; locS1; locE0; locE1; locN00; locN01; locN10; locN11;\n"
         "    locR0; locR1; locD0; locD1; }\n"
         "  inits (0) { locS0 + locS1 == N - F; locE0 == 0; locE1 == 0; locN00 == 0; locN01 == 0;\n"
         "    locN10 == 0; locN11 == 0; locR0 == 0; locR1 == 0; locD0 == 0; locD1 == 0;\n"
         "    e0 == 0; e1 == 0; r0 == 0; r1 == 0; }\n"
         "  rules (0) {\n" +
         rules +
         "  }\n"
         "  specifications (0) {\n"
         "    agreement: [](locD0 == 0 || locD1 == 0);\n"
         "    unforgeability: (locS1 == 0) -> [](locD1 == 0);\n"
         "    totality: <>[]((locS0 == 0 && locS1 == 0 && locN00 == 0 && locN01 == 0 && locN10 == "
         "0\n"
         "        && locN11 == 0) && (2 * e0 < N + T + 1 || locE0 + locE1 == 0)\n"
         "        && (2 * e1 < N + T + 1 || locE0 + locE1 == 0) && (r0 < T + 1 || locE0 + locE1 == "
         "0)\n"
         "        && (r1 < T + 1 || locE0 + locE1 == 0)\n"
         "        && (r0 < 2 * T + 1 || locR0 == 0) && (r1 < 2 * T + 1 || locR1 == 0))\n"
         "      -> [](locD0 + locD1 > 0 -> <>(locE0 + locE1 + locR0 + locR1 == 0));\n"
         "    validity: (locS1 == 0 && <>[]((locS0 == 0 && locN00 == 0 && locN01 == 0)\n"
         "        && (2 * e0 < N + T + 1 || locE0 == 0) && (r0 < T + 1 || locE0 == 0)\n"
         "        && (r0 < 2 * T + 1 || locR0 == 0))) -> <>(locE0 == 0 && locR0 == 0);\n"
         "  } }\n";
}

}  // namespace thresher::verify
