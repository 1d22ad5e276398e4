#include "store/open_store.hpp"

#include <exception>
#include <utility>

#include "files/advice.hpp"
#include "host/host_log.hpp"
#include "ledger/log_entry.hpp"
#include "store/memory_store.hpp"
#include "thresher/net/disk_store.hpp"

namespace thresher::net {
namespace {

// A store of the host's own has no format of ours: that of a disk is refused by its number.
bool is_older(const NodeStore& store) {
  bool any = false;
  for (const std::uint32_t table : kOlderLedgerTables) {
    (void)store.scan(table, {}, [&](ByteView, ByteView) {
      any = true;
      return false;
    });
  }
  return any;
}

StoreOpened made_by_host(const NodeOptions& o) {
  try {
    return o.make_store(o);
  } catch (const std::exception& e) {
    return Error{ErrorCode::kRejected, std::string("NodeOptions::make_store threw: ") + e.what(),
                 o.home};
  }
}

}  // namespace

StoreOpened open_store(const NodeOptions& o) {
  if (o.make_store) {
    auto made = made_by_host(o);
    if (made && *made == nullptr)
      return Error{ErrorCode::kMissing, "NodeOptions::make_store gave no store", o.home};
    if (made && is_older(**made)) {
      return Error{
          ErrorCode::kUnsupported, "the store of '" + o.home + "' has a log of an older build",
          o.home,
          "run the program that wrote it, or give an empty store: then " + std::string(kObserve)};
    }
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
