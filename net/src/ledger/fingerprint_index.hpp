// Where things lie by their fingerprint: open addressing, with the things elsewhere. Private to
// net/.
//
//   FingerprintIndex index;
//   index.insert(print, 12);
//   index.find(print, [&](std::uint32_t at) { return things[at].print == print; });   // 12
//
// Guarantees: a look-up costs a probe or two whatever the fingerprints, which look uniform without
// their secret; at most half full, so 16 to 32 bytes a thing. Handles are below 2^32 - 1. Holds no
// fingerprint whole: `same` decides.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ledger/fingerprint.hpp"

namespace thresher::net {

class FingerprintIndex {
 public:
  /// The handle under this fingerprint for which `same` holds.
  template <class Same>
  std::optional<std::uint32_t> find(const Fingerprint& print, Same same) const {
    if (count_ == 0) return std::nullopt;
    const std::size_t at = place(print, same);
    if (slots_[at].handle == kEmpty) return std::nullopt;
    return slots_[at].handle;
  }
  /// Pre: it is not there yet.
  void insert(const Fingerprint& print, std::uint32_t handle) {
    if (++count_ * 2 > slots_.size()) grow();
    put({static_cast<std::uint32_t>(print.low), handle});
  }
  /// Pre: it is there.
  void erase(const Fingerprint& print, std::uint32_t handle) {
    std::size_t hole = place(print, [handle](std::uint32_t h) { return h == handle; });
    --count_;
    // Those behind it that would not be found any more move up.
    for (std::size_t at = next(hole); slots_[at].handle != kEmpty; at = next(at)) {
      const std::size_t home = slots_[at].hash & mask();
      if (((at - home) & mask()) < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].handle = kEmpty;
  }
  std::size_t size() const { return count_; }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t handle = kEmpty;
  };
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t next(std::size_t at) const { return (at + 1) & mask(); }

  template <class Same>
  std::size_t place(const Fingerprint& print, Same same) const {
    const auto hash = static_cast<std::uint32_t>(print.low);
    std::size_t at = hash & mask();
    while (slots_[at].handle != kEmpty && (slots_[at].hash != hash || !same(slots_[at].handle))) {
      at = next(at);
    }
    return at;
  }
  void put(const Slot& slot) {
    std::size_t at = slot.hash & mask();
    while (slots_[at].handle != kEmpty) at = next(at);
    slots_[at] = slot;
  }
  void grow() {
    const auto old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    for (const Slot& s : old) {
      if (s.handle != kEmpty) put(s);
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::size_t count_ = 0;
};

}  // namespace thresher::net
