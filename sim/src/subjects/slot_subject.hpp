// What subjects of protocols that order slots have in common: requests, outputs, and the messages
// of order/requests.hpp. Outputs are keyed by slot.
//
//   struct MineSubject : SlotSubject { using SlotSubject::facts_of; ... };
#pragma once

#include <optional>

#include "mutation.hpp"
#include "thresher/protocols/order/requests.hpp"
#include "thresher/sim/run.hpp"

namespace thresher::sim {

/// The messages' names for traces and how liars change them.
struct SlotWords {
  static MessageFacts facts(const order::Forward&) { return {.label = "forward"}; }
  static MessageFacts facts(const order::Ordered& m) {
    return {.label = "ordered", .round = m.slot, .answer = true};
  }
  static MessageFacts facts(const order::Fetch& m) { return {.label = "fetch", .round = m.slot}; }
  static MessageFacts facts(const order::Offer&) { return {.label = "offer"}; }
  static MessageFacts facts(const order::Ask&) { return {.label = "ask"}; }
  static MessageFacts facts(const order::Decided& m) {
    return {.label = "decided", .round = m.slot, .answer = true};
  }
  static bool change(order::Forward& m, Mutation by) { return by.payload("value", m.value); }
  static bool change(order::Ordered& m, Mutation by) {
    return by.digest("digest", m.digest) || by.number("slot", m.slot);
  }
  static bool change(order::Fetch& m, Mutation by) {
    return by.digest("digest", m.digest) || by.number("slot", m.slot);
  }
  static bool change(order::Offer& m, Mutation by) { return by.digest("digest", m.digest); }
  static bool change(order::Ask& m, Mutation by) { return by.digest("digest", m.digest); }
  static bool change(order::Decided& m, Mutation by) {
    return by.payload("value", m.value) || by.number("slot", m.slot);
  }
};

struct SlotSubject {
  static constexpr bool kOrdered = true;

  order::Submit request(const Bytes& payload) const { return {payload}; }
  OutputFacts facts_of(const order::Delivery& d) const {
    return {d.slot, hash(d.value.view()), d.slot, "deliver"};
  }
  template <class F>
  void payloads(const order::Delivery& d, std::optional<NodeId>, F visit) const {
    visit(d.value.view(), std::nullopt);
  }
};

}  // namespace thresher::sim
