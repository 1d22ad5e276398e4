// What stands at some neighbouring positions, read back from the log in pieces. Private to net/.
//
//   ContentReading reading(log, {begin, results, in_front, last_slot});
//   while (!reading.read_on(enough)) give_the_thread_back();
//   if (reading.whole()) use(reading.take());
//
// A commit may hold many blocks, and a block that is full of duplicates one position, so a few
// positions may take hundreds of MiB of payload. Guarantees: a piece ends with the first block, or
// entry without one, after which `enough` says so, and reads one of them at least; nothing is read
// twice, and nothing behind the last position.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ledger/log_reader.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {

/// Asked again and again while the log is read: whether the thread is needed elsewhere.
using Enough = std::function<bool()>;

class ContentReading {
 public:
  struct What {
    std::uint64_t begin = 0;              ///< the first position
    std::vector<Digest> results{};        ///< hashes of the results, from there on
    std::vector<LeafContent> in_front{};  ///< of the first positions, which the log has no more
    Round last{0};                        ///< the positions lie in commits up to it
  };

  /// The reference lives longer than this.
  ContentReading(const LogReader& log, What what);

  /// True: there is nothing more to read.
  bool read_on(const Enough& enough);
  /// Whether all of it was there.
  bool whole() const { return contents_.size() == what_.results.size(); }
  std::vector<LeafContent> take() { return std::move(contents_); }

 private:
  enum class Step : std::uint8_t { kGoesOn, kPauses, kEnds };
  Step read(const LogEntry& entry, const Enough& enough);
  bool read_block(const LoggedBlock& block);

  const LogReader& log_;
  What what_;
  std::vector<LeafContent> contents_;
  std::optional<Round> after_;     // up to here the entries were read; empty: it has not begun
  std::optional<LogEntry> entry_;  // the one in which the last piece ended
  std::size_t block_ = 0;          // of that entry, the next one
  std::uint64_t position_ = 0;     // of the first transaction of that block
};

}  // namespace thresher::net
