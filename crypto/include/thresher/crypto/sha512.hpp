// SHA-512 through OpenSSL, one reused context a thread.
//
//   Sha512 h = crypto::sha512(message);
//
// Guarantees: no allocation after a thread's first call. Not for keyed hashing, nor for secrets:
// the context keeps its last block until the thread's next call.
#pragma once

#include <array>

#include "thresher/core/bytes.hpp"

namespace thresher::crypto {

using Sha512 = std::array<std::byte, 64>;

Sha512 sha512(ByteView bytes);

}  // namespace thresher::crypto
