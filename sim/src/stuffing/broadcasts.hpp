// What liars draw alike that fill the memory of broadcasts with instances (origin, number).
//
//   const InstanceDraw draw{n, number_of(heard), window};
//   out.push_back(bracha::Give{draw.any(rng), payload});
//
// Guarantees: a function of its arguments.
#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>

#include "thresher/core/prng.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher::sim {

/// The instance that a message is about.
template <class... M>
std::uint64_t number_of(const std::variant<M...>& message) {
  return std::visit(
      [](const auto& m) {
        if constexpr (requires { m.instance; }) {
          return m.instance.number;
        } else {
          return m.number;
        }
      },
      message);
}

struct InstanceDraw {
  std::uint32_t n;
  std::uint64_t around;  ///< an instance that correct nodes have open
  std::uint64_t window;

  /// An instance of any origin, from forgotten ones to those too far ahead.
  broadcast::Instance any(Prng& rng) const {
    const std::uint64_t number = around + rng.below(3 * window);
    return {NodeId{static_cast<std::uint16_t>(rng.below(n))}, number - std::min(number, window)};
  }
  /// From where on somebody keeps something: far ahead.
  broadcast::Floor floor(Prng& rng) const {
    constexpr std::uint64_t kFarAhead = 1 << 20;
    const broadcast::Instance of = any(rng);
    const std::uint64_t ahead = rng.below(kFarAhead);
    return {of.origin, of.number + ahead, rng.below(2) == 0};
  }
};

}  // namespace thresher::sim
