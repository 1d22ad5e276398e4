#include "store/writer_thread.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "files/disk_problem.hpp"
#include "links/thread_name.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::net {
namespace {

/// Lazy records wait this long for a barrier to share its sync.
constexpr std::chrono::milliseconds kLazyWait{20};

using Name = std::pair<std::uint32_t, ByteView>;
struct Before {
  bool operator()(const Name& a, const Name& b) const {
    if (a.first != b.first) return a.first < b.first;
    return std::lexicographical_compare(a.second.begin(), a.second.end(), b.second.begin(),
                                        b.second.end());
  }
};

}  // namespace

WriterThread::WriterThread(NodeStore& store,
                           std::function<RecordName(const OrderedBlock&)> record_of,
                           Durable durable, std::function<void(const Error&, Failure)> failed,
                           const LogEnd& end)
    : store_(store),
      record_of_(std::move(record_of)),
      durable_(std::move(durable)),
      failed_(std::move(failed)),
      end_(end),
      thread_([this] { work(); }) {}

WriterThread::~WriterThread() {
  (void)close();
}

std::optional<WriterThread::Failed> WriterThread::close() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  return problem_;
}

void WriterThread::persist(std::vector<Persist> records, std::uint64_t barrier) {
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    for (Persist& r : records) {
      backlog_ += r.body.size();
      items_.emplace_back(std::move(r));
    }
    barrier_ = std::max(barrier_, barrier);
    wakes = resting_ || barrier != 0;
  }
  if (wakes) wake_.notify_one();
}

void WriterThread::durably(std::vector<Persist> records, std::function<void()> done) {
  {
    const std::lock_guard lock(mutex_);
    for (Persist& r : records) {
      backlog_ += r.body.size();
      items_.emplace_back(std::move(r));
    }
    waiting_.push_back(std::move(done));
  }
  wake_.notify_one();
}

void WriterThread::ledger(LogEntry entry, std::vector<Persist> progress) {
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    items_.emplace_back(std::move(entry));
    for (Persist& r : progress) items_.emplace_back(std::move(r));
    wakes = resting_;
  }
  if (wakes) wake_.notify_one();
}

void WriterThread::mend(const BodyPlace& place, Bytes body, std::function<void()> done) {
  queue(Mend{place, std::move(body), std::move(done)});
}

void WriterThread::stands(const LogEnd& end) {
  queue(end);
}

void WriterThread::queue(Item item) {
  {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
  }
  wake_.notify_one();
}

// Work that nobody waits for need not wake the thread: after a write it looks once more by itself,
// and only a resting one must be woken. Pre: `lock` holds mutex_.
void WriterThread::await_work(std::unique_lock<std::mutex>& lock) {
  const auto barrier = [this] { return stop_ || barrier_ != 0; };
  const auto anything = [&] { return barrier() || !items_.empty() || !waiting_.empty(); };
  if (wake_.wait_for(lock, kLazyWait, barrier) || anything()) return;
  resting_ = true;
  wake_.wait(lock, anything);
  resting_ = false;
  wake_.wait_for(lock, kLazyWait, barrier);
}

void WriterThread::work() {
  name_this_thread("writer");
  while (true) {
    std::unique_lock lock(mutex_);
    await_work(lock);
    auto items = std::exchange(items_, {});
    const std::uint64_t barrier = std::exchange(barrier_, 0);
    const auto waiting = std::exchange(waiting_, {});
    const bool last = stop_;
    lock.unlock();
    const std::uint64_t began_us = Loop::now_us();
    const bool must = barrier != 0 || !waiting.empty() || last;
    if (!write(items, must ? Sync::kYes : Sync::kNo)) return fail();
    if (barrier != 0) durable_(barrier, began_us);
    for (const auto& done : waiting) done();
    if (last) return;
  }
}

void WriterThread::fail() {
  problem_ = defect_.empty() ? Failed{write_error(store_), Failure::kDisk}
                             : Failed{{ErrorCode::kRejected, defect_}, Failure::kDefect};
  failed_(problem_->why, problem_->failure);
}

// All that is queued as one frame, in its order.
bool WriterThread::write(std::vector<Item>& items, Sync sync) {
  std::vector<Persist> batch;
  batch.reserve(items.size());
  std::vector<Named> entries;
  std::size_t bodies = 0;
  for (Item& item : items) {
    if (auto* record = std::get_if<Persist>(&item)) {
      bodies += record->body.size();
      batch.push_back(std::move(*record));
      continue;
    }
    if (const auto* mended = std::get_if<Mend>(&item)) {
      if (!store_.mend_body(mended->place, mended->body.view())) return false;
      mended->done();
      continue;
    }
    if (const auto* end = std::get_if<LogEnd>(&item)) {
      end_ = *end;
      continue;
    }
    auto& entry = std::get<LogEntry>(item);
    if (!follow(entry)) return false;
    entries.push_back({&entry, batch.size()});
    batch.push_back({kLedgerTable, slot_key(entry.slot), encode_entry(entry), {}, true});
  }
  if (!entries.empty() && !name_places(batch, entries)) return false;
  if ((sync == Sync::kYes || !batch.empty()) && !store_.write(batch, sync)) return false;
  backlog_ -= bodies;
  return true;
}

// The last line of defence: whatever led here, a log with a hole in it is never written.
bool WriterThread::follow(const LogEntry& entry) {
  if (!end_.precedes(entry)) {
    defect_ = missing_between(end_, entry.before, entry.slot);
    return false;
  }
  end_ = end_of(entry);
  return true;
}

// The blocks of an entry lie where an earlier write put them, or in this one ahead of the entry: a
// record of the same name behind it is another block, or a mark that the protocol's own log was cut
// there. An entry has the same size whatever the places in it.
bool WriterThread::name_places(std::vector<Persist>& batch, const std::vector<Named>& entries) {
  const std::vector<BodyPlace> places = store_.places_of(batch);
  std::map<Name, BodyPlace, Before> here;
  std::size_t i = 0;
  for (const auto& [entry, record] : entries) {
    for (; i < record; ++i) {
      if (batch[i].table < kHostTables && !batch[i].value.empty())
        here.insert_or_assign({batch[i].table, batch[i].key.view()}, places[i]);
    }
    for (LoggedBlock& b : entry->blocks) {
      const RecordName name = record_of_(*b.block);
      const auto it = here.find({name.table, name.key.view()});
      const auto place =
          it != here.end() ? std::optional(it->second) : store_.locate(name.table, name.key.view());
      if (!place || place->size != b.block->payload_bytes) return lacks(*b.block, place);
      b.place = *place;
    }
    batch[record].value = encode_entry(*entry);
  }
  return true;
}

// A log that names what is not there could never be read again.
bool WriterThread::lacks(const OrderedBlock& block, const std::optional<BodyPlace>& place) {
  defect_ = "it names a block of round " + std::to_string(block.round.value) + " with " +
            std::to_string(block.payload_bytes) + " bytes, of which the store has " +
            (place ? std::to_string(place->size) : "no record");
  return false;
}

}  // namespace thresher::net
