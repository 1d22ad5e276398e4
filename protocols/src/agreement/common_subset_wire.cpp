#include "thresher/protocols/agreement/common_subset_wire.hpp"

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/agreement/rounds_wire.hpp"
#include "thresher/protocols/broadcast/avid_wire.hpp"

namespace thresher {
namespace {

// `honeybadger` numbers its own messages from 2 on.
enum Kind : std::uint8_t { kBroadcast, kAgreement };

WireParts behind(Kind kind, const WireParts& inner) {
  Writer w;
  w.u8(kind).bytes(inner.control.view());
  return {Bytes::from(w.take()), inner.payload};
}

template <class M>
std::optional<PayloadSubset::Message> as_message(std::optional<M> m) {
  if (!m) return std::nullopt;
  return PayloadSubset::Message(std::move(*m));
}

}  // namespace

WireParts encode(const PayloadSubset::Message& message) {
  if (const auto* broadcast = std::get_if<Avid::Message>(&message))
    return behind(kBroadcast, encode(*broadcast));
  return behind(kAgreement, agreement::encode_rounds(std::get<BcaAgreement::Message>(message)));
}

std::optional<PayloadSubset::Message> decode_common_subset(const WireParts& parts,
                                                           const Committee& committee) {
  Reader in(parts.control.view());
  const std::uint8_t kind = in.u8();
  if (!in.ok() || kind > kAgreement) return std::nullopt;
  const WireParts inner{parts.control.slice(1, parts.control.size() - 1), parts.payload};
  if (kind == kBroadcast) return as_message(decode_avid(inner, committee));
  return as_message(agreement::decode_rounds<BcaAgreement::Message>(inner));
}

}  // namespace thresher
