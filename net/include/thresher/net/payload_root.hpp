// The root of a block's payload: what its author signs in the place of the bytes.
//
//   DataHashes hashes;
//   Digest root = payload_root(payload.view(), &hashes);   // hashes: payload_hash() of some data
//
// The root is SHA-256 of: kRootName, the payload's length (u64, little-endian), and the payload, in
// which the hash of a transaction's data stands for the data where kLeastHashed <= its length <=
// kMostHashed. So whoever computes the root has the hashes that checkpoints need, and no byte of
// such data is hashed twice. Where the payload ceases to be made of transactions follows from the
// bytes before and the length, so two payloads never give the same input. Shorter data would gain
// nothing, since a block of the core's hash has 128 bytes; one long message is hashed faster by
// SHA-256.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/hash.hpp"

namespace thresher::net {

inline constexpr std::string_view kRootName = "thresher/payload-root/2";
/// Unit of both: bytes.
inline constexpr std::size_t kLeastHashed = 129;
inline constexpr std::size_t kMostHashed = 8192;

/// payload_hash() of the data that begins at this byte of a payload.
struct DataHash {
  std::uint32_t offset = 0;
  Digest hash{};
};
/// With rising offsets.
using DataHashes = std::vector<DataHash>;

/// A function of the bytes alone, whatever they are. Pre: fewer than 2^32. `hashes`, if it is
/// given, takes those that the root is made of.
Digest payload_root(ByteView payload, DataHashes* hashes = nullptr);

}  // namespace thresher::net
