// Matrix times shards, the one thing that ISA-L is asked for. Private to the part.
#pragma once

#include <cstddef>
#include <vector>

#include "thresher/core/bytes.hpp"

namespace thresher::coding {

/// `rows` output shards of `size` bytes: each row of `matrix` (rows x in.size()) times the shards
/// at `in`. Pre: `size` is below 2 GiB.
std::vector<std::vector<std::byte>> multiply(std::vector<unsigned char> matrix, unsigned rows,
                                             std::vector<unsigned char*> in, std::size_t size);

/// A shard as ISA-L takes it: it only reads its sources, but its interface is older than `const`.
inline unsigned char* source(ByteView bytes) {
  return reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
}

}  // namespace thresher::coding
