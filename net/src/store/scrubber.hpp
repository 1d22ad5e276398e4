// Reads the write-ahead log of a running node from its start again, on a thread of its own, so that
// what a disk has changed is found before somebody needs it. Private to net/.
//
//   Scrubber scrub(path, reader, {written, released, damaged, failed});
//   scrub.go_on();                       // the payloads that `damaged` named are written again
//
// Guarantees: every checksum of the log is held against the disk once after a start, 64 MiB a
// second, and then once a day. Changes nothing. A payload of the log that is not what its author
// signed is told with its entry, one at a time; anything else that is not what was written, or
// cannot be read, with the words for the operator: it is the last thing told.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "ledger/log_reader.hpp"
#include "store/wal_scan.hpp"

namespace thresher::net {

class Scrubber {
 public:
  /// All but go_on() are called on the thread of the scrubber.
  struct Hooks {
    std::function<std::uint64_t()> written;   ///< bytes of the log that are on the disk
    std::function<std::uint64_t()> released;  ///< of which so many were given back
    /// Payloads of this entry have to be written again where they lie, then go_on() is due.
    std::function<void(LogEntry)> damaged;
    std::function<void(const Error& why)> failed;
  };

  Scrubber(std::string path, const LogReader& reader, Hooks hooks);
  ~Scrubber();
  Scrubber(const Scrubber&) = delete;
  Scrubber& operator=(const Scrubber&) = delete;

  /// From any thread.
  void go_on();

 private:
  void work();
  bool pass();
  bool opens(WalScan& scan);
  enum class Look : std::uint8_t { kGoesOn, kDone, kEnds, kGone };
  Look look(WalScan& scan, std::uint64_t until);
  bool mends(const WalScan& scan, const WalScan::Checked& found);
  std::optional<LogEntry> damaged_entry(const WalScan& scan,
                                        const std::vector<Extent>& parts) const;
  bool rests(std::chrono::steady_clock::duration how_long);

  std::string path_;
  const LogReader& reader_;
  Hooks hooks_;
  std::optional<Round> told_;  // what was done about the frame that is looked at
  std::mutex mutex_;
  std::condition_variable wake_;
  bool waits_ = false;  // for go_on()
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace thresher::net
