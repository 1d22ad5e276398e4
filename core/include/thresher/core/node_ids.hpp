// The ids of n nodes, to walk over.
//
//   for (const NodeId to : node_ids(committee.size())) send(to, frame);
//
// Guarantees: 0 to n-1, in that order, and an end: a size has more bits than an id, so a loop that
// counts in an id's type up to a size of more than that type holds would go on for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "thresher/core/assert.hpp"
#include "thresher/core/ids.hpp"

namespace thresher {

class NodeIds {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = NodeId;
    using difference_type = std::ptrdiff_t;
    using pointer = const NodeId*;
    using reference = NodeId;

    constexpr Iterator() = default;
    constexpr explicit Iterator(std::uint32_t at) : at_(at) {}
    constexpr NodeId operator*() const { return NodeId{static_cast<std::uint16_t>(at_)}; }
    constexpr Iterator& operator++() {
      ++at_;
      return *this;
    }
    constexpr Iterator operator++(int) {
      const Iterator before = *this;
      ++at_;
      return before;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    std::uint32_t at_ = 0;
  };

  /// As many as the 16 bits of an id tell apart.
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  /// Pre: n <= kMost.
  constexpr explicit NodeIds(std::size_t n) : n_(static_cast<std::uint32_t>(n)) {
    THRESHER_ASSERT(n <= kMost, "every node has an id of its own");
  }
  constexpr Iterator begin() const { return Iterator(0); }
  constexpr Iterator end() const { return Iterator(n_); }

 private:
  std::uint32_t n_;
};

/// Ids 0 to n-1. Pre: n <= NodeIds::kMost.
constexpr NodeIds node_ids(std::size_t n) {
  return NodeIds(n);
}

}  // namespace thresher
