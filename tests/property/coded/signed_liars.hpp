// What Byzantine nodes say to the signed broadcasts, attack by attack; as liars.hpp says it of the
// erasure-coded ones. Liars sign with their own keys only, and use every vote that they hear.
#pragma once

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "liars.hpp"
#include "thresher/protocols/broadcast/signed_broadcast.hpp"

namespace thresher {

/// A signature that binds the signer and the digest.
inline Signature arena_signature(NodeId signer, const Digest& digest) {
  Signature out{};
  std::memcpy(out.data(), digest.bytes.data(), sizeof digest.bytes);
  std::memcpy(out.data() + sizeof digest.bytes, &signer.value, sizeof signer.value);
  return out;
}

template <>
class Craft<SignedBroadcast> {
 public:
  using Message = SignedBroadcast::Message;
  static constexpr std::array<std::string_view, 11> kAttacks{"equivocating sender",
                                                             "sender silent after the first",
                                                             "votes for two payloads",
                                                             "vote for an unknown payload",
                                                             "vote in another's name",
                                                             "certificate before the votes",
                                                             "certificate of collected votes",
                                                             "withheld payload",
                                                             "wrong payload, asked for or not",
                                                             "ask",
                                                             "false summary"};

  explicit Craft(const Committee& committee) : committee_(committee) {}

  static bool calls_for_echo(const Message& m) {
    return std::holds_alternative<signed_broadcast::Propose>(m);
  }
  void hear(NodeId from, const Message& m) {
    if (const auto* x = std::get_if<signed_broadcast::Propose>(&m))
      payloads_.emplace(x->instance, x->payload);
    if (const auto* x = std::get_if<signed_broadcast::Vote>(&m))
      votes_[{x->instance, x->digest}][from] = x->signature;
  }

  std::optional<Message> say(std::size_t attack, NodeId self, NodeId, const broadcast::Instance& i,
                             std::uint64_t story, Prng& random) {
    using namespace signed_broadcast;
    const std::uint64_t two = story == 2 ? random.below(2) : story;
    const Bytes made = made_up(i, two);
    const auto heard = payloads_.find(i);
    const Bytes real = heard == payloads_.end() || i.origin == self ? made : heard->second;
    const Digest digest = hash(real.view());
    const std::uint64_t several = random.below(9);
    switch (attack) {
      case 0:
        return Propose{i, made};
      case 1:
        return Propose{{self, 0}, made_up({self, 0}, story % 2)};
      case 2:
        return vote(self, i, hash(made.view()));
      case 3:
        return vote(self, i, hash(made_up(i, 9).view()));
      case 4: {
        Vote forged = vote(self, i, digest);
        forged.signature = arena_signature(another(self), vote_digest({}, i, digest));
        return forged;
      }
      case 5:
        return certificate(self, i, hash(made.view()), {}, committee_.at_least(kQuorum));
      case 6:
        return certificate(self, i, digest, votes_[{i, digest}], 0);
      case 7:
        return vote(self, i, digest);
      case 8:
        return Give{i, made_up(i, 9)};
      case 9:
        return Want{i, random.below(2) == 0, random.below(2) == 0};
      default:
        return Have{{{i.origin, i.number + several, i.number + several, {}}}, random.below(2) == 0};
    }
  }

 private:
  static signed_broadcast::Vote vote(NodeId self, const broadcast::Instance& i,
                                     const Digest& digest) {
    return {i, digest, arena_signature(self, signed_broadcast::vote_digest({}, i, digest))};
  }
  NodeId another(NodeId self) const {
    return NodeId{static_cast<std::uint16_t>((self.value + 1u) % committee_.size())};
  }
  // With the liar's own vote, and forged ones up to `size`.
  signed_broadcast::Certificate certificate(NodeId self, const broadcast::Instance& i,
                                            const Digest& digest, std::map<NodeId, Signature> votes,
                                            std::uint32_t size) const {
    const Digest signed_digest = signed_broadcast::vote_digest({}, i, digest);
    votes[self] = arena_signature(self, signed_digest);
    for (std::uint16_t k = 0; votes.size() < size; ++k)
      votes.try_emplace(NodeId{k}, arena_signature(self, signed_digest));
    SignatureList list{NodeSet(committee_.size()), {}};
    for (const auto& [signer, signature] : votes) {
      list.signers.insert(signer);
      list.signatures.push_back(signature);
    }
    return {i, digest, std::make_shared<const SignatureList>(std::move(list))};
  }

  Committee committee_;
  std::map<broadcast::Instance, Bytes> payloads_;
  std::map<std::pair<broadcast::Instance, Digest>, std::map<NodeId, Signature>> votes_;
};

template <>
class Craft<CertifiedBroadcast> : public Craft<SignedBroadcast> {
 public:
  using Craft<SignedBroadcast>::Craft;
};

}  // namespace thresher
