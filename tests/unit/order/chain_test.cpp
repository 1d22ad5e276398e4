// Ways down the chains of an origin: the head at a position is the one that steps lead to, on any
// branch, wherever the base moved, and it is found in few looks.
#include "thresher/protocols/broadcast/chain.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "thresher/core/prng.hpp"

namespace thresher::chained_echo {
namespace {

Digest payload(std::uint64_t k) {
  return hash(Writer().u64(k).take());
}

std::optional<Head> by_steps(const Chain& chain, Head at, std::uint64_t count) {
  while (at.count > count) {
    if (chain.find(at) == nullptr) return std::nullopt;
    at = chain.below(at);
  }
  return at.count == count ? std::optional(at) : std::nullopt;
}

std::uint64_t looks(const Chain& chain, const Head& head, std::uint64_t count) {
  const std::uint64_t before = chain.looked_at();
  EXPECT_TRUE(chain.at(head, count));
  return chain.looked_at() - before;
}

TEST(Chain, FindsTheHeadsThatStepsLeadTo) {
  Prng rng(7);
  Chain chain(*Committee::of(4), {}, NodeId{0});
  std::vector<Head> heads{chain.base()};
  for (std::uint64_t k = 0; k < 600; ++k) {
    const std::size_t newest = std::min<std::size_t>(heads.size(), 4);
    heads.push_back(chain.add(heads[heads.size() - 1 - rng.below(newest)], payload(k), {}));
    if (k % 50 == 49) {
      const Head top = heads.back();
      chain.rebase(
          *chain.at(top, chain.base().count + 1 + rng.below(top.count - chain.base().count)));
      std::erase_if(heads, [&](const Head& h) { return !chain.known(h); });
    }
    const Head& from = heads[rng.below(heads.size())];
    for (std::uint64_t count = 0; count <= from.count + 1; ++count)
      ASSERT_EQ(chain.at(from, count), by_steps(chain, from, count)) << k << " " << count;
    const Head& other = heads[rng.below(heads.size())];
    EXPECT_EQ(chain.extends(from, other), by_steps(chain, from, other.count) == other);
  }
}

TEST(Chain, FindsThemInFewLooks) {
  constexpr std::uint64_t kMost = 8192;
  Chain chain(*Committee::of(4), {}, NodeId{0});
  Head top = chain.base();
  for (std::uint64_t k = 0; k < 4 * kMost; ++k) {
    top = chain.add(top, payload(k), {});
    // Half of it is forgotten again and again, as a node forgets at multiples of half a window.
    if (top.count - chain.base().count == kMost)
      chain.rebase(*chain.at(top, top.count - kMost / 2));
    if (k % 97 != 0) continue;
    const std::uint64_t below = 1 + k * 7919 % (top.count - chain.base().count);
    EXPECT_LE(looks(chain, top, top.count - below), 3 * std::bit_width(kMost));
  }
}

}  // namespace
}  // namespace thresher::chained_echo
