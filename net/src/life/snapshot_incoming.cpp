#include "life/snapshot_incoming.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <span>
#include <vector>

#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIncoming = SnapshotFolder::kIncoming;
/// What was written goes to the disk every so many bytes, so that the end does not wait for all.
constexpr std::uint64_t kSyncEvery = 8u << 20;
/// Parts that are read at a time, to hash them beside each other.
constexpr std::size_t kLookAt = 8;

const std::vector<Digest>& chunks_of(const Manifest& m, SnapshotFileName file) {
  return file == SnapshotFileName::kLedger ? m.ledger_chunks : m.chunks;
}

bool write_at(int file, ByteView bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

/// How much of it could be read.
std::size_t read_at(int file, std::span<std::byte> out, std::uint64_t at) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n =
        ::pread(file, out.data() + done, out.size() - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

/// Where the next bytes are that were ever written: what lies before is a hole.
std::uint64_t written_from(int file, std::uint64_t at) {
  const off_t found = ::lseek(file, static_cast<off_t>(at), SEEK_DATA);
  if (found >= 0) return static_cast<std::uint64_t>(found);
  return errno == ENXIO ? ~std::uint64_t{0} : at;  // else it is not known
}

int open_sized(const std::string& path, std::uint64_t size) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kForOwner);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(size)) == 0) return file;
  const int error = errno;
  ::close(file);
  errno = error;
  return -1;
}

}  // namespace

std::optional<Manifest> IncomingSnapshot::unfinished(const SnapshotFolder& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.path(), error)) {
    if (entry.path().extension() != kIncoming) continue;
    const auto written = sealed_in(entry.path().string() + "/manifest");
    if (auto manifest = written ? decode_manifest(written->view()) : std::nullopt) return manifest;
  }
  return std::nullopt;
}

IncomingSnapshot::IncomingSnapshot(const SnapshotFolder& folder, Manifest manifest)
    : folder_(folder),
      manifest_(std::move(manifest)),
      path_(folder_.path_of(manifest_.checkpoint.slot) + kIncoming) {}

IncomingSnapshot::~IncomingSnapshot() {
  if (state_ >= 0) ::close(state_);
  if (ledger_ >= 0) ::close(ledger_);
}

std::string IncomingSnapshot::file_of(SnapshotFileName file) const {
  return path_ + (file == SnapshotFileName::kLedger ? "/ledger" : "/state");
}

// A finished one of that slot becomes unfinished again: it is looked at as any other.
std::unique_ptr<IncomingSnapshot> IncomingSnapshot::open(const SnapshotFolder& folder,
                                                         const Manifest& manifest) {
  std::unique_ptr<IncomingSnapshot> out(new IncomingSnapshot(folder, manifest));
  std::error_code error;
  folder.create();
  for (const auto& entry : fs::directory_iterator(folder.path(), error)) {
    std::error_code ignored;
    if (entry.path().extension() == kIncoming && entry.path() != fs::path(out->path_))
      fs::remove_all(entry.path(), ignored);
  }
  const std::string finished = folder.path_of(manifest.checkpoint.slot);
  if (fs::exists(finished, error) && !fs::exists(out->path_, error))
    fs::rename(finished, out->path_, error);
  fs::create_directory(out->path_, error);
  if (!out->open_files()) return nullptr;
  out->look(SnapshotFileName::kLedger);
  out->look(SnapshotFileName::kState);
  return out;
}

bool IncomingSnapshot::open_files() {
  if (!replace_synced(path_ + "/manifest", sealed_file(encode(manifest_).view()).view()))
    return false;
  state_ = open_sized(file_of(SnapshotFileName::kState), manifest_.bytes);
  // So that a snapshot of the own log does not remove it as left over. No other process has it.
  if (state_ >= 0) (void)::flock(state_, LOCK_EX | LOCK_NB);
  if (state_ >= 0) ledger_ = open_sized(file_of(SnapshotFileName::kLedger), manifest_.ledger_bytes);
  return state_ >= 0 && ledger_ >= 0;
}

// Not mapped: what has not come yet is a hole, and on a full disk of some kinds the kernel has no
// page for it, which ends a process that reads it like memory.
void IncomingSnapshot::look(SnapshotFileName file) {
  const auto& wanted = chunks_of(manifest_, file);
  const int from = file == SnapshotFileName::kLedger ? ledger_ : state_;
  std::vector<std::byte> some(std::min(wanted.size(), kLookAt) * Manifest::kChunk);
  for (std::size_t i = 0; i < wanted.size();) {
    // To read and hash the holes of a large state would take the node's thread minutes.
    const std::uint64_t written = written_from(from, i * Manifest::kChunk);
    if ((i + 1) * Manifest::kChunk <= written) {
      missing_.insert({manifest_.checkpoint.slot, file, i++});
      continue;
    }
    const std::size_t here = read_at(from, some, i * Manifest::kChunk);
    const std::vector<Digest> found = chunk_hashes(ByteView(some).first(here));
    for (std::size_t k = 0; k < kLookAt && i < wanted.size(); ++k, ++i) {
      if (k >= found.size() || found[k] != wanted[i])
        missing_.insert({manifest_.checkpoint.slot, file, i});
    }
  }
}

bool IncomingSnapshot::fits(const SnapshotPart& part, ByteView bytes) const {
  const auto& chunks = chunks_of(manifest_, part.file);
  const std::uint64_t size =
      part.file == SnapshotFileName::kLedger ? manifest_.ledger_bytes : manifest_.bytes;
  const std::uint64_t at = part.index * Manifest::kChunk;
  return part.index < chunks.size() &&
         bytes.size() == std::min<std::uint64_t>(Manifest::kChunk, size - at) &&
         hash(bytes) == chunks[part.index];
}

bool IncomingSnapshot::write(const SnapshotPart& part, ByteView bytes) {
  const int file = part.file == SnapshotFileName::kLedger ? ledger_ : state_;
  if (!write_at(file, bytes, part.index * Manifest::kChunk)) return false;
  missing_.erase(part);
  unsynced_ += bytes.size();
  if (unsynced_ < kSyncEvery) return true;
  unsynced_ = 0;
  return ::fdatasync(file) == 0;
}

std::optional<Bytes> IncomingSnapshot::ledger() const {
  const auto file = ReadFile::open(file_of(SnapshotFileName::kLedger));
  auto out = file ? file->all() : std::nullopt;
  if (!out || chunk_hashes(out->view()) != manifest_.ledger_chunks) return std::nullopt;
  return out;
}

bool IncomingSnapshot::finish() {
  const std::string name = folder_.path_of(manifest_.checkpoint.slot);
  return ::fsync(state_) == 0 && ::fsync(ledger_) == 0 && sync_folder(path_) &&
         put_in_place(path_, name);
}

}  // namespace thresher::net
