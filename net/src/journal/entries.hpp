// What a journal is made of: the calls into an ordering protocol, what the protocol asked for in
// each, and how each call ended. Private to net/.
//
//   writer.add(EntryKind::kReceive, call::receive(from, frame));   // a call, whole
//   writer.add(EntryKind::kSend, asked::send(to, frame));          // what followed, by its hash
//   writer.add(EntryKind::kReturn, returned(true));
//
// Guarantees: a call can be made again from its bytes alone; two things that a protocol asked for
// have equal bytes exactly if they are equal, but for one mistake in 2^32. What was read back from
// the disk is the one thing asked for that stands there whole, because a replay has no disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engines/order_engine.hpp"

namespace thresher::net::journal {

enum class EntryKind : std::uint8_t {
  // calls
  kReceive = 1,
  kRestored = 2,
  kStart = 3,
  kExpired = 4,
  kVerified = 5,
  kEndorsed = 6,
  kSubmit = 7,
  kRun = 8,
  kPersisted = 9,
  kAdopt = 10,
  kTakeProgress = 11,
  kEntryOf = 12,
  kRecordsOf = 13,
  kRemember = 14,
  // what the protocol asks for
  kSend = 32,
  kBroadcast = 33,
  kDeliver = 34,
  kArm = 35,
  kCancel = 36,
  kPersist = 37,
  kVerify = 38,
  kVerifyAll = 39,
  kEndorse = 40,
  kAccuse = 41,
  kBroken = 42,
  kRefused = 43,
  kRead = 44,  ///< a payload from the disk, with the answer
  // the rest
  kHead = 64,    ///< the first entry: what was recorded
  kReturn = 65,  ///< the end of a call, with its result
  kFull = 66,    ///< the journal reached its size: the node went on, and nothing more is here
  kClosed = 67,  ///< the node ended
  kDisk = 68,    ///< the disk took no more, with its error: the node went on
};

/// Empty: no entry has that number.
std::optional<EntryKind> kind_of(std::uint8_t number);
bool is_call(EntryKind kind);
bool is_asked(EntryKind kind);
/// Nothing follows it.
bool is_end(EntryKind kind);
/// Whether the node went on after this end, so that it stands between any two entries.
bool is_short(EntryKind kind);
/// What kDisk says of the disk, in words.
std::string disk_failure(ByteView body);

using Body = std::vector<std::byte>;

/// What an engine was made of, but for the committee, which is the genesis file's, and the coin.
struct Head {
  std::string program;  ///< the version that wrote it
  std::string protocol;
  Digest chain{};
  NodeId self{};
  EngineTuning tuning{};
};
Body encode_head(const Head& head);
/// Empty: malformed.
std::optional<Head> decode_head(ByteView body);

namespace call {
Body receive(NodeId from, const Frame& frame);
Body input(const HostInput& input);
EntryKind kind_of(const HostInput& input);
Body submit(const Bytes& payload, const Digest& root, const std::optional<Digest>& replaces);
Body persisted(std::uint64_t barrier);
Body adopt(const Commit& commit, Stored stored);
Body take_progress(Round slot);
Body entry_of(const Commit& commit, const std::vector<Persist>& progress);
Body records_of(const Commit& commit);
Body remember(NodeId peer, const Pledge& pledge);
}  // namespace call

/// Makes a recorded call again; gives what returned() made of its result. Empty: malformed.
std::optional<Body> make_call(EntryKind kind, ByteView body, OrderEngine& engine);

namespace asked {
Body send(NodeId to, const Frame& frame);
Body broadcast(const Frame& frame);
Body deliver(const Commit& commit);
Body arm(TimerId id, Delay after);
Body cancel(TimerId id);
Body persist(const std::vector<Persist>& records, std::uint64_t barrier);
Body verify(const Verify& v, std::optional<NodeId> from);
Body verify_all(const VerifyAll& v, std::optional<NodeId> from);
Body endorse(const Endorse& e);
Body accuse(const Accuse& a);
Body broken(const std::string& what);
Body refused(NodeId from, std::uint64_t times);
/// The question alone; the answer follows it in the entry.
Body read(const RecordName& record, const Digest& root);
Body with_answer(Body question, const std::optional<Bytes>& answer);
/// What follows the question. Pre: the entry begins with it.
std::optional<Bytes> answer_of(ByteView entry, std::size_t question);
}  // namespace asked

Body returned();
Body returned(bool result);
Body returned(const std::vector<Persist>& records);

/// One line for people: "receive from 2: frame of kind 9, 412 bytes".
std::string describe(EntryKind kind, ByteView body);

}  // namespace thresher::net::journal
