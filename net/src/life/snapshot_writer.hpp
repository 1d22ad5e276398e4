// Writes snapshots on a thread of its own, within a share of the disk's time. Private to net/.
//
//   SnapshotWriter writer(folder, {}, {done, failed});
//   writer.take({checkpoint, std::move(frozen), own});       // returns at once
//
// Guarantees: one at a time; what is asked for meanwhile takes the place of what waits. After each
// chunk the thread rests three times as long as the disk took, so that the log's own writes wait
// for a quarter of the time at most. Options::kept finished ones are kept, and what is held. Ends
// within a chunk when it is destroyed; what is unfinished then is nothing.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "life/portable_ledger.hpp"
#include "life/snapshot_folder.hpp"
#include "thresher/net/application.hpp"

namespace thresher::net {

class SnapshotWriter {
 public:
  /// Snapshots on the disk at least: one may be damaged.
  static constexpr std::size_t kKept = 2;

  /// What is done beside writing.
  struct Options {
    std::size_t kept = kKept;
    bool verify = false;  ///< what was written is read again, before it is done
    /// Whether a start could use the one of a slot. Called on the thread of the writer.
    std::function<bool(Round)> certified = [](Round) { return true; };
    /// Whether somebody else still needs it. Called on the thread of the writer.
    std::function<bool(Round)> held = [](Round) { return false; };
  };
  struct Job {
    Checkpoint checkpoint;
    std::unique_ptr<Frozen> state;
    OwnState own;
    std::optional<PortableLedger> ledger{};  ///< empty: nobody can take this snapshot over
    std::uint8_t grid = 0;                   ///< the coarsest that has it (snapshot_pace.hpp)
  };
  /// Called on the thread of the writer, without a lock; not after it was joined.
  struct Hooks {
    std::function<void(const Checkpoint&, std::uint64_t bytes)> done;
    std::function<void(const Checkpoint&, const std::string& why)> failed;
  };

  SnapshotWriter(SnapshotFolder folder, Options options, Hooks hooks);
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  void take(Job job);
  /// Whether one is being written or waits. From any thread.
  bool busy() const;
  /// Nothing more is begun, and what is being written is given up.
  void stop();
  /// Returns when the thread is in no call of the host, after stop() for good.
  void wait_for_host();

 private:
  void work();
  std::string write(const Job& job, std::uint64_t& bytes);
  bool rests(std::chrono::steady_clock::duration how_long);
  bool enter_host();
  void leave_host();

  SnapshotFolder folder_;
  Options options_;
  Hooks hooks_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable left_host_;
  std::optional<Job> waiting_;
  bool writes_ = false;
  bool in_host_ = false;  // in Frozen::write()
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace thresher::net
