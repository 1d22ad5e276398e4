// Snapshots that a node takes while it runs: the application's state in chunks with their hashes,
// and what this node alone needs beside it. Private to net/.
//
//   SnapshotFolder folder(data);
//   auto file = folder.begin(slot);                   // on a thread of its own
//   file->append(bytes); ... file->finish(checkpoint, own);
//   for (const Round slot : folder.slots()) if (auto s = folder.load(slot)) ...   // newest first
//
// A snapshot is a folder `snapshots/<slot>` with three files: `state`, of which each MiB has a hash
// in `manifest`; and `own`, the ledger and the tree, which hold this node's secret.
//
// Guarantees: a snapshot that slots() names was finished and is durable; what load() gives is what
// was written, every byte of it checked. A crash leaves a folder that slots() does not name and
// that the next begin() removes. Does not say that the state is right: whoever restores it compares
// App::state() with the manifest.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thresher/net/checkpoint.hpp"

namespace thresher::net {

/// What a snapshot is of, and the hashes of its parts.
struct Manifest {
  static constexpr std::size_t kChunk = 1u << 20;  ///< bytes; the last one may be shorter
  Checkpoint checkpoint;
  std::uint64_t bytes = 0;     ///< of the state
  std::vector<Digest> chunks;  ///< H of each
  friend bool operator==(const Manifest&, const Manifest&) = default;
};
Digest digest_of(const Manifest& manifest, const ChainContext& chain);
Bytes encode(const Manifest& manifest);
/// Empty when malformed, or the chunks do not make up the bytes.
std::optional<Manifest> decode_manifest(ByteView bytes);

/// A file that is read like memory.
class MappedFile {
 public:
  static std::optional<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();
  ByteView view() const { return {data_, size_}; }

 private:
  MappedFile(const std::byte* data, std::size_t size) : data_(data), size_(size) {}
  const std::byte* data_;
  std::size_t size_;
};

struct LoadedSnapshot {
  Manifest manifest;
  Bytes own;
  MappedFile state;
};

/// One that is being written. Errors are told by the system's errno.
class SnapshotFile {
 public:
  ~SnapshotFile();
  SnapshotFile(const SnapshotFile&) = delete;
  SnapshotFile& operator=(const SnapshotFile&) = delete;
  /// Adds to the state. False: the disk refused.
  bool append(ByteView bytes);
  /// Makes all durable under its name. False: the disk refused.
  bool finish(const Checkpoint& checkpoint, ByteView own);
  std::uint64_t bytes() const { return manifest_.bytes; }

 private:
  friend class SnapshotFolder;
  SnapshotFile(std::string partial, std::string path, int file)
      : partial_(std::move(partial)), path_(std::move(path)), file_(file) {}
  bool write_chunk();

  std::string partial_;
  std::string path_;
  int file_;
  std::vector<std::byte> chunk_;
  Manifest manifest_;
  std::uint64_t synced_ = 0;
};

class SnapshotFolder {
 public:
  explicit SnapshotFolder(const std::string& data) : path_(data + "/snapshots") {}

  /// Finished ones, newest first.
  std::vector<Round> slots() const;
  /// Empty when a byte is not what it was.
  std::optional<LoadedSnapshot> load(Round slot) const;
  /// Removes what was not finished. Null: errno says why nothing can be written.
  std::unique_ptr<SnapshotFile> begin(Round slot) const;
  /// Removes all but the newest `count`. False: errno says why one could not be.
  /// What a start cannot use does not displace what it can: of those that are `certified` the
  /// newest `count` stay as well.
  bool keep(
      std::size_t count,
      const std::function<bool(Round)>& certified = [](Round) { return true; }) const;
  std::string path_of(Round slot) const { return path_ + '/' + std::to_string(slot.value); }

 private:
  std::string path_;
};

}  // namespace thresher::net
