#include "thresher/protocols/agreement/node_bits.hpp"

namespace thresher::agreement {

void write_nodes(const NodeSet& nodes, std::uint32_t n, Writer& out) {
  for (std::uint32_t byte = 0; byte < (n + 7) / 8; ++byte) {
    unsigned bits = 0;
    for (std::uint32_t k = 0; k < 8; ++k) {
      const NodeId id{static_cast<std::uint16_t>(8 * byte + k)};
      bits |= nodes.contains(id) ? 1u << k : 0u;
    }
    out.u8(static_cast<std::uint8_t>(bits));
  }
}

std::optional<NodeSet> read_nodes(Reader& in, std::uint32_t n) {
  NodeSet out(n);
  for (std::uint32_t byte = 0; byte < (n + 7) / 8; ++byte) {
    const std::uint8_t bits = in.u8();
    for (std::uint32_t k = 0; k < 8; ++k) {
      if ((bits >> k & 1) != 0) out.insert(NodeId{static_cast<std::uint16_t>(8 * byte + k)});
    }
  }
  if (!in.ok() || !out.below(n)) return std::nullopt;
  return out;
}

}  // namespace thresher::agreement
