// Messages that both erasure-coded broadcasts have, in the simulator.
#pragma once

#include "broadcast_subject.hpp"
#include "thresher/protocols/broadcast/avid.hpp"
#include "thresher/protocols/broadcast/coded.hpp"

namespace thresher::sim {

struct CodedMessages {
  static MessageFacts facts(const coded::Ask& m) {
    return {.label = "ask", .round = m.instance.number};
  }
  static MessageFacts facts(const coded::Floor& m) { return {.label = "floor", .round = m.number}; }
  static bool change(coded::Ask& m, Mutation by) { return by.number("number", m.instance.number); }
  static bool change(coded::Floor& m, Mutation by) { return by.number("number", m.number); }

  /// One bit less, or nothing at all.
  static bool spoil(Bytes& fragment, Mutation& by) {
    if (!by.picks("fragment")) return false;
    std::vector<std::byte> bytes(fragment.view().begin(), fragment.view().end());
    if (bytes.empty()) return false;
    bytes[by.salt() % bytes.size()] ^= std::byte{1};
    if (by.salt() % 4 == 0) bytes.pop_back();
    fragment = Bytes::from(std::move(bytes));
    return true;
  }
};

/// AVID's messages stand alone and inside a common subset.
bool mutate_avid(Avid::Message& message, Mutation by);

}  // namespace thresher::sim
