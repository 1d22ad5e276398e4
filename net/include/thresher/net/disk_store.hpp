// Durable records: RocksDB for what is looked up, an append-only file for bodies (CLUSTER-FLOOR,
// rule 1).
//
//   auto store = net::DiskStore::open("node0/data");
//   if (!store) return fail(store.error());
//   (*store)->write(records, /*sync=*/true);
//
// Guarantees: after write(sync) all records of the batch survive a power cut; a body is durable
// before the record that names it. One process at a time. Bodies are not checksummed here: their
// readers know their digests.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "thresher/core/storage.hpp"

namespace thresher::net {

inline constexpr std::uint32_t kStoreVersion = 2;
/// Tables from here on belong to the host and are not replayed into the protocol.
inline constexpr std::uint32_t kHostTables = 16;

/// Where a body lies.
struct BodyPlace {
  std::uint64_t offset = 0;
  std::uint32_t size = 0;
};

class DiskStore final : public Storage {
 public:
  /// Opens or creates. The error says what, where and what to do.
  static Result<std::unique_ptr<DiskStore>, std::string> open(const std::string& folder);
  ~DiskStore() override;

  Result<Unit> write(std::span<const Persist> batch, bool sync) override;
  /// In the order they were written. Bodies stay on disk: locate() and read_body() find them.
  Result<Unit> replay(const std::function<void(const Restored&)>& visit) const override;
  /// Records of one table in key order from `from` on, without their bodies, until `visit` says
  /// false.
  Result<Unit> scan(std::uint32_t table, ByteView from,
                    const std::function<bool(ByteView key, ByteView value)>& visit) const;
  /// Where the body of a written record lies.
  std::optional<BodyPlace> locate(std::uint32_t table, ByteView key) const;
  Result<Bytes> read_body(const BodyPlace& place) const;
  /// Calls of fdatasync and synced database writes so far.
  std::uint64_t syncs() const;

 private:
  DiskStore();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::net
