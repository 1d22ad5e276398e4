// What a node asks of its store, on top of the protocol's records: bodies that stay where they are,
// and tables of its own. NodeOptions::make_store puts one of your own in the place of DiskStore, or
// around it.
//
//   options.make_store = [](const net::NodeOptions& o) -> net::StoreOpened {
//     auto disk = net::DiskStore::open(o.data);
//     if (!disk) return disk.error();
//     return std::unique_ptr<net::NodeStore>(new Measured(std::move(*disk)));  // passes calls on
//   };
//
// What it must keep: after write(sync) all of the batch and of what was written before is durable,
// as a whole; replay() gives records of tables below kHostTables in the order of their writes, and
// scan() those of the rest in key order, the last value of each key. A node signs what its store
// says that it may: one that loses a synced record, or comes back older than it was, makes a
// correct node equivocate. Writes come from one thread; reads may come from another at the same
// time. An error of a write stops the node. A store of your own cannot be read by `thresher log`,
// `node backup`, `log diff` and other readers of the folder of a node that does not run; read_log()
// with the same options does.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "thresher/core/error.hpp"
#include "thresher/core/storage.hpp"

namespace thresher::net {

/// Where a body lies.
struct BodyPlace {
  std::uint64_t offset = 0;
  std::uint32_t size = 0;
};

/// Tables from here on belong to the host and are not replayed into the protocol.
inline constexpr std::uint32_t kHostTables = 16;

class NodeStore : public Storage {
 public:
  /// Records of one table in key order from `from` on, without their bodies, until `visit` says
  /// false.
  virtual Result<Unit> scan(
      std::uint32_t table, ByteView from,
      const std::function<bool(ByteView key, ByteView value)>& visit) const = 0;
  /// Where the body of a written record lies.
  virtual std::optional<BodyPlace> locate(std::uint32_t table, ByteView key) const = 0;
  virtual Result<Bytes> read_body(const BodyPlace& place) const = 0;
  /// Where the bodies will lie when these records are what is written next, one place a record: a
  /// record may so name the bodies of others of its own write. Values may change in between, but
  /// not their sizes. Pre: on the thread that writes.
  virtual std::vector<BodyPlace> places_of(std::span<const Persist> batch) const = 0;
  /// Puts a body back where it lies, durably: what was damaged there is what it was again. False:
  /// problem() says why. Pre: on the thread that writes; it is the body that was written there.
  virtual bool mend_body(const BodyPlace& place, ByteView body) = 0;
  /// The least offset of a body that a record of a host's table names in its value; empty: it names
  /// none.
  using NamedBody = std::function<std::optional<std::uint64_t>(std::uint32_t table, ByteView key,
                                                               ByteView value)>;
  /// Gives the space back in front of the first body that a record has or names. A reader of
  /// the rest comes to the records of the table `leading` first, whenever they were written.
  /// Nothing is lost by an error. From any thread, one at a time; records may be written
  /// meanwhile.
  virtual Result<Unit, Error> release(const NamedBody&, std::uint32_t /*leading*/) {
    return Unit{};
  }
  /// So many bytes in front of the write-ahead log are not there any more, or are just going. From
  /// any thread.
  virtual std::uint64_t released() const { return 0; }
  /// What the last write that failed met; empty: none failed, or the store cannot say. To be read
  /// on the thread that writes.
  virtual std::optional<Error> problem() const { return std::nullopt; }
  /// Bytes of the write-ahead log that are on the disk; 0: there is none. From any thread.
  virtual std::uint64_t written() const { return 0; }
  /// Synced writes so far.
  virtual std::uint64_t syncs() const = 0;
};

/// What opens a store: the store, or why not.
using StoreOpened = Result<std::unique_ptr<NodeStore>, Error>;

}  // namespace thresher::net
