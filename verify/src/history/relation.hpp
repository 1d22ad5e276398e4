// A transitive relation over up to some thousand things, kept closed while pairs are added.
//
//   Relation r(3);
//   r.add(0, 1); r.add(1, 2);
//   r.has(0, 2);                // true
//
// Guarantees: a pair that is new costs at most n^2 / 64 operations on words; one that is there
// costs one look.
#pragma once

#include <cstdint>
#include <vector>

namespace thresher::history {

class Relation {
 public:
  explicit Relation(std::size_t n) : n_(n), words_((n + 63) / 64), after_(n * words_) {}

  bool has(std::size_t a, std::size_t b) const {
    return ((after_[a * words_ + b / 64] >> (b % 64)) & 1) != 0;
  }
  /// a before b, and all that follows from it. False: that makes a cycle; nothing is added then.
  bool add(std::size_t a, std::size_t b) {
    if (a == b || has(b, a)) return false;
    if (has(a, b)) return true;
    for (std::size_t x = 0; x < n_; ++x) {
      if (x != a && !has(x, a)) continue;
      for (std::size_t w = 0; w < words_; ++w) after_[x * words_ + w] |= after_[b * words_ + w];
      after_[x * words_ + b / 64] |= std::uint64_t{1} << (b % 64);
    }
    return true;
  }

 private:
  std::size_t n_;
  std::size_t words_;
  std::vector<std::uint64_t> after_;
};

}  // namespace thresher::history
