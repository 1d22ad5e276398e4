#include "thresher/protocols/coin/committee_lists.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/prng.hpp"

namespace thresher::coin {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMillion = 1'000'000;

Wide power(Wide base, std::uint32_t exponent) {
  Wide out = 1;
  for (std::uint32_t i = 0; i < exponent; ++i) out *= base;
  return out;
}

/// The least x from 1 on that `enough` accepts.
template <class Enough>
std::uint32_t least(Enough enough) {
  std::uint32_t x = 1;
  while (!enough(Wide{x})) ++x;
  return x;
}

std::uint32_t log2_up(std::uint32_t x) {
  std::uint32_t bits = 0;
  while ((std::uint64_t{1} << bits) < x) ++bits;
  return bits;
}

/// `count` distinct nodes below `below`, by name.
std::vector<NodeId> distinct(std::uint64_t name, std::uint32_t count, std::uint32_t below) {
  Prng random(mix64(name));
  std::vector<NodeId> all;
  for (std::uint32_t i = 0; i < below; ++i) all.push_back(NodeId{static_cast<std::uint16_t>(i)});
  for (std::uint32_t i = 0; i < count; ++i) std::swap(all[i], all[i + random.below(below - i)]);
  all.resize(count);
  return all;
}

}  // namespace

// N^k >= n^(2k-2), in the lowest terms that fit: N^3 >= n^4, N^2 >= n^3.
CommitteeSizes::CommitteeSizes(const Setup& setup) {
  const Wide n = setup.n;
  committees = setup.k == 3 ? least([n](Wide x) { return power(x, 3) >= power(n, 4); })
                            : least([n](Wide x) { return power(x, 2) >= power(n, 3); });
  size = std::min(setup.n, least([&](Wide x) {
                    return power(x * kMillion, setup.k) >= power(setup.size_ppm, setup.k) * n;
                  }));
  listened = std::min(size, 2 * log2_up(setup.n) + 1);
  bound = least(
      [&](Wide x) { return power(x * kMillion, 2) >= power(setup.gamma_ppm, 2) * committees; });
}

CommitteeLists::CommitteeLists(const Setup& setup) : setup_(setup), sizes_(setup), of_(setup.n) {
  const std::uint64_t family = mix64(0x7468726573686572 ^ mix64(setup.n * 8 + setup.k));
  for (std::uint32_t j = 0; j < committees(); ++j) {
    members_.push_back(distinct(family ^ mix64(j), size(), setup.n));
    for (const NodeId node : members_[j]) of_[node.value].push_back(j);
  }
}

// As many members from a place of the list on: the list itself is drawn.
std::vector<std::uint32_t> CommitteeLists::listens(NodeId party, std::uint32_t committee) const {
  const std::uint64_t name = mix64((std::uint64_t{party.value} << 32) + committee + setup_.k);
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < listened(); ++i)
    out.push_back(static_cast<std::uint32_t>((name + i) % size()));
  return out;
}

}  // namespace thresher::coin
