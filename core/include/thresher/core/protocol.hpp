// The whole world of a protocol: inputs in, effects out. No clock, no randomness, no I/O, no
// callback.
//
//   struct Echo { using Message = ...; using Output = ...; using Request = ...;
//                 void on(const Received<Message>&, EffectsOf<Echo>&);
//                 void on(const Requested<Request>&, EffectsOf<Echo>&); };
//   void turn(Echo& echo, const InputOf<Echo>& input, EffectsOf<Echo>& effects) {
//     step(echo, input, effects);
//   }
//
// Guarantees: equal state and equal inputs give equal effects on every compiler and thread count.
// An input a protocol has no overload for is ignored.
#pragma once

#include <concepts>
#include <cstdint>
#include <variant>

#include "thresher/core/effects.hpp"

namespace thresher {

/// After a crash: every durable record, in write order, before `Start`.
struct Restored {
  std::uint32_t table = 0;
  Bytes key;
  Bytes value;
  Bytes body{};
};
struct Start {
  std::uint64_t seed = 0;
};
/// `from` is the authenticated channel peer.
template <class M>
struct Received {
  NodeId from;
  M message;
};
template <class R>
struct Requested {
  R request;
};
struct Expired {
  TimerId id;
};
/// The verdict on a `Verify` or a `VerifyAll`. A backend that failed is retried by the host and
/// never answered here.
struct Verified {
  Ticket ticket;
  bool ok = false;
};
struct Endorsed {
  Ticket ticket;
  Signature signature;
};

template <class P>
using EffectsOf = Effects<typename P::Message, typename P::Output>;
template <class P>
using InputOf = std::variant<Restored, Start, Received<typename P::Message>,
                             Requested<typename P::Request>, Expired, Verified, Endorsed>;

/// Copyable: snapshots, twins and exploration come for free.
template <class P>
concept Protocol = std::copyable<P> &&
    requires(P p, EffectsOf<P>& fx, const Received<typename P::Message>& m,
             const Requested<typename P::Request>& r) {
  { p.on(m, fx) } -> std::same_as<void>;
  { p.on(r, fx) } -> std::same_as<void>;
};

/// Feeds one input.
template <Protocol P>
void step(P& protocol, const InputOf<P>& input, EffectsOf<P>& fx) {
  std::visit(
      [&](const auto& event) {
        if constexpr (requires { protocol.on(event, fx); }) protocol.on(event, fx);
      },
      input);
}

}  // namespace thresher
