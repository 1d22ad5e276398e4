// Numbers and records that the files of the leader chain share. Private to the protocol.
#pragma once

#include "thresher/protocols/order/leader_chain.hpp"

namespace thresher::leader_chain {

/// Tables of durable records: what was said last, certificates, blocks, the last final block. The
/// decisions are in SlotLog::kTable.
enum Table : std::uint32_t { kSaid = 1, kCertificates = 2, kBlocks = 3, kTip = 4 };

inline constexpr Delay kTick{1000};
inline constexpr Delay kIdle{50000};    // between questions whether the others went on
inline constexpr Delay kServing{4000};  // for so long what each peer was sent is counted
inline constexpr Delay kGather{2000};   // to the others and back: what each of them knows
enum Timer : std::uint32_t { kProgress = 1, kIdling = 2, kServed = 3, kGathered = 4 };

inline constexpr std::uint64_t kQuiet = 4;  // ticks without news before things are said again
inline constexpr std::uint64_t kLate = 2;   // ticks without a delivery before slots are asked for
inline constexpr std::uint64_t kMorePatience = 2;
inline constexpr std::uint64_t kMaxPatience = 256;
/// Of a pause between two questions for a value, the logarithm in ticks.
inline constexpr std::uint64_t kLongestPause = 4;
using order::kAnswers;
inline constexpr std::uint32_t kPending = 128;  // lists of one peer that wait for a verdict
inline constexpr std::size_t kVoterLoads =
    3 * kLoads;  // what voters bear: they differ in what they hold

inline Reference about(const Certificate& c) {
  return {c.view, c.digest};
}

}  // namespace thresher::leader_chain
