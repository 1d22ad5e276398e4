#include "thresher/protocols/agreement/approximate_wire.hpp"

#include "thresher/core/transcript.hpp"
#include "thresher/protocols/broadcast/bracha_wire.hpp"

namespace thresher {
namespace {

enum Kind : std::uint8_t { kBroadcast, kReport };

}  // namespace

WireParts encode(const NumberAgreement::Message& message, const Committee& committee) {
  Writer w;
  if (const auto* broadcast = std::get_if<Bracha::Message>(&message)) {
    const WireParts inner = encode(*broadcast);
    w.u8(kBroadcast).bytes(inner.control.view());
    return {Bytes::from(w.take()), inner.payload};
  }
  w.u8(kReport);
  approximate::encode_report(std::get<approximate::Report>(message), committee.size(), w);
  return {Bytes::from(w.take()), {}};
}

std::optional<NumberAgreement::Message> decode_approximate(const WireParts& parts,
                                                           const Committee& committee) {
  Reader in(parts.control.view());
  const std::uint8_t kind = in.u8();
  if (!in.ok()) return std::nullopt;
  if (kind == kBroadcast) {
    auto m =
        decode_bracha({parts.control.slice(1, parts.control.size() - 1), parts.payload}, committee);
    return m ? std::optional<NumberAgreement::Message>(std::move(*m)) : std::nullopt;
  }
  if (kind != kReport || !parts.payload.empty()) return std::nullopt;
  auto m = approximate::decode_report(in, committee);
  return m ? std::optional<NumberAgreement::Message>(std::move(*m)) : std::nullopt;
}

}  // namespace thresher
