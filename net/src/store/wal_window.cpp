#include "store/wal_window.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace thresher::net {
namespace {
/// What is read at a time, from a place that is a multiple of it. Unit: bytes.
constexpr std::uint64_t kPiece = WalSegments::kUnit;
}  // namespace

void BlockBuffer::grow(std::size_t capacity, std::size_t keep) {
  if (capacity > capacity_) resize(std::max(capacity, capacity_ * 2), keep);
}

void BlockBuffer::shrink(std::size_t keep) {
  resize(std::max(keep, kBlock), keep);
}

void BlockBuffer::resize(std::size_t capacity, std::size_t keep) {
  capacity = static_cast<std::size_t>(up(capacity));
  std::unique_ptr<std::byte[], Free> other(
      static_cast<std::byte*>(std::aligned_alloc(kBlock, capacity)));
  if (other == nullptr) throw std::bad_alloc();
  if (keep > 0) std::memcpy(other.get(), memory_.get(), keep);
  memory_ = std::move(other);
  capacity_ = capacity;
}

int open_past_cache(const std::string& path, int flags) {
  flags |= O_CLOEXEC;
  int file = ::open(path.c_str(), flags | O_DIRECT, 0600);
  if (file < 0) return errno == EINVAL ? ::open(path.c_str(), flags, 0600) : -1;
  alignas(BlockBuffer::kBlock) std::byte probe[BlockBuffer::kBlock];
  if (::pread(file, probe, sizeof probe, 0) < 0 && errno == EINVAL) {  // its blocks are larger
    ::close(file);
    file = ::open(path.c_str(), flags, 0600);
  }
  return file;
}

// Bytes read before may have been written since, or be of another log.
bool WalWindow::open(const std::string& path) {
  forget();
  return files_.open(path, O_RDONLY);
}

bool WalWindow::read(std::byte* data, std::size_t size, std::uint64_t at, std::uint64_t written) {
  const std::lock_guard lock(mutex_);
  while (size > 0) {
    const std::uint64_t until = std::min(at + size, (at / kPiece + 1) * kPiece);
    Piece* const piece = piece_at(at, until, written);
    if (piece == nullptr) return false;
    const auto part = static_cast<std::size_t>(until - at);
    std::memcpy(data, piece->buffer.data() + (at - piece->begin), part);
    data += part;
    size -= part;
    at = until;
  }
  return true;
}

void WalWindow::forget() {
  const std::lock_guard lock(mutex_);
  for (Piece& piece : pieces_) piece.begin = piece.end = 0;
}

// Null leaves why in errno.
WalWindow::Piece* WalWindow::piece_at(std::uint64_t at, std::uint64_t until,
                                      std::uint64_t written) {
  const std::uint64_t begin = at / kPiece * kPiece;
  const auto there = [&](const Piece& p) { return p.begin == begin && p.end > p.begin; };
  auto it = std::find_if(pieces_.begin(), pieces_.end(), there);
  if (it == pieces_.end()) {
    it = std::min_element(pieces_.begin(), pieces_.end(),
                          [](const Piece& a, const Piece& b) { return a.used < b.used; });
    it->begin = it->end = begin;
  }
  it->used = ++clock_;
  if (until <= it->end) return &*it;
  it->buffer.grow(kPiece, 0);
  std::size_t got = 0;
  while (got < kPiece) {
    const ssize_t n = files_.read(it->buffer.data() + got, kPiece - got, begin + got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return nullptr;
    got += static_cast<std::size_t>(n);
    if (n == 0 || got % BlockBuffer::kBlock != 0) break;  // the file ends here
  }
  errno = 0;
  if (until > begin + got) return nullptr;
  it->end = std::min(begin + got, std::max(written, until));
  return &*it;
}

}  // namespace thresher::net
