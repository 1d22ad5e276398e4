#include "open_store.hpp"

#include <utility>

#include "memory_store.hpp"
#include "node_impl.hpp"
#include "thresher/net/disk_store.hpp"

namespace thresher::net {

StoreOpened open_store(const NodeOptions& o) {
  if (o.make_store) {
    auto made = o.make_store(o);
    if (made && *made == nullptr) return std::string("NodeOptions::make_store gave no store");
    return made;
  }
  if (o.store == StoreKind::kMemory) return std::unique_ptr<NodeStore>(new MemoryStore());
  constexpr std::uint64_t kUnit = 1u << 20;
  const std::uint64_t segment = o.prunes() ? (o.segment_bytes + kUnit - 1) / kUnit * kUnit : 0;
  auto disk = DiskStore::open(
      o.data, [&](const std::string& line) { say(o, Level::kWarning, line); }, segment);
  if (!disk) return disk.error();
  return std::unique_ptr<NodeStore>(std::move(*disk));
}

}  // namespace thresher::net
