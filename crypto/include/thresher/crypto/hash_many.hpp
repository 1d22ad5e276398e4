// The core's hash of many messages at once, in the lanes of wide registers.
//
//   std::vector<Digest> out(messages.size());
//   hash_many(messages, out);                        // out[i] == hash(messages[i])
//
// Guarantees: the digests of thresher::hash, in any mix of lengths and on every machine. Fast where
// messages of as many blocks of 128 bytes come together, however long they are, and the processor
// has AVX-512 or AVX2: eight parts of 1 MiB beside each other take a quarter of the time that they
// take one after another, four with AVX2 two thirds. Messages of different numbers of blocks never
// share lanes.
#pragma once

#include <span>

#include "thresher/core/hash.hpp"

namespace thresher::crypto {

/// Pre: as many digests as messages.
void hash_many(std::span<const ByteView> messages, std::span<Digest> out);

}  // namespace thresher::crypto
