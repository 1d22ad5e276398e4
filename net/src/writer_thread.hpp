// The thread that owns the disk: everything queued is one write and one sync (group commit).
//
//   WriterThread writer(store, [&](std::uint64_t barrier) { loop.post(...); }, on_failure);
//   writer.persist(std::move(records), barrier);
//
// Guarantees: records reach the disk in the order of the calls; `durable(barrier)` means that all
// up to it survive a power cut. After a failed write nothing is written or reported any more.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "log_entry.hpp"
#include "order_engine.hpp"
#include "thresher/core/effects.hpp"

namespace thresher::net {

class WriterThread {
 public:
  WriterThread(NodeStore& store, std::function<RecordName(const dag::Block&)> record_of,
               std::function<void(std::uint64_t)> durable,
               std::function<void(const std::string& why)> failed);
  ~WriterThread();

  /// Barrier 0: the records may wait for a later one.
  void persist(std::vector<Persist> records, std::uint64_t barrier);
  /// Notes a commit in the log and fills in the places. Pre: its blocks' records were queued
  /// before.
  void ledger(LogEntry entry);
  /// Bytes of bodies that wait for the disk.
  std::size_t backlog() const { return backlog_; }

 private:
  void work();
  bool write(std::vector<Persist>& records, std::vector<LogEntry>& entries, bool sync, bool last);

  NodeStore& store_;
  std::function<RecordName(const dag::Block&)> record_of_;
  std::function<void(std::uint64_t)> durable_;
  std::function<void(const std::string& why)> failed_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Persist> records_;
  std::vector<LogEntry> entries_;
  std::atomic<std::size_t> backlog_{0};
  std::uint64_t barrier_ = 0;
  std::vector<Persist> erasures_;  // of this period and of the one before, on the thread only
  std::vector<Persist> due_;
  std::chrono::steady_clock::time_point erased_at_{};
  std::string unnamed_;  // a block of the log that the store does not have
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace thresher::net
