// Immutable shared bytes: a payload is read once from a socket and shared by all that need it.
//
//   Bytes whole = Bytes::from(std::move(vector));
//   Bytes part = whole.slice(4, 16);          // shares the memory, copies nothing
//
//   auto room = std::make_unique_for_overwrite<std::byte[]>(size);   // fill it, then
//   Bytes read = Bytes::from(std::move(room), size);
//
// Guarantees: copying is a reference count; contents never change; what was moved from is empty.
// Not a string: no terminator.
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
  Bytes(const Bytes&) = default;
  Bytes& operator=(const Bytes&) = default;
  Bytes(Bytes&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  Bytes& operator=(Bytes&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~Bytes() = default;

  /// Takes over `data` without copying.
  static Bytes from(std::vector<std::byte> data) {
    const std::size_t size = data.size();
    const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(data));
    return {{owner, owner->data()}, size};
  }
  /// The same; for memory that was not set to zeros before it was filled. Pre: it has `size` bytes.
  static Bytes from(std::unique_ptr<std::byte[]> data, std::size_t size) {
    const std::shared_ptr<const std::byte[]> owner(std::move(data));
    return {{owner, owner.get()}, size};
  }
  static Bytes copy_of(ByteView view) {
    if (view.empty()) return {};
    const auto owner = std::make_shared_for_overwrite<std::byte[]>(view.size());
    std::memcpy(owner.get(), view.data(), view.size());
    return {{owner, owner.get()}, view.size()};
  }

  ByteView view() const noexcept { return {data_.get(), size_}; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  /// Pre: offset + size <= this->size().
  Bytes slice(std::size_t offset, std::size_t size) const {
    THRESHER_ASSERT(offset <= size_ && size <= size_ - offset, "a slice is part of its bytes");
    return {{data_, data_.get() + offset}, size};
  }

  friend bool operator==(const Bytes& a, const Bytes& b) {
    return a.size_ == b.size_ &&
           (a.size_ == 0 || std::memcmp(a.view().data(), b.view().data(), a.size_) == 0);
  }

 private:
  Bytes(std::shared_ptr<const std::byte> data, std::size_t size)
      : data_(std::move(data)), size_(size) {}

  std::shared_ptr<const std::byte> data_;  // shares what it is a part of
  std::size_t size_ = 0;
};

}  // namespace thresher
