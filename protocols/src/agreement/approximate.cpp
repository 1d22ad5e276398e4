#include "thresher/protocols/agreement/approximate.hpp"

#include "thresher/core/assert.hpp"

namespace thresher::approximate {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 62;

}  // namespace

std::int64_t trimmed_middle(std::vector<std::int64_t> values, std::uint32_t f) {
  THRESHER_ASSERT(values.size() > 2 * std::size_t{f}, "n-f values are more than 2f");
  std::sort(values.begin(), values.end());
  const std::int64_t low = values[f];
  const std::int64_t high = values[values.size() - 1 - f];
  // Both lie within 2^62 of zero: their difference fits.
  return low + (high - low) / 2;
}

Bytes encode_value(std::int64_t value) {
  return Bytes::from(Writer().u64(static_cast<std::uint64_t>(value)).take());
}

std::optional<std::int64_t> decode_value(ByteView bytes) {
  Reader in(bytes);
  const auto value = static_cast<std::int64_t>(in.u64());
  if (!in.done() || value >= kMost || value <= -kMost) return std::nullopt;
  return value;
}

void encode_report(const Report& report, std::uint32_t n, Writer& out) {
  out.u64(report.step).u8(report.asks ? 1 : 0);
  for (std::uint32_t byte = 0; byte < (n + 7) / 8; ++byte) {
    unsigned bits = 0;
    for (std::uint32_t k = 0; k < 8; ++k) {
      const NodeId id{static_cast<std::uint16_t>(8 * byte + k)};
      bits |= report.origins.contains(id) ? 1u << k : 0u;
    }
    out.u8(static_cast<std::uint8_t>(bits));
  }
}

std::optional<Report> decode_report(Reader& in, const Committee& committee) {
  Report out;
  out.step = in.u64();
  const std::uint8_t asks = in.u8();
  out.asks = asks == 1;
  out.origins = NodeSet(committee.size());
  for (std::uint32_t byte = 0; byte < (committee.size() + 7) / 8; ++byte) {
    const std::uint8_t bits = in.u8();
    for (std::uint32_t k = 0; k < 8; ++k) {
      if ((bits >> k & 1) != 0)
        out.origins.insert(NodeId{static_cast<std::uint16_t>(8 * byte + k)});
    }
  }
  if (!in.done() || asks > 1 || !out.origins.below(committee.size())) return std::nullopt;
  return out;
}

}  // namespace thresher::approximate
