// What Byzantine nodes say to Bracha's broadcast, to Imbs and Raynal's and to chained echo, attack
// by attack; as liars.hpp says it of the erasure-coded ones. Mute echoers need no words: liars do
// nothing that they should.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "liars.hpp"
#include "thresher/protocols/broadcast/chained_echo.hpp"
#include "thresher/protocols/broadcast/imbs_raynal.hpp"

namespace thresher {

template <>
class Craft<Bracha> {
 public:
  static constexpr std::array<std::string_view, 8> kAttacks{"equivocating sender",
                                                            "sender silent after the first",
                                                            "echo of an unknown payload",
                                                            "ready before echo",
                                                            "withheld payload",
                                                            "wrong payload, asked for or not",
                                                            "ask",
                                                            "floor"};

  explicit Craft(const Committee&) {}

  static bool calls_for_echo(const Bracha::Message& m) {
    return std::holds_alternative<bracha::Init>(m);
  }
  void hear(NodeId, const Bracha::Message& m) {
    if (const auto* x = std::get_if<bracha::Init>(&m)) payloads_.emplace(x->instance, x->payload);
  }

  std::optional<Bracha::Message> say(std::size_t attack, NodeId self, NodeId,
                                     const broadcast::Instance& i, std::uint64_t story,
                                     Prng& random) {
    const std::uint64_t two = story == 2 ? random.below(2) : story;
    const Bytes made = made_up(i, two);
    const auto heard = payloads_.find(i);
    const Bytes real = heard == payloads_.end() || i.origin == self ? made : heard->second;
    switch (attack) {
      case 0:
        return bracha::Init{i, made};
      case 1:
        return bracha::Init{{self, 0}, made_up({self, 0}, story % 2)};
      case 2:
        return bracha::Statement{i, bracha::kEcho, hash(made_up(i, 9).view())};
      case 3:
        return bracha::Statement{i, bracha::kReadied, hash(real.view()), random.below(2) == 0};
      case 4:
        return bracha::Statement{i, bracha::kEcho, hash(real.view())};
      case 5:
        return bracha::Give{i, made_up(i, 9)};
      case 6:
        return bracha::Want{i, random.below(2) == 0};
      default:
        return bracha::Floor{i.origin, i.number + random.below(9), random.below(2) == 0};
    }
  }

 private:
  std::map<broadcast::Instance, Bytes> payloads_;
};

/// The same messages: an echo is a witness there, and a ready a second witness, called join.
template <>
class Craft<ImbsRaynal> : public Craft<Bracha> {
 public:
  using Craft<Bracha>::Craft;
};

template <>
class Craft<ChainedEcho> {
 public:
  static constexpr std::array<std::string_view, 11> kAttacks{"equivocating sender",
                                                             "sender silent after the first",
                                                             "echo along two chains",
                                                             "echo of an unknown head",
                                                             "ready before echo",
                                                             "withheld payload",
                                                             "wrong payload, right head",
                                                             "wrong way",
                                                             "delivery that never was",
                                                             "floor",
                                                             "ask"};

  explicit Craft(const Committee&) {}

  static bool calls_for_echo(const ChainedEcho::Message& m) {
    return std::holds_alternative<chained_echo::Extend>(m);
  }
  void hear(NodeId, const ChainedEcho::Message& m) {
    if (const auto* x = std::get_if<chained_echo::Extend>(&m))
      payloads_.emplace(x->instance, x->payload);
  }

  std::optional<ChainedEcho::Message> say(std::size_t attack, NodeId self, NodeId,
                                          const broadcast::Instance& i, std::uint64_t story,
                                          Prng& random) {
    using namespace chained_echo;
    const std::uint64_t two = story == 2 ? random.below(2) : story;
    const NodeId origin = i.origin;
    const Head real = head_of(i, two, origin == self);
    const Head made = head_of(i, two, true);
    switch (attack) {
      case 0:
        return Extend{i, made_up(i, two), random.below(2) == 0};
      case 1:
        return Extend{{self, 0}, made_up({self, 0}, story % 2), true};
      case 2:
        return Status{origin, made, {i.number, {}}, random.below(2) == 0};
      case 3:
        return Status{origin, {i.number + 1 + random.below(40), hash(made_up(i, 9).view())}, {}};
      case 4:
        return Status{origin, real, {real.count, {}}};
      case 5:
        return Status{origin, real, {}};
      case 6:
        return Give{origin, real, made_up(i, 9)};
      case 7:
        return Path{origin, genesis({}, origin), digests_of(i, two)};
      case 8:
        return Delivered{origin, made};
      case 9:
        return Floor{origin, made};
      default:
        if (random.below(2) == 0) return Want{origin, real};
        return Trace{origin, genesis({}, origin), real};
    }
  }

 private:
  static std::vector<Digest> digests_of(const broadcast::Instance& i, std::uint64_t which) {
    std::vector<Digest> out;
    for (std::uint64_t k = 0; k <= i.number; ++k)
      out.push_back(hash(made_up({i.origin, k}, which).view()));
    return out;
  }
  // The head after an instance: on a chain that liars make up, or on what its origin showed.
  chained_echo::Head head_of(const broadcast::Instance& i, std::uint64_t which, bool made) const {
    chained_echo::Head at = chained_echo::genesis({}, i.origin);
    for (std::uint64_t k = 0; k <= i.number; ++k) {
      const auto shown = payloads_.find({i.origin, k});
      const Bytes payload =
          made || shown == payloads_.end() ? made_up({i.origin, k}, which) : shown->second;
      at = chained_echo::successor({}, i.origin, at, hash(payload.view()));
    }
    return at;
  }

  std::map<broadcast::Instance, Bytes> payloads_;
};

}  // namespace thresher
