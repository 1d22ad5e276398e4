// A node's store in memory: for measuring what the disk costs. Nothing survives the process, so a
// node that used it must not come back with its key. Private to net/.
#pragma once

#include <deque>
#include <map>
#include <shared_mutex>
#include <vector>

#include "thresher/net/node_store.hpp"

namespace thresher::net {

class MemoryStore final : public NodeStore {
 public:
  Result<Unit> write(std::span<const Persist> batch, Sync sync) override;
  Result<Unit> replay(const std::function<void(const Restored&)>&) const override { return Unit{}; }
  Result<Unit> scan(std::uint32_t table, ByteView from,
                    const std::function<bool(ByteView, ByteView)>& visit) const override;
  std::optional<BodyPlace> locate(std::uint32_t table, ByteView key) const override;
  Result<Bytes> read_body(const BodyPlace& place) const override;
  bool mend_body(const BodyPlace& place, ByteView body) override;
  std::vector<BodyPlace> places_of(std::span<const Persist> batch) const override;
  std::uint64_t syncs() const override { return 0; }

 private:
  using Key = std::pair<std::uint32_t, std::vector<std::byte>>;
  struct Record {
    Bytes value;
    BodyPlace place;
  };
  mutable std::shared_mutex mutex_;
  std::map<Key, Record> records_;
  std::deque<Bytes> bodies_;  // a place's offset is its index here
};

}  // namespace thresher::net
