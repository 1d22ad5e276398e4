// The thread that owns the disk: everything queued is one write and one sync (group commit).
//
//   WriterThread writer(store, [&](std::uint64_t barrier) { loop.post(...); }, on_failure);
//   writer.persist(std::move(records), barrier);
//
// Guarantees: records reach the disk in the order of the calls; `durable(barrier)` means that all
// up to it survive a power cut. After a failed write nothing is written or reported any more.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "thresher/net/disk_store.hpp"
#include "thresher/protocols/dag/message.hpp"

namespace thresher::net {

class WriterThread {
 public:
  WriterThread(DiskStore& store, std::function<void(std::uint64_t)> durable,
               std::function<void()> failed);
  ~WriterThread();

  /// Barrier 0: the records may wait for a later one.
  void persist(std::vector<Persist> records, std::uint64_t barrier);
  /// Notes a commit in the log; its blocks' records were queued before.
  void ledger(const dag::Committed& commit, NodeId self);

 private:
  struct Entry {
    Round slot;
    Digest leader;
    std::vector<std::pair<std::uint32_t, dag::Edge>> blocks;  // table, block
  };
  void work();
  bool write(std::vector<Persist>& records, std::vector<Entry>& entries, bool sync);

  DiskStore& store_;
  std::function<void(std::uint64_t)> durable_;
  std::function<void()> failed_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Persist> records_;
  std::vector<Entry> entries_;
  std::uint64_t barrier_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace thresher::net
