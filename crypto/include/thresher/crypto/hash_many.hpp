// The core's hash of many messages at once, in the lanes of wide registers.
//
//   std::vector<Digest> out(messages.size());
//   hash_many(messages, out);                        // out[i] == hash(messages[i])
//
// Guarantees: the digests of thresher::hash, in any mix of lengths and on every machine. Fast where
// messages of as many blocks of 128 bytes come together and the processor has AVX-512 or AVX2: with
// eight lanes a block costs a fifth to an eighth of what it costs alone.
#pragma once

#include <span>

#include "thresher/core/hash.hpp"

namespace thresher::crypto {

/// Pre: as many digests as messages.
void hash_many(std::span<const ByteView> messages, std::span<Digest> out);

}  // namespace thresher::crypto
