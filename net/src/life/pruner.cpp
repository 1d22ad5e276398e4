#include "life/pruner.hpp"

#include <algorithm>
#include <utility>

#include "ledger/log_reader.hpp"
#include "life/log_tree.hpp"

namespace thresher::net {
namespace {

// Where the hashes of the largest whole parts of so many chunks lie: proofs of all later positions
// begin with them.
std::set<std::uint64_t> chunks_with_peaks(std::uint64_t chunks) {
  std::set<std::uint64_t> out;
  std::uint64_t end = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t part = chunks & std::uint64_t{1} << bit;
    end += part;
    if (part > 0) out.insert(end - 1);
  }
  return out;
}

}  // namespace

std::optional<std::uint64_t> payload_named(const LogForm& log, std::uint32_t table, ByteView key,
                                           ByteView value) {
  if (table != kLedgerTable) return std::nullopt;
  const auto entry = decode_entry(key, value, log);
  if (!entry) return 0;  // nothing is given back in front of what cannot be read
  std::optional<std::uint64_t> first;
  for (const LoggedBlock& b : entry->blocks) {
    if (b.place.size > 0) first = std::min(first.value_or(b.place.offset), b.place.offset);
  }
  return first;
}

Pruner::Pruner(NodeStore& store, const LogForm& log, Hooks hooks)
    : store_(store), log_(log), hooks_(std::move(hooks)), thread_([this] { work(); }) {}

Pruner::~Pruner() {
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->stop = true;
  }
  signal_->wake.notify_all();
  thread_.join();
}

void Pruner::take(const Checkpoint& horizon) {
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->horizon = horizon;
  }
  signal_->wake.notify_all();
}

bool Pruner::busy() const {
  const std::lock_guard lock(signal_->mutex);
  return signal_->works || signal_->horizon;
}

void Pruner::work() {
  while (true) {
    Checkpoint horizon;
    {
      std::unique_lock lock(signal_->mutex);
      signal_->works = false;
      signal_->wake.wait(lock, [&] { return signal_->stop || signal_->horizon; });
      if (signal_->stop) return;
      horizon = *std::exchange(signal_->horizon, std::nullopt);
      signal_->works = true;
    }
    prune(horizon);
  }
}

// False when the node stops.
bool Pruner::waits(const std::function<void(std::function<void()>)>& call) {
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->answered = false;
  }
  call([signal = signal_] {
    {
      const std::lock_guard lock(signal->mutex);
      signal->answered = true;
    }
    signal->wake.notify_all();
  });
  std::unique_lock lock(signal_->mutex);
  signal_->wake.wait(lock, [&] { return signal_->stop || signal_->answered; });
  return !signal_->stop;
}

// In front of the chunk that the horizon's end is in, between two commits. Empty: the log begins
// there already.
std::optional<LogBegin> Pruner::new_begin(const Checkpoint& horizon) const {
  const LogReader reader(store_, log_);
  const std::uint64_t position = horizon.length / LogTree::kChunk * LogTree::kChunk;
  if (position <= reader.begin().length) return std::nullopt;
  const auto before = reader.before(position, horizon.slot);
  if (!before) return std::nullopt;
  LogBegin begin{horizon.slot, horizon.length, horizon.log_hash};
  (void)reader.each(*before, [&](const LogEntry& entry) {
    if (entry.slot <= horizon.slot) begin = {entry.before, entry.first, {}};
    return false;
  });
  if (begin.slot <= reader.begin().slot) return std::nullopt;
  const auto hash = reader.hash_at(begin.slot);
  if (!hash) return std::nullopt;
  begin.log_hash = *hash;
  return begin;
}

// Everything that a key in front of the beginning names; false when the node stops.
bool Pruner::erase_front(const LogBegin& begin, Round horizon) {
  const std::uint64_t chunks = begin.length / LogTree::kChunk;
  return erase_below(kLedgerTable, begin.slot.value + 1) &&
         erase_below(kTreeTable, chunks, chunks_with_peaks(chunks)) &&
         erase_below(kCheckpointTable, horizon.value) &&
         erase_below(kCertificateTable, horizon.value);
}

// The keys of a table below `end` but for those kept, a batch at a time; false when the node stops.
bool Pruner::erase_below(std::uint32_t table, std::uint64_t end,
                         const std::set<std::uint64_t>& kept) {
  for (std::uint64_t from = 0; from < end;) {
    std::vector<Persist> batch;
    std::uint64_t next = end;
    (void)store_.scan(table, slot_key(Round{from}).view(), [&](ByteView key, ByteView) {
      const std::uint64_t number = number_of(key);
      if (number >= end) return false;
      if (kept.contains(number)) return true;
      batch.push_back({table, Bytes::copy_of(key), {}, {}, true});
      next = number + 1;
      return batch.size() < kBatch;
    });
    from = batch.size() < kBatch ? end : next;
    if (batch.empty()) break;
    const bool goes_on = waits([&](std::function<void()> answered) {
      hooks_.durably(std::move(batch), std::move(answered));
    });
    if (!goes_on) return false;
  }
  return true;
}

void Pruner::prune(const Checkpoint& horizon) {
  const auto begin = new_begin(horizon);
  if (!begin) return;
  const bool told =
      waits([&](std::function<void()> answered) {
        hooks_.durably({record_of(*begin)}, std::move(answered));
      }) &&
      waits([&](std::function<void()> answered) { hooks_.begins(*begin, std::move(answered)); });
  if (!told || !erase_front(*begin, horizon.slot)) return;
  const auto named = [&](std::uint32_t table, ByteView key, ByteView value) {
    return payload_named(log_, table, key, value);
  };
  const std::uint64_t before = store_.released();
  const auto released = store_.release(named, kBeginTable);
  using Freed = Result<std::uint64_t, Error>;
  hooks_.done(*begin, released ? Freed(store_.released() - before) : Freed(released.error()));
}

}  // namespace thresher::net
