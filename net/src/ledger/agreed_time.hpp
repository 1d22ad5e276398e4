// The time that the members agree on for each commit. Private to net/.
//
//   AgreedTime time(committee.at_least(kValidity));   // f+1 witnesses
//   append_stamp(Clock::now_us(), payload);           // in front of every payload of this node
//   if (auto stamp = stamp_of(payload)) time.note(author, *stamp);   // of each block of a commit
//   const std::uint64_t at = time.next();             // of the commit
//
// A member writes its clock into the payload of each of its blocks, as a run without a client and
// without transactions: releases that do not know of it read over it. The time of a commit is the
// highest one that so many witnesses have reached, by the last stamp of each in the log so far.
// Guarantees: a function of the log alone. With f+1 witnesses at most f liars are among those who
// claim a time or a later one, so it is never ahead of the fastest correct clock; once the newest
// stamps of f+1 correct members are in the log it is not behind the slowest of these either, also
// while f others are silent or say old times. (The median over all members, which is the usual
// rule, falls behind with f silent and f lying.) Times rise by 1 us at least.
// Not guaranteed: that it is now. After a pause the first commits may carry the time of the last
// activity, until f+1 members have written a block.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "thresher/core/ids.hpp"
#include "thresher/core/transcript.hpp"
#include "wire/transactions.hpp"

namespace thresher::net {

/// Appends a stamp. Pre: `out` is empty. Unit of `time_us`: microseconds since 1970.
void append_stamp(std::uint64_t time_us, std::vector<std::byte>& out);
/// What a payload says at its beginning; empty: nothing.
std::optional<std::uint64_t> stamp_of(ByteView payload);
/// The clock of this machine. Unit: microseconds since 1970; 0 before that.
std::uint64_t clock_now_us();

class AgreedTime {
 public:
  /// 0 witnesses: there is no agreed time, next() is always 0.
  explicit AgreedTime(std::uint32_t witnesses = 0) : witnesses_(witnesses) {}

  void note(NodeId author, std::uint64_t stamp);
  /// The time of the commit whose stamps were noted.
  std::uint64_t next();

  void save(Writer& out) const;
  /// False: malformed.
  bool restore(Reader& in);

 private:
  std::uint32_t witnesses_;
  std::uint64_t last_ = 0;
  std::map<NodeId, std::uint64_t> latest_;  // of each member: a clock that was set back counts
  std::vector<std::uint64_t> sorted_;       // scratch
};

}  // namespace thresher::net
