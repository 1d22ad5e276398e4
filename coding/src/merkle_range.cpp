#include "thresher/coding/merkle_range.hpp"

#include <algorithm>
#include <array>
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

// On each level the new nodes stand behind what the range has. Where that is odd, its last node is
// a peak and pairs with the first new one; a new node that is left over becomes the level's peak.
void MerkleRange::append_all(std::vector<Digest> level, const HashMany& hash_many,
                             const std::function<void(const MerkleNode&)>& completed) {
  std::uint64_t first = size_;
  size_ += level.size();
  std::vector<Digest> leftover;  // from the lowest level to the highest
  for (std::uint32_t height = 0; !level.empty(); ++height) {
    for (std::size_t i = 0; i < level.size(); ++i) completed({{height, first + i}, level[i]});
    if ((first & 1) != 0) {
      level.insert(level.begin(), peaks_.back());
      peaks_.pop_back();
      --first;
    }
    if (level.size() % 2 != 0) {
      leftover.push_back(level.back());
      level.pop_back();
    }
    std::vector<std::array<std::byte, kMerkleParentBytes>> pairs(level.size() / 2);
    std::vector<ByteView> views;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs[i] = merkle_parent_bytes(level[2 * i], level[2 * i + 1]);
      views.emplace_back(pairs[i]);
    }
    level.resize(pairs.size());
    hash_many(views, level);
    first >>= 1;
  }
  peaks_.insert(peaks_.end(), leftover.rbegin(), leftover.rend());
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
