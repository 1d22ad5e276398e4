// One bit for each member: what is known of the blocks of one round, compared a word at a time.
//
//   Row parents(n), accepted(n);
//   if (parents.within(accepted)) ...             // n/64 operations, whoever the parents are
//
// Guarantees: rows of one committee have one length; nothing but `Row(n)` takes memory. Does not
// count what it holds as it grows, as NodeSet does, and does not grow.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "thresher/core/ids.hpp"

namespace thresher::dag {

class Row {
 public:
  Row() = default;
  explicit Row(std::uint32_t n) : words_((n + kBits - 1) / kBits) {}

  /// Pre, of all with an id: id is less than n.
  bool contains(NodeId id) const {
    return (words_[id.value / kBits] >> (id.value % kBits) & 1) != 0;
  }
  void insert(NodeId id) { words_[id.value / kBits] |= std::uint64_t{1} << (id.value % kBits); }
  void clear() { std::fill(words_.begin(), words_.end(), std::uint64_t{0}); }

  bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
  }
  /// Every member is in `other`.
  bool within(const Row& other) const {
    std::uint64_t outside = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) outside |= words_[w] & ~other.words_[w];
    return outside == 0;
  }
  /// How many are in `other` too.
  std::uint32_t shared(const Row& other) const {
    std::uint32_t count = 0;
    for (std::size_t w = 0; w < words_.size(); ++w)
      count += static_cast<std::uint32_t>(std::popcount(words_[w] & other.words_[w]));
    return count;
  }
  void add(const Row& more) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= more.words_[w];
  }
  /// Keeps those that are in `only` and not in `never`.
  void keep(const Row& only, const Row& never) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= only.words_[w] & ~never.words_[w];
  }
  /// Calls `visit(NodeId)` in increasing order.
  template <class F>
  void for_each(F visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) each_of(w, words_[w], visit);
  }
  /// Those that `other` lacks, in increasing order.
  template <class F>
  void for_each_outside(const Row& other, F visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) each_of(w, words_[w] & ~other.words_[w], visit);
  }

 private:
  static constexpr std::size_t kBits = 64;
  template <class F>
  static void each_of(std::size_t word, std::uint64_t bits, F& visit) {
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t at = word * kBits + static_cast<std::size_t>(std::countr_zero(bits));
      visit(NodeId{static_cast<std::uint16_t>(at)});
    }
  }
  std::vector<std::uint64_t> words_;
};

}  // namespace thresher::dag
