// What PBFT keeps on disk of views and claims.
#include "pbft_parts.hpp"

namespace thresher {

namespace pbft {

namespace {

constexpr std::uint8_t kMany = 255;  // the count of values seen follows in two bytes

}  // namespace

std::size_t values_seen(const SlotReport& c) {
  return c.seen.size() - c.seen.count(hash({}));
}

void forget_oldest(SlotReport& c) {
  const auto oldest =
      std::min_element(c.seen.begin(), c.seen.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (oldest != c.seen.end()) c.seen.erase(oldest);
}

void write(Writer& w, const SlotReport& c) {
  w.u64(c.prepared_view).u32(static_cast<std::uint32_t>(c.prepared.size()));
  w.bytes(c.prepared.view());
  // One byte for as many as there are nearly always, and as older builds wrote it.
  const bool few = c.seen.size() < kMany;
  w.u8(few ? static_cast<std::uint8_t>(c.seen.size()) : kMany);
  if (!few) w.u16(static_cast<std::uint16_t>(c.seen.size()));
  for (const auto& [digest, view] : c.seen) w.bytes(digest.bytes).u64(view);
}

std::optional<SlotReport> read_claim(Reader& r, const Bytes& whole, std::uint64_t below_view,
                                     std::size_t most) {
  SlotReport c;
  c.prepared_view = r.u64();
  const std::uint32_t size = r.u32();
  if (size > r.remaining()) return std::nullopt;
  c.prepared = whole.slice(whole.size() - r.remaining(), size);
  (void)r.bytes(size);
  std::uint16_t seen = r.u8();
  if (seen == kMany) seen = r.u16();
  if (seen > most || c.prepared_view >= below_view) return std::nullopt;
  for (std::uint16_t k = 0; k < seen && r.ok(); ++k) {
    const Digest d = r.digest();
    c.seen[d] = r.u64();
  }
  return r.ok() ? std::optional(std::move(c)) : std::nullopt;
}

}  // namespace pbft

using namespace pbft;  // NOLINT(google-build-using-namespace): the protocol's own vocabulary

void Pbft::save_view(Fx& fx) const {
  Writer w;
  w.u64(view_).u64(floor_);
  fx.push(Persist{kView, key_of(0), Bytes::from(w.take()), {}, false});
}

// R3
void Pbft::save_claim(std::uint64_t slot, const SlotReport& claim, Fx& fx) const {
  Writer w;
  write(w, claim);
  fx.push(Persist{kClaims, key_of(slot), Bytes::from(w.take()), {}, false});
}

}  // namespace thresher
