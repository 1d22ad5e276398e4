// Messages of the agreements that go in rounds, in the simulator: alone and inside others.
#pragma once

#include "mutation.hpp"
#include "thresher/protocols/agreement/rounds_wire.hpp"
#include "thresher/sim/subject.hpp"

namespace thresher::sim::agreement_words {

inline MessageFacts facts(const agreement::Said& m) {
  return {.label = "said", .round = m.instance, .answer = false};
}
inline MessageFacts facts(const agreement::Done& m) {
  return {.label = "done", .round = m.instance, .answer = true};
}
inline MessageFacts facts(const agreement::Want& m) {
  return {.label = "want", .round = m.instance};
}
inline MessageFacts facts(const coin::Share& m) {
  return {.label = "share", .round = m.instance >> agreement::kRoundBits, .share = true};
}
inline bool change(agreement::Said& m, Mutation by) {
  if (by.picks("value")) {
    // A liar has said other things, or more of them.
    m.counters = static_cast<BitSet>(mix64(by.salt()));
    return true;
  }
  std::uint64_t round = m.round;
  const bool changed = by.number("round", round);
  m.round = static_cast<std::uint32_t>(round);
  return changed || by.number("instance", m.instance);
}
inline bool change(agreement::Done& m, Mutation by) {
  if (by.picks("value")) {
    m.value = !m.value;
    return true;
  }
  return by.number("instance", m.instance);
}
inline bool change(agreement::Want& m, Mutation by) {
  return by.number("instance", m.instance);
}
inline MessageFacts facts(const coin::NoShare&) {
  return {};
}
inline bool change(coin::NoShare&, Mutation) {
  return false;
}
inline bool change(coin::Share& m, Mutation by) {
  if (by.picks("share")) {
    m.share.bytes[by.salt() % m.share.bytes.size()] ^= std::byte{1};
    return true;
  }
  return by.number("instance", m.instance);
}

}  // namespace thresher::sim::agreement_words
