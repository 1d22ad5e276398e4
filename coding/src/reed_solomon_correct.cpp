// Errors besides erasures. A wrong shard is wrong as a whole, so single columns are decoded only to
// learn which shards are wrong; the payload then comes from the others.
#include <isa-l/erasure_code.h>

#include <algorithm>
#include <optional>

#include "gao.hpp"
#include "multiply.hpp"
#include "thresher/coding/reed_solomon.hpp"

namespace thresher::coding {
namespace {

constexpr std::size_t kBlock = 4096;  // columns that are checked at a time

/// The shards that are there, as values of polynomials. ISA-L's Cauchy matrix is 1 / (i + j), so
/// shard i holds p(i) / scale(i), where p is the polynomial of degree below `data` that goes
/// through the data shards and scale(i) the product of (i - j) over data shards j other than i.
class Word {
 public:
  Word(std::span<const Bytes> shards, unsigned data) : shards_(shards), data_(data) {
    for (unsigned i = 0; i < shards.size(); ++i) {
      if (!shards[i].empty()) right_.push_back(i);
      std::uint8_t scale = 1;
      for (unsigned j = 0; j < data; ++j) {
        if (j != i) scale = gf_mul(scale, difference(i, j));
      }
      scales_.push_back(scale);
    }
  }

  std::size_t size() const { return right_.size(); }
  const std::vector<unsigned>& wrong() const { return wrong_; }

  /// The first column of `count` from `from` on in which the shards that pass for right are no
  /// codeword; nothing when there is none.
  std::optional<std::size_t> mismatch(std::size_t from, std::size_t count) const {
    std::vector<unsigned char*> in;
    for (unsigned b = 0; b < data_; ++b) in.push_back(part(right_[b], from));
    const auto checks = static_cast<unsigned>(right_.size() - data_);
    const auto expected = multiply(to_checks(), checks, in, count);
    std::optional<std::size_t> first;
    for (unsigned c = 0; c < checks; ++c) {
      const ByteView held = shards_[right_[data_ + c]].view().subspan(from, count);
      const auto at = std::ranges::mismatch(held, expected[c]).in1 - held.begin();
      const auto column = from + static_cast<std::size_t>(at);
      if (column < from + count && column < first.value_or(column + 1)) first = column;
    }
    return first;
  }

  /// Sorts out the shards that are wrong in `column`; false when they are more than `most`.
  bool sort_out(std::size_t column, std::size_t most) {
    std::vector<Symbol> symbols;
    for (const unsigned i : right_) {
      const auto value = std::to_integer<std::uint8_t>(shards_[i].view()[column]);
      symbols.push_back({static_cast<std::uint8_t>(i), gf_mul(value, scales_[i])});
    }
    const auto found = wrong_symbols(symbols, data_, most);
    if (!found) return false;
    for (const std::size_t at : *found) wrong_.push_back(right_[at]);
    std::ranges::sort(wrong_);
    std::erase_if(right_, [&](unsigned i) { return std::ranges::binary_search(wrong_, i); });
    return true;
  }

 private:
  static std::uint8_t difference(unsigned i, unsigned j) {
    return static_cast<std::uint8_t>(i ^ j);
  }
  unsigned char* part(unsigned i, std::size_t from) const {
    return source(shards_[i].view().subspan(from));
  }

  /// The matrix that makes every further shard out of the first `data` that pass for right
  /// (Lagrange's interpolation, which needs no inversion).
  std::vector<unsigned char> to_checks() const {
    const std::span basis = std::span(right_).first(data_);
    std::vector<std::uint8_t> weights;
    for (const unsigned b : basis) {
      std::uint8_t product = 1;
      for (const unsigned other : basis) {
        if (other != b) product = gf_mul(product, difference(b, other));
      }
      weights.push_back(gf_mul(scales_[b], gf_inv(product)));
    }
    std::vector<unsigned char> out;
    for (const unsigned check : std::span(right_).subspan(data_)) {
      std::uint8_t product = gf_inv(scales_[check]);
      for (const unsigned b : basis) product = gf_mul(product, difference(check, b));
      for (unsigned k = 0; k < data_; ++k) {
        const std::uint8_t over = gf_inv(difference(check, basis[k]));
        out.push_back(gf_mul(product, gf_mul(weights[k], over)));
      }
    }
    return out;
  }

  std::span<const Bytes> shards_;
  unsigned data_;
  std::vector<unsigned> right_;  // places that pass for right, ascending
  std::vector<unsigned> wrong_;
  std::vector<std::uint8_t> scales_;
};

}  // namespace

Result<Corrected> ReedSolomon::correct(std::span<const Bytes> shards, std::size_t payload_size,
                                       unsigned most_wrong) const {
  const std::size_t size = shard_size(payload_size);
  const auto fits = [&](const Bytes& shard) { return shard.empty() || shard.size() == size; };
  if (shards.size() != total_ || !std::ranges::all_of(shards, fits)) return Errc::kMalformed;
  Word word(shards, data_);
  if (word.size() < data_ + std::size_t{2} * most_wrong) return Errc::kMalformed;
  // Columns before `at` stay a codeword when a shard is sorted out, so none is looked at twice.
  for (std::size_t at = 0; at < size;) {
    const std::size_t count = std::min(kBlock, size - at);
    const auto column = word.mismatch(at, count);
    at = column.value_or(at + count);
    if (!column) continue;
    if (!word.sort_out(*column, most_wrong - word.wrong().size())) return Errc::kCorrupt;
  }
  std::vector<Bytes> right(shards.begin(), shards.end());
  for (const unsigned i : word.wrong()) right[i] = Bytes{};
  auto payload = decode(right, payload_size);
  if (!payload) return payload.error();
  return Corrected{std::move(*payload), word.wrong()};
}

}  // namespace thresher::coding
