// What PBFT keeps on disk of views and claims.
#include "pbft_parts.hpp"

namespace thresher {

namespace pbft {

void write(Writer& w, const Claim& c) {
  w.u64(c.prepared_view).u32(static_cast<std::uint32_t>(c.prepared.size()));
  w.bytes(c.prepared.view()).u8(static_cast<std::uint8_t>(c.seen.size()));
  for (const auto& [digest, view] : c.seen) w.bytes(digest.bytes).u64(view);
}

std::optional<Claim> read_claim(Reader& r, const Bytes& whole, std::uint64_t below_view) {
  Claim c;
  c.prepared_view = r.u64();
  const std::uint32_t size = r.u32();
  if (size > r.remaining()) return std::nullopt;
  c.prepared = whole.slice(whole.size() - r.remaining(), size);
  (void)r.bytes(size);
  const std::uint8_t seen = r.u8();
  if (seen > kMaxSeen || c.prepared_view >= below_view) return std::nullopt;
  for (std::uint8_t k = 0; k < seen; ++k) {
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
void Pbft::save_claim(std::uint64_t slot, const Claim& claim, Fx& fx) const {
  Writer w;
  write(w, claim);
  fx.push(Persist{kClaims, key_of(slot), Bytes::from(w.take()), {}, false});
}

}  // namespace thresher
