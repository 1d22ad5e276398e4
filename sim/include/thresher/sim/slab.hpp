// Numbered places for values that come and go: what an event carries is one small number.
//
//   Slab<Payload> slab;
//   std::uint32_t at = slab.put(Payload{...});
//   Payload p = slab.take(at);                  // the place is free again
//
// Guarantees: values do not move while they are in; places are reused, the last freed first.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace thresher::sim {

template <class T>
class Slab {
 public:
  std::uint32_t put(T value) {
    const std::uint32_t at = place();
    (*this)[at] = std::move(value);
    return at;
  }
  /// A place for a value that is still to be written over the one that was there.
  std::uint32_t place() {
    if (free_.empty()) {
      const auto base = static_cast<std::uint32_t>(chunks_.size() * kChunk);
      chunks_.push_back(std::make_unique<T[]>(kChunk));
      for (std::uint32_t i = kChunk; i > 0; --i) free_.push_back(base + i - 1);
    }
    const std::uint32_t at = free_.back();
    free_.pop_back();
    return at;
  }
  T take(std::uint32_t at) {
    free_.push_back(at);
    return std::exchange((*this)[at], T{});
  }
  /// Frees the place; the value stays until the next one comes.
  void drop(std::uint32_t at) { free_.push_back(at); }
  T& operator[](std::uint32_t at) { return chunks_[at / kChunk][at % kChunk]; }
  const T& operator[](std::uint32_t at) const { return chunks_[at / kChunk][at % kChunk]; }

 private:
  static constexpr std::uint32_t kChunk = 128;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::vector<std::uint32_t> free_;
};

}  // namespace thresher::sim
