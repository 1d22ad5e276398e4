// Reads the durable log from a place on, transaction by transaction, and says how far it came.
// Private to net/.
//
//   LogPlace place{*reader.before(position, head), position};
//   const ReadOn read = read_on(reader, head, place, [&](const Transaction& t, const Validity&) {
//     bytes += t.data.size();
//     return bytes < kMost;                           // false: this one was the last
//   }, [&] { return bytes >= kEnough; });             // true at the end of an entry: no further
//   one place = read.next;
//
// Guarantees: every transaction from the place on is visited once, in order, whatever `visit` and
// `enough` cut off: the next call goes on behind the last one visited. Entries behind `head` (a
// hole) are not touched. An entry whose payloads cannot be read back ends the reading and is named.
#pragma once

#include <functional>
#include <optional>

#include "ledger/log_reader.hpp"
#include "wire/transactions.hpp"

namespace thresher::net {

/// Where somebody is in the log.
struct LogPlace {
  Round after{0};              ///< entries up to here were read whole
  std::uint64_t position = 0;  ///< the next one to read
};

struct ReadOn {
  LogPlace next;
  std::optional<Round> unreadable{};  ///< its payloads cannot be read back
};

using VisitTransaction = std::function<bool(const Transaction&, const Validity&)>;

ReadOn read_on(const LogReader& reader, Round head, const LogPlace& from,
               const VisitTransaction& visit, const std::function<bool()>& enough);

}  // namespace thresher::net
