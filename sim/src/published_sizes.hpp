// Message sizes as arXiv 2506.13998 counts them: metadata only, so that its table can be met.
//
//   Sizes sizes = sizes_of(experiment);
//   if (sizes.published) bytes = sizes.edges(h.parents.size());
//
// Guarantees: an edge to a certified vertex is a 128-byte name and a bitmap of n signers, one to a
// vertex without a certificate the name alone; a signature is 64 bytes.
#pragma once

#include <cstdint>

#include "thresher/sim/outcome.hpp"

namespace thresher::sim {

struct Sizes {
  bool published = false;
  std::uint32_t n = 0;

  static constexpr std::size_t kName = 128;
  static constexpr std::size_t kSignature = 64;
  std::size_t certified_edges(std::size_t count) const { return count * (kName + (n + 7) / 8); }
  static std::size_t plain_edges(std::size_t count) { return count * kName; }
};

Sizes sizes_of(const Experiment& experiment);
ParameterInfo sizes_parameter();

}  // namespace thresher::sim
