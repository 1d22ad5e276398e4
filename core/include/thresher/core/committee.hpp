// The members of a protocol, and how many of them are enough.
//
//   auto committee = Committee::make(4, 1);       // n, f; empty unless n >= 3f+1 and n <= 4096
//   Tally tally(*committee);
//   if (tally.add(NodeId{2}) && tally.reached(kQuorum, *committee)) ...
//
// Guarantees: all counting goes through Tally, so that weights can come without touching a
// protocol. Does not hold keys or addresses: those belong to the network.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "thresher/core/ids.hpp"
#include "thresher/core/threshold.hpp"

namespace thresher {

/// n nodes of which at most f are faulty.
class Committee {
 public:
  static constexpr std::uint32_t kMaxSize = 4096;

  /// Empty when n is 0, n < 3f+1 or n > kMaxSize.
  static constexpr std::optional<Committee> make(std::uint32_t n, std::uint32_t f) {
    if (n == 0 || n > kMaxSize || f > (n - 1) / 3) return std::nullopt;
    return Committee(n, f);
  }
  /// The committee of n nodes with the largest f that n allows. Empty when n is 0 or
  /// n > kMaxSize.
  static constexpr std::optional<Committee> of(std::uint32_t n) {
    return n == 0 ? std::nullopt : make(n, (n - 1) / 3);
  }

  constexpr std::uint32_t size() const { return n_; }
  constexpr std::uint32_t faults() const { return f_; }
  constexpr std::uint32_t at_least(Threshold threshold) const { return threshold.eval(n_, f_); }
  constexpr bool contains(NodeId id) const { return id.value < n_; }

 private:
  constexpr Committee(std::uint32_t n, std::uint32_t f) : n_(n), f_(f) {}
  std::uint32_t n_;
  std::uint32_t f_;
};

/// A set of nodes as a bitmap of n bits.
class NodeSet {
 public:
  NodeSet() = default;
  explicit NodeSet(std::uint32_t n) : words_((n + 63) / 64) {}

  /// True when `id` was not in the set. Ids beyond the capacity grow it.
  bool insert(NodeId id) {
    const std::size_t word = id.value / 64;
    if (word >= words_.size()) words_.resize(word + 1);
    const std::uint64_t bit = std::uint64_t{1} << (id.value % 64);
    const bool fresh = (words_[word] & bit) == 0;
    words_[word] |= bit;
    count_ += fresh ? 1 : 0;
    return fresh;
  }
  bool contains(NodeId id) const {
    const std::size_t word = id.value / 64;
    return word < words_.size() && ((words_[word] >> (id.value % 64)) & 1) != 0;
  }
  /// True when `id` was in the set.
  bool erase(NodeId id) {
    if (!contains(id)) return false;
    words_[id.value / 64] &= ~(std::uint64_t{1} << (id.value % 64));
    --count_;
    return true;
  }
  /// Adds every member of `other`, a word at a time.
  void merge(const NodeSet& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
    for (std::size_t w = 0; w < other.words_.size(); ++w) {
      const std::uint64_t fresh = other.words_[w] & ~words_[w];
      if (fresh == 0) continue;
      words_[w] |= fresh;
      count_ += static_cast<std::uint32_t>(std::popcount(fresh));
    }
  }
  bool subset_of(const NodeSet& other) const {
    if (count_ > other.count_) return false;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      const std::uint64_t theirs = w < other.words_.size() ? other.words_[w] : 0;
      if ((words_[w] & ~theirs) != 0) return false;
    }
    return true;
  }
  /// Whether every id is less than `n`.
  bool below(std::uint32_t n) const {
    for (std::size_t w = n / 64; w < words_.size(); ++w) {
      const bool first = w == n / 64;
      if ((first ? words_[w] >> (n % 64) : words_[w]) != 0) return false;
    }
    return true;
  }
  std::uint32_t size() const { return count_; }
  bool empty() const { return count_ == 0; }

  /// Calls `visit(NodeId)` for the members that `other` lacks, in increasing order.
  template <class F>
  void for_each_outside(const NodeSet& other, F visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      const std::uint64_t theirs = w < other.words_.size() ? other.words_[w] : 0;
      for (std::uint64_t bits = words_[w] & ~theirs; bits != 0; bits &= bits - 1) {
        visit(NodeId{
            static_cast<std::uint16_t>(w * 64 + static_cast<unsigned>(std::countr_zero(bits)))});
      }
    }
  }
  /// Calls `visit(NodeId)` in increasing order.
  template <class F>
  void for_each(F visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
        visit(NodeId{
            static_cast<std::uint16_t>(w * 64 + static_cast<unsigned>(std::countr_zero(bits)))});
      }
    }
  }
  /// The same members, whatever room the sets have.
  friend bool operator==(const NodeSet& a, const NodeSet& b) {
    return a.count_ == b.count_ && a.subset_of(b);
  }

 private:
  std::vector<std::uint64_t> words_;
  std::uint32_t count_ = 0;
};

/// Distinct members that said the same thing.
class Tally {
 public:
  Tally() = default;
  explicit Tally(const Committee& committee) : members_(committee.size()) {}

  /// True when `id` had not been counted.
  bool add(NodeId id) { return members_.insert(id); }
  bool contains(NodeId id) const { return members_.contains(id); }
  std::uint32_t count() const { return members_.size(); }
  bool reached(Threshold threshold, const Committee& committee) const {
    return count() >= committee.at_least(threshold);
  }
  const NodeSet& members() const { return members_; }

 private:
  NodeSet members_;
};

}  // namespace thresher
