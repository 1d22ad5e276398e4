// Which symbols of one received word are wrong: Gao's decoder over GF(2^8). Private to the part.
//
//   std::vector<Symbol> word{{0, a}, {2, b}, {5, c}, ...};     // values of a polynomial at points
//   auto wrong = wrong_symbols(word, 3, 1);         // of degree below 3, one may be wrong
//
// Source: Gao, "A new algorithm for decoding Reed-Solomon codes" (2003), algorithm 1: interpolate,
// run the extended Euclidean algorithm half way, divide. It takes O(m^2) for m symbols, needs
// neither syndromes nor an error locator, and an absent symbol is a point less.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace thresher::coding {

/// The value that a polynomial is said to have at a point of GF(2^8).
struct Symbol {
  std::uint8_t point = 0;
  std::uint8_t value = 0;
};

/// Places in `word` whose values are not those of the polynomial of degree below `data` that at
/// most `most` of them disagree with; nothing when there is no such polynomial. Pre: points differ,
/// 1 <= data and data + 2 * most <= word.size(), so that there is one at most.
std::optional<std::vector<std::size_t>> wrong_symbols(std::span<const Symbol> word,
                                                      std::size_t data, std::size_t most);

}  // namespace thresher::coding
