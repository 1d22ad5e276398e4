// What a computation frees holds none of the secrets that it had for a while: they are wiped, and
// no container that grew left a copy behind. Every block that is freed meanwhile is looked at.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <vector>

#include "thresher/crypto/bivariate_sharing.hpp"
#include "thresher/crypto/dkg.hpp"
#include "thresher/crypto/dleq_group.hpp"

namespace {

/// The freed blocks one after another, in room of their own: noting one must allocate nothing.
struct Freed {
  bool watched = false;
  bool overflowed = false;
  std::size_t size = 0;
  std::array<std::byte, std::size_t{1} << 22> bytes{};

  void note(void* block) {
    if (!watched || block == nullptr) return;
    const std::size_t length = malloc_usable_size(block);
    if (length > bytes.size() - size) {
      overflowed = true;
      return;
    }
    std::memcpy(bytes.data() + size, block, length);
    size += length;
  }
};
Freed freed;

}  // namespace

void* operator new(std::size_t size) {
  if (void* block = std::malloc(size)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  freed.note(block);
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  freed.note(block);
  std::free(block);
}

namespace thresher::crypto {
namespace {

using Item = std::array<std::byte, 32>;

template <class F>
auto watching(F compute) {
  freed.size = 0;
  freed.overflowed = false;
  freed.watched = true;
  auto out = compute();
  freed.watched = false;
  EXPECT_FALSE(freed.overflowed);
  return out;
}

std::vector<Item> items_of(ByteView bytes) {
  std::vector<Item> out(bytes.size() / sizeof(Item));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(Item));
  return out;
}

/// Whether a freed block held the item, at any place where the allocator or an array would put one.
bool was_freed(const Item& item) {
  for (std::size_t at = 0; at + sizeof(Item) <= freed.size; at += 8) {
    if (std::memcmp(freed.bytes.data() + at, item.data(), sizeof(Item)) == 0) return true;
  }
  return false;
}

TEST(FreedMemory, HoldsWhatNobodyWiped) {
  Item marked;
  marked.fill(std::byte{0x5a});
  watching([&] { return std::vector<Item>{marked, marked}.size(); });
  EXPECT_TRUE(was_freed(marked));
}

TEST(FreedMemory, ADealerLeavesNoCoefficientAndNoShareOfItsSecret) {
  BivariateSharing::Seed seed{};
  seed[0] = std::byte{7};
  const BivariateSharing dealer(
      {.chain = {}, .committee = *Committee::of(10), .self = NodeId{1}, .seed = seed});
  const Bytes commitment = watching([&] { return *dealer.commitment(7); });
  const auto check = [points = items_of(commitment.view())] {
    for (std::size_t at = 0; at + sizeof(Item) <= freed.size; at += 8) {
      Item chunk;
      std::memcpy(chunk.data(), freed.bytes.data() + at, sizeof chunk);
      const auto point = ristretto_base(chunk);
      EXPECT_TRUE(!point || std::find(points.begin(), points.end(), *point) == points.end())
          << "the coefficient at " << at;
    }
  };
  check();
  const Bytes row = watching([&] { return dealer.row(7, NodeId{3}); });
  check();
  const auto shared = dealer.open(7, NodeId{1}, commitment.view());
  ASSERT_NE(shared, nullptr);
  EXPECT_FALSE(was_freed(items_of(shared->share(row.view()).view())[0]));
}

TEST(FreedMemory, WhoSettlesAKeyLeavesNoShareOfADealing) {
  constexpr std::uint16_t kNodes = 7;
  DkgSetup setup{.chain = {}, .committee = *Committee::of(kNodes), .threshold = 5};
  std::vector<SigningKey> identities;
  for (std::uint16_t i = 0; i < kNodes; ++i) {
    SigningKey::Seed seed{};
    seed[0] = static_cast<std::byte>(i + 1);
    identities.push_back(SigningKey::from_seed(seed));
  }
  std::vector<PublicKey> keys;
  for (const SigningKey& one : identities) keys.push_back(one.public_key());
  setup.keys = *dkg_keys_of(keys);
  std::vector<DealtKey> nodes;
  for (std::uint16_t i = 0; i < kNodes; ++i) {
    DealtKey::Seed seed;
    seed.fill(static_cast<std::byte>(i + 1));
    nodes.emplace_back(setup, NodeId{i}, dkg_secret_of(identities[i]), seed);
  }
  std::vector<ChosenDealing> chosen;
  for (std::uint16_t i = 0; i < nodes[0].enough_dealings(); ++i)
    chosen.push_back({NodeId{i}, *nodes[i].deal(), {}});
  const auto settled = watching([&] { return nodes[6].settle(chosen); });
  ASSERT_NE(settled, nullptr);
  for (const ChosenDealing& c : chosen) {
    const auto shares = items_of(nodes[6].reveal(c.dealer, c.dealing.view()).view());
    EXPECT_GT(shares.size(), 1u);
    for (const Item& share : shares) EXPECT_FALSE(was_freed(share));
  }
}

}  // namespace
}  // namespace thresher::crypto
