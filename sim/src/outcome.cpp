#include "thresher/sim/outcome.hpp"

#include "thresher/sim/subject.hpp"

namespace thresher::sim {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "Pass";
    case Verdict::kNoProgress:
      return "NoProgress";
    case Verdict::kViolated:
      return "Violated";
  }
  return "unknown";
}

// The bytes after the name follow from it, so that a changed payload is told from a submitted one.
Bytes make_payload(PayloadId id, std::uint32_t size) {
  Writer w;
  w.u16(id.author.value).u64(id.number);
  std::uint64_t filler = mix64(id.number ^ mix64(id.author.value));
  for (std::uint32_t at = kLeastPayload; at < size; ++at) {
    w.u8(static_cast<std::uint8_t>(filler));
    filler = (at % 8 == 1) ? mix64(filler) : filler >> 8;
  }
  return Bytes::from(w.take());
}

std::optional<PayloadId> read_payload(ByteView payload) {
  if (payload.size() < kLeastPayload) return std::nullopt;
  Reader in(payload);
  PayloadId id{NodeId{in.u16()}, in.u64()};
  std::uint64_t filler = mix64(id.number ^ mix64(id.author.value));
  for (std::size_t at = kLeastPayload; at < payload.size(); ++at) {
    if (in.u8() != static_cast<std::uint8_t>(filler)) return std::nullopt;
    filler = (at % 8 == 1) ? mix64(filler) : filler >> 8;
  }
  return id;
}

std::string in_units(Ticks ticks) {
  std::string digits = std::to_string(ticks / kUnit);
  if (ticks % kUnit == 0) return digits;
  std::string rest = std::to_string(ticks % kUnit + kUnit).substr(1);
  rest.erase(rest.find_last_not_of('0') + 1);
  return digits + "." + rest;
}

}  // namespace thresher::sim
