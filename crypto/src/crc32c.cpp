#include "thresher/crypto/crc32c.hpp"

#include <isa-l/crc.h>

#include <algorithm>

namespace thresher::crypto {

std::uint32_t crc32c(ByteView data) {
  // ISA-L takes a length of type int and a pointer that is not const; it only reads.
  constexpr std::size_t kPiece = 1u << 30;
  std::uint32_t state = 0xffffffff;
  while (!data.empty()) {
    const ByteView piece = data.first(std::min(data.size(), kPiece));
    auto* bytes = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(piece.data()));
    state = ::crc32_iscsi(bytes, static_cast<int>(piece.size()), state);
    data = data.subspan(piece.size());
  }
  return ~state;
}

}  // namespace thresher::crypto
