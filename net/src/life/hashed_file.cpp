#include "life/hashed_file.hpp"

#include <unistd.h>

#include <algorithm>

#include "files/write_all.hpp"
#include "thresher/crypto/hash_many.hpp"

namespace thresher::net {
namespace {

/// From one sync to the next. Unit: bytes.
constexpr std::uint64_t kSyncEvery = 8u << 20;
/// Parts that are hashed beside each other (crypto/hash_many.hpp).
constexpr std::size_t kBeside = 8;

}  // namespace

HashedFile::~HashedFile() {
  ::close(file_);
}

bool HashedFile::append(ByteView bytes) {
  while (!bytes.empty()) {
    const std::size_t open = unhashed_.size() - written_;
    const std::size_t part = std::min(bytes.size(), kChunk - open);
    unhashed_.insert(unhashed_.end(), bytes.begin(),
                     bytes.begin() + static_cast<std::ptrdiff_t>(part));
    bytes = bytes.subspan(part);
    if (open + part == kChunk && !write_chunk()) return false;
  }
  return true;
}

// Each goes to the disk at once, as the rests between them ask for.
bool HashedFile::write_chunk() {
  const ByteView chunk = ByteView(unhashed_).subspan(written_);
  if (write_all(file_, chunk) != 0) return false;
  bytes_ += chunk.size();
  written_ = unhashed_.size();
  if (written_ == kBeside * kChunk) hash_chunks();
  if (bytes_ < synced_ + kSyncEvery) return true;
  synced_ = bytes_;
  return ::fdatasync(file_) == 0;
}

void HashedFile::hash_chunks() {
  for (const Digest& found : chunk_hashes(unhashed_)) chunks_.push_back(found);
  unhashed_.clear();
  written_ = 0;
}

bool HashedFile::finish() {
  if (unhashed_.size() > written_ && !write_chunk()) return false;
  hash_chunks();
  return ::fsync(file_) == 0;
}

ByteView chunk_of(ByteView file, std::size_t index) {
  const std::size_t at = index * HashedFile::kChunk;
  return file.subspan(at, std::min(HashedFile::kChunk, file.size() - at));
}

std::vector<Digest> chunk_hashes(ByteView file) {
  std::vector<ByteView> parts(file.size() / HashedFile::kChunk +
                              (file.size() % HashedFile::kChunk == 0 ? 0 : 1));
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = chunk_of(file, i);
  std::vector<Digest> out(parts.size());
  crypto::hash_many(parts, out);
  return out;
}

}  // namespace thresher::net
