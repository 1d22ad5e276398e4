// What a node that does not run has on its disk, read from its write-ahead log alone: nothing is
// opened for writing, nothing is repaired, and a damaged index does not matter. Private to net/.
//
//   RestingStore store;
//   if (const auto opened = store.open(options); !opened) return opened.error();
//   LogReader reader(store, log_form_of(genesis));  // and whatever else reads a store
//
// Guarantees: holds the records of the host's tables (kHostTables and above) as the last writes
// left them, in memory, and reads bodies where they lie. Refuses while a node uses the folder.
// Costs the time to read the file, and memory for the log entries: about 200 bytes a block.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/wal_scan.hpp"
#include "thresher/net/node.hpp"
#include "thresher/net/node_store.hpp"

namespace thresher::net {

class RestingStore final : public NodeStore {
 public:
  /// `options` has every path filled in. `chain`: of its genesis file.
  Result<Unit, Error> open(const NodeOptions& options, const Digest& chain);
  /// Behind the last frame that was read.
  const WalPlace& end() const { return wal_.end(); }

  Result<Unit> scan(std::uint32_t table, ByteView from,
                    const std::function<bool(ByteView key, ByteView value)>& visit) const override;
  std::optional<BodyPlace> locate(std::uint32_t table, ByteView key) const override;
  Result<Bytes> read_body(const BodyPlace& place) const override;

  // Nothing is written to this store.
  Result<Unit> write(std::span<const Persist> batch, Sync sync) override;
  Result<Unit> replay(const std::function<void(const Restored&)>& visit) const override;
  std::vector<BodyPlace> places_of(std::span<const Persist> batch) const override;
  bool mend_body(const BodyPlace& place, ByteView body) override;
  std::uint64_t syncs() const override { return 0; }

 private:
  using Key = std::pair<std::uint32_t, std::vector<std::byte>>;
  struct Record {
    Bytes value;
    BodyPlace body;
  };
  bool take(const WalFrame& frame);

  WalScan wal_;
  std::map<Key, Record> records_;
};

/// Whether the write-ahead log at `path` can be read now; kBusy: its node runs.
Result<Unit, Error> at_rest(const std::string& path);
/// The same of a node's log; kCorrupt where it is gone although the node signed.
Result<Unit, Error> at_rest(const NodeOptions& options, const Digest& chain);

/// Why a log in which nothing was found is not all that its node wrote; empty: it may be, or there
/// is something. `wal` was read to its end.
std::optional<Error> lost_all(const NodeOptions& options, const Digest& chain, const WalScan& wal);

}  // namespace thresher::net
