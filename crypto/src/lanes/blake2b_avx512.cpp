// Eight messages beside each other.
#include "blake2b.hpp"

namespace thresher::crypto::lanes {

const Blake2bLanes* blake2b_avx512() {
#if defined(__AVX512F__)
  static constexpr Blake2bLanes kHere{8, &Blake2b<8>::hash};
  static const bool kRuns = __builtin_cpu_supports("avx512f") != 0;
  return kRuns ? &kHere : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace thresher::crypto::lanes
