// DAG messages as frames: control bytes in front, payload beside them as a slice. A push of one
// block has the signed header as its control part, a share of a coin its 105 bytes, the others a
// message of net/proto/thresher.proto.
//
//   Frame frame = encode(message);
//   Result<dag::Message> again = decode(frame, chain, committee_size);
//
// Guarantees: counts are checked before memory is taken; payload roots are computed from the
// content.
#pragma once

#include <functional>

#include "thresher/core/result.hpp"
#include "thresher/net/transport.hpp"
#include "thresher/protocols/dag/message.hpp"

namespace thresher::net {

/// Kinds of frames. Peers use the first group, clients the second. Control parts: wire.hpp.
enum FrameKind : std::uint8_t {
  kPush = 1,
  kWant,
  kWantRound,
  kWantEvidence,
  kGive,
  kWantLog,         ///< asks for the committed log
  kLogPart,         ///< its answer; payload: those of the blocks
  kWantLogHash,     ///< asks for the log hash up to a slot
  kLogHash,         ///< its answer
  kCoinShare,       ///< a share of the coin that names leaders
  kWantKnown,       ///< asks what a peer knows of the sender, at a start
  kKnown,           ///< its answer
  kOtherProcess,    ///< tells a node that another process has its key
  kAlive,           ///< the answer, on a link that is in use
  kEvidence,        ///< headers that prove a certificate
  kProtocol = 16,   ///< a message of a protocol other than the DAG, see its wire header
  kEquivocation,    ///< two headers that prove who signed twice
  kPushWith,        ///< as kPush, with blocks of others; payload: those of all, one after another
  kCheckpoint,      ///< a signed statement about the log, see checkpoint.hpp
  kCertificate,     ///< a quorum of them
  kWantCheckpoint,  ///< asks for the certificate of a slot, else the own statement; 0: the newest
  kWantTree,        ///< asks for the halves of a part of the log's tree
  kTreePart,        ///< its answer
  kWantSnapshots,   ///< asks which snapshots a node can give
  kSnapshots,       ///< its answer
  kWantPart,        ///< asks for a part of one
  kPart,            ///< its answer; payload: the part
  kStarted,         ///< the sender's start signs from now on
  kTookSnapshot,    ///< which snapshot the sender has written, and the digest of its manifest
  kSubmit = 32,     ///< client to node; payload: entries of transactions
  kAck,             ///< node to client; payload: (sequence, position) u64 each
  kStatus,          ///< client to node
  kStatusReply,     ///< node to client
  kRefused,         ///< node to client; payload: sequences, u64 each
  kSubscribe,       ///< client to node
  kLog,             ///< node to client; payload: as in a block
  kWelcome,         ///< node to client, once, before anything else
  kResults,         ///< node to client, in the place of kAck; payload: results
  kQuery,           ///< client to node; payload: a question for the application
  kQueryReply,      ///< node to client; payload: the answer
  kProve = 56,      ///< client to node: asks for the proof of a position
  kProof,           ///< its answer
};

/// Whether nodes say such frames only once their protocol runs. Without a default, so that a new
/// kind has to say which it is; false for bytes that are not a kind.
constexpr bool of_protocol(std::uint8_t kind) {
  switch (static_cast<FrameKind>(kind)) {
    case kPush:
    case kWant:
    case kWantRound:
    case kWantEvidence:
    case kGive:
    case kCoinShare:
    case kEvidence:
    case kProtocol:
    case kEquivocation:
    case kPushWith:
      return true;
    case kWantLog:
    case kLogPart:
    case kWantLogHash:
    case kLogHash:
    case kWantKnown:
    case kKnown:
    case kOtherProcess:
    case kAlive:
    case kCheckpoint:
    case kCertificate:
    case kWantCheckpoint:
    case kWantTree:
    case kTreePart:
    case kWantSnapshots:
    case kSnapshots:
    case kWantPart:
    case kPart:
    case kStarted:
    case kTookSnapshot:
    case kProve:
    case kProof:
    case kSubmit:
    case kAck:
    case kStatus:
    case kStatusReply:
    case kRefused:
    case kSubscribe:
    case kLog:
    case kWelcome:
    case kResults:
    case kQuery:
    case kQueryReply:
      return false;
  }
  return false;
}

/// A part of the frame's payload that outlives the frame. A slice keeps all of the frame, so what
/// is less than half of it is copied: what is kept takes twice its size at most, whatever the
/// sender put beside it. Pre: it is a part of the payload.
Bytes kept_part(const Frame& frame, std::size_t offset, std::size_t size);

Frame encode(const dag::Message& message);
Result<dag::Message> decode(const Frame& frame, const ChainContext& chain, std::uint32_t n);
/// Computes the root of a payload that came.
using RootOf = std::function<Digest(ByteView)>;
/// The same for a caller that computes the roots.
Result<dag::Message> decode(const Frame& frame, const ChainContext& chain, std::uint32_t n,
                            const RootOf& root_of);

}  // namespace thresher::net
