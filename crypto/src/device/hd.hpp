// What lets one source be device code under nvcc and plain C++ under any other compiler. Private to
// crypto/device/.
//
//   THRESHER_HD Fe fe_add(const Fe& a, const Fe& b);
//   THRESHER_UNROLLED for (int i = 0; i < 8; ++i) ...
//
// Guarantees: nothing here changes a result. Loops over limbs are unrolled so that arrays live in
// registers; loops over bits of an exponent are kept rolled so that the code fits the instruction
// cache and the compiler ends in seconds.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define THRESHER_HD __host__ __device__ __forceinline__
#else
#define THRESHER_HD inline
#endif

#if defined(__CUDA_ARCH__)
#define THRESHER_UNROLLED _Pragma("unroll")
#define THRESHER_ROLLED _Pragma("unroll 1")
#elif defined(__CUDACC__) || defined(__clang__)
#define THRESHER_UNROLLED
#define THRESHER_ROLLED
#else
#define THRESHER_UNROLLED _Pragma("GCC unroll 32")
#define THRESHER_ROLLED
#endif

namespace thresher::crypto::device {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

}  // namespace thresher::crypto::device
