// Where durable records go. RocksDB and the segment log implement it in net/; memory is the default
// here.
//
//   if (!storage.write(records, Sync::kYes)) stop();       // atomic: all or none
//   (void)storage.replay([&](Restored r) { ... });            // in write order, the newest values
//
// Guarantees: what was written with sync survives a power cut. kIo is fatal to the node.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "thresher/core/effects.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/result.hpp"

namespace thresher {

/// Whether what is written is on the disk when the call returns. What is not goes there with the
/// next call that syncs, or is lost in a power cut.
enum class Sync : std::uint8_t { kNo, kYes };

/// One virtual call per batch.
class Storage {
 public:
  virtual ~Storage() = default;
  /// Writes all records or none.
  virtual Result<Unit> write(std::span<const Persist> batch, Sync sync) = 0;
  /// Every live record in the order in which its key was last written.
  virtual Result<Unit> replay(const std::function<void(const Restored&)>& visit) const = 0;
};

/// Keeps records in memory: for tests, simulations and `--storage memory`. Durable against nothing.
class MemoryStorage final : public Storage {
 public:
  Result<Unit> write(std::span<const Persist> batch, Sync /*sync*/) override {
    for (const Persist& record : batch) {
      const ByteView key_view = record.key.view();
      Key key{record.table, {key_view.begin(), key_view.end()}};
      if (auto old = index_.find(key); old != index_.end()) {
        records_.erase(old->second);
        index_.erase(old);
      }
      if (record.value.empty()) continue;
      records_.emplace(next_, Restored{record.table, record.key, record.value, record.body});
      index_.emplace(std::move(key), next_++);
    }
    return Unit{};
  }
  Result<Unit> replay(const std::function<void(const Restored&)>& visit) const override {
    for (const auto& [sequence, record] : records_) visit(record);
    return Unit{};
  }
  std::size_t size() const { return records_.size(); }

 private:
  using Key = std::pair<std::uint32_t, std::vector<std::byte>>;
  std::map<std::uint64_t, Restored> records_;
  std::map<Key, std::uint64_t> index_;
  std::uint64_t next_ = 0;
};

}  // namespace thresher
