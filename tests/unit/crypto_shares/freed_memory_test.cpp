// The memory that a computation frees holds none of the secrets that it had for a while: they are
// wiped, and no container that grew left a copy behind. Every block that is freed meanwhile is
// looked at.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <vector>

#include "thresher/core/hex.hpp"
#include "thresher/crypto/bivariate_sharing.hpp"
#include "thresher/crypto/dkg.hpp"
#include "thresher/crypto/dleq_group.hpp"
#include "thresher/crypto/ristretto_sum.hpp"
#include "thresher/crypto/threshold_coin.hpp"

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
  for (const Item& value : items_of(row.view())) EXPECT_FALSE(was_freed(value)) << "of the row";
  const auto shared = dealer.open(7, NodeId{1}, commitment.view());
  ASSERT_NE(shared, nullptr);
  EXPECT_FALSE(was_freed(items_of(shared->share(row.view()).view())[0]));
}

// The list of shares grew as they were dealt, and left copies of most of them behind.
TEST(FreedMemory, WhoDealsACoinLeavesNoShareOfIt) {
  std::array<std::byte, 32> seed{};
  seed[0] = std::byte{9};
  const auto deal = watching([&] { return *deal_coin(10, 4, seed); });
  for (const RistrettoScalar& share : deal.secrets) EXPECT_FALSE(was_freed(share));
}

/// The nodes of a key's generation, and dealings that are enough.
struct Generation {
  std::vector<DealtKey> nodes;
  std::vector<ChosenDealing> chosen;

  Generation(std::uint16_t n, std::uint32_t threshold) {
    DkgSetup setup{.chain = {}, .committee = *Committee::of(n), .threshold = threshold};
    std::vector<SigningKey> identities;
    for (std::uint16_t i = 0; i < n; ++i) {
      SigningKey::Seed seed{};
      seed[0] = static_cast<std::byte>(i + 1);
      identities.push_back(SigningKey::from_seed(seed));
    }
    std::vector<PublicKey> keys;
    for (const SigningKey& one : identities) keys.push_back(one.public_key());
    setup.keys = *dkg_keys_of(keys);
    for (std::uint16_t i = 0; i < n; ++i) {
      DealtKey::Seed seed;
      seed.fill(static_cast<std::byte>(i + 1));
      nodes.emplace_back(setup, NodeId{i}, dkg_secret_of(identities[i]), seed);
    }
    for (std::uint16_t i = 0; i < nodes[0].enough_dealings(); ++i)
      chosen.push_back({NodeId{i}, *nodes[i].deal(), {}});
  }
};

TEST(FreedMemory, WhoSettlesAKeyLeavesNoShareOfADealing) {
  const auto [nodes, chosen] = Generation(7, 5);
  const auto settled =
      watching([&nodes = nodes, &chosen = chosen] { return nodes[6].settle(chosen); });
  ASSERT_NE(settled, nullptr);
  for (const ChosenDealing& c : chosen) {
    const auto shares = items_of(nodes[6].reveal(c.dealer, c.dealing.view()).view());
    EXPECT_GT(shares.size(), 1u);
    for (const Item& share : shares) EXPECT_FALSE(was_freed(share));
  }
}

/// Multiples of the generator that a freed block held the secrets of.
std::vector<RistrettoPoint> freed_secrets() {
  std::vector<RistrettoPoint> out;
  for (std::size_t at = 0; at + sizeof(Item) <= freed.size; at += 8) {
    Item chunk;
    std::memcpy(chunk.data(), freed.bytes.data() + at, sizeof chunk);
    if (const auto point = ristretto_base(chunk)) out.push_back(*point);
  }
  return out;
}

// With four nodes two points make a share: twice the one of the first node less that of the second.
TEST(FreedMemory, WhoHasTooFewPointsOfItsShareLeavesNoneOfThem) {
  const auto [nodes, chosen] = Generation(4, 2);
  const auto settled = nodes[3].settle(chosen);
  ASSERT_NE(settled, nullptr);
  std::vector<std::vector<RistrettoPoint>> left;
  for (std::uint16_t i = 0; i < 2; ++i) {
    const std::vector<Contribution> one{{NodeId{i}, nodes[i].settle(chosen)->point_for(NodeId{3})}};
    EXPECT_FALSE(watching([&] { return settled->finish(one); }));
    left.push_back(freed_secrets());
  }
  Item two{}, less_one;  // the order of the group, less one
  two[0] = std::byte{2};
  const auto order = from_hex("ecd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
  std::copy(order->begin(), order->end(), less_one.begin());
  const std::array weights{two, less_one};
  for (const RistrettoPoint& a : left[0]) {
    for (const RistrettoPoint& b : left[1])
      EXPECT_NE(ristretto_sum(weights, std::array{a, b}), settled->keys().nodes[3]);
  }
}

}  // namespace
}  // namespace thresher::crypto
