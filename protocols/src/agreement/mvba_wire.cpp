#include "thresher/protocols/agreement/mvba_wire.hpp"

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/agreement/rounds_wire.hpp"
#include "thresher/protocols/broadcast/signed_wire.hpp"

namespace thresher {
namespace {

enum Kind : std::uint8_t { kBroadcast, kAgreement, kHolds, kElection };

struct Encoder {
  const Committee& committee;

  static WireParts behind(Kind kind, const WireParts& inner) {
    Writer w;
    w.u8(kind).bytes(inner.control.view());
    return {Bytes::from(w.take()), inner.payload};
  }
  WireParts operator()(const SignedBroadcast::Message& m) const {
    return behind(kBroadcast, encode(m));
  }
  WireParts operator()(const BcaAgreement::Message& m) const {
    return behind(kAgreement, agreement::encode_rounds(m));
  }
  WireParts operator()(const mvba::Holds& m) const {
    Writer w;
    w.u8(kHolds);
    mvba::encode_holds(m, committee.size(), w);
    return {Bytes::from(w.take()), {}};
  }
  WireParts operator()(const coin::Share& m) const {
    Writer w;
    w.u8(kElection);
    coin::encode_share(m, w);
    return {Bytes::from(w.take()), {}};
  }
};

template <class M>
std::optional<ValueAgreement::Message> as_message(std::optional<M> m) {
  if (!m) return std::nullopt;
  return ValueAgreement::Message(std::move(*m));
}

}  // namespace

WireParts encode(const ValueAgreement::Message& message, const Committee& committee) {
  return std::visit(Encoder{committee}, message);
}

std::optional<ValueAgreement::Message> decode_mvba(const WireParts& parts,
                                                   const Committee& committee) {
  Reader in(parts.control.view());
  const std::uint8_t kind = in.u8();
  if (!in.ok()) return std::nullopt;
  const WireParts inner{parts.control.slice(1, parts.control.size() - 1), parts.payload};
  if (kind == kBroadcast) return as_message(decode_signed(inner, committee));
  if (!parts.payload.empty()) return std::nullopt;
  if (kind == kAgreement) return as_message(agreement::decode_rounds<BcaAgreement::Message>(inner));
  if (kind == kHolds) return as_message(mvba::decode_holds(in, committee.size()));
  if (kind != kElection) return std::nullopt;
  auto share = coin::decode_share(in);
  return in.done() ? as_message(std::move(share)) : std::nullopt;
}

}  // namespace thresher
