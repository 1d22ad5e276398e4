// The control parts of frames as plain structs; net/proto/thresher.proto describes their bytes.
//
//   link.send({kSubscribe, wire::encode(wire::Subscribe{4}), {}});
//   if (const auto log = wire::decode<wire::Log>(frame.control.view())) ...
//
// Guarantees: decode bounds the size, the number of fields and the depth before memory is taken,
// and gives nothing when the bytes are malformed; fields it does not know are skipped. Payload
// never passes through here. Does not check what a message means: whether blocks, slots and
// positions make sense is the caller's business. Never hash or sign what encode gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/net/client.hpp"
#include "thresher/net/client_id.hpp"
#include "thresher/net/incarnation.hpp"
#include "thresher/protocols/dag/message.hpp"

namespace thresher::net::wire {

/// Blocks or references in one message, at most.
inline constexpr std::size_t kMaxItems = 4096;
/// Bytes of a message that carries no list, and of a hello, at most.
inline constexpr std::size_t kSmallBytes = 1024;

struct Hello {
  std::uint32_t version = 0;
  Digest chain{};
  std::optional<Incarnation> incarnation{};  ///< of a node
  std::uint64_t gc_rounds = 0;  ///< of a node: rounds that its protocol keeps; 0: no matter
};
/// `header`: as encode_header wrote it. `payload_bytes`: its share of the frame's payload.
struct CarriedBlock {
  std::uint32_t payload_bytes = 0;
  Bytes header;
};
struct Give {
  std::vector<CarriedBlock> blocks;
};
/// `headers`: each as encode_header wrote it.
struct Evidence {
  Round slot;
  Digest leader{};
  std::vector<Bytes> headers;
};
/// Each as encode_header wrote it.
struct Equivocation {
  Bytes first;
  Bytes second;
};
struct WantLog {
  Round after;
  std::uint32_t leave_out = 0;  ///< blocks of the first commit
  std::uint32_t parts = 0;      ///< so many, one after another; 0: one
};
/// `block`: as encode_block wrote it. `payload_bytes`: its share of the frame's payload.
struct LogBlock {
  Round slot;
  Digest commit{};
  std::uint32_t total = 0;
  std::uint32_t index = 0;
  std::uint32_t payload_bytes = 0;
  Bytes block;
};
/// A place in the log: behind a slot, and so many blocks of the commit after it.
struct LogPlace {
  Round after;
  std::uint32_t leave_out = 0;
  friend bool operator==(const LogPlace&, const LogPlace&) = default;
};
struct LogPart {
  Round head;
  std::vector<LogBlock> blocks;
  Round begins{0};  ///< what was asked for was pruned: entries have slots above; 0: it was not
  std::optional<LogPlace> from{};  ///< where it begins; nodes of older releases do not say
};
struct WantLogHash {
  Round slot;
};
struct LogHash {
  Round slot;
  Digest hash{};
  bool known = false;
};
/// What a peer knows of the node that asks: see start_question.hpp.
struct Known {
  std::optional<Incarnation> incarnation{};  ///< the highest one that signs, as Started told it
  std::uint64_t round = 0;                   ///< that the node's messages bound it to
  std::uint64_t vote = 0;
  Bytes last_signed{};  ///< the last thing it signed that the peer holds
  Round end{0};         ///< the last slot of the peer's log
};
/// The sender's start signs from now on.
struct Started {
  Incarnation incarnation{};  ///< signed as such
};
/// Another process has the node's key and is connected to the sender, too.
struct OtherProcess {
  Incarnation incarnation{};
  std::string address{};
  bool speaks = false;  ///< it has sent more than questions
};
struct Welcome {
  Round slot;
  ClientId client{};
  std::uint64_t longest_life = 0;  ///< slots
  std::uint64_t limit = 0;         ///< bytes of a transaction
};
struct Submit {
  /// The slots in which the transactions may be ordered; empty: the node chooses.
  std::optional<std::pair<Round, Round>> valid;
  bool results = false;  ///< the connection gets Results in the place of Ack
};
struct Ack {
  Round slot;
};
struct Refused {
  Refusal reason = Refusal::kMalformed;
  std::uint64_t limit = 0;  ///< bytes of a transaction
  Round slot;
  std::string text{};  ///< of kRejected; longer than kReasonBytes is cut
};
inline constexpr std::size_t kReasonBytes = 256;
/// Like Ack, with results as payload (result_entries.hpp).
struct Results {
  Round slot;
};
struct Query {
  std::uint64_t id = 0;
  std::uint64_t length = 0;  ///< that have to be applied before
};
struct QueryReply {
  std::uint64_t id = 0;
  std::uint64_t length = 0;  ///< that were applied
  bool failed = false;
};
struct Subscribe {
  std::uint64_t position = 0;
};
struct Log {
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  std::uint64_t begins = 0;  ///< what was asked for was pruned up to here; 0: it was not
};
/// Status, WantKnown and Alive: no field so far, so no bytes.
struct Empty {};

Bytes encode(const Hello& m);
Bytes encode(const dag::Want& m);
Bytes encode(const dag::WantRound& m);
Bytes encode(const dag::WantEvidence& m);
Bytes encode(const Give& m);
Bytes encode(const Evidence& m);
Bytes encode(const Equivocation& m);
Bytes encode(const WantLog& m);
Bytes encode(const LogPart& m);
Bytes encode(const WantLogHash& m);
Bytes encode(const LogHash& m);
Bytes encode(const Known& m);
Bytes encode(const Started& m);
Bytes encode(const OtherProcess& m);
Bytes encode(const NodeStatus& m);
Bytes encode(const Welcome& m);
Bytes encode(const Submit& m);
Bytes encode(const Ack& m);
Bytes encode(const Refused& m);
Bytes encode(const Results& m);
Bytes encode(const Query& m);
Bytes encode(const QueryReply& m);
Bytes encode(const Subscribe& m);
Bytes encode(const Log& m);

/// For all of the above but WantRound. Empty when malformed or over a limit.
template <class M>
std::optional<M> decode(ByteView control);
/// `n`: nodes of the committee; larger ids are malformed.
std::optional<dag::WantRound> decode_want_round(ByteView control, std::uint32_t n);

// clang-format off
template <> std::optional<Empty> decode(ByteView control);
/// Also reads the layout of wire version 1, so that an old peer can be told what it is.
template <> std::optional<Hello> decode(ByteView control);
template <> std::optional<dag::Want> decode(ByteView control);
template <> std::optional<dag::WantEvidence> decode(ByteView control);
template <> std::optional<Give> decode(ByteView control);
template <> std::optional<Evidence> decode(ByteView control);
template <> std::optional<Equivocation> decode(ByteView control);
template <> std::optional<WantLog> decode(ByteView control);
template <> std::optional<LogPart> decode(ByteView control);
template <> std::optional<WantLogHash> decode(ByteView control);
template <> std::optional<LogHash> decode(ByteView control);
template <> std::optional<Known> decode(ByteView control);
template <> std::optional<Started> decode(ByteView control);
template <> std::optional<OtherProcess> decode(ByteView control);
template <> std::optional<NodeStatus> decode(ByteView control);
template <> std::optional<Welcome> decode(ByteView control);
template <> std::optional<Submit> decode(ByteView control);
template <> std::optional<Ack> decode(ByteView control);
template <> std::optional<Refused> decode(ByteView control);
template <> std::optional<Results> decode(ByteView control);
template <> std::optional<Query> decode(ByteView control);
template <> std::optional<QueryReply> decode(ByteView control);
template <> std::optional<Subscribe> decode(ByteView control);
template <> std::optional<Log> decode(ByteView control);
// clang-format on

}  // namespace thresher::net::wire
