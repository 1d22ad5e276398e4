// Reed-Solomon shards of a payload: any `data` of `total` shards give it back (ISA-L, GF(2^8)).
//
//   auto code = ReedSolomon::make(f + 1, n);
//   std::vector<Bytes> shards = code->encode(payload.view());
//   Result<Bytes> back = code->decode(received, payload.size());       // absent shards are empty
//   Result<Corrected> mended = code->correct(received, payload.size(), 1);      // one may be wrong
//
// Guarantees: the first `data` shards are the payload itself, padded with zeros. decode() takes
// shards for right: a wrong one gives a wrong payload, so check them against a Merkle root before,
// or use correct(), which finds the wrong ones as long as enough right ones are there. Neither
// knows the payload that the sender meant: compare its digest afterwards.
#pragma once

#include <span>
#include <vector>

#include "thresher/core/bytes.hpp"
#include "thresher/core/error.hpp"

namespace thresher::coding {

/// What correct() found.
struct Corrected {
  Bytes payload;
  std::vector<unsigned> wrong;  ///< places of shards that differ from the payload's, ascending
};

/// One code, made once for a committee and shared by threads (its members are constant).
class ReedSolomon {
 public:
  /// The most shards that a code over GF(2^8) can have.
  static constexpr unsigned kMaxShards = 255;

  /// kRejected unless 1 <= data <= total <= kMaxShards.
  static Result<ReedSolomon, Error> make(unsigned data, unsigned total);

  unsigned data() const { return data_; }
  unsigned total() const { return total_; }
  /// The size in bytes of every shard of a payload of `payload_size` bytes; at least 1.
  std::size_t shard_size(std::size_t payload_size) const;
  /// `total` shards of `payload`. Pre: a shard is smaller than 2 GiB (ISA-L counts in int).
  std::vector<Bytes> encode(ByteView payload) const;
  /// Shard `index` of those that encode() makes, for the price of one. Pre: index < total().
  Bytes shard(ByteView payload, unsigned index) const;
  /// The payload of `payload_size` bytes from the first `data` shards that are there. An absent
  /// shard is empty. kMalformed: not one place a shard, a shard of another size, or too few shards.
  Result<Bytes> decode(std::span<const Bytes> shards, std::size_t payload_size) const;
  /// The payload of the only codeword that at most `most_wrong` of the shards that are there
  /// disagree with. kCorrupt: no codeword is that near. kMalformed: as decode(), where too few are
  /// fewer than data + 2 * most_wrong (below that two codewords can be equally near).
  /// Costs one encoding and, for each wrong shard, one inversion of a data x data matrix and one
  /// decoding of a single column, however the wrong bytes lie.
  Result<Corrected> correct(std::span<const Bytes> shards, std::size_t payload_size,
                            unsigned most_wrong) const;

 private:
  ReedSolomon(unsigned data, unsigned total);
  std::vector<Bytes> data_shards(ByteView payload) const;

  unsigned data_;
  unsigned total_;
  std::vector<unsigned char> matrix_;  // total x data, the identity on top
};

}  // namespace thresher::coding
