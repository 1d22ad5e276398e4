// Reed-Solomon shards of a payload: any `data` of `total` shards give it back (ISA-L, GF(2^8)).
//
//   auto code = ReedSolomon::make(f + 1, n);
//   std::vector<Bytes> shards = code->encode(payload.view());
//   Result<Bytes> back = code->decode(received, payload.size());   // absent shards are empty
//
// Guarantees: the first `data` shards are the payload itself, padded with zeros. Erasures only: a
// wrong shard gives a wrong payload, so check shards against a Merkle root before and the payload's
// digest after.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/result.hpp"

namespace thresher::crypto {

/// One code, made once for a committee and shared by threads (its members are constant).
class ReedSolomon {
 public:
  /// The most shards that a code over GF(2^8) can have.
  static constexpr unsigned kMaxShards = 255;

  /// Refuses, with a sentence that says why, unless 1 <= data <= total <= kMaxShards.
  static Result<ReedSolomon, std::string> make(unsigned data, unsigned total);

  /// The size in bytes of every shard of a payload of `payload_size` bytes.
  std::size_t shard_size(std::size_t payload_size) const;
  /// `total` shards of `payload`. Pre: a shard is smaller than 2 GiB (ISA-L counts in int).
  std::vector<Bytes> encode(ByteView payload) const;
  /// The payload of `payload_size` bytes from the first `data` shards that are there. An absent
  /// shard is empty. kMalformed: not one place a shard, a shard of another size, or too few shards.
  Result<Bytes> decode(std::span<const Bytes> shards, std::size_t payload_size) const;

 private:
  ReedSolomon(unsigned data, unsigned total);

  unsigned data_;
  unsigned total_;
  std::vector<unsigned char> matrix_;  // total x data, the identity on top
};

}  // namespace thresher::crypto
