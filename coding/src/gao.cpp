#include "gao.hpp"

#include <isa-l/erasure_code.h>

#include <utility>

namespace thresher::coding {
namespace {

/// Coefficients of a polynomial, the constant one first, without leading zeros; zero is empty.
using Polynomial = std::vector<std::uint8_t>;

void trim(Polynomial& p) {
  while (!p.empty() && p.back() == 0) p.pop_back();
}

std::uint8_t at(const Polynomial& p, std::uint8_t x) {
  std::uint8_t sum = 0;
  for (std::size_t i = p.size(); i-- > 0;) sum = gf_mul(sum, x) ^ p[i];
  return sum;
}

/// p += factor * x^shift * q
void add_scaled(Polynomial& p, const Polynomial& q, std::uint8_t factor, std::size_t shift) {
  if (p.size() < q.size() + shift) p.resize(q.size() + shift);
  for (std::size_t i = 0; i < q.size(); ++i) p[i + shift] ^= gf_mul(factor, q[i]);
  trim(p);
}

/// Leaves in `p` the remainder of its division by `by` and adds quotient * v to `u`.
void divide(Polynomial& p, const Polynomial& by, Polynomial& u, const Polynomial& v) {
  const std::uint8_t inverse = gf_inv(by.back());
  while (p.size() >= by.size()) {
    const std::size_t shift = p.size() - by.size();
    const std::uint8_t factor = gf_mul(p.back(), inverse);
    add_scaled(p, by, factor, shift);
    add_scaled(u, v, factor, shift);
  }
}

/// The product of (x - point) over the word, and the polynomial through all of its symbols
/// (Newton's form, one symbol at a time).
std::pair<Polynomial, Polynomial> interpolate(std::span<const Symbol> word) {
  Polynomial nodes{1}, through;
  for (const Symbol& symbol : word) {
    const std::uint8_t missing = symbol.value ^ at(through, symbol.point);
    add_scaled(through, nodes, gf_mul(missing, gf_inv(at(nodes, symbol.point))), 0);
    Polynomial next(nodes.size() + 1);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      next[i + 1] ^= nodes[i];
      next[i] ^= gf_mul(symbol.point, nodes[i]);
    }
    nodes = std::move(next);
  }
  return {std::move(nodes), std::move(through)};
}

}  // namespace

std::optional<std::vector<std::size_t>> wrong_symbols(std::span<const Symbol> word,
                                                      std::size_t data, std::size_t most) {
  auto [above, below] = interpolate(word);
  // Remainders of Euclid's algorithm and the multiples of the interpolating polynomial in them.
  Polynomial above_times, below_times{1};
  while (!below.empty() && 2 * (below.size() - 1) >= word.size() + data) {
    divide(above, below, above_times, below_times);
    std::swap(above, below);
    std::swap(above_times, below_times);
  }
  // If a codeword is near enough, this leaves no remainder and is its polynomial; whatever it is
  // otherwise, it is not near.
  Polynomial sent;
  divide(below, below_times, sent, {1});
  if (sent.size() > data) return std::nullopt;
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (at(sent, word[i].point) != word[i].value) wrong.push_back(i);
  }
  if (wrong.size() > most) return std::nullopt;
  return wrong;
}

}  // namespace thresher::coding
