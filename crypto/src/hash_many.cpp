#include "thresher/crypto/hash_many.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "lanes/blake2b.hpp"

namespace thresher::crypto {
namespace {

/// Longer messages are hashed one by one: nobody has many of them at once.
constexpr std::size_t kMostBlocks = 16;
constexpr std::size_t kMostLanes = 8;

const lanes::Blake2bLanes* widest() {
  static const lanes::Blake2bLanes* const kBest =
      lanes::blake2b_avx512() != nullptr ? lanes::blake2b_avx512() : lanes::blake2b_avx2();
  return kBest;
}

}  // namespace

// Messages of as many blocks wait until they fill the lanes; at the end the free lanes repeat one.
void hash_many(std::span<const ByteView> messages, std::span<Digest> out) {
  const lanes::Blake2bLanes* wide = widest();
  std::array<std::array<std::size_t, kMostLanes>, kMostBlocks + 1> waiting{};
  std::array<std::size_t, kMostBlocks + 1> count{};
  const auto flush = [&](std::size_t blocks) {
    std::array<ByteView, kMostLanes> in{};
    std::array<Digest, kMostLanes> digests{};
    for (std::size_t lane = 0; lane < wide->lanes; ++lane)
      in[lane] = messages[waiting[blocks][lane < count[blocks] ? lane : 0]];
    wide->hash(in.data(), digests.data());
    for (std::size_t lane = 0; lane < count[blocks]; ++lane)
      out[waiting[blocks][lane]] = digests[lane];
    count[blocks] = 0;
  };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::size_t blocks = lanes::blake2b_blocks(messages[i].size());
    if (wide == nullptr || blocks > kMostBlocks) {
      out[i] = hash(messages[i]);
      continue;
    }
    waiting[blocks][count[blocks]++] = i;
    if (count[blocks] == wide->lanes) flush(blocks);
  }
  for (std::size_t blocks = 1; blocks <= kMostBlocks; ++blocks) {
    if (count[blocks] == 1) {
      out[waiting[blocks][0]] = hash(messages[waiting[blocks][0]]);
    } else if (count[blocks] > 1) {
      flush(blocks);
    }
  }
}

}  // namespace thresher::crypto
