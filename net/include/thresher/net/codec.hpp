// DAG messages as frames: control bytes in front, payload beside them as a slice.
//
//   Frame frame = encode(message);
//   Result<dag::Message> message = decode(frame, chain, committee_size);
//
// Guarantees: counts are checked before memory is taken; payload roots are computed from the
// content.
#pragma once

#include "thresher/core/result.hpp"
#include "thresher/net/transport.hpp"
#include "thresher/protocols/dag/message.hpp"

namespace thresher::net {

/// Kinds of frames. Peers use the first group, clients the second.
enum FrameKind : std::uint8_t {
  kPush = 1,
  kWant,
  kWantRound,
  kWantEvidence,
  kGive,
  kWantLog,        ///< asks for the committed log: after slot u64, blocks to leave out u32
  kLogPart,        ///< its answer, see log_sync.hpp
  kWantLogHash,    ///< asks for the log hash after a slot u64
  kLogHash,        ///< its answer: slot u64, hash (32), known u8
  kCoinShare,      ///< a share of the coin that names leaders
  kProtocol = 16,  ///< a message of a protocol other than the DAG, see its wire header
  kSubmit = 32,    ///< client to node; payload: transactions as in a block
  kAck,            ///< node to client; payload: (client, sequence, position) u64 each
  kStatus,         ///< client to node; empty
  kStatusReply,    ///< node to client; control: see StatusReply in node.cpp
  kOverloaded,     ///< node to client; control: transactions refused u32
  kSubscribe,      ///< client to node; control: first position u64
  kLog,  ///< node to client; control: first position u64, count u32; payload: as in a block
};

Frame encode(const dag::Message& message);
Result<dag::Message> decode(const Frame& frame, const ChainContext& chain, std::uint32_t n);

}  // namespace thresher::net
