// Durable records: a write-ahead log for all of them with their bodies, and RocksDB as the index by
// which they are looked up (ADR 008).
//
//   auto store = net::DiskStore::open("node0/data");
//   if (!store) return fail(store.error());
//   if (!(*store)->write(records, /*sync=*/true)) return fail(*(*store)->problem());
//
// Guarantees: after write(sync) all records of the batch, and of those before it, survive a power
// cut: one write and one sync of one file. Without sync they may be lost, the later first. The
// index is never ahead of the log on the disk; a damaged one is made again from the log, with a
// warning. An error of the disk is told as such. The part of the log that the index does not cover
// is checked when it is opened: if damaged it is refused, with the byte. One process at a time. Not
// guaranteed: that the rest of the log, or a body that is read later, is what was written. A node
// reads all of it again while it runs (scrubber.hpp); readers of bodies know their digests.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "thresher/core/error.hpp"
#include "thresher/net/node_store.hpp"

namespace thresher::net {

/// For the log and for its index. A log of another is refused; an index of another is made
/// again.
inline constexpr std::uint32_t kStoreVersion = 7;

class DiskStore final : public NodeStore {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// Opens or creates; `warn` gets what was repaired. kBusy: another process has it open. kCorrupt:
  /// what was durable is not what it was. kUnsupported: it is of another build. Else the system's
  /// errors. `where` is the folder.
  /// Reads the whole index once, to find damage where it can be repaired. `segment`: bytes of a
  /// file of the write-ahead log, a multiple of a MiB; 0: it is one file, and release() frees
  /// nothing of what comes from now on.
  static Result<std::unique_ptr<DiskStore>, Error> open(
      const std::string& folder, const Warn& warn = [](const std::string&) {},
      std::uint64_t segment = 0);
  /// The same, and checks every byte of the log first, also the bodies, which open() leaves to
  /// their readers: for owners that read their records again as they are and check them no further.
  /// A byte that is not what it was is an error that names it.
  static Result<std::unique_ptr<DiskStore>, Error> open_checked(const std::string& folder,
                                                                const Warn& warn);
  ~DiskStore() override;

  Result<Unit> write(std::span<const Persist> batch, bool sync) override;
  /// In the order they were written. Bodies stay on disk: locate() and read_body() find them.
  Result<Unit> replay(const std::function<void(const Restored&)>& visit) const override;
  Result<Unit> scan(std::uint32_t table, ByteView from,
                    const std::function<bool(ByteView, ByteView)>& visit) const override;
  std::optional<BodyPlace> locate(std::uint32_t table, ByteView key) const override;
  Result<Bytes> read_body(const BodyPlace& place) const override;
  bool mend_body(const BodyPlace& place, ByteView body) override;
  std::vector<BodyPlace> places_of(std::span<const Persist> batch) const override;
  Result<Unit, Error> release(const NamedBody& named, std::uint32_t leading) override;
  std::uint64_t released() const override;
  std::optional<Error> problem() const override;
  std::uint64_t written() const override;
  std::uint64_t syncs() const override;

 private:
  DiskStore();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher::net
