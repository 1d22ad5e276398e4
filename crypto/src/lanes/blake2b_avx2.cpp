// Four messages beside each other.
#include "blake2b.hpp"

namespace thresher::crypto::lanes {

const Blake2bLanes* blake2b_avx2() {
#if defined(__AVX2__)
  static constexpr Blake2bLanes kHere{4, &Blake2b<4>::hash};
  static const bool kRuns = __builtin_cpu_supports("avx2") != 0;
  return kRuns ? &kHere : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace thresher::crypto::lanes
