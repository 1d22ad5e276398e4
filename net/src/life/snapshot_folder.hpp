// Snapshots that a node takes while it runs: the application's state in chunks with their hashes,
// and what this node alone needs beside it. Private to net/.
//
//   SnapshotFolder folder(data);
//   auto file = folder.begin(slot);                   // on a thread of its own
//   file->append(bytes); ... file->append_ledger(bytes); ... file->finish(checkpoint, {});
//   for (const Round slot : folder.slots()) if (auto s = folder.load(slot)) ...   // newest first
//
// A snapshot is a folder `snapshots/<slot>`: `state` and `ledger` (portable_ledger.hpp), of which
// each MiB has a hash in `manifest`, are the same at all nodes. A node that does not know the
// ledger writes `own` in its place, the ledger and the tree with this node's secret, and only it
// can use that snapshot.
//
// Guarantees: a snapshot that slots() names was finished and is durable; what load() gives is what
// was written, every byte of it checked. A crash leaves a folder that slots() does not name and
// that the next begin() removes. Does not say that the state is right: a node that restores it
// compares App::state() with the manifest.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "files/read_file.hpp"
#include "life/hashed_file.hpp"
#include "thresher/net/checkpoint.hpp"

namespace thresher::net {

/// What a snapshot is of, and the hashes of its parts.
struct Manifest {
  static constexpr std::size_t kChunk = HashedFile::kChunk;
  Checkpoint checkpoint;
  std::uint64_t bytes = 0;     ///< of the state
  std::vector<Digest> chunks;  ///< H of each
  /// The same of the ledger; none where it was not known, and then nobody can take this over.
  std::uint64_t ledger_bytes = 0;
  std::vector<Digest> ledger_chunks{};
  friend bool operator==(const Manifest&, const Manifest&) = default;
};
Digest digest_of(const Manifest& manifest, const ChainContext& chain);
Bytes encode(const Manifest& manifest);
/// Empty when malformed, or the chunks do not make up the bytes.
std::optional<Manifest> decode_manifest(ByteView bytes);

/// The MiB of that number; empty: the disk does not give it.
Bytes chunk_of(const ReadFile& file, std::size_t index);
/// Whether its MiB have these hashes. Reads ahead, and stays in memory for the next reader.
bool consists_of(const ReadFile& file, std::span<const Digest> chunks);

/// A file that is read like memory.
class MappedFile {
 public:
  static std::optional<MappedFile> of(const ReadFile& file);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();
  ByteView view() const { return {data_, size_}; }

 private:
  MappedFile(const std::byte* data, std::size_t size) : data_(data), size_(size) {}
  const std::byte* data_;
  std::size_t size_;
};

/// A file with its hash behind it: written whole and checked whole.
Bytes sealed_file(ByteView content);
/// What was sealed; empty: it is not there, or not what was written.
std::optional<Bytes> sealed_in(const std::string& path);

/// A state that was checked. One of at most kCopied bytes is a copy, so what is looked at is what
/// was checked. The memory for a larger one may not be there: it is mapped, and where the disk
/// fails between the check and the look, the process ends by a signal, and the next check finds it.
class CheckedState {
 public:
  static constexpr std::size_t kCopied = 64u << 20;

  /// Empty: the file has not these parts.
  static std::optional<CheckedState> of(const ReadFile& file, std::span<const Digest> chunks);
  ByteView view() const { return mapped_ ? mapped_->view() : copy_.view(); }

 private:
  CheckedState() = default;
  Bytes copy_;
  std::optional<MappedFile> mapped_;
};

struct LoadedSnapshot {
  Manifest manifest;
  CheckedState state;
  std::optional<Bytes> ledger{};  ///< empty: it is not there, or not what was written
  std::optional<Bytes> own{};     ///< where there is no ledger
};

/// As it lies on the disk: nothing but the manifest is checked.
struct StoredSnapshot {
  Bytes encoded;  ///< the manifest
  Manifest manifest;
  ReadFile state;
  ReadFile ledger;
};

/// One that is being written. Errors are told by the system's errno.
class SnapshotFile {
 public:
  /// Adds to the state. False: the disk refused.
  bool append(ByteView bytes) { return state_.append(bytes); }
  /// Adds to the ledger.
  bool append_ledger(ByteView bytes);
  /// Makes all durable under its name. `own`: empty when a ledger was added. False: the disk
  /// refused.
  bool finish(const Checkpoint& checkpoint, ByteView own);
  /// Size of the state.
  std::uint64_t bytes() const { return state_.bytes(); }

 private:
  friend class SnapshotFolder;
  SnapshotFile(std::string partial, std::string path, int state)
      : partial_(std::move(partial)), path_(std::move(path)), state_(state) {}

  std::string partial_;
  std::string path_;
  HashedFile state_;
  std::optional<HashedFile> ledger_;
};

/// Gives a finished folder its name, in the place of what has it, and makes the name durable.
/// False: the disk refused.
bool put_in_place(const std::string& finished, const std::string& name);

class SnapshotFolder {
 public:
  /// Behind the slot in the name of one that comes from peers.
  static constexpr char kIncoming[] = ".incoming";

  explicit SnapshotFolder(const std::string& data) : path_(data + "/snapshots") {}

  /// Makes the folder itself, durably, if it is not there.
  void create() const;
  /// Finished ones, newest first.
  std::vector<Round> slots() const;
  /// Empty when a byte is not what it was.
  std::optional<LoadedSnapshot> load(Round slot) const;
  /// For who checks each part himself; empty when it has no ledger, or is not there.
  std::optional<StoredSnapshot> stored(Round slot) const;
  /// Removes what was not finished. Null: errno says why nothing can be written.
  std::unique_ptr<SnapshotFile> begin(Round slot) const;
  void remove_unfinished() const;
  /// Also what was begun to be taken from peers (snapshot_incoming.hpp) and is of a slot that the
  /// own log has: nothing asks for the rest of it. Not what is being taken now.
  void remove_unfinished(Round log_end) const;
  /// Removes all but the newest `count`. False: errno says why one could not be.
  /// What a start cannot use does not displace what it can: of those that are `certified` the
  /// newest `count` stay as well, and so does what is `held`.
  bool keep(
      std::size_t count, const std::function<bool(Round)>& certified = [](Round) { return true; },
      const std::function<bool(Round)>& held = [](Round) { return false; }) const;
  const std::string& path() const { return path_; }
  std::string path_of(Round slot) const { return path_ + '/' + std::to_string(slot.value); }

 private:
  std::string path_;
};

}  // namespace thresher::net
