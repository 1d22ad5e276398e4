// Protocols inside protocols: a child's effects become the parent's, tagged with the way back.
//
//   step(child, input, child_effects);
//   lift(child_effects, fx, instance, wrap_message, consume_output);
//
// Guarantees: order is kept; outputs are consumed after the child returned. Depth is at most 4.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "thresher/core/assert.hpp"
#include "thresher/core/effects.hpp"

namespace thresher {

/// Pushes `hop` on a route. Pre: the route has room.
inline void push_hop(Route& route, std::uint32_t hop) {
  THRESHER_ASSERT(route.depth < route.hop.size(), "protocols are nested at most four deep");
  route.hop[route.depth++] = hop;
}

/// Pops the outermost hop. Pre: the route is not empty. The slot becomes zero again: routes are
/// compared whole, and a child must find its own timer or ticket under the name it gave it.
inline std::uint32_t pop_hop(Route& route) {
  THRESHER_ASSERT(route.depth > 0, "an effect comes back the way it went");
  return std::exchange(route.hop[--route.depth], 0u);
}

/// Moves a child's effects into the parent's list and clears the child's.
/// `wrap` makes a parent message of a child message; `consume` takes a child output.
template <class CM, class CO, class PM, class PO, std::invocable<CM&&> Wrap,
          std::invocable<CO&&> Consume>
void lift(Effects<CM, CO>& child, Effects<PM, PO>& parent, std::uint32_t hop, Wrap wrap,
          Consume consume) {
  for (auto& effect : child.list()) {
    std::visit(
        [&](auto& e) {
          using E = std::decay_t<decltype(e)>;
          if constexpr (std::is_same_v<E, Send<CM>>) {
            parent.send(e.to, wrap(std::move(e.message)));
          } else if constexpr (std::is_same_v<E, Broadcast<CM>>) {
            parent.broadcast(wrap(std::move(e.message)));
          } else if constexpr (std::is_same_v<E, Deliver<CO>>) {
            consume(std::move(e.output));
          } else if constexpr (requires { e.ticket; }) {
            push_hop(e.ticket.route, hop);
            parent.push(std::move(e));
          } else if constexpr (requires { e.id; }) {
            push_hop(e.id.route, hop);
            parent.push(std::move(e));
          } else {
            parent.push(std::move(e));
          }
        },
        effect);
  }
  child.clear();
}

}  // namespace thresher
