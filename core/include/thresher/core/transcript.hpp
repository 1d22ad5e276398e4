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

#include <cstdint>
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

/// Appends fixed-width little-endian fields.
class Writer {
 public:
  Writer& u8(std::uint8_t v) { return put(v, 1); }
  Writer& u16(std::uint16_t v) { return put(v, 2); }
  Writer& u32(std::uint32_t v) { return put(v, 4); }
  Writer& u64(std::uint64_t v) { return put(v, 8); }
  Writer& bytes(ByteView v) {
    out_.insert(out_.end(), v.begin(), v.end());
    return *this;
  }
  ByteView view() const { return out_; }
  std::vector<std::byte> take() { return std::move(out_); }

 private:
  Writer& put(std::uint64_t v, int width);
  std::vector<std::byte> out_;
};

/// Reads what `Writer` wrote. After a short read `ok()` is false and every further value is zero.
class Reader {
 public:
  explicit Reader(ByteView in) : in_(in) {}
  std::uint8_t u8() { return static_cast<std::uint8_t>(get(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(get(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(get(4)); }
  std::uint64_t u64() { return get(8); }
  ByteView bytes(std::size_t size);
  Digest digest();
  bool ok() const { return ok_; }
  /// True when everything was read and nothing was missing.
  bool done() const { return ok_ && in_.empty(); }
  std::size_t remaining() const { return in_.size(); }

 private:
  std::uint64_t get(std::size_t width);
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
