#include "snapshot_parts.hpp"

namespace thresher::net {
namespace {

void write(const SnapshotPart& part, Writer& out) {
  out.u64(part.slot.value).u8(static_cast<std::uint8_t>(part.file)).u64(part.index);
}

std::optional<SnapshotPart> read_part(Reader& in) {
  SnapshotPart out;
  out.slot = Round{in.u64()};
  const std::uint8_t file = in.u8();
  out.index = in.u64();
  if (!in.ok() || file > static_cast<std::uint8_t>(SnapshotFileName::kState)) return std::nullopt;
  out.file = static_cast<SnapshotFileName>(file);
  return out;
}

}  // namespace

std::string why_not_given(std::uint64_t state_bytes) {
  if (state_bytes <= kMostGivenState) return {};
  constexpr std::uint64_t kMiB = 1u << 20;
  return "the application's state has " + std::to_string(state_bytes / kMiB) +
         " MiB, and peers give and take at most " + std::to_string(kMostGivenState / kMiB) +
         ": no node can take it from this one, so keep the log for those that will need it "
         "(retention in node.toml)";
}

Bytes encode(const std::vector<SnapshotOffer>& offers) {
  Writer w;
  w.u8(static_cast<std::uint8_t>(offers.size()));
  for (const SnapshotOffer& offer : offers) {
    const Bytes certificate = encode(offer.certificate);
    w.u32(static_cast<std::uint32_t>(certificate.size())).bytes(certificate.view());
    w.bytes(offer.manifest.bytes);
  }
  return Bytes::from(w.take());
}

std::optional<std::vector<SnapshotOffer>> decode_offers(ByteView bytes, std::uint32_t n) {
  Reader in(bytes);
  const std::size_t count = in.u8();
  if (count > kMostOffers) return std::nullopt;
  std::vector<SnapshotOffer> out;
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const std::uint32_t size = in.u32();
    if (size > in.remaining()) return std::nullopt;
    auto certificate = decode_certificate(in.bytes(size), n);
    if (!certificate) return std::nullopt;
    out.push_back({std::move(*certificate), in.digest()});
  }
  if (!in.done()) return std::nullopt;
  return out;
}

// Of who takes none yet it is empty, as it was before a node said what it takes.
Bytes encode(const WantSnapshots& want) {
  Writer w;
  if (want.takes) w.u64(want.takes->value);
  return Bytes::from(w.take());
}

std::optional<WantSnapshots> decode_want_snapshots(ByteView bytes) {
  if (bytes.empty()) return WantSnapshots{};
  Reader in(bytes);
  const Round slot{in.u64()};
  return in.done() ? std::optional(WantSnapshots{slot}) : std::nullopt;
}

Bytes encode(const SnapshotPart& part) {
  Writer w;
  write(part, w);
  return Bytes::from(w.take());
}

std::optional<SnapshotPart> decode_want_part(ByteView bytes) {
  Reader in(bytes);
  auto out = read_part(in);
  return in.done() ? out : std::nullopt;
}

Bytes encode(const GivenPart& given) {
  Writer w;
  write(given.part, w);
  w.u8(given.found ? 1 : 0);
  return Bytes::from(w.take());
}

std::optional<GivenPart> decode_given_part(ByteView bytes) {
  Reader in(bytes);
  const auto part = read_part(in);
  const std::uint8_t found = in.u8();
  if (!part || !in.done() || found > 1) return std::nullopt;
  return GivenPart{*part, found == 1};
}

}  // namespace thresher::net
