#include "writer_thread.hpp"

#include <chrono>
#include <utility>

#include "ledger.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::net {
namespace {

/// Lazy records wait this long for a barrier to share its sync.
constexpr std::chrono::milliseconds kLazyWait{20};

Bytes big_endian(std::uint64_t v) {
  std::vector<std::byte> out;
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<std::byte>(v >> shift));
  return Bytes::from(std::move(out));
}

}  // namespace

WriterThread::WriterThread(DiskStore& store, std::function<void(std::uint64_t)> durable,
                           std::function<void()> failed)
    : store_(store),
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
    for (Persist& r : records) records_.push_back(std::move(r));
    barrier_ = std::max(barrier_, barrier);
  }
  wake_.notify_one();
}

void WriterThread::ledger(const dag::Committed& commit, NodeId self) {
  Entry entry{commit.slot, commit.leader, {}};
  for (const dag::BlockPtr& b : commit.blocks) {
    const std::uint32_t table = b->author() == self ? dag::kOwn : dag::kBlock;
    entry.blocks.push_back({table, {b->author(), b->round(), b->digest}});
  }
  const std::lock_guard lock(mutex_);
  entries_.push_back(std::move(entry));
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
    if (!write(records, entries, barrier != 0 || last)) return failed_();
    if (barrier != 0) durable_(barrier);
    if (last) return;
  }
}

bool WriterThread::write(std::vector<Persist>& records, std::vector<Entry>& entries, bool sync) {
  if (!records.empty() && !store_.write(records, sync)) return false;
  std::vector<Persist> log;
  for (const Entry& e : entries) {
    Writer value;
    value.bytes(e.leader.bytes).u32(static_cast<std::uint32_t>(e.blocks.size()));
    for (const auto& [table, edge] : e.blocks) {
      const Bytes key = dag::block_key(edge);
      const auto place = store_.locate(table, key.view());
      if (!place) return false;
      value.bytes(edge.digest.bytes).u64(place->offset).u32(place->size);
    }
    log.push_back({kLedgerTable, big_endian(e.slot.value), Bytes::from(value.take()), {}, true});
  }
  return log.empty() || static_cast<bool>(store_.write(log, false));
}

}  // namespace thresher::net
