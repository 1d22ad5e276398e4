// What protocols that order slots answer alike: offers of requests, questions for them, and for the
// names of slots. Private to them.
#pragma once

#include "thresher/protocols/order/requests.hpp"
#include "thresher/protocols/order/served.hpp"
#include "thresher/protocols/order/slot_log.hpp"

namespace thresher::order {

/// Takes the request that was offered, if it is here and still waits, as Requests::take() says; one
/// that is not here is asked for.
template <class Fx>
Result<bool> take_offer(NodeId from, const Offer& m, std::uint64_t now, const SlotLog& log,
                        Requests& requests, Fx& fx) {
  if (log.repeats(m.digest)) return false;
  if (requests.find(m.digest) == nullptr) fx.send(from, Ask{m.digest, m.urgent});
  return requests.take(from, m, now);
}

template <class Fx>
void give_request(NodeId to, const Ask& m, const Requests& requests, Served& served, Fx& fx) {
  const auto request = requests.forward_of(m);
  if (request && served.value(to, m.digest, request->value.size())) fx.send(to, *request);
}

/// Names what the slots from `first` on delivered, `most` of them at most.
template <class Fx>
void name_slots(NodeId to, std::uint64_t first, std::uint64_t most, const SlotLog& log,
                Served& served, Fx& fx) {
  for (std::uint64_t s = first; s < log.delivered() && s - first < most; ++s) {
    const Digest* name = log.delivered_name(s);
    if (name == nullptr) break;
    if (served.number(to, Served::kNames, s, sizeof(Ordered))) fx.send(to, Ordered{s, *name});
  }
}

}  // namespace thresher::order
