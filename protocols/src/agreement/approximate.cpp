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

Values trimmed_middles(const std::vector<Values>& values, std::uint32_t f) {
  Values out;
  for (std::size_t d = 0; d < values.front().size(); ++d) {
    std::vector<std::int64_t> numbers;
    for (const Values& of_node : values) {
      THRESHER_ASSERT(of_node.size() == values.front().size(), "all have as many dimensions");
      numbers.push_back(of_node[d]);
    }
    out.push_back(trimmed_middle(std::move(numbers), f));
  }
  return out;
}

Bytes encode_values(const Values& values) {
  Writer w;
  for (const std::int64_t value : values) w.u64(static_cast<std::uint64_t>(value));
  return Bytes::from(w.take());
}

std::optional<Values> decode_values(ByteView bytes, std::uint32_t dimensions) {
  Reader in(bytes);
  Values out;
  for (std::uint32_t d = 0; d < dimensions; ++d) {
    out.push_back(static_cast<std::int64_t>(in.u64()));
    if (out.back() >= kMost || out.back() <= -kMost) return std::nullopt;
  }
  return in.done() ? std::optional(std::move(out)) : std::nullopt;
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
