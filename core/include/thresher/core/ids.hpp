// Distinct types for the numbers that protocols exchange, so that a round is never taken for a
// node.
//
//   Round next = Round{r.value + 1};
//
// Guarantees: trivially copyable, totally ordered. Does not check ranges: decoders do.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

namespace thresher {

/// A number with a type of its own. `Tag` only tells the types apart.
template <class Tag, class Rep>
struct Strong {
  Rep value{};
  friend constexpr auto operator<=>(Strong, Strong) = default;
};

using NodeId = Strong<struct NodeIdTag, std::uint16_t>;
using Round = Strong<struct RoundTag, std::uint64_t>;
/// Unit: 1/1000 of Delta. The event backend and the node multiply by their Delta.
using Delay = Strong<struct DelayTag, std::uint64_t>;

/// Path to a sub-instance: parents push a hop on the way out and pop it on the way in.
struct Route {
  std::array<std::uint32_t, 4> hop{};
  std::uint8_t depth = 0;
  friend constexpr auto operator<=>(const Route&, const Route&) = default;
};

/// Names a timer of one (sub-)instance.
struct TimerId {
  std::uint32_t local = 0;
  Route route{};
  friend constexpr auto operator<=>(const TimerId&, const TimerId&) = default;
};

/// Correlates an asynchronous effect with the input that answers it.
struct Ticket {
  std::uint64_t local = 0;
  Route route{};
  friend constexpr auto operator<=>(const Ticket&, const Ticket&) = default;
};

}  // namespace thresher
