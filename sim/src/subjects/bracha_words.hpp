// Bracha's messages in the simulator; Imbs and Raynal's have the same shape.
#pragma once

#include "broadcast_subject.hpp"
#include "stuffing/bracha.hpp"
#include "thresher/protocols/broadcast/bracha_wire.hpp"

namespace thresher::sim {

struct BrachaMessages {
  static MessageFacts facts(const bracha::Init& m) {
    return {.label = "init", .round = m.instance.number, .anchor = true};
  }
  static MessageFacts facts(const bracha::Want& m) {
    return {.label = "want", .round = m.instance.number};
  }
  static MessageFacts facts(const bracha::Give& m) {
    return {.label = "give", .round = m.instance.number, .answer = true};
  }
  static MessageFacts facts(const bracha::Floor& m) {
    return {.label = "floor", .round = m.number};
  }
  template <class M>
  static bool change(M& m, Mutation by) {
    Bracha::Message whole = m;
    const bool changed = mutate_bracha(whole, by);
    m = std::get<M>(std::move(whole));
    return changed;
  }
  static std::uint32_t bytes(const Bracha::Message& m) {
    return static_cast<std::uint32_t>(encode(m).size());
  }
  /// What fills memory, of every type of message.
  static std::vector<Bracha::Message> stuff(NodeId id, const Bracha::Message& heard,
                                            std::uint64_t salt, const Bracha::Config& config) {
    const BrachaStuffing stuffing{id, config.committee.size(), number_of(heard), config.window,
                                  config.payload_bytes};
    return stuff_with(stuffing, heard, salt);
  }
};

}  // namespace thresher::sim
