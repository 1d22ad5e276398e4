#include "thresher/crypto/hash_many.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "../../../crypto/src/lanes/blake2b.hpp"

namespace thresher::crypto {
namespace {

std::vector<std::vector<std::byte>> messages_of(const std::vector<std::size_t>& sizes) {
  std::mt19937_64 random(11);
  std::vector<std::vector<std::byte>> out;
  for (const std::size_t size : sizes) {
    out.emplace_back(size);
    for (std::byte& b : out.back()) b = static_cast<std::byte>(random());
  }
  return out;
}

void expect_alike(const std::vector<std::size_t>& sizes) {
  const auto messages = messages_of(sizes);
  const std::vector<ByteView> views(messages.begin(), messages.end());
  std::vector<Digest> out(views.size());
  hash_many(views, out);
  for (std::size_t i = 0; i < views.size(); ++i)
    ASSERT_EQ(out[i], hash(views[i])) << "message " << i << " of " << sizes[i] << " bytes";
}

// The reference is libsodium's, one message at a time.
TEST(HashMany, EveryLengthUpToSeveralBlocks) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size <= 600; ++size) sizes.push_back(size);
  expect_alike(sizes);
}

TEST(HashMany, EveryNumberOfMessagesAlike) {
  for (std::size_t count = 0; count <= 40; ++count)
    expect_alike(std::vector<std::size_t>(count, 89));
}

TEST(HashMany, AnyMixOfLengths) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::size_t> sizes(random() % 100);
    for (std::size_t& size : sizes) size = random() % (random() % 8 == 0 ? 5000 : 300);
    expect_alike(sizes);
  }
}

// Around the borders of blocks, of what waits by length (16 blocks) and of a part of a snapshot.
TEST(HashMany, LongMessagesSideBySide) {
  for (const std::size_t blocks : {15u, 16u, 17u, 18u, 31u, 64u, 8192u}) {
    std::vector<std::size_t> sizes;
    for (const std::size_t size : {128 * blocks - 1, 128 * blocks, 128 * blocks + 1}) {
      for (std::size_t count = 0; count < 11; ++count) sizes.push_back(size);
    }
    expect_alike(sizes);
  }
}

TEST(HashMany, EveryNumberOfLongMessagesAlike) {
  for (std::size_t count = 1; count <= 18; ++count)
    expect_alike(std::vector<std::size_t>(count, 5000));
}

TEST(HashMany, LongMessagesOfEveryLengthBetweenShortOnes) {
  std::mt19937_64 random(23);
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1900; size <= 4500; size += 1 + random() % 7) {
    sizes.push_back(size);
    if (random() % 3 == 0) sizes.push_back(random() % 200);
    if (random() % 3 == 0) sizes.push_back(1u << 16);
  }
  std::shuffle(sizes.begin(), sizes.end(), random);
  expect_alike(sizes);
}

// Each engine that this processor has, whichever of them is the best.
TEST(HashMany, EveryEngineOfThisMachine) {
  for (const lanes::Blake2bLanes* engine : {lanes::blake2b_avx512(), lanes::blake2b_avx2()}) {
    if (engine == nullptr) continue;
    for (const std::size_t size :
         {0u, 1u, 127u, 128u, 129u, 256u, 1000u, 2048u, 2049u, 131071u, 131072u, 131073u}) {
      const auto messages = messages_of(std::vector<std::size_t>(engine->lanes, size));
      const std::vector<ByteView> views(messages.begin(), messages.end());
      std::vector<Digest> out(engine->lanes);
      engine->hash(views.data(), out.data());
      for (std::size_t i = 0; i < views.size(); ++i) EXPECT_EQ(out[i], hash(views[i]));
    }
  }
}

}  // namespace
}  // namespace thresher::crypto
