#include "thresher/crypto/hash_many.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "lanes/blake2b.hpp"

namespace thresher::crypto {
namespace {

/// Up to so many blocks each length of message has a row of its own to wait in; longer ones are
/// sorted.
constexpr std::size_t kMostBlocks = 16;
constexpr std::size_t kMostLanes = 8;

const lanes::Blake2bLanes* widest() {
  static const lanes::Blake2bLanes* const kBest =
      lanes::blake2b_avx512() != nullptr ? lanes::blake2b_avx512() : lanes::blake2b_avx2();
  return kBest;
}

// Pre: messages[i] of all i in `which` take as many blocks; there are no more than lanes, and one
// at least. Free lanes repeat the first.
void hash_beside(const lanes::Blake2bLanes& wide, std::span<const std::size_t> which,
                 std::span<const ByteView> messages, std::span<Digest> out) {
  if (which.size() == 1) {
    out[which[0]] = hash(messages[which[0]]);
    return;
  }
  std::array<ByteView, kMostLanes> in{};
  std::array<Digest, kMostLanes> digests{};
  for (std::size_t lane = 0; lane < wide.lanes; ++lane)
    in[lane] = messages[which[lane < which.size() ? lane : 0]];
  wide.hash(in.data(), digests.data());
  for (std::size_t lane = 0; lane < which.size(); ++lane) out[which[lane]] = digests[lane];
}

// Neighbours of as many blocks share the lanes.
void hash_long(const lanes::Blake2bLanes& wide, std::vector<std::size_t> which,
               std::span<const ByteView> messages, std::span<Digest> out) {
  const auto blocks = [&](std::size_t i) { return lanes::blake2b_blocks(messages[i].size()); };
  std::ranges::stable_sort(which, {}, blocks);
  for (std::size_t at = 0; at < which.size();) {
    std::size_t count = 1;
    while (count < wide.lanes && at + count < which.size() &&
           blocks(which[at + count]) == blocks(which[at])) {
      ++count;
    }
    hash_beside(wide, std::span(which).subspan(at, count), messages, out);
    at += count;
  }
}

}  // namespace

// Messages of as many blocks wait until they fill the lanes.
void hash_many(std::span<const ByteView> messages, std::span<Digest> out) {
  const lanes::Blake2bLanes* wide = widest();
  if (wide == nullptr) {
    for (std::size_t i = 0; i < messages.size(); ++i) out[i] = hash(messages[i]);
    return;
  }
  std::array<std::array<std::size_t, kMostLanes>, kMostBlocks + 1> waiting{};
  std::array<std::size_t, kMostBlocks + 1> count{};
  std::vector<std::size_t> longer;
  const auto flush = [&](std::size_t blocks) {
    hash_beside(*wide, std::span(waiting[blocks]).first(count[blocks]), messages, out);
    count[blocks] = 0;
  };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::size_t blocks = lanes::blake2b_blocks(messages[i].size());
    if (blocks > kMostBlocks) {
      longer.push_back(i);
      continue;
    }
    waiting[blocks][count[blocks]++] = i;
    if (count[blocks] == wide->lanes) flush(blocks);
  }
  for (std::size_t blocks = 1; blocks <= kMostBlocks; ++blocks) {
    if (count[blocks] > 0) flush(blocks);
  }
  if (!longer.empty()) hash_long(*wide, std::move(longer), messages, out);
}

}  // namespace thresher::crypto
