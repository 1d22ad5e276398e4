// Drawings of automata and of the runs that violate a property, as text in open formats.
//
//   std::cout << verify::draw_dot(ta);                       // for Graphviz: dot -Tsvg
//   std::cout << verify::draw_svg(ta, {{"agreement", run}});  // for any browser
//
// Guarantees: names and guards are escaped, so any automaton gives well-formed output; the same
// input gives the same bytes. An SVG shows only the locations that some process visits. No layout
// engine is called; a DOT file holds no positions.
#pragma once

#include <string>
#include <vector>

#include "thresher/verify/replay.hpp"

namespace thresher::verify {

/// One node a location, one edge a rule with its guard and updates. Self-loops that change nothing
/// are left out.
std::string draw_dot(const Automaton& automaton);

/// A run with the name of the property that it violates.
struct Picture {
  std::string title;
  Execution run;
};

/// One picture below the other: time runs downwards, one column a location, numbers of processes
/// in the circles, an arrow a step. Pre: every run replays. A run that does not is replaced by the
/// reason.
std::string draw_svg(const Automaton& automaton, const std::vector<Picture>& pictures);

}  // namespace thresher::verify
