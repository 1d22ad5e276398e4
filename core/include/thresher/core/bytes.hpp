// Immutable shared bytes: a payload is read once from a socket and shared by whoever needs it.
//
//   Bytes whole = Bytes::from(std::move(vector));
//   Bytes part = whole.slice(4, 16);          // shares the memory, copies nothing
//
// Guarantees: copying is a reference count; contents never change. Not a string: no terminator.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "thresher/core/assert.hpp"

namespace thresher {

using ByteView = std::span<const std::byte>;

/// The bytes of `text`, without copying.
inline ByteView as_view(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// The characters of `bytes`, without copying.
inline std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A slice of immutable, reference-counted memory.
class Bytes {
 public:
  Bytes() = default;

  /// Takes over `data` without copying.
  static Bytes from(std::vector<std::byte> data) {
    const std::size_t size = data.size();
    return {std::make_shared<const std::vector<std::byte>>(std::move(data)), 0, size};
  }
  static Bytes copy_of(ByteView view) { return from({view.begin(), view.end()}); }

  ByteView view() const noexcept {
    return owner_ ? ByteView(*owner_).subspan(offset_, size_) : ByteView{};
  }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  /// Pre: offset + size <= this->size().
  Bytes slice(std::size_t offset, std::size_t size) const {
    THRESHER_ASSERT(offset <= size_ && size <= size_ - offset, "a slice is part of its bytes");
    return {owner_, offset_ + offset, size};
  }

  friend bool operator==(const Bytes& a, const Bytes& b) {
    return a.size_ == b.size_ &&
           (a.size_ == 0 || std::memcmp(a.view().data(), b.view().data(), a.size_) == 0);
  }

 private:
  Bytes(std::shared_ptr<const std::vector<std::byte>> owner, std::size_t offset, std::size_t size)
      : owner_(std::move(owner)), offset_(offset), size_(size) {}

  std::shared_ptr<const std::vector<std::byte>> owner_;
  std::size_t offset_ = 0;
  std::size_t size_ = 0;
};

}  // namespace thresher
