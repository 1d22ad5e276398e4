// Numbers, records and claims that both halves of PBFT need. Private to the protocol.
#pragma once

#include <optional>

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/order/pbft.hpp"

namespace thresher::pbft {

/// Bracha's own tables are 1 to 4; these follow, and kDecisions (13).
enum Table : std::uint32_t { kView = 11, kClaims = 12 };
inline constexpr std::size_t kMaxSeen = 16;  ///< proposals remembered of a slot, the latest views
/// View changes are broadcast under the number of the view that they lead to, less the first such.
inline constexpr std::uint64_t kFirstChange = 2;

inline std::uint64_t minus(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}
inline std::uint64_t number_of(std::uint64_t view) {
  return minus(view, kFirstChange);
}

inline Bytes key_of(std::uint64_t slot) {
  Writer w;
  w.u64(slot);
  return Bytes::from(w.take());
}

void write(Writer& w, const Claim& c);
/// `r` reads `whole`, which values are cut from. Empty: malformed, or prepared in `below_view` or
/// later.
std::optional<Claim> read_claim(Reader& r, const Bytes& whole, std::uint64_t below_view);

}  // namespace thresher::pbft
