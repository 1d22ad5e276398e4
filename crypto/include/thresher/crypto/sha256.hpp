// SHA-256 through OpenSSL, one reused context a thread: what payload roots are made of.
//
//   Digest root = crypto::sha256(payload.view());
//
// Guarantees: no allocation after a thread's first call. Not for keyed hashing.
#pragma once

#include "thresher/core/hash.hpp"

namespace thresher::crypto {

Digest sha256(ByteView bytes);

}  // namespace thresher::crypto
