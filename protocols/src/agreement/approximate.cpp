#include "thresher/protocols/agreement/approximate.hpp"

#include "thresher/core/assert.hpp"
#include "thresher/protocols/agreement/node_bits.hpp"

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
  agreement::write_nodes(report.origins, n, out);
}

std::optional<Report> decode_report(Reader& in, const Committee& committee) {
  const std::uint64_t step = in.u64();
  const std::uint8_t asks = in.u8();
  auto origins = agreement::read_nodes(in, committee.size());
  if (!origins || !in.done() || asks > 1) return std::nullopt;
  return Report{step, *std::move(origins), asks == 1};
}

}  // namespace thresher::approximate
