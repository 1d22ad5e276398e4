// A snapshot that comes from peers, part by part: files that stay over a kill. Private to net/.
//
//   auto in = IncomingSnapshot::open(folder, manifest);
//   for (const SnapshotPart& part : in->missing()) ...
//   if (in->fits(part, bytes)) in->write(part, bytes);
//   if (in->missing().empty()) in->finish();                     // now it is one of the folder's
//
// Guarantees: what missing() does not name is on the disk and hashes to what the manifest says,
// also after a kill: each part that is there is hashed when the files are opened again. Other
// unfinished ones are removed. A crash in finish() leaves an unfinished one or a finished one.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "life/snapshot_folder.hpp"
#include "life/snapshot_parts.hpp"

namespace thresher::net {

class IncomingSnapshot {
 public:
  /// The manifest of the one that was left unfinished, or of a finished one of that slot. Empty:
  /// there is none.
  static std::optional<Manifest> unfinished(const SnapshotFolder& folder);

  /// Null: errno says why the disk refused.
  static std::unique_ptr<IncomingSnapshot> open(const SnapshotFolder& folder,
                                                const Manifest& manifest);
  ~IncomingSnapshot();
  IncomingSnapshot(const IncomingSnapshot&) = delete;
  IncomingSnapshot& operator=(const IncomingSnapshot&) = delete;

  const Manifest& manifest() const { return manifest_; }
  const std::set<SnapshotPart>& missing() const { return missing_; }
  std::size_t parts() const { return manifest_.chunks.size() + manifest_.ledger_chunks.size(); }
  /// Whether the bytes are those of the part, by its hash. Pre: the manifest has the part.
  bool fits(const SnapshotPart& part, ByteView bytes) const;
  /// False: the disk refused; errno says why. Pre: fits().
  bool write(const SnapshotPart& part, ByteView bytes);
  /// The ledger's file. Empty: the disk does not give it as it was. Pre: nothing of it is missing.
  std::optional<Bytes> ledger() const;
  /// Makes all durable under its name. False: the disk refused. Pre: nothing is missing.
  bool finish();

 private:
  IncomingSnapshot(const SnapshotFolder& folder, Manifest manifest);
  bool open_files();
  void look(SnapshotFileName file);
  std::string file_of(SnapshotFileName file) const;

  SnapshotFolder folder_;
  Manifest manifest_;
  std::string path_;
  int state_ = -1;
  int ledger_ = -1;
  std::uint64_t unsynced_ = 0;
  std::set<SnapshotPart> missing_;
};

}  // namespace thresher::net
