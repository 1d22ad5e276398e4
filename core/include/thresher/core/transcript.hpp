// What is hashed and signed: a domain tag, the chain, the epoch, then fixed-width little-endian
// fields.
//
//   Transcript t("thresher/block/1", chain);
//   t.u16(author.value).u64(round.value).bytes(root.bytes);
//   Digest digest = t.digest();
//
// Guarantees: canonical; a message of one type, chain or epoch never has the bytes of another.
// Also the project's writer for stored records; `Reader` is its mirror.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/hash.hpp"

namespace thresher {

/// Which ledger and which committee a signature is for.
struct ChainContext {
  Digest chain{};
  std::uint64_t epoch = 0;
  friend bool operator==(const ChainContext&, const ChainContext&) = default;
};

/// The number whose bytes in memory are those of `v`, lowest first; on most machines `v` itself.
template <class Word>
constexpr Word little_endian(Word v) {
  if constexpr (std::endian::native == std::endian::little) {
    return v;
  } else {
    Word out = 0;
    for (std::size_t i = 0; i < sizeof v; ++i)
      out = static_cast<Word>(out << 8 | (v >> (8 * i) & 0xff));
    return out;
  }
}

/// Appends fixed-width little-endian fields.
class Writer {
 public:
  Writer& u8(std::uint8_t v) { return word(v); }
  Writer& u16(std::uint16_t v) { return word(v); }
  Writer& u32(std::uint32_t v) { return word(v); }
  Writer& u64(std::uint64_t v) { return word(v); }
  Writer& bytes(ByteView v);
  /// Room for this many bytes in all: a caller that knows how many there will be saves the moves.
  Writer& reserve(std::size_t bytes) {
    out_.reserve(bytes);
    return *this;
  }
  ByteView view() const { return out_; }
  std::vector<std::byte> take() { return std::move(out_); }

 private:
  template <class Word>
  Writer& word(Word v) {
    v = little_endian(v);
    return bytes(std::as_bytes(std::span<const Word, 1>(&v, 1)));
  }
  std::vector<std::byte> out_;
};

/// Reads what `Writer` wrote. After a short read `ok()` is false and every further value is zero.
class Reader {
 public:
  explicit Reader(ByteView in) : in_(in) {}
  std::uint8_t u8() { return word<std::uint8_t>(); }
  std::uint16_t u16() { return word<std::uint16_t>(); }
  std::uint32_t u32() { return word<std::uint32_t>(); }
  std::uint64_t u64() { return word<std::uint64_t>(); }
  ByteView bytes(std::size_t size) {
    if (!ok_ || size > in_.size()) {
      ok_ = false;
      return {};
    }
    const ByteView out = in_.first(size);
    in_ = in_.subspan(size);
    return out;
  }
  Digest digest() {
    Digest out;
    fill(out.bytes);
    return out;
  }
  /// The next bytes into `out`, which stays as it is when there are too few.
  template <std::size_t kSize>
  void fill(std::array<std::byte, kSize>& out) {
    if (const ByteView view = bytes(kSize); !view.empty())
      std::memcpy(out.data(), view.data(), kSize);
  }
  bool ok() const { return ok_; }
  /// True when everything was read and nothing was missing.
  bool done() const { return ok_ && in_.empty(); }
  std::size_t remaining() const { return in_.size(); }

 private:
  template <class Word>
  Word word() {
    Word out = 0;
    if (const ByteView view = bytes(sizeof out); !view.empty())
      std::memcpy(&out, view.data(), sizeof out);
    return little_endian(out);
  }
  ByteView in_;
  bool ok_ = true;
};

/// A `Writer` that starts with the domain tag, the chain and the epoch.
class Transcript : public Writer {
 public:
  Transcript(std::string_view domain, const ChainContext& context);
  Digest digest() const { return hash(view()); }
};

}  // namespace thresher
