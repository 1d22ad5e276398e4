// One thread of a kernel that ptx_to_cpp.py made C++ of.
#pragma once

#include <cstdint>

inline constexpr std::uint32_t kPtxBallots = 3;

struct PtxThread {
  std::uint32_t tid, ctaid, ntid;
  std::uint32_t lane;
  std::uint32_t votes[kPtxBallots];  ///< of the whole warp, one word for each ballot in its order
  std::uint32_t cast;                ///< ballots this thread has met
  std::uint32_t* ballots;            ///< where this run's votes go
};

/// A warp is run twice: the votes of the first run are the answers of the second.
inline std::uint32_t ptx_ballot(PtxThread* thread, bool vote) {
  const std::uint32_t at = thread->cast++;
  thread->ballots[at] |= (vote ? 1u : 0u) << thread->lane;
  return thread->votes[at];
}

/// Four bytes out of eight; bit 3 of a selector spreads the byte's sign instead.
inline std::uint32_t ptx_prmt(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  std::uint32_t out = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t pick = selector >> (4 * i) & 15;
    std::uint32_t byte = static_cast<std::uint32_t>(bytes >> (8 * (pick & 7))) & 255;
    if ((pick & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
    out |= byte << (8 * i);
  }
  return out;
}

using PtxKernel = void(PtxThread* thread, const unsigned char* const* param);
PtxKernel hash_kernel, decode_kernel, table_kernel, sum_kernel, known_kernel;
PtxKernel scale_kernel, bucket_kernel, settle_kernel, group_kernel;
