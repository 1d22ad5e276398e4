// One member of a cluster of broadcast channels, in a process of its own: it puts load on its
// channel until it is told when to end, and says what that came to.
//
//   run_member({.options = own, .window = 64, ...}, board, in, out);    // in the child; returns
//
// On `in` and `out` go, in this order: the member's line once it has its links; the time at which
// the load ends; its line once its own payloads are delivered; anything, and it leaves. A member
// that was killed and is back has `links` of 0: it need not know who else is up.
#pragma once

#include <cstdint>
#include <type_traits>

#include "delivery_board.hpp"
#include "thresher/net/broadcast_channel.hpp"

namespace thresher::cli {

struct MemberOptions {
  broadcast::ChannelOptions channel;
  std::uint64_t id = 0;
  std::uint64_t links = 0;    ///< that it waits for
  std::uint64_t window = 64;  ///< own payloads on the way
  std::uint64_t payload_bytes = 512;
};

struct MemberLine {
  std::uint64_t bytes_sent = 0;
  std::uint64_t syncs = 0;
  std::uint64_t p50_us = 0;
  std::uint64_t p99_us = 0;
  std::uint64_t in_flight = 0;  ///< own payloads that it does not wait for any longer
  char problem[256]{};
};
static_assert(std::is_trivially_copyable_v<MemberLine>);

/// Smaller payloads have no room for their own number.
inline constexpr std::uint64_t kLeastPayload = 8;

/// Microseconds of a clock that all processes share.
std::uint64_t shared_now_us();
/// False at the end of the pipe.
bool read_all(int fd, void* out, std::size_t size);
/// A process that is gone gets nothing; that it is gone is seen when it is read from.
void write_all(int fd, const void* data, std::size_t size);

void run_member(const MemberOptions& options, DeliveryBoard& board, int in, int out);

}  // namespace thresher::cli
