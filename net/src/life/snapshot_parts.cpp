#include "life/snapshot_parts.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "life/snapshot_pace.hpp"

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

Bytes encode(const OwnSnapshots& own) {
  Writer w;
  w.u8(static_cast<std::uint8_t>(own.offers.size()));
  for (const SnapshotOffer& offer : own.offers) {
    const Bytes certificate = encode(offer.certificate);
    w.u32(static_cast<std::uint32_t>(certificate.size())).bytes(certificate.view());
    w.bytes(offer.manifest.bytes);
  }
  w.u8(own.grid);
  return Bytes::from(w.take());
}

std::optional<OwnSnapshots> decode_own_snapshots(ByteView bytes, std::uint32_t n) {
  Reader in(bytes);
  const std::size_t count = in.u8();
  if (count > kMostOffers) return std::nullopt;
  OwnSnapshots out;
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const std::uint32_t size = in.u32();
    if (size > in.remaining()) return std::nullopt;
    auto certificate = decode_certificate(in.bytes(size), n);
    if (!certificate) return std::nullopt;
    out.offers.push_back({std::move(*certificate), in.digest()});
  }
  out.grid = in.u8();
  if (!in.done() || out.grid > SnapshotPace::kCoarsest) return std::nullopt;
  return out;
}

// Empty where nothing is said. A slot has more bytes than all grids.
Bytes encode(const WantSnapshots& want) {
  Writer w;
  if (want.takes) {
    w.u64(want.takes->value);
  } else {
    for (const std::uint8_t grid : want.grids) w.u8(grid);
  }
  return Bytes::from(w.take());
}

std::optional<WantSnapshots> decode_want_snapshots(ByteView bytes) {
  WantSnapshots out;
  Reader in(bytes);
  if (bytes.size() > kMostGrids) {
    out.takes = Round{in.u64()};
  } else {
    while (in.remaining() > 0) out.grids.push_back(in.u8());
  }
  const bool rises = std::ranges::adjacent_find(out.grids, std::greater_equal{}) == out.grids.end();
  const bool known = out.grids.empty() || out.grids.back() <= SnapshotPace::kCoarsest;
  return in.done() && rises && known ? std::optional(std::move(out)) : std::nullopt;
}

std::vector<std::uint8_t> grids_to_keep(std::vector<std::uint8_t> said,
                                        const Committee& committee) {
  std::ranges::sort(said);
  std::vector<std::uint8_t> out;
  const std::size_t first = 2 * std::size_t{committee.faults()};
  for (std::size_t number = std::max<std::size_t>(first, 1); number <= first + 1; ++number) {
    if (said.empty()) break;
    const std::uint8_t grid = said[std::min(number, said.size()) - 1];
    if (out.empty() || out.back() != grid) out.push_back(grid);
  }
  return out;
}

Bytes encode(const TookSnapshot& took) {
  return Bytes::from(Writer().u64(took.slot.value).bytes(took.manifest.bytes).take());
}

std::optional<TookSnapshot> decode_took_snapshot(ByteView bytes) {
  Reader in(bytes);
  const Round slot{in.u64()};
  const TookSnapshot out{slot, in.digest()};
  return in.done() ? std::optional(out) : std::nullopt;
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
