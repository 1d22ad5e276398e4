#include "writer_thread.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <utility>

#include "thresher/protocols/dag/dag.hpp"

namespace thresher::net {
namespace {

/// Lazy records wait this long for a barrier to share its sync.
constexpr std::chrono::milliseconds kLazyWait{20};
/// Erasures wait at least this long, far longer than a commit waits for its barrier.
constexpr std::chrono::seconds kEraseWait{2};

}  // namespace

WriterThread::WriterThread(NodeStore& store, std::function<RecordName(const dag::Block&)> record_of,
                           std::function<void(std::uint64_t)> durable,
                           std::function<void(const std::string&)> failed)
    : store_(store),
      record_of_(std::move(record_of)),
      durable_(std::move(durable)),
      failed_(std::move(failed)),
      thread_([this] { work(); }) {}

WriterThread::~WriterThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void WriterThread::persist(std::vector<Persist> records, std::uint64_t barrier) {
  {
    const std::lock_guard lock(mutex_);
    for (Persist& r : records) {
      backlog_ += r.body.size();
      records_.push_back(std::move(r));
    }
    barrier_ = std::max(barrier_, barrier);
  }
  wake_.notify_one();
}

void WriterThread::ledger(LogEntry entry) {
  {
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::move(entry));
  }
  wake_.notify_one();
}

void WriterThread::work() {
  while (true) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return stop_ || !records_.empty() || !entries_.empty(); });
    if (barrier_ == 0 && !stop_) {
      wake_.wait_for(lock, kLazyWait, [&] { return stop_ || barrier_ != 0; });
    }
    auto records = std::exchange(records_, {});
    auto entries = std::exchange(entries_, {});
    const std::uint64_t barrier = std::exchange(barrier_, 0);
    const bool last = stop_;
    lock.unlock();
    if (!write(records, entries, barrier != 0 || last, last)) {
      return failed_(unnamed_.empty() ? store_.problem() : unnamed_);
    }
    for (const Persist& r : records) backlog_ -= r.body.size();
    if (barrier != 0) durable_(barrier);
    if (last) return;
  }
}

bool WriterThread::write(std::vector<Persist>& records, std::vector<LogEntry>& entries, bool sync,
                         bool last) {
  // What is erased waits: a commit that is being acknowledged may still name such blocks.
  const auto erased = std::stable_partition(records.begin(), records.end(),
                                            [](const Persist& r) { return !r.value.empty(); });
  const std::span<const Persist> puts(records.begin(), erased);
  if ((sync || !puts.empty()) && !store_.write(puts, sync)) return false;
  erasures_.insert(erasures_.end(), std::make_move_iterator(erased),
                   std::make_move_iterator(records.end()));
  std::vector<Persist> log;
  for (LogEntry& e : entries) {
    for (LoggedBlock& b : e.blocks) {
      const RecordName name = record_of_(*b.block);
      const auto place = store_.locate(name.table, name.key.view());
      if (!place) {
        unnamed_ = "the log names a block of round " + std::to_string(b.block->round().value) +
                   " that the store does not have";
        return false;
      }
      b.place = *place;
    }
    log.push_back({kLedgerTable, slot_key(e.slot), encode_entry(e), {}, true});
  }
  const auto now = std::chrono::steady_clock::now();
  if (last || now > erased_at_ + kEraseWait) {
    // Those gathered in the period before: each waits for one whole period.
    log.insert(log.end(), std::make_move_iterator(due_.begin()),
               std::make_move_iterator(due_.end()));
    due_ = std::exchange(erasures_, {});
    erased_at_ = now;
  }
  return log.empty() || static_cast<bool>(store_.write(log, last));
}

}  // namespace thresher::net
