// Visits a map again and again, where one visit cannot serve all of it.
//
//   std::optional<Edge> begin;
//   in_turn(missing, begin, [&](const Edge& edge, Missing& one) { return ask(edge, one); });
//
// Guarantees: all are visited, each once; those not served (`visit` said false) for lack of room
// are reached by later visits, because each begins with the first of them. Without it whatever
// sorts last could wait for ever behind what a liar made up. Pre: `visit` does not change the map's
// keys.
#pragma once

#include <optional>

namespace thresher::dag {

template <class Map, class Visit>
void in_turn(Map& map, std::optional<typename Map::key_type>& begin, Visit visit) {
  const auto start = begin ? map.lower_bound(*begin) : map.begin();
  begin.reset();
  const auto look = [&](auto from, auto to) {
    for (auto it = from; it != to; ++it) {
      if (!visit(it->first, it->second) && !begin) begin = it->first;
    }
  };
  look(start, map.end());
  look(map.begin(), start);
}

}  // namespace thresher::dag
