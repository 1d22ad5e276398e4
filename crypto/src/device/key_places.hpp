// Which registered keys have a table on the device, and where. Private to crypto/device/.
//
//   KeyPlaces places(1024);
//   const u32 place = places.take(key);          // put the table there
//   std::optional<u32> there = places.of(key);
//
// Guarantees: at most `room` keys; when all places are taken, the key that was not named for
// longest goes first. of() may be called from several threads as long as nobody calls the rest.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "hd.hpp"
#include "thresher/core/hash.hpp"

namespace thresher::crypto::device {

class KeyPlaces {
 public:
  explicit KeyPlaces(u32 room) : room_(room) {}

  /// A new call of register_keys().
  void begin() {
    ++call_;
    named_ = 0;
  }
  /// This call has named as many keys as there is room for.
  bool full() const { return named_ == room_; }
  /// True when the key has a table; names it.
  bool name(const PublicKey& key);
  /// The place of a key without a table, to be filled by the caller. Pre: !full().
  u32 take(const PublicKey& key);

  std::optional<u32> of(const PublicKey& key) const {
    const auto found = known_.find(key);
    return found == known_.end() ? std::nullopt : std::optional(found->second.place);
  }

 private:
  /// A key is a point that its owner chose, so its first bytes are as good as a hash: a bad
  /// distribution costs time, and only among the keys that the caller registered.
  struct First {
    std::size_t operator()(const PublicKey& key) const {
      std::size_t out;
      std::memcpy(&out, key.data(), sizeof out);
      return out;
    }
  };
  /// The comparison that std::array brings goes byte by byte.
  struct Same {
    bool operator()(const PublicKey& a, const PublicKey& b) const {
      return std::memcmp(a.data(), b.data(), a.size()) == 0;
    }
  };
  struct Known {
    u32 place;
    std::uint64_t named;  ///< the last call that named it
  };

  u32 room_;
  u32 named_ = 0;
  std::uint64_t call_ = 0;
  std::unordered_map<PublicKey, Known, First, Same> known_;
};

}  // namespace thresher::crypto::device
