// Makes a node's ordering protocol do again what it did, from the journal of one of its starts.
//
//   auto journal = net::newest_journal("net/node0");
//   if (!journal) return fail(journal.error());
//   auto again = net::replay_journal(*journal, {"net/genesis.json", "net/node0/coin.key"});
//   if (again && again->difference) report(again->difference->recorded);
//
// A journal is what `thresher node run --journal` writes (NodeOptions::journal_bytes): each call
// into the protocol, what the protocol asked for in it, and the call's result. A protocol reads
// nothing but its inputs, so the same calls lead to the same requests, byte for byte; also to the
// same broken invariant, which can then be looked at in a debugger as often as one likes.
//
// Guarantees: opens nothing but the files named, signs nothing, and changes nothing. Stops at the
// first thing that differs from the record.
// Not guaranteed: another version of the program may do something else, and is told to be one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "thresher/core/error.hpp"
#include "thresher/core/ids.hpp"

namespace thresher::net {

struct ReplayOptions {
  std::string genesis;  ///< the ledger's genesis file
  std::string coin{};   ///< the node's share of the coin, where the protocol tosses one
  /// Gets every entry in words, with its number from 1, and how many calls it lies in.
  std::function<void(std::uint64_t entry, unsigned depth, const std::string& words)> on_entry{};
};

/// The journal of the newest start in a node's folder. kMissing: there is none.
Result<std::string, Error> newest_journal(const std::string& home);

struct Replayed {
  std::string program;  ///< the version that recorded it
  std::string protocol;
  NodeId self{};
  std::uint64_t calls = 0;
  std::uint64_t asked = 0;  ///< what the protocol asked for: frames, records, verdicts, timers, ...
  std::uint64_t commits = 0;  ///< delivered
  Round last_slot{0};

  struct Difference {
    std::uint64_t entry = 0;  ///< its number, from 1
    std::string recorded;
    std::string now;
  };
  std::optional<Difference> difference{};

  struct Broken {
    std::uint64_t entry = 0;
    std::string what;  ///< the invariant that did not hold, then and now
  };
  std::optional<Broken> broken{};

  enum class End : std::uint8_t {
    kClosed,  ///< the node ended in order
    kCut,     ///< no end mark: the process was killed or still runs, or what followed is lost
    kFull,    ///< the journal had reached its size
    kDisk,    ///< the disk took no more; the node went on
    kDamaged  ///< bytes behind the last good entry, or behind the end mark, are not the node's
  };
  End end = End::kClosed;  ///< of no meaning where there is a difference: that is where it stops
  std::string damage{};    ///< of kDamaged: where
  std::string disk{};      ///< of kDisk: what the system said
};

/// Errors: those of reading the journal, the genesis file and the share of the coin, with `where`
/// the file; kMismatch: the journal is of another ledger, or names a node that the ledger has not.
Result<Replayed, Error> replay_journal(const std::string& journal, const ReplayOptions& options);

}  // namespace thresher::net
