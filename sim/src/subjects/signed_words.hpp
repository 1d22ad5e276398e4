// The messages of both signed broadcasts in the simulator.
#pragma once

#include "broadcast_subject.hpp"
#include "thresher/protocols/broadcast/signed_wire.hpp"

namespace thresher::sim {

struct SignedMessages {
  static MessageFacts facts(const signed_broadcast::Propose& m) {
    return {.label = "propose", .round = m.instance.number, .anchor = true};
  }
  static MessageFacts facts(const signed_broadcast::Vote& m) {
    return {.label = "vote", .round = m.instance.number};
  }
  static MessageFacts facts(const signed_broadcast::Certificate& m) {
    return {.label = "certificate", .round = m.instance.number, .answer = true};
  }
  static MessageFacts facts(const signed_broadcast::Want& m) {
    return {.label = "want", .round = m.instance.number};
  }
  static MessageFacts facts(const signed_broadcast::Give& m) {
    return {.label = "give", .round = m.instance.number, .answer = true};
  }
  static MessageFacts facts(const signed_broadcast::Have&) { return {.label = "have"}; }

  static bool change(signed_broadcast::Propose& m, Mutation by) {
    return by.payload("payload", m.payload) || by.number("number", m.instance.number);
  }
  static bool change(signed_broadcast::Vote& m, Mutation by) {
    return by.digest("digest", m.digest) || by.number("number", m.instance.number);
  }
  static bool change(signed_broadcast::Certificate& m, Mutation by) {
    if (by.picks("signers") && m.list != nullptr && !m.list->signatures.empty()) {
      // One signature for another: as many as before, and one of them wrong.
      SignatureList other = *m.list;
      other.signatures.back() = other.signatures.front();
      m.list = std::make_shared<const SignatureList>(std::move(other));
      return true;
    }
    return by.digest("digest", m.digest) || by.number("number", m.instance.number);
  }
  static bool change(signed_broadcast::Want& m, Mutation by) {
    return by.number("number", m.instance.number);
  }
  static bool change(signed_broadcast::Give& m, Mutation by) {
    return by.payload("payload", m.payload) || by.number("number", m.instance.number);
  }
  static bool change(signed_broadcast::Have& m, Mutation by) {
    if (m.origins.empty()) return false;
    broadcast::Progress& p = m.origins[by.salt() % m.origins.size()];
    if (by.picks("below")) {
      p.below += 1 + by.salt() % 8;
      return true;
    }
    return by.number("floor", p.floor);
  }
  static std::uint32_t bytes(const SignedBroadcast::Message& m) {
    return static_cast<std::uint32_t>(encode(m).size());
  }
  /// A broadcast of its own that nobody will finish, as large as one may be.
  static std::vector<SignedBroadcast::Message> stuff(NodeId id,
                                                     const SignedBroadcast::Message& heard,
                                                     std::uint64_t salt,
                                                     const SignedBroadcast::Config& config) {
    if (!std::holds_alternative<signed_broadcast::Propose>(heard)) return {};
    std::vector<std::byte> filler(config.payload_bytes, static_cast<std::byte>(salt));
    return {signed_broadcast::Propose{{id, mix64(salt) % config.window},
                                      Bytes::from(std::move(filler))}};
  }
  static std::vector<std::string> fields() {
    return {"below", "digest", "floor", "number", "payload", "signers"};
  }
};

}  // namespace thresher::sim
