// What PBFT keeps on disk of views, claims and accepted values.
#include <utility>

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
  w.u64(c.prepared_view);
  if (c.prepared_view > 0) w.bytes(c.prepared.bytes);
  // One byte for as many as there are nearly always.
  const bool few = c.seen.size() < kMany;
  w.u8(few ? static_cast<std::uint8_t>(c.seen.size()) : kMany);
  if (!few) w.u16(static_cast<std::uint16_t>(c.seen.size()));
  for (const auto& [digest, view] : c.seen) w.bytes(digest.bytes).u64(view);
}

std::optional<SlotReport> read_claim(Reader& r, std::uint64_t below_view, std::size_t most) {
  SlotReport c;
  c.prepared_view = r.u64();
  if (c.prepared_view > 0) c.prepared = r.digest();
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

namespace {

Bytes value_key(std::uint64_t slot, const Digest& digest) {
  Writer w;
  w.u64(slot).bytes(digest.bytes);
  return Bytes::from(w.take());
}

}  // namespace

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

// R3: others may have to be given it as long as this node says that it accepted it.
void Pbft::keep_value(std::uint64_t slot, Slot& s, const Digest& digest, const Bytes& value,
                      Fx& fx) {
  if (value.empty() || !s.values.try_emplace(digest, value).second) return;
  fx.push(Persist{kValues, value_key(slot, digest), Bytes::copy_of(as_view("v")), value, false});
}

void Pbft::restore_claim(const Restored& record) {
  Reader key(record.key.view());
  Reader value(record.value.view());
  const std::uint64_t slot = key.u64();
  if (record.table == kValues) {
    slots_[slot].values.emplace(key.digest(), record.body);
  } else {
    if (auto c = read_claim(value, UINT64_MAX, SIZE_MAX)) slots_[slot].claim = std::move(*c);
  }
}

// Lazily erased records may come back at a restart, and are erased again then.
void Pbft::forget(Fx& fx) {
  for (Persist& gone : log_.forget()) fx.push(std::move(gone));
  while (!slots_.empty() && slots_.begin()->first < minus(floor_, config_.window)) {
    const auto& [number, slot] = *slots_.begin();
    fx.push(Persist{kClaims, key_of(number), {}, {}, true});
    for (const auto& [digest, value] : slot.values)
      fx.push(Persist{kValues, value_key(number, digest), {}, {}, true});
    slots_.erase(slots_.begin());
  }
}

}  // namespace thresher
