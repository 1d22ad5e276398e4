// The node whose turn it is to lead a round, before any is passed over.
//
//   NodeId leader = turn_of(round, committee, Leaders::kPrompt);
//
// Guarantees: in each n rounds in a row every node has one turn. By kPrompt neighbours in the
// committee are not neighbours in turn: they often stand in one place and fail together. By the
// other rules node r mod n has round r.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/dag/rules.hpp"

namespace thresher::dag {

/// By how much the leaders of two rounds in a row differ, modulo n: what is coprime to n and
/// nearest to 0.7 n.
inline std::uint64_t turn_step(const Committee& committee, Leaders rule) {
  const std::uint64_t n = committee.size();
  if (rule != Leaders::kPrompt || n < 3) return 1;
  const std::uint64_t middle = 7 * n / 10;
  for (std::uint64_t off = 0;; ++off) {
    if (std::gcd(middle - off, n) == 1) return middle - off;
    if (std::gcd(middle + off, n) == 1) return middle + off;
  }
}

inline NodeId turn_of(Round round, const Committee& committee, Leaders rule) {
  const std::uint64_t n = committee.size();
  return NodeId{static_cast<std::uint16_t>(round.value % n * turn_step(committee, rule) % n)};
}

/// The leader in place of `turn`, if that is out: the k-th of those that are not. Pre: `out` is
/// ascending and does not name all.
inline NodeId in_place_of(NodeId turn, const std::vector<NodeId>& out, std::uint64_t k,
                          std::uint64_t members) {
  if (!std::binary_search(out.begin(), out.end(), turn)) return turn;
  std::uint64_t id = k % (members - out.size());
  for (const NodeId absent : out) id += absent.value <= id ? 1 : 0;
  return NodeId{static_cast<std::uint16_t>(id)};
}

}  // namespace thresher::dag
