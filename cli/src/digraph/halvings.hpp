// How many rounds of approximate agreement bring values near enough.
//
//   const auto rounds = halvings_for(1000, 5);          // 8: 1000 / 256 + 1 is 4
//
// Source: docs/protocols/digraph.md, "Why they are enough": d / 2^rounds + 1.
#pragma once

#include <cstdint>

namespace thresher::cli {

/// The least number, 1 at least, that brings values from `spread` to `eps` apart. Pre: eps > 0.
inline std::uint32_t halvings_for(std::uint64_t spread, std::uint64_t eps) {
  std::uint32_t rounds = 1;
  while (rounds < 63 && (spread >> rounds) + 1 > eps) ++rounds;
  return rounds;
}

}  // namespace thresher::cli
