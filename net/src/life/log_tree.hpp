// The Merkle tree over the positions of the log, each with its transaction and its result. Private
// to net/.
//
//   tree.add(transaction, result_hash);               // while the transaction's bytes live
//   for (Persist& r : tree.take_records()) ...        // beside the log entry: all that was added
//   Digest root = tree.root();                        // into a checkpoint
//
//   TreeReader past(store, reader, *load_own_checkpoint(store, slot));
//   auto path = past.path(position);                  // against that checkpoint's root
//
// The tree is that of coding/merkle_range.hpp over leaves of kLeafPositions positions each
// (log_proof.hpp); the last leaf may have fewer, and is another when the log goes on. Guarantees:
// what is stored is one record for kChunk positions: their results' hashes (one hash when all are
// the same) and the hashes of the full parts of kChunk positions or more that end there. The
// smaller parts are made again from the log, which has the transactions; so a proof reads at most
// two chunks of it, with the commits that they are in. Costs 32 to 33 bytes a position, or a
// quarter of a byte where all results of a chunk are the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ledger/ledger.hpp"
#include "ledger/log_reader.hpp"
#include "life/content_reading.hpp"
#include "thresher/coding/merkle_range.hpp"
#include "thresher/core/error.hpp"
#include "thresher/net/checkpoint.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::net {

/// Chunks of the tree, by their number, big-endian.
inline constexpr std::uint32_t kTreeTable = 19;
/// Checkpoints of this node, by slot.
inline constexpr std::uint32_t kCheckpointTable = 20;
/// Certificates, by slot.
inline constexpr std::uint32_t kCertificateTable = 21;
/// One record: the contents of the chunk that the log begins in, where it does not hold their
/// transactions (22 is kBeginTable).
inline constexpr std::uint32_t kFrontTable = 23;

/// Hashes of results in their order. While all are the same, one of them is held.
class OpenResults {
 public:
  OpenResults() = default;
  explicit OpenResults(std::span<const Digest> results) {
    for (const Digest& result : results) push_back(result);
  }
  void push_back(const Digest& result);
  std::size_t size() const { return size_; }
  bool alike() const { return each_.empty(); }
  std::vector<Digest> all() const;
  /// What tells all of them, with their number.
  std::span<const Digest> told() const {
    return alike() ? std::span(&first_, std::min<std::size_t>(size_, 1)) : std::span(each_);
  }
  void clear() { *this = OpenResults(); }

 private:
  Digest first_{};
  std::size_t size_ = 0;
  std::vector<Digest> each_;  // empty while all are as the first
};

class LogTree {
 public:
  /// Level of the full parts of the tree that are a chunk.
  static constexpr std::uint32_t kChunkLevel = 6;
  static constexpr std::uint64_t kChunk = kLeafPositions << kChunkLevel;

  /// The next position. Its bytes have to live until take_records(), which hashes many at once.
  /// `payload`: payload_hash() of them where it is known.
  void add(const Transaction& t, const Digest& result, const Digest* payload = nullptr);
  std::uint64_t length() const { return range_.size() * kLeafPositions + contents_.size(); }
  /// Puts what was added into the tree; gives the records of the chunks that this completes.
  std::vector<Persist> take_records();

  // As it was at the last take_records():
  Digest root() const;
  /// Results at the positions behind the last whole chunk.
  std::vector<Digest> open_results() const { return open_.all(); }
  /// Peaks over the whole leaves.
  const std::vector<Digest>& peaks() const { return range_.peaks(); }
  /// What stands behind the last whole leaf.
  std::vector<LeafContent> open_leaf() const;

  /// From now on the transactions added last are kept by their hashes, for nodes that take over
  /// from this one, until they are forgotten. Costs 56 bytes each.
  void keep_recent() { keeps_recent_ = true; }
  /// Those in front of a position, but for what the open chunk needs.
  void forget_recent(std::uint64_t before);
  /// Up to length(), without a gap; those in front of a restart may be missing.
  const RecentTransactions::View& recent() const { return recent_.view(); }
  /// Pre: they end with length().
  void recall_recent(RecentTransactions recent) { recent_ = std::move(recent); }

  /// Mirror of save_tree(); false when the bytes are not a tree of `length` leaves.
  bool restore(Reader& in, std::uint64_t length);

 private:
  /// An entry whose payload is not hashed yet.
  struct Unhashed {
    std::size_t at;  // in contents_
    ByteView data;
  };
  /// Positions whose hashes are made together.
  static constexpr std::size_t kPiece = 1024;
  static_assert(kPiece % kLeafPositions == 0);

  void hash_payloads();
  void add_leaves(std::span<const LeafContent> piece, std::map<std::uint64_t, Bytes>& nodes);
  void note_results(std::span<const LeafContent> contents, std::vector<Persist>& records,
                    const std::map<std::uint64_t, Bytes>& nodes);

  coding::MerkleRange range_;          // of the whole leaves
  OpenResults open_;                   // behind the last whole chunk
  std::vector<LeafContent> contents_;  // behind the last whole leaf, those that were added last
  std::size_t taken_ = 0;              // of these, at the last take_records()
  std::uint64_t chunks_ = 0;           // whole ones, of which records were taken
  std::vector<Unhashed> unhashed_;
  bool keeps_recent_ = false;
  RecentTransactions recent_;
};

/// Bytes of one of them in a file.
inline constexpr std::size_t kRecentBytes = sizeof(ClientId::bytes) + 8 + sizeof(Digest::bytes);
void write(const OrderedTransaction& t, Writer& out);
/// What LogTree::recent() is, for a node's own snapshot, and the mirror: false when malformed.
void write_recent(const RecentTransactions::View& recent, Writer& out);
bool read_recent(Reader& in, RecentTransactions& recent);
/// A tree that has these, for LogTree::restore().
void save_tree(const std::vector<Digest>& peaks, const std::vector<Digest>& open_results,
               const std::vector<LeafContent>& open_leaf, Writer& out);

/// What this node said of a slot, and the results that no whole chunk has at that length.
struct OwnCheckpoint {
  SignedCheckpoint signed_checkpoint;
  bool is_signed = false;  ///< false: this node follows the log and signs nothing
  std::vector<Digest> open_results{};
};
Persist record_of(const OwnCheckpoint& own);
std::optional<OwnCheckpoint> load_own_checkpoint(const NodeStore& store, Round slot,
                                                 std::uint32_t n);
/// The certificate of a slot, if the store has one.
std::optional<Certificate> load_certificate(const NodeStore& store, Round slot, std::uint32_t n);
/// Slots of all checkpoints of this node in a store, rising.
std::vector<Round> own_checkpoint_slots(const NodeStore& store);

/// Hashes of the results from `position` on, of the whole chunks that follow one another. Pre: a
/// chunk begins there.
std::vector<Digest> chunk_results(const NodeStore& store, std::uint64_t position);

/// What a node that takes the tree over at `length` stores, so that later positions can be proved:
/// the tops of the whole chunks, and what stands behind the last of them.
std::vector<Persist> records_at(std::uint64_t length, const std::vector<Digest>& peaks,
                                const std::vector<LeafContent>& open);

class TreeReader;
/// The proof of a position against a certificate of the tree's own checkpoint, or what the store
/// does not give. Pre: the certificate covers the position.
/// `quorum`: signatures that the proof needs, and has. Reads the log to the end of what it needs,
/// if TreeReader::read_for() has not.
Result<LogProof, Error> proof_of(TreeReader& tree, std::uint64_t position,
                                 const Certificate& certificate, std::uint32_t quorum);

/// The tree as it was at one checkpoint of this node, from what the store has.
class TreeReader {
 public:
  /// The references live longer than this.
  TreeReader(const NodeStore& store, const LogReader& log, OwnCheckpoint at)
      : store_(store), log_(log), at_(std::move(at)) {}

  const Checkpoint& at() const { return at_.signed_checkpoint.checkpoint; }
  /// Positions in front of it were pruned.
  std::uint64_t begins() const { return log_.begin().length; }
  std::uint64_t leaves() const { return leaves_of(at().length); }
  /// The hash of the leaves from `begin` to `end`. Pre: a part of the tree, as in
  /// coding::merkle_part, that ends at leaves() or before.
  Result<Digest, Error> part(std::uint64_t begin, std::uint64_t end);
  /// From a leaf to the root. Pre: below leaves(), as for leaf().
  Result<std::vector<Digest>, Error> path(std::uint64_t leaf);
  /// What stands at its positions.
  Result<std::vector<LeafContent>, Error> leaf(std::uint64_t leaf);

  /// Reads a piece of what part(begin, end), or leaf(begin), takes from the log; false: there is
  /// more. Once it is true they read nothing, and it stays so until another part is asked for.
  bool read_for(std::uint64_t begin, std::uint64_t end, const Enough& enough);
  /// The same for leaf() and path().
  bool read_for_proof(std::uint64_t leaf, const Enough& enough) {
    return read_for(leaf, leaf + 1, enough) && read_for(0, leaves(), enough);
  }

 private:
  struct Chunk {
    std::vector<LeafContent> contents{};
    std::map<coding::MerklePlace, Digest> full{};
    std::optional<Error> problem{};  // why it has nothing
  };
  /// A chunk that is being read.
  struct Reading {
    std::uint64_t number = 0;
    ContentReading contents;
  };
  Digest full(coding::MerklePlace place);
  Digest stored(coding::MerklePlace place);
  bool is_open(coding::MerklePlace place) const;
  std::uint64_t last_chunk() const { return at().length / LogTree::kChunk; }
  static void add_parts(std::uint64_t number, Chunk& chunk);
  std::vector<Digest> results_of(std::uint64_t chunk);
  std::vector<LeafContent> in_front(std::uint64_t position) const;
  const Chunk* chunk(std::uint64_t number);
  bool read_chunk(std::uint64_t number, const Enough& enough);
  void keep(std::uint64_t number, Chunk chunk);
  Error unreadable(std::uint64_t chunk) const;

  const NodeStore& store_;
  const LogReader& log_;
  OwnCheckpoint at_;
  std::map<std::uint64_t, Chunk> chunks_;  // the last one, which most need, and another
  std::optional<Reading> reading_;
  std::optional<Error> problem_;  // why the store does not give what it should
};

}  // namespace thresher::net
