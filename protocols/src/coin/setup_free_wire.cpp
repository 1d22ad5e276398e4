#include "thresher/protocols/coin/setup_free_wire.hpp"

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/avid_wire.hpp"
#include "thresher/protocols/broadcast/bracha_wire.hpp"

namespace thresher {
namespace {

enum Kind : std::uint8_t { kCommitment, kWord, kMembers, kWeights, kReport };

struct Encoder {
  const Committee& committee;

  static WireParts behind(Kind kind, const WireParts& inner) {
    Writer w;
    w.u8(kind).bytes(inner.control.view());
    return {Bytes::from(w.take()), inner.payload};
  }
  WireParts operator()(const Avid::Message& m) const { return behind(kCommitment, encode(m)); }
  WireParts operator()(const Bracha::Message& m) const { return behind(kWeights, encode(m)); }
  WireParts operator()(const avss::Word& m) const {
    Writer w;
    w.u8(kWord);
    avss::encode_word(m, committee.size(), w);
    return {Bytes::from(w.take()), {}};
  }
  WireParts operator()(const gather::Members& m) const {
    Writer w;
    w.u8(kMembers);
    gather::encode_members(m, committee.size(), w);
    return {Bytes::from(w.take()), {}};
  }
  WireParts operator()(const approximate::Report& m) const {
    Writer w;
    w.u8(kReport);
    approximate::encode_report(m, committee.size(), w);
    return {Bytes::from(w.take()), {}};
  }
  WireParts operator()(const SetupFree::Secrets::Message& m) const { return std::visit(*this, m); }
  WireParts operator()(const SetupFree::Weights::Message& m) const { return std::visit(*this, m); }
};

template <class Part, class M>
std::optional<SetupFree::Message> as(std::optional<M> m) {
  if (!m) return std::nullopt;
  return SetupFree::Message(Part(*std::move(m)));
}

/// The instance of a broadcast's message; a message about the window has none.
template <class M>
std::uint64_t number_in(const M& message) {
  return std::visit(
      [](const auto& m) -> std::uint64_t {
        if constexpr (requires { m.instance.number; }) {
          return m.instance.number;
        } else {
          return 0;
        }
      },
      message);
}

}  // namespace

WireParts encode(const SetupFree::Message& message, const Committee& committee) {
  return std::visit(Encoder{committee}, message);
}

std::optional<SetupFree::Message> decode_setup_free(const WireParts& parts,
                                                    const Committee& committee) {
  using Secrets = SetupFree::Secrets::Message;
  using Weights = SetupFree::Weights::Message;
  Reader in(parts.control.view());
  const std::uint8_t kind = in.u8();
  if (!in.ok()) return std::nullopt;
  const WireParts inner{parts.control.slice(1, parts.control.size() - 1), parts.payload};
  if (kind == kCommitment) return as<Secrets>(decode_avid(inner, committee));
  if (kind == kWeights) return as<Weights>(decode_bracha(inner, committee));
  if (!parts.payload.empty()) return std::nullopt;
  if (kind == kWord) return as<Secrets>(avss::decode_word(in, committee.size()));
  if (kind == kMembers) return as<gather::Members>(gather::decode_members(in, committee.size()));
  if (kind != kReport) return std::nullopt;
  return as<Weights>(approximate::decode_report(in, committee));
}

std::uint64_t coin::instance_of(const SetupFree::Message& message) {
  if (const auto* members = std::get_if<gather::Members>(&message)) return members->instance;
  const auto* secret = std::get_if<SetupFree::Secrets::Message>(&message);
  if (secret == nullptr) return 0;
  if (const auto* word = std::get_if<avss::Word>(secret)) return avss::instance_of(*word);
  return number_in(std::get<Avid::Message>(*secret));
}

}  // namespace thresher
