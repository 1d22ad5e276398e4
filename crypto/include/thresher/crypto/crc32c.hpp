// CRC-32C (Castagnoli): tells a damaged or half-written record from a whole one (ISA-L, which uses
// the processor's own instruction).
//
//   const std::uint32_t sum = crypto::crc32c(as_view("123456789"));   // 0xe3069283
//
// Guarantees: the checksum of RFC 3720, appendix B.4. Finds accidents, not changes made on purpose:
// digests and signatures do that.
#pragma once

#include <cstdint>

#include "thresher/core/bytes.hpp"

namespace thresher::crypto {

/// The checksum of any number of bytes, also none.
std::uint32_t crc32c(ByteView data);

}  // namespace thresher::crypto
