// Numbers, records and claims that both halves of PBFT need. Private to the protocol.
#pragma once

#include <algorithm>
#include <optional>

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/order/pbft.hpp"

namespace thresher::pbft {

/// Bracha's own tables are 1 to 4; these follow, and kDecisions (13).
enum Table : std::uint32_t { kView = 11, kClaims = 12, kValues = 14 };
/// R10: of the values that leaders were free to choose a replica accepts so many for one slot.
inline constexpr std::size_t kFresh = 5;
/// R10: of a slot for which somebody accepted so many, leaders make a hole.
inline constexpr std::size_t kWorn = 3;
/// View changes are broadcast under the number of the view that they lead to, less the first such.
inline constexpr std::uint64_t kFirstChange = 2;

inline std::uint64_t minus(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}
inline std::uint64_t number_of(std::uint64_t view) {
  return minus(view, kFirstChange);
}

using order::kAnswers;
/// Ticks between two questions for the same value, and before what waits is said once more, at
/// most.
inline constexpr std::uint64_t kAgain = 16;
/// Ticks before a value is asked for that the leader named: it was sent, and is most likely near.
inline constexpr std::uint64_t kNear = 2;

inline Bytes key_of(std::uint64_t slot) {
  Writer w;
  w.u64(slot);
  return Bytes::from(w.take());
}

/// R10: what a replica remembers of a slot at most: what each accepted freely, since a view change
/// may choose it for all, and the hole. (Builds without R10 remembered 16.)
inline std::size_t most_seen(const Committee& committee) {
  return std::max<std::size_t>(16, kFresh * committee.size() + 1);
}
/// Accepted values other than the hole.
std::size_t values_seen(const SlotReport& c);
/// What replicas did before R10, when they had seen more values than this: tests show why not.
inline constexpr std::size_t kForgetful = 16;
void forget_oldest(SlotReport& c);

void write(Writer& w, const SlotReport& c);
/// Empty: malformed, prepared in `below_view` or later, or more than `most` values seen.
std::optional<SlotReport> read_claim(Reader& r, std::uint64_t below_view, std::size_t most);

}  // namespace thresher::pbft
