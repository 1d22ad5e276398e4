// One commit as the durable log keeps it, and as it is served to clients and to nodes that were
// away. Private to net/.
//
//   store.write({{kLedgerTable, slot_key(entry.slot), encode_entry(entry), {}, true}}, Sync::kNo);
//   auto entry = decode_entry(key, value, log);
//
// Guarantees: an entry names the entry before it, so a reader notices a missing one;
// it names every transaction it ordered (position = first + rank among those not
// skipped), so a reader may start at any entry. Payload bytes are not in it: `place` says where.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ledger/commit.hpp"
#include "thresher/core/effects.hpp"
#include "thresher/core/result.hpp"
#include "thresher/net/node_store.hpp"

namespace thresher::net {

/// Table of the log: key slot (big-endian), value an encoded entry.
inline constexpr std::uint32_t kLedgerTable = 26;
/// The same in stores of older builds, whose entries this one does not read.
inline constexpr std::array<std::uint32_t, 2> kOlderLedgerTables{16, 25};
/// One record: the public key of the node whose store this is.
inline constexpr std::uint32_t kOwnerTable = 17;
/// Starts of nodes, by id: of this one the last, of peers the last heard of (incarnation.hpp).
inline constexpr std::uint32_t kIncarnationTable = 18;
/// One record: the rounds that the protocol keeps, with which this log was ordered.
inline constexpr std::uint32_t kWindowTable = 24;

/// Where the log of a store begins, if its front was pruned: one record (LogBegin).
inline constexpr std::uint32_t kBeginTable = 22;

struct LoggedBlock {
  OrderedBlockPtr block;  ///< read back from disk: without its payload bytes
  BodyPlace place;
  std::vector<std::uint32_t> skipped;  ///< indices of transactions that were ordered before
};

struct LogEntry {
  Round slot;
  Digest id{};
  Digest log_hash{};        ///< of the log up to and with this entry
  std::uint64_t first = 0;  ///< position of its first transaction
  std::uint64_t count = 0;  ///< transactions it orders
  std::vector<LoggedBlock> blocks;
  Round before{0};  ///< slot of the entry before it; 0: it is the first
};

/// What lies in front of the first entry that a store keeps. All zero: nothing does.
struct LogBegin {
  Round slot{0};             ///< of the last commit that was pruned
  std::uint64_t length = 0;  ///< transactions in front of the first that is there
  Digest log_hash{};         ///< after that commit
};
Persist record_of(const LogBegin& begin);
LogBegin load_begin(const NodeStore& store);
/// Empty when malformed.
std::optional<LogBegin> decode_begin(ByteView value);
/// The answer to a request for a position in front of it.
std::string pruned_words(std::uint64_t position, std::uint64_t begins);

/// Where a log ends, so that what comes next can be held against it.
struct LogEnd {
  Round slot{0};             ///< of the last entry; 0: the log is empty
  std::uint64_t length = 0;  ///< transactions

  bool precedes(const LogEntry& e) const { return e.before == slot && e.first == length; }
};
/// After an entry.
inline LogEnd end_of(const LogEntry& e) {
  return {e.slot, e.first + e.count};
}
/// What lies between the end of a log and an entry that does not follow it, in words.
std::string missing_between(const LogEnd& end, Round before, Round next);

/// The log hash after a commit: H(before, its slot, its id, ids of its blocks).
Digest chained(const Digest& before, const Commit& commit);

/// Slots sort by their keys.
Bytes slot_key(Round slot);
/// The number in a key of that form.
std::uint64_t number_of(ByteView key);
Bytes encode_entry(const LogEntry& entry);
Result<LogEntry> decode_entry(ByteView key, ByteView value, const LogForm& log);

}  // namespace thresher::net
