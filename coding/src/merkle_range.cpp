#include "thresher/coding/merkle_range.hpp"

#include <algorithm>
#include <bit>

#include "thresher/core/assert.hpp"

namespace thresher::coding {

std::optional<MerkleRange> MerkleRange::restore(std::uint64_t size, std::vector<Digest> peaks,
                                                HashFunction hash) {
  if (peaks.size() != static_cast<std::size_t>(std::popcount(size))) return std::nullopt;
  MerkleRange out(hash);
  out.size_ = size;
  out.peaks_ = std::move(peaks);
  return out;
}

Digest MerkleRange::root() const {
  if (peaks_.empty()) return hash_({});
  Digest at = peaks_.back();
  for (std::size_t i = peaks_.size() - 1; i-- > 0;) at = merkle_parent(peaks_[i], at, hash_);
  return at;
}

std::uint64_t merkle_middle(std::uint64_t begin, std::uint64_t end) {
  THRESHER_ASSERT(end > begin + 1, "a tree that is divided has two leaves");
  return begin + std::bit_floor(end - begin - 1);
}

Digest merkle_part(std::uint64_t begin, std::uint64_t end, const MerkleSource& full,
                   HashFunction hash) {
  THRESHER_ASSERT(begin < end, "a part of a tree has leaves");
  // From the left, the full parts are as large as the bits of their number say.
  std::vector<Digest> peaks;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t leaves = std::bit_floor(end - at);
    THRESHER_ASSERT(at % leaves == 0, "a part of a tree begins where its full parts begin");
    const auto level = static_cast<std::uint32_t>(std::countr_zero(leaves));
    peaks.push_back(full({level, at >> level}));
    at += leaves;
  }
  Digest out = peaks.back();
  for (std::size_t i = peaks.size() - 1; i-- > 0;) out = merkle_parent(peaks[i], out, hash);
  return out;
}

std::vector<Digest> merkle_path(std::uint64_t index, std::uint64_t size, const MerkleSource& full,
                                HashFunction hash) {
  THRESHER_ASSERT(index < size, "a leaf is one of the tree");
  std::vector<Digest> path;
  std::uint64_t begin = 0, end = size;
  while (end - begin > 1) {
    const std::uint64_t middle = merkle_middle(begin, end);
    if (index < middle) {
      path.push_back(merkle_part(middle, end, full, hash));
      end = middle;
    } else {
      path.push_back(merkle_part(begin, middle, full, hash));
      begin = middle;
    }
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace thresher::coding
