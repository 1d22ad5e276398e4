// Violating runs as JSON, for simulators and other tools, and back.
//
//   std::ofstream("run.json") << verify::print_schedule(ta, {{"agreement", run}});
//   auto runs = verify::parse_schedule(text, "run.json", ta);
//   for (const auto& r : *runs) auto configurations = verify::replay(ta, r.run);
//
// The form is described in docs/verify/automata.md. Guarantees: parse(print(runs)) == runs; a run
// that was read names only what the automaton has, but need not be one of its runs: replay() says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/verify/replay.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {

/// A run and the property that it is said to break.
struct NamedRun {
  std::string property;
  Execution run;

  friend bool operator==(const NamedRun&, const NamedRun&) = default;
};

std::string print_schedule(const Automaton& automaton, const std::vector<NamedRun>& runs);
/// `file` only names the place in errors: `where` is "run.json:12:5". kMalformed: the text is none
/// of this form, or of another automaton. kRejected, whatever the text is, after `seconds`.
Result<std::vector<NamedRun>, Error> parse_schedule(std::string_view text, const std::string& file,
                                                    const Automaton& automaton,
                                                    double seconds = kNoDeadline);

}  // namespace thresher::verify
