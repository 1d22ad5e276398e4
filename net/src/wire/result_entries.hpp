// The payload of a Results frame. Private to net/.
//
//   append_result(sequence, position, result, out);      // null: it is not kept
//   each_result(payload, [](std::uint64_t sequence, std::uint64_t position,
//                           std::optional<ApplyResult> result) { ... });
//
// Each is: sequence u64, position u64, state u8, size u32, result. Integers are little-endian.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thresher/core/transcript.hpp"
#include "thresher/net/application.hpp"

namespace thresher::net {

enum class ResultState : std::uint8_t { kDone, kFailed, kNotKept };

inline void append_result(std::uint64_t sequence, std::uint64_t position, const ApplyResult* result,
                          Writer& out) {
  const ResultState state = result == nullptr ? ResultState::kNotKept
                            : result->failed  ? ResultState::kFailed
                                              : ResultState::kDone;
  const ByteView bytes = result == nullptr ? ByteView{} : result->bytes.view();
  out.u64(sequence).u64(position).u8(static_cast<std::uint8_t>(state));
  out.u32(static_cast<std::uint32_t>(bytes.size())).bytes(bytes);
}

/// Visits what can be read; false when malformed.
template <class F>
bool each_result(ByteView payload, F visit) {
  Reader in(payload);
  while (in.ok() && in.remaining() > 0) {
    const std::uint64_t sequence = in.u64();
    const std::uint64_t position = in.u64();
    const std::uint8_t state = in.u8();
    const ByteView bytes = in.bytes(in.u32());
    if (!in.ok() || state > static_cast<std::uint8_t>(ResultState::kNotKept)) return false;
    std::optional<ApplyResult> result;
    if (state != static_cast<std::uint8_t>(ResultState::kNotKept)) {
      result = ApplyResult{state == static_cast<std::uint8_t>(ResultState::kFailed),
                           Bytes::copy_of(bytes)};
    }
    visit(sequence, position, std::move(result));
  }
  return in.ok();
}

}  // namespace thresher::net
