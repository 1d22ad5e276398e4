// A set of nodes as bytes, on links and disks: one bit a node, n/8 bytes.
//
//   write_nodes(origins, committee.size(), writer);
//   std::optional<NodeSet> again = read_nodes(reader, committee.size());
//
// Guarantees: a mirror; what names a node beyond `n`, or ends too early, is not read.
#pragma once

#include <optional>

#include "thresher/core/committee.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher::agreement {

void write_nodes(const NodeSet& nodes, std::uint32_t n, Writer& out);
std::optional<NodeSet> read_nodes(Reader& in, std::uint32_t n);

}  // namespace thresher::agreement
