// The thread that owns the disk: everything queued is one write and one sync (group commit).
//
//   WriterThread writer(store, record_of, durable, failed, ledger.end());
//   writer.persist(std::move(records), barrier);
//   writer.ledger(std::move(entry), std::move(progress));   // one of the log
//
// Guarantees: what is queued reaches the disk in the order of the calls, and what was queued with
// one call in one atomic write: a log entry is there with the records that say it was delivered,
// and not before the blocks that it names. Entries of the log follow one another without a gap, or
// nothing more is written. `durable(barrier)` means that all up to it survive a power cut. After a
// failed write nothing is written or reported any more.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "engines/order_engine.hpp"
#include "ledger/log_entry.hpp"
#include "thresher/core/effects.hpp"
#include "thresher/core/storage.hpp"

namespace thresher::net {

class WriterThread {
 public:
  enum class Failure : std::uint8_t { kDisk, kDefect };
  struct Failed {
    Error why;
    Failure failure;
  };
  /// On the writer's thread, also while this is destroyed. Unit of time: microseconds.
  using Durable = std::function<void(std::uint64_t barrier, std::uint64_t began_us)>;

  /// `end`: where the log ends that the entries go on.
  WriterThread(NodeStore& store, std::function<RecordName(const OrderedBlock&)> record_of,
               Durable durable, std::function<void(const Error& why, Failure)> failed,
               const LogEnd& end);
  ~WriterThread();

  /// Writes what is queued and ends the thread; then, or before, what could not be written, if
  /// there was any. Nothing may be queued afterwards.
  std::optional<Failed> close();

  /// Barrier 0: the records may wait for a later one.
  void persist(std::vector<Persist> records, std::uint64_t barrier);
  /// Durable soon, whatever else is; then `done` is called on the writer's thread.
  void durably(std::vector<Persist> records, std::function<void()> done);
  /// Notes a commit in the log, fills in the places of its blocks, and puts `progress` beside it.
  /// Pre: its blocks' records were queued before.
  void ledger(LogEntry entry, std::vector<Persist> progress);
  /// A body is written again where it lies, because the disk does not have it as it was. `done` is
  /// called on the writer's thread when it is there.
  void mend(
      const BodyPlace& place, Bytes body, std::function<void()> done = [] {});
  /// The log ends here, behind what was stored before: what follows goes on from it.
  void stands(const LogEnd& end);
  /// Bytes of bodies that wait for the disk.
  std::size_t backlog() const { return backlog_; }

 private:
  struct Mend {
    BodyPlace place;
    Bytes body;
    std::function<void()> done;
  };
  using Item = std::variant<Persist, LogEntry, Mend, LogEnd>;
  /// A log entry and its record in a batch.
  struct Named {
    LogEntry* entry;
    std::size_t record;
  };

  void queue(Item item);
  void fail();
  void await_work(std::unique_lock<std::mutex>& lock);
  void work();
  bool write(std::vector<Item>& items, Sync sync);
  bool follow(const LogEntry& entry);
  bool name_places(std::vector<Persist>& batch, const std::vector<Named>& entries);
  bool lacks(const OrderedBlock& block, const std::optional<BodyPlace>& place);

  NodeStore& store_;
  std::function<RecordName(const OrderedBlock&)> record_of_;
  Durable durable_;
  std::function<void(const Error& why, Failure)> failed_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Item> items_;
  std::atomic<std::size_t> backlog_{0};
  std::uint64_t barrier_ = 0;
  std::vector<std::function<void()>> waiting_;  // for the next sync
  LogEnd end_;                                  // of the log, on the thread only
  std::string defect_;                          // why the log cannot be written on
  std::optional<Failed> problem_;               // of the thread until it has ended
  bool resting_ = false;                        // it looks for nothing until it is woken
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace thresher::net
