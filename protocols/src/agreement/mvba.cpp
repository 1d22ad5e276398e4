#include "thresher/protocols/agreement/mvba.hpp"

#include "thresher/core/prng.hpp"
#include "thresher/protocols/agreement/node_bits.hpp"

namespace thresher::mvba {
namespace {

enum Flag : std::uint8_t { kDrawn = 1, kAsks = 2 };

}  // namespace

void encode_holds(const Holds& holds, std::uint32_t n, Writer& out) {
  out.u64(holds.instance);
  out.u8(static_cast<std::uint8_t>((holds.drawn ? kDrawn : 0) | (holds.asks ? kAsks : 0)));
  agreement::write_nodes(holds.origins, n, out);
}

std::optional<Holds> decode_holds(Reader& in, std::uint32_t n) {
  const std::uint64_t instance = in.u64();
  const std::uint8_t flags = in.u8();
  auto origins = agreement::read_nodes(in, n);
  if (!origins || !in.done() || flags > (kDrawn | kAsks)) return std::nullopt;
  return Holds{instance, *std::move(origins), (flags & kDrawn) != 0, (flags & kAsks) != 0};
}

std::vector<NodeId> candidates(const Digest& value, std::uint32_t n) {
  std::vector<NodeId> out;
  for (std::uint32_t o = 0; o < n; ++o) out.push_back(NodeId{static_cast<std::uint16_t>(o)});
  // Fisher and Yates: each of the places left is drawn alike.
  Prng rng(value.prefix());
  for (std::uint32_t left = n; left > 1; --left)
    std::swap(out[left - 1], out[static_cast<std::size_t>(rng.below(left))]);
  return out;
}

}  // namespace thresher::mvba
