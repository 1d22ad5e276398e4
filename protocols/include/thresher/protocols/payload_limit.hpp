// The most payload that a node makes or takes in one block, whichever protocol orders it.
//
//   if (header.payload_bytes > kMostPayloadBytes) return false;
//
// A block goes on from node to node: in answers, and in parts of the log, with more around it than
// its author's push has, and each of these has to fit a frame (TransportOptions::max_frame_bytes).
// A block that fits the push alone would be accepted by those whom its author sends it to, and
// could not be given to the others. Source: docs/threat-model.md.
#pragma once

#include <cstdint>

namespace thresher {

/// Unit: bytes. Half of a frame: the other half is for headers, certificates, and what goes along.
inline constexpr std::uint32_t kMostPayloadBytes = 4u << 20;

}  // namespace thresher
