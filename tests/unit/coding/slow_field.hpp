// An independent, slow reference for Reed-Solomon codes over GF(2^8): schoolbook arithmetic, and
// Berlekamp-Welch as a system of linear equations. Shares nothing with the library but the code's
// definition: shard i holds the sum of data shard j / (i + j), data shards themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace thresher::coding::slow {

using Byte = std::uint8_t;

/// Carry-less product modulo x^8 + x^4 + x^3 + x^2 + 1.
inline Byte times(Byte a, Byte b) {
  unsigned product = 0;
  for (unsigned bit = 0; bit < 8; ++bit) {
    if ((b >> bit & 1) != 0) product ^= unsigned{a} << bit;
  }
  for (unsigned bit = 15; bit >= 8; --bit) {
    if ((product >> bit & 1) != 0) product ^= 0x11dU << (bit - 8);
  }
  return static_cast<Byte>(product);
}

inline Byte inverse(Byte a) {
  for (unsigned b = 1; b < 256; ++b) {
    if (times(a, static_cast<Byte>(b)) == 1) return static_cast<Byte>(b);
  }
  return 0;
}

/// One column of a codeword of `total` symbols.
inline std::vector<Byte> encode(const std::vector<Byte>& data, unsigned total) {
  std::vector<Byte> out = data;
  for (auto i = static_cast<unsigned>(data.size()); i < total; ++i) {
    Byte sum = 0;
    for (unsigned j = 0; j < data.size(); ++j)
      sum ^= times(inverse(static_cast<Byte>(i ^ j)), data[j]);
    out.push_back(sum);
  }
  return out;
}

/// A solution of rows * x = right, or nothing (Gauss-Jordan).
inline std::optional<std::vector<Byte>> solve(std::vector<std::vector<Byte>> rows,
                                              std::vector<Byte> right) {
  const std::size_t columns = rows.empty() ? 0 : rows[0].size();
  std::vector<std::size_t> pivots;
  std::size_t rank = 0;
  for (std::size_t c = 0; c < columns && rank < rows.size(); ++c) {
    std::size_t at = rank;
    while (at < rows.size() && rows[at][c] == 0) ++at;
    if (at == rows.size()) continue;
    std::swap(rows[at], rows[rank]);
    std::swap(right[at], right[rank]);
    const Byte over = inverse(rows[rank][c]);
    for (Byte& x : rows[rank]) x = times(x, over);
    right[rank] = times(right[rank], over);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Byte factor = rows[r][c];
      if (r == rank || factor == 0) continue;
      for (std::size_t k = 0; k < columns; ++k) rows[r][k] ^= times(factor, rows[rank][k]);
      right[r] ^= times(factor, right[rank]);
    }
    pivots.push_back(c);
    ++rank;
  }
  for (std::size_t r = rank; r < rows.size(); ++r) {
    if (right[r] != 0) return std::nullopt;
  }
  std::vector<Byte> x(columns);
  for (std::size_t r = 0; r < rank; ++r) x[pivots[r]] = right[r];
  return x;
}

/// The data symbols of the codeword that at most `errors` of the symbols in `word` (absent ones are
/// nothing) disagree with, by Berlekamp and Welch: E(i) y(i) = Q(i) with E monic of degree `errors`
/// and Q of degree below data + errors, where y(i) is the symbol as a value of the polynomial.
/// Nothing when the division leaves a remainder or the codeword is too far.
inline std::optional<std::vector<Byte>> berlekamp_welch(
    const std::vector<std::optional<Byte>>& word, unsigned data, unsigned errors) {
  std::vector<Byte> scale;
  for (unsigned i = 0; i < word.size(); ++i) {
    Byte product = 1;
    for (unsigned j = 0; j < data; ++j) {
      if (j != i) product = times(product, static_cast<Byte>(i ^ j));
    }
    scale.push_back(product);
  }
  std::vector<std::vector<Byte>> rows;
  std::vector<Byte> right;
  for (unsigned i = 0; i < word.size(); ++i) {
    if (!word[i]) continue;
    const Byte y = times(*word[i], scale[i]);
    std::vector<Byte> row;
    Byte power = 1;
    for (unsigned k = 0; k < data + errors; ++k, power = times(power, static_cast<Byte>(i)))
      row.push_back(power);
    power = y;
    for (unsigned k = 0; k < errors; ++k, power = times(power, static_cast<Byte>(i)))
      row.push_back(power);
    rows.push_back(row);
    right.push_back(power);  // y(i) * i^errors
  }
  const auto x = solve(rows, right);
  if (!x) return std::nullopt;
  std::vector<Byte> q(x->begin(), x->begin() + data + errors),
      e(x->begin() + data + errors, x->end());
  e.push_back(1);
  std::vector<Byte> p(data);
  for (unsigned k = data; k-- > 0;) {
    p[k] = q[k + errors];
    for (unsigned m = 0; m <= errors; ++m) q[k + m] ^= times(p[k], e[m]);
  }
  for (const Byte rest : q) {
    if (rest != 0) return std::nullopt;
  }
  std::vector<Byte> out;
  for (unsigned i = 0; i < data; ++i) {
    Byte sum = 0;
    for (unsigned k = data; k-- > 0;) sum = times(sum, static_cast<Byte>(i)) ^ p[k];
    out.push_back(times(sum, inverse(scale[i])));
  }
  const auto codeword = encode(out, static_cast<unsigned>(word.size()));
  unsigned differ = 0;
  for (unsigned i = 0; i < word.size(); ++i) differ += word[i] && *word[i] != codeword[i] ? 1 : 0;
  if (differ > errors) return std::nullopt;
  return out;
}

}  // namespace thresher::coding::slow
