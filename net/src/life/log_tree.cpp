#include "life/log_tree.hpp"

#include <algorithm>
#include <map>

#include "life/leaf_content.hpp"
#include "thresher/crypto/hash_many.hpp"

namespace thresher::net {
namespace {

/// How a chunk's record has its results. kTop: it has none, only the hash of the largest full part
/// that ends with the chunk.
enum class Form : std::uint8_t { kAlike, kEach, kTop };

Bytes chunk_key(std::uint64_t chunk) {
  return slot_key(Round{chunk});
}

void write_results(const OpenResults& results, Writer& out) {
  out.u8(static_cast<std::uint8_t>(results.alike() ? Form::kAlike : Form::kEach));
  out.u16(static_cast<std::uint16_t>(results.size()));
  for (const Digest& result : results.told()) out.bytes(result.bytes);
}

/// Empty when malformed; no list of results is longer than a chunk.
std::optional<std::vector<Digest>> read_results(Reader& in) {
  const std::uint8_t form = in.u8();
  const std::size_t count = in.u16();
  if (!in.ok() || form >= static_cast<std::uint8_t>(Form::kTop) || count > LogTree::kChunk)
    return std::nullopt;
  std::vector<Digest> out;
  if (form == static_cast<std::uint8_t>(Form::kAlike)) {
    if (count > 0) out.assign(count, in.digest());
  } else {
    for (std::size_t i = 0; i < count; ++i) out.push_back(in.digest());
  }
  if (!in.ok()) return std::nullopt;
  return out;
}

Bytes front_key() {
  return Bytes::copy_of(as_view("front"));
}

// The value under a key, if the table has it.
std::optional<Bytes> value_of(const NodeStore& store, std::uint32_t table, const Bytes& key) {
  std::optional<Bytes> out;
  (void)store.scan(table, key.view(), [&](ByteView found, ByteView value) {
    if (std::ranges::equal(found, key.view())) out = Bytes::copy_of(value);
    return false;
  });
  return out;
}

}  // namespace

void OpenResults::push_back(const Digest& result) {
  if (size_ == 0) first_ = result;
  if (each_.empty() && !(result == first_)) each_.assign(size_, first_);
  if (!each_.empty()) each_.push_back(result);
  ++size_;
}

std::vector<Digest> OpenResults::all() const {
  return each_.empty() ? std::vector<Digest>(size_, first_) : each_;
}

void LogTree::add(const Transaction& t, const Digest& result, const Digest* payload) {
  if (payload == nullptr) unhashed_.push_back({contents_.size(), t.data});
  contents_.push_back({t.client, t.sequence, payload == nullptr ? Digest{} : *payload, result});
}

// In pieces, so that what is hashed comes from the processor's caches.
void LogTree::hash_payloads() {
  if (unhashed_.empty()) return;
  std::array<ByteView, kPiece> messages;
  std::array<Digest, kPiece> hashes;
  for (std::size_t at = 0; at < unhashed_.size(); at += kPiece) {
    const std::size_t count = std::min(kPiece, unhashed_.size() - at);
    for (std::size_t i = 0; i < count; ++i) messages[i] = unhashed_[at + i].data;
    crypto::hash_many(std::span(messages).first(count), std::span(hashes).first(count));
    for (std::size_t i = 0; i < count; ++i) contents_[unhashed_[at + i].at].payload = hashes[i];
  }
  unhashed_.clear();
}

// A commit at full load has thousands of transactions. In pieces, what comes of them stays in the
// processor's caches, and in memory that the system does not have to clear each time.
std::vector<Persist> LogTree::take_records() {
  hash_payloads();
  std::vector<Persist> records;
  const std::size_t whole = contents_.size() / kLeafPositions * kLeafPositions;
  for (std::size_t at = 0; at < contents_.size(); at += kPiece) {
    const auto piece = std::span(contents_).subspan(at, std::min(kPiece, contents_.size() - at));
    std::map<std::uint64_t, Bytes> nodes;
    add_leaves(piece.first(std::min(piece.size(), whole - at)), nodes);
    const std::size_t known = at == 0 ? taken_ : 0;  // since the last time
    note_results(piece.subspan(known), records, nodes);
  }
  contents_.erase(contents_.begin(), contents_.begin() + static_cast<std::ptrdiff_t>(whole));
  taken_ = contents_.size();
  return records;
}

// Pre: whole leaves. `nodes`, by the chunk that completes them.
void LogTree::add_leaves(std::span<const LeafContent> piece,
                         std::map<std::uint64_t, Bytes>& nodes) {
  if (piece.empty()) return;
  std::vector<LeafBytes> leaves;
  leaves.reserve(piece.size() / kLeafPositions);
  std::vector<ByteView> messages;
  messages.reserve(piece.size() / kLeafPositions);
  for (std::size_t at = 0; at < piece.size(); at += kLeafPositions) {
    leaves.push_back(leaf_bytes(piece.subspan(at, kLeafPositions)));
    messages.push_back(leaves.back().view());
  }
  std::vector<Digest> hashes(leaves.size());
  crypto::hash_many(messages, hashes);
  std::map<std::uint64_t, Writer> completed;
  range_.append_all(std::move(hashes), &crypto::hash_many, [&](const coding::MerkleNode& node) {
    if (node.place.level < kChunkLevel) return;
    const std::uint32_t above = node.place.level - kChunkLevel;
    completed[((node.place.index + 1) << above) - 1].bytes(node.hash.bytes);
  });
  for (auto& [chunk, tops] : completed) nodes.emplace(chunk, Bytes::from(tops.take()));
}

void LogTree::note_results(std::span<const LeafContent> contents, std::vector<Persist>& records,
                           const std::map<std::uint64_t, Bytes>& nodes) {
  for (const LeafContent& c : contents) {
    open_.push_back(c.result);
    if (keeps_recent_) recent_.push_back({c.client, c.sequence, c.payload});
    if (open_.size() < kChunk) continue;
    Writer w;
    write_results(open_, w);
    w.bytes(nodes.at(chunks_).view());
    records.push_back({kTreeTable, chunk_key(chunks_++), Bytes::from(w.take()), {}, true});
    open_.clear();
  }
}

std::vector<LeafContent> LogTree::open_leaf() const {
  return {contents_.begin(), contents_.begin() + static_cast<std::ptrdiff_t>(taken_)};
}

Digest LogTree::root() const {
  if (taken_ == 0) return range_.root();
  coding::MerkleRange all = range_;
  all.append(leaf_of(std::span(contents_).first(taken_)));
  return all.root();
}

void LogTree::forget_recent(std::uint64_t before) {
  const std::uint64_t taken = range_.size() * kLeafPositions + taken_;
  const std::uint64_t first = std::min(before, taken / kChunk * kChunk);
  const std::uint64_t kept = taken - std::min(taken, first);
  while (recent_.size() > kept) recent_.pop_front();
}

void save_tree(const std::vector<Digest>& peaks, const std::vector<Digest>& open_results,
               const std::vector<LeafContent>& open_leaf, Writer& out) {
  out.u16(static_cast<std::uint16_t>(peaks.size()));
  for (const Digest& peak : peaks) out.bytes(peak.bytes);
  write_results(OpenResults(open_results), out);
  for (const LeafContent& c : open_leaf) write(c, out);
}

void write(const OrderedTransaction& t, Writer& out) {
  out.bytes(t.client.bytes).u64(t.sequence).bytes(t.payload.bytes);
}

void write_recent(const RecentTransactions::View& recent, Writer& out) {
  out.u64(recent.size());
  recent.each([&](const OrderedTransaction& t) { write(t, out); });
}

bool read_recent(Reader& in, RecentTransactions& recent) {
  const std::uint64_t count = in.u64();
  if (!in.ok() || count > in.remaining() / kRecentBytes) return false;
  recent = RecentTransactions();
  for (std::uint64_t i = 0; i < count; ++i) {
    OrderedTransaction t;
    in.fill(t.client.bytes);
    t.sequence = in.u64();
    in.fill(t.payload.bytes);
    recent.push_back(t);
  }
  return in.ok();
}

bool LogTree::restore(Reader& in, std::uint64_t length) {
  *this = LogTree();
  std::vector<Digest> peaks(std::min<std::size_t>(in.u16(), 64));
  for (Digest& peak : peaks) peak = in.digest();
  auto range = coding::MerkleRange::restore(length / kLeafPositions, std::move(peaks));
  auto results = read_results(in);
  std::vector<LeafContent> open_leaf(length % kLeafPositions);
  for (LeafContent& c : open_leaf) c = read_content(in);
  if (!in.ok() || !range || !results || results->size() != length % kChunk) return false;
  range_ = std::move(*range);
  open_ = OpenResults(*results);
  contents_ = std::move(open_leaf);
  taken_ = contents_.size();
  chunks_ = length / kChunk;
  return true;
}

Persist record_of(const OwnCheckpoint& own) {
  Writer w;
  w.u8(own.is_signed ? 1 : 0).bytes(encode(own.signed_checkpoint).view());
  write_results(OpenResults(own.open_results), w);
  return {kCheckpointTable,
          slot_key(own.signed_checkpoint.checkpoint.slot),
          Bytes::from(w.take()),
          {},
          true};
}

std::optional<OwnCheckpoint> load_own_checkpoint(const NodeStore& store, Round slot,
                                                 std::uint32_t n) {
  const auto value = value_of(store, kCheckpointTable, slot_key(slot));
  if (!value) return std::nullopt;
  static const std::size_t kSigned = encode(SignedCheckpoint{}).size();
  Reader in(value->view());
  OwnCheckpoint out;
  out.is_signed = in.u8() != 0;
  const auto statement = decode_signed_checkpoint(in.bytes(kSigned), n);
  auto results = read_results(in);
  if (!in.done() || !statement || !results || statement->checkpoint.slot != slot)
    return std::nullopt;
  out.signed_checkpoint = *statement;
  out.open_results = std::move(*results);
  return out;
}

std::optional<Certificate> load_certificate(const NodeStore& store, Round slot, std::uint32_t n) {
  const auto value = value_of(store, kCertificateTable, slot_key(slot));
  return value ? decode_certificate(value->view(), n) : std::nullopt;
}

std::vector<Round> own_checkpoint_slots(const NodeStore& store) {
  std::vector<Round> out;
  (void)store.scan(kCheckpointTable, {}, [&](ByteView key, ByteView) {
    std::uint64_t slot = 0;
    for (const std::byte b : key) slot = slot << 8 | std::to_integer<std::uint64_t>(b);
    out.push_back(Round{slot});
    return true;
  });
  return out;
}

std::vector<Digest> chunk_results(const NodeStore& store, std::uint64_t position) {
  std::vector<Digest> out;
  const Bytes first = chunk_key(position / LogTree::kChunk);
  (void)store.scan(kTreeTable, first.view(), [&](ByteView key, ByteView value) {
    Reader in(value);
    const auto results = read_results(in);
    const Bytes expected = chunk_key((position + out.size()) / LogTree::kChunk);
    const bool next = std::ranges::equal(key, expected.view());
    if (!results || !next) return false;
    out.insert(out.end(), results->begin(), results->end());
    return true;
  });
  return out;
}

std::vector<Persist> records_at(std::uint64_t length, const std::vector<Digest>& peaks,
                                const std::vector<LeafContent>& open) {
  std::vector<Persist> out;
  const std::uint64_t chunks = length / LogTree::kChunk;
  std::uint64_t end = 0;
  std::size_t next = 0;
  for (std::uint32_t level = 64; level-- > 0;) {
    if ((chunks >> level & 1) == 0) continue;
    end += std::uint64_t{1} << level;
    Writer w;
    w.u8(static_cast<std::uint8_t>(Form::kTop)).u8(static_cast<std::uint8_t>(level));
    w.bytes(peaks[next++].bytes);
    out.push_back({kTreeTable, chunk_key(end - 1), Bytes::from(w.take()), {}, true});
  }
  Writer w;
  w.u64(length - open.size());
  for (const LeafContent& c : open) write(c, w);
  out.push_back({kFrontTable, front_key(), Bytes::from(w.take()), {}, true});
  return out;
}

// What stands from `position` on and is kept without its transactions.
std::vector<LeafContent> TreeReader::in_front(std::uint64_t position) const {
  std::vector<LeafContent> out;
  const auto value = value_of(store_, kFrontTable, front_key());
  if (!value) return out;
  Reader in(value->view());
  if (in.u64() != position) return out;
  while (in.remaining() > 0 && in.ok()) {
    const LeafContent c = read_content(in);
    if (in.ok()) out.push_back(c);
  }
  return out;
}

// The results of a whole chunk, or of the one that was open at the checkpoint.
std::vector<Digest> TreeReader::results_of(std::uint64_t chunk) {
  const std::uint64_t open = at().length % LogTree::kChunk;
  if (chunk == at().length / LogTree::kChunk && open != 0) {
    if (at_.open_results.size() == open) return at_.open_results;
    problem_ =
        Error{ErrorCode::kCorrupt, "the record of this node's checkpoint of slot " +
                                       std::to_string(at().slot.value) +
                                       " has other results than its length says: it is damaged"};
    return {};
  }
  const auto value = value_of(store_, kTreeTable, chunk_key(chunk));
  if (value) {
    Reader in(value->view());
    if (auto results = read_results(in); results && results->size() == LogTree::kChunk)
      return std::move(*results);
  }
  problem_ = Error{ErrorCode::kMissing, "the results from position " +
                                            std::to_string(chunk * LogTree::kChunk) +
                                            " on are not in the store"};
  return {};
}

// What was not there may be later, as when the disk is behind: the next question looks again.
const TreeReader::Chunk* TreeReader::chunk(std::uint64_t number) {
  while (!read_chunk(number, [] { return false; })) {
  }
  const auto it = chunks_.find(number);
  if (!it->second.problem) return &it->second;
  problem_ = std::move(it->second.problem);
  chunks_.erase(it);
  return nullptr;
}

// A piece of it. Its transactions come from the log again, with the full parts below kChunkLevel.
bool TreeReader::read_chunk(std::uint64_t number, const Enough& enough) {
  if (chunks_.contains(number)) return true;
  const std::uint64_t begin = number * LogTree::kChunk;
  if (!reading_ || reading_->number != number) {
    ContentReading::What what{begin, results_of(number), {}, at().slot};
    if (problem_) {
      keep(number, {{}, {}, std::exchange(problem_, std::nullopt)});
      return true;
    }
    if (begin < begins()) what.in_front = in_front(begin);
    reading_.emplace(Reading{number, ContentReading(log_, std::move(what))});
  }
  if (!reading_->contents.read_on(enough)) return false;
  Chunk out;
  if (reading_->contents.whole()) {
    out.contents = reading_->contents.take();
    add_parts(number, out);
  } else {
    out.problem = unreadable(number);
  }
  reading_.reset();
  keep(number, std::move(out));
  return true;
}

void TreeReader::keep(std::uint64_t number, Chunk chunk) {
  std::erase_if(chunks_, [&](const auto& kept) {
    return (kept.first == last_chunk()) == (number == last_chunk());
  });
  chunks_.emplace(number, std::move(chunk));
}

Error TreeReader::unreadable(std::uint64_t chunk) const {
  const std::uint64_t begin = chunk * LogTree::kChunk;
  if (begin >= begins()) {
    return {ErrorCode::kMissing, "the transactions from position " + std::to_string(begin) +
                                     " on cannot be read back from the log"};
  }
  return {ErrorCode::kMissing,
          "the log was pruned up to position " + std::to_string(begins()) +
              ", and can be proved from position " +
              std::to_string(std::min(begin + LogTree::kChunk, at().length)) + " on",
          {},
          "ask a node that keeps more"};
}

// The last chunk is in the hashes of all that ends with the log, unless it is whole.
bool TreeReader::read_for(std::uint64_t begin, std::uint64_t end, const Enough& enough) {
  problem_.reset();
  constexpr std::uint64_t kLeaves = std::uint64_t{1} << LogTree::kChunkLevel;
  if (end - begin <= kLeaves && !read_chunk(begin / kLeaves, enough)) return false;
  const bool open = at().length % LogTree::kChunk != 0;
  return end != leaves() || !open || read_chunk(last_chunk(), enough);
}

// The full parts of a chunk; the last leaf of the checkpoint is one, however much it holds.
void TreeReader::add_parts(std::uint64_t number, Chunk& chunk) {
  const std::uint64_t first = number << LogTree::kChunkLevel;
  coding::MerkleRange range;
  for (std::size_t at = 0; at < chunk.contents.size(); at += kLeafPositions) {
    const std::size_t size = std::min<std::size_t>(kLeafPositions, chunk.contents.size() - at);
    range.append(
        leaf_of(std::span(chunk.contents).subspan(at, size)), [&](const coding::MerkleNode& node) {
          const auto [level, index] = node.place;
          chunk.full.emplace(coding::MerklePlace{level, (first >> level) + index}, node.hash);
        });
  }
}

// Whether the part ends with a leaf that has not all its positions. No record has it then.
bool TreeReader::is_open(coding::MerklePlace place) const {
  return at().length % kLeafPositions != 0 && (place.index + 1) << place.level == leaves();
}

Digest TreeReader::full(coding::MerklePlace place) {
  if (problem_) return {};
  const auto [level, index] = place;
  const bool open = is_open(place);
  if (open && level > LogTree::kChunkLevel) {
    const Digest left = full({level - 1, 2 * index});
    return coding::merkle_parent(left, full({level - 1, 2 * index + 1}));
  }
  if (open || level < LogTree::kChunkLevel) {
    const Chunk* c = chunk(place.index >> (LogTree::kChunkLevel - place.level));
    if (c == nullptr) return {};
    const auto it = c->full.find(place);
    return it == c->full.end() ? Digest{} : it->second;
  }
  return stored(place);
}

// Pre: of whole chunks.
Digest TreeReader::stored(coding::MerklePlace place) {
  const std::uint32_t above = place.level - LogTree::kChunkLevel;
  const std::uint64_t last = ((place.index + 1) << above) - 1;
  if (const auto value = value_of(store_, kTreeTable, chunk_key(last))) {
    Reader in(value->view());
    const bool top =
        !value->empty() && value->view()[0] == std::byte{static_cast<std::uint8_t>(Form::kTop)};
    bool there = false;
    if (top) {
      (void)in.u8();
      there = in.u8() == above;
    } else if (read_results(in)) {
      (void)in.bytes(above * sizeof(Digest::bytes));
      there = true;
    }
    const Digest node = in.digest();
    if (there && in.ok()) return node;
  }
  problem_ = Error{ErrorCode::kMissing, "the tree over the positions up to " +
                                            std::to_string((last + 1) * LogTree::kChunk) +
                                            " is not in the store"};
  return {};
}

Result<Digest, Error> TreeReader::part(std::uint64_t begin, std::uint64_t end) {
  problem_.reset();
  const Digest out =
      coding::merkle_part(begin, end, [&](coding::MerklePlace place) { return full(place); });
  if (problem_) return *problem_;
  return out;
}

Result<std::vector<Digest>, Error> TreeReader::path(std::uint64_t leaf) {
  problem_.reset();
  auto out =
      coding::merkle_path(leaf, leaves(), [&](coding::MerklePlace place) { return full(place); });
  if (problem_) return *problem_;
  return out;
}

Result<std::vector<LeafContent>, Error> TreeReader::leaf(std::uint64_t leaf) {
  problem_.reset();
  const std::uint64_t position = leaf * kLeafPositions;
  const Chunk* c = chunk(position / LogTree::kChunk);
  if (c == nullptr) return *problem_;
  const auto begin = c->contents.begin() + static_cast<std::ptrdiff_t>(position % LogTree::kChunk);
  return std::vector<LeafContent>(
      begin, begin + static_cast<std::ptrdiff_t>(positions_in(leaf, at().length)));
}

Result<LogProof, Error> proof_of(TreeReader& tree, std::uint64_t position,
                                 const Certificate& certificate, std::uint32_t quorum) {
  if (tree.at() != certificate.checkpoint) {
    return Error{ErrorCode::kMismatch, "what this node computed up to slot " +
                                           std::to_string(tree.at().slot.value) +
                                           " is not what was certified"};
  }
  if (position < tree.begins())
    return Error{ErrorCode::kMissing, pruned_words(position, tree.begins())};
  auto leaf = tree.leaf(position / kLeafPositions);
  if (!leaf) return leaf.error();
  auto path = tree.path(position / kLeafPositions);
  if (!path) return path.error();
  const auto place = leaf->begin() + static_cast<std::ptrdiff_t>(position % kLeafPositions);
  const LeafContent content = *place;
  leaf->erase(place);
  return LogProof{position, content, std::move(*leaf), std::move(*path),
                  with_signatures(certificate, quorum)};
}

}  // namespace thresher::net
