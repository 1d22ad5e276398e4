// Proofs that a transaction stands at a position of the log with this result, for somebody who has
// the genesis file and trusts no single node. For every ordering protocol.
//
//   auto proof = parse_log_proof(text);                 // of `thresher log prove`
//   if (!proof) return fail(proof.error());
//   const auto held = check_log_proof(genesis, *proof);
//   if (!held) return fail(held.error().text());
//
// A proof is a certificate (checkpoint.hpp), what stands at the other positions of the same leaf,
// and the path from that leaf to the certified root: 32 bytes for each doubling of the log.
// Guarantees: when it holds, a quorum signed a log with that transaction and that result at that
// position, so with at most f Byzantine members every correct node has the same there. The proof
// holds hashes: compare `payload` with payload_hash() of the bytes that you mean.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/net/checkpoint.hpp"
#include "thresher/net/client_id.hpp"
#include "thresher/net/node.hpp"

namespace thresher::net {

/// Positions that share a leaf of the log's tree; the last leaf of a log may have fewer.
inline constexpr std::uint64_t kLeafPositions = 4;
/// Leaves of a log of so many positions.
constexpr std::uint64_t leaves_of(std::uint64_t length) {
  return (length + kLeafPositions - 1) / kLeafPositions;
}
/// Positions in a leaf of such a log. Pre: it has that leaf.
constexpr std::uint64_t positions_in(std::uint64_t leaf, std::uint64_t length) {
  return std::min(kLeafPositions, length - leaf * kLeafPositions);
}

/// One position of the log, as a leaf of its tree says it.
struct LeafContent {
  ClientId client{};
  std::uint64_t sequence = 0;
  Digest payload{};  ///< payload_hash() of the transaction's bytes
  Digest result{};   ///< of what the application answered
  friend bool operator==(const LeafContent&, const LeafContent&) = default;
};
/// H of the transaction's bytes.
inline Digest payload_hash(ByteView transaction) {
  return hash(transaction);
}
/// What leaf_of() hashes: of each position client, sequence (u64, little-endian) and payload; then
/// the result of all if it is one, else the result of each. So it has 88, 144, 200 or 256 bytes, or
/// 176, 264 or 352: the length tells the form, and none is that of an inner node (65 bytes).
struct LeafBytes {
  std::array<std::byte, kLeafPositions*(16 + 8 + 32 + 32)> bytes;
  std::size_t size = 0;
  ByteView view() const { return ByteView(bytes).first(size); }
};
/// Pre: 1 to kLeafPositions of them, in the order of their positions.
LeafBytes leaf_bytes(std::span<const LeafContent> contents);
Digest leaf_of(std::span<const LeafContent> contents);

struct LogProof {
  std::uint64_t position = 0;
  LeafContent content;
  std::vector<LeafContent> beside;  ///< at the other positions of its leaf, in their order
  std::vector<Digest> path;         ///< nearest sibling first, as coding::merkle_included reads it
  Certificate certificate;
};

/// kRejected: it does not hold, and why.
Result<Unit, Error> check_log_proof(const Genesis& genesis, const LogProof& proof);

/// JSON in one line; hashes and signatures in Base64. Of 10 million entries and four nodes 1,840
/// bytes where the results in a leaf are alike and of one client, and at most 2,040.
std::string write_log_proof(const LogProof& proof);
/// kMalformed: it is no such proof; `where` is "line 1, column 9" where the place is known.
/// kUnsupported: of another schema.
Result<LogProof, Error> parse_log_proof(const std::string& json);

/// Asks a running node for the proof of a position. kRejected: the node gives none, and says
/// why, such as that the position has no certificate yet. kIo: it was not reached, or did not
/// answer in time. kMalformed: its answer cannot be decoded. `where` is "node 3". Blocks; at most
/// `patience_us`. Pre: `node` is one of the genesis file. Does not check what the proof proves.
Result<LogProof, Error> fetch_log_proof(const Genesis& genesis, NodeId node, std::uint64_t position,
                                        std::uint64_t patience_us = 5'000'000);

/// The proof of a position from the folder of a node that does not run, of which nothing is
/// changed. Reads the whole write-ahead log. kBusy while it runs.
Result<LogProof, Error> read_log_proof(const NodeOptions& options, std::uint64_t position);

/// For the wire: one spelling for one proof.
Bytes encode(const LogProof& proof);
std::optional<LogProof> decode_log_proof(ByteView bytes, std::uint32_t n);

}  // namespace thresher::net
