#include "thresher/protocols/coin/setup_free_coin.hpp"

#include "thresher/core/assert.hpp"

namespace thresher::setup_free {
namespace {

__extension__ using Wide = unsigned __int128;

/// Two outputs of approximate agreement differ by at most this in each number, when inputs are 0
/// or 2^rounds.
constexpr std::uint64_t kApart = 2;

/// Of 2^64 how many sums lie so near the edge of a side that somebody may be beyond it.
Wide near_edges(std::uint32_t n, std::uint64_t sides, std::uint32_t rounds) {
  const Wide apart = (Wide{n} * kApart << 64) >> rounds;
  return Wide{sides} * 2 * apart;
}

}  // namespace

std::uint64_t disagreement_bound_ppm(std::uint32_t n, std::uint64_t sides, std::uint32_t rounds) {
  const Wide whole = Wide{1} << 64;
  const Wide near = near_edges(n, sides, rounds);
  if (near >= whole) return 1'000'000;
  return static_cast<std::uint64_t>((near * 1'000'000 + whole - 1) >> 64);
}

std::uint32_t rounds_for(std::uint32_t n, std::uint64_t sides, std::uint64_t one_in) {
  std::uint32_t rounds = 1;
  while (rounds < kMostRounds && near_edges(n, sides, rounds) > (Wide{1} << 64) / one_in) ++rounds;
  return rounds;
}

// The weight of a dealer is weight / 2^rounds; its product with a secret is cut off below 2^-64.
std::uint64_t side_of(std::span<const Part> parts, std::uint32_t rounds, std::uint64_t sides) {
  std::uint64_t sum = 0;
  for (const Part& part : parts) {
    THRESHER_ASSERT(part.weight >= 0 && part.weight <= std::int64_t{1} << rounds,
                    "weights lie within correct nodes' inputs");
    const Wide product = Wide{part.secret} * static_cast<std::uint64_t>(part.weight);
    sum += static_cast<std::uint64_t>(product >> rounds);
  }
  return static_cast<std::uint64_t>((Wide{sum} * sides) >> 64);
}

Digest value_of(std::uint64_t side) {
  Digest out{};
  for (std::size_t i = 0; i < sizeof side; ++i)
    out.bytes[out.bytes.size() - 1 - i] = static_cast<std::byte>(side >> (8 * i));
  return out;
}

std::uint64_t side_in(const Digest& value) {
  std::uint64_t out = 0;
  for (std::size_t i = value.bytes.size() - sizeof out; i < value.bytes.size(); ++i)
    out = out << 8 | std::to_integer<std::uint64_t>(value.bytes[i]);
  return out;
}

}  // namespace thresher::setup_free
