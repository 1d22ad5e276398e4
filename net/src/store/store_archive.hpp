// The archive of a broadcast on a node's store: records that it erased are found again. Private to
// net/.
//
//   StoreArchive archive(store, B::kArchived);
//   archive.note(batch);                             // before every write
//   if (const auto payload = archive.body(key)) ...  // whether it was erased or not
//
// The store's log keeps every body where it was written; what an erased record loses is its place
// in the index. So each record of the table gets a second one, in a table of the host, that names
// the place and holds the value. Guarantees: those of broadcast::Archive, when mend() was called
// after every start. Costs one small record more for each payload and reads no body until it is
// asked for.
#pragma once

#include <vector>

#include "thresher/net/node_store.hpp"
#include "thresher/protocols/broadcast/archive.hpp"

namespace thresher::net {

class StoreArchive final : public broadcast::Archive {
 public:
  StoreArchive(NodeStore& store, std::uint32_t table) : store_(&store), table_(table) {}

  /// Adds to a batch that is written next what makes its records be found later. On the thread that
  /// writes.
  void note(std::vector<Persist>& batch) const;
  /// After a start: notes again what the store holds of the table. A process that was killed may
  /// have lost the second record of one that it wrote without waiting for the disk.
  Result<Unit> mend();

  std::optional<Bytes> value(const Bytes& key) const override;
  std::optional<Bytes> body(const Bytes& key) const override;

 private:
  struct Entry {
    BodyPlace place;
    Bytes value;
  };
  static Bytes encoded(const Entry& entry);
  std::optional<Entry> find(const Bytes& key) const;

  NodeStore* store_;
  std::uint32_t table_;
};

}  // namespace thresher::net
