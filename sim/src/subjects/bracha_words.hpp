// Bracha's messages in the simulator; Imbs and Raynal's have the same shape.
#pragma once

#include "broadcast_subject.hpp"
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
  /// A broadcast of its own that nobody will finish, as large as one may be.
  static std::vector<Bracha::Message> stuff(NodeId id, const Bracha::Message& heard,
                                            std::uint64_t salt, const Bracha::Config& config) {
    if (!std::holds_alternative<bracha::Init>(heard)) return {};
    return {unfinished(id, salt, config.window, config.payload_bytes)};
  }
};

}  // namespace thresher::sim
