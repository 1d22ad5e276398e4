// What a node notes of each block and transaction on its way to a commit, with the time, to show
// where the time goes.
//
//   auto records = net::read_commit_trace("net/node0/trace");
//   if (!records) return fail(records.error());
//   for (const net::TraceRecord& r : *records) use(r.at_us);
//
// Guarantees: records are in the order in which they were written, all of one process; times are of
// the machine's monotonic clock, so the files of several processes of one machine can be laid side
// by side. Records that a killed process had not written yet are missing, and one that it left
// unfinished is left out. The form is that of one build of the program: nothing else may rely on
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"

namespace thresher::net {

/// What happened. `id` is the beginning of a block's digest, but where another thing is named.
enum class TraceMark : std::uint8_t {
  kTaken,     ///< transactions of a client, `id`, came in: sequences `a` to `b`
  kPacked,    ///< what waited went to the protocol as one payload
  kComposed,  ///< an own block of round `a` is to be signed
  kSigned,    ///< it is
  kSynced,    ///< its record is durable; the write began at `a`
  kWoken,     ///< the node's thread learned that
  kSent,      ///< it was encrypted and handed to the sockets, for all
  kReceived,  ///< a block by `node` was read from a socket
  kAsked,     ///< its signature is to be verified
  kVerified,  ///< it was
  kAccepted,  ///< a block of round `a` by `node` counts here
  kOrdered,   ///< a block with transactions, by `node`, is in the commit of slot `a`
  kAnswered,  ///< they are applied, from position `a` on, `b` of them, and answered
  kSpent,     ///< the duty `node` took so much: `a` ns of a processor so far, in `b` turns
};

/// What the processor of a node is used for. Each nanosecond counts for one of them.
enum class Duty : std::uint8_t {
  kLoop,      ///< sockets, TLS inwards, timers, and whatever is not below
  kTake,      ///< transactions: read, judged, packed and hashed
  kProtocol,  ///< messages decoded and encoded, the protocol's steps
  kSign,
  kVerify,
  kSend,   ///< TLS outwards and the system calls for it
  kApply,  ///< the ledger and the application
  kAnswer,
  kWrite,  ///< the thread that writes
};
inline constexpr const char* kDutyNames[] = {
    "sockets", "transactions", "protocol", "sign", "verify", "send", "apply", "answer", "write"};

struct TraceRecord {
  TraceMark mark = TraceMark::kTaken;
  std::uint16_t node = 0;
  std::uint64_t at_us = 0;
  std::uint64_t id = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  friend bool operator==(const TraceRecord&, const TraceRecord&) = default;
};

/// A record as it is in the file.
std::vector<std::byte> encode_trace(const TraceRecord& record);
/// Errors: those of the system where it cannot be read; kMalformed: it is not a trace of this
/// build. `where` is the path.
Result<std::vector<TraceRecord>, Error> read_commit_trace(const std::string& path);

}  // namespace thresher::net
