#include "log_tree.hpp"

#include <algorithm>
#include <map>

#include "thresher/crypto/hash_many.hpp"

namespace thresher::net {
namespace {

/// Of the results in a chunk's record. kTop: it has none, only the hash of the largest full part
/// that ends with the chunk.
enum class Form : std::uint8_t { kAlike, kEach, kTop };

Bytes chunk_key(std::uint64_t chunk) {
  return slot_key(Round{chunk});
}

void write_results(const std::vector<Digest>& results, Writer& out) {
  const bool alike =
      std::ranges::all_of(results, [&](const Digest& d) { return d == results.front(); });
  out.u8(static_cast<std::uint8_t>(alike ? Form::kAlike : Form::kEach));
  out.u16(static_cast<std::uint16_t>(results.size()));
  const std::size_t written = alike ? std::min<std::size_t>(1, results.size()) : results.size();
  for (std::size_t i = 0; i < written; ++i) out.bytes(results[i].bytes);
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

void LogTree::add(const Transaction& t, const Digest& result) {
  added_.push_back({t.client, t.sequence, t.data, result});
}

// The payloads first, then the leaves over them: each in one go.
std::vector<Digest> LogTree::hash_leaves(std::span<const Added> added) {
  std::vector<ByteView> messages;
  messages.reserve(added.size());
  for (const Added& a : added) messages.push_back(a.data);
  std::vector<Digest> payloads(added.size());
  crypto::hash_many(messages, payloads);
  std::vector<LeafBytes> leaves(added.size());
  for (std::size_t i = 0; i < added.size(); ++i) {
    const Added& a = added[i];
    leaves[i] = leaf_bytes({a.client, a.sequence, payloads[i], a.result});
    messages[i] = leaves[i];
    if (keeps_recent_) recent_.push_back({a.client, a.sequence, payloads[i]});
  }
  crypto::hash_many(messages, payloads);
  return payloads;
}

// A commit at full load has thousands of transactions. In pieces, what comes of them stays in the
// processor's caches, and in memory that the system does not have to clear each time.
std::vector<Persist> LogTree::take_records() {
  std::vector<Persist> records;
  for (std::size_t at = 0; at < added_.size(); at += kPiece) {
    add_piece(std::span(added_).subspan(at, std::min(kPiece, added_.size() - at)), records);
  }
  added_.clear();
  return records;
}

void LogTree::add_piece(std::span<const Added> piece, std::vector<Persist>& records) {
  std::uint64_t chunk = range_.size() / kChunk;
  std::map<std::uint64_t, std::vector<Digest>> nodes;  // by the chunk that completes them
  range_.append_all(hash_leaves(piece), &crypto::hash_many, [&](const coding::MerkleNode& node) {
    if (node.place.level < kChunkLevel) return;
    const std::uint32_t above = node.place.level - kChunkLevel;
    nodes[((node.place.index + 1) << above) - 1].push_back(node.hash);
  });
  for (const Added& a : piece) {
    open_.push_back(a.result);
    if (open_.size() < kChunk) continue;
    Writer w;
    write_results(open_, w);
    for (const Digest& node : nodes[chunk]) w.bytes(node.bytes);
    records.push_back({kTreeTable, chunk_key(chunk++), Bytes::from(w.take()), {}, true});
    open_.clear();
  }
}

void LogTree::forget_recent(std::uint64_t before) {
  const std::uint64_t first = std::min(before, range_.size() / kChunk * kChunk);
  const std::uint64_t kept = range_.size() - std::min(range_.size(), first);
  while (recent_.size() > kept) recent_.pop_front();
}

void save_tree(const std::vector<Digest>& peaks, const std::vector<Digest>& open_results,
               Writer& out) {
  out.u16(static_cast<std::uint16_t>(peaks.size()));
  for (const Digest& peak : peaks) out.bytes(peak.bytes);
  write_results(open_results, out);
}

void write_recent(const RecentTransactions::View& recent, Writer& out) {
  out.u64(recent.size());
  recent.each([&](const OrderedTransaction& t) {
    out.bytes(t.client.bytes).u64(t.sequence).bytes(t.payload.bytes);
  });
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
  auto range = coding::MerkleRange::restore(length, std::move(peaks));
  auto results = read_results(in);
  if (!in.ok() || !range || !results || results->size() != length % kChunk) return false;
  range_ = std::move(*range);
  open_ = std::move(*results);
  return true;
}

Persist record_of(const OwnCheckpoint& own) {
  Writer w;
  w.u8(own.is_signed ? 1 : 0).bytes(encode(own.signed_checkpoint).view());
  write_results(own.open_results, w);
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
  for (const LeafContent& leaf : open) {
    w.bytes(leaf.client.bytes).u64(leaf.sequence);
    w.bytes(leaf.payload.bytes).bytes(leaf.result.bytes);
  }
  out.push_back({kFrontTable, front_key(), Bytes::from(w.take()), {}, true});
  return out;
}

// Leaves from `position` on that are kept without their transactions.
std::vector<LeafContent> TreeReader::in_front(std::uint64_t position) const {
  std::vector<LeafContent> out;
  const auto value = value_of(store_, kFrontTable, front_key());
  if (!value) return out;
  Reader in(value->view());
  if (in.u64() != position) return out;
  while (in.remaining() > 0 && in.ok()) {
    LeafContent leaf;
    const ByteView client = in.bytes(leaf.client.bytes.size());
    std::ranges::copy(client, leaf.client.bytes.begin());
    leaf.sequence = in.u64();
    leaf.payload = in.digest();
    leaf.result = in.digest();
    if (in.ok()) out.push_back(leaf);
  }
  return out;
}

// The results of a whole chunk, or of the one that was open at the checkpoint.
std::vector<Digest> TreeReader::results_of(std::uint64_t chunk) {
  if (chunk == at().length / LogTree::kChunk && at().length % LogTree::kChunk != 0)
    return at_.open_results;
  const auto value = value_of(store_, kTreeTable, chunk_key(chunk));
  if (value) {
    Reader in(value->view());
    if (auto results = read_results(in); results && results->size() == LogTree::kChunk)
      return std::move(*results);
  }
  problem_ = "the results from position " + std::to_string(chunk * LogTree::kChunk) +
             " on are not in the store";
  return {};
}

// Its transactions come from the log again, with the full parts below kChunkLevel.
const TreeReader::Chunk* TreeReader::chunk(std::uint64_t number) {
  if (cached_ && cached_->number == number) return &*cached_;
  const std::vector<Digest> results = results_of(number);
  const std::uint64_t begin = number * LogTree::kChunk;
  const std::uint64_t end = begin + results.size();
  Chunk out{number, {}, {}};
  coding::MerkleRange range;
  bool whole = true;
  const auto add = [&](const LeafContent& content) {
    out.leaves.push_back(content);
    range.append(leaf_of(content), [&](const coding::MerkleNode& node) {
      const auto [level, index] = node.place;
      out.full.emplace(coding::MerklePlace{level, (begin >> level) + index}, node.hash);
    });
  };
  if (begin < begins()) std::ranges::for_each(in_front(begin), add);
  const auto take = [&](const Transaction& t, const Validity&) {
    if (t.position < begin + out.leaves.size() || t.position >= end) return;
    add({t.client, t.sequence, payload_hash(t.data), results[t.position - begin]});
  };
  const auto first = problem_.empty() ? log_.before(begin, at().slot) : Result<Round>(Round{0});
  const auto read =
      first && problem_.empty()
          ? log_.each(*first,
                      [&](const LogEntry& entry) {
                        if (entry.first >= end) return false;
                        const auto commit = log_.whole(entry);
                        whole = static_cast<bool>(commit);
                        std::uint64_t position = entry.first;
                        for (std::size_t i = 0; whole && i < entry.blocks.size(); ++i)
                          position = each_ordered(
                              entry.blocks[i], commit->blocks[i]->payload.view(), position, take);
                        return whole;
                      })
          : Result<Unit>(Unit{});
  if (problem_.empty() && (!first || !read || !whole || out.leaves.size() != results.size())) {
    problem_ = "the transactions from position " + std::to_string(begin) +
               " on cannot be read back from the log";
  }
  if (!problem_.empty()) return nullptr;
  return &cached_.emplace(std::move(out));
}

Digest TreeReader::full(coding::MerklePlace place) {
  if (!problem_.empty()) return {};
  if (place.level < LogTree::kChunkLevel) {
    const Chunk* c = chunk(place.index >> (LogTree::kChunkLevel - place.level));
    if (c == nullptr) return {};
    const auto it = c->full.find(place);
    return it == c->full.end() ? Digest{} : it->second;
  }
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
  problem_ = "the tree over the positions up to " + std::to_string((last + 1) * LogTree::kChunk) +
             " is not in the store";
  return {};
}

Result<Digest, std::string> TreeReader::part(std::uint64_t begin, std::uint64_t end) {
  problem_.clear();
  const Digest out =
      coding::merkle_part(begin, end, [&](coding::MerklePlace place) { return full(place); });
  if (!problem_.empty()) return problem_;
  return out;
}

Result<std::vector<Digest>, std::string> TreeReader::path(std::uint64_t position) {
  problem_.clear();
  auto out = coding::merkle_path(position, at().length,
                                 [&](coding::MerklePlace place) { return full(place); });
  if (!problem_.empty()) return problem_;
  return out;
}

Result<LeafContent, std::string> TreeReader::leaf(std::uint64_t position) {
  problem_.clear();
  const Chunk* c = chunk(position / LogTree::kChunk);
  if (c == nullptr) return problem_;
  return c->leaves[position % LogTree::kChunk];
}

Result<LogProof, std::string> proof_of(TreeReader& tree, std::uint64_t position,
                                       const Certificate& certificate) {
  if (tree.at() != certificate.checkpoint) {
    return "what this node computed up to slot " + std::to_string(tree.at().slot.value) +
           " is not what was certified";
  }
  if (position < tree.begins()) return pruned_words(position, tree.begins());
  const auto leaf = tree.leaf(position);
  if (!leaf) return leaf.error();
  auto path = tree.path(position);
  if (!path) return path.error();
  return LogProof{position, *leaf, std::move(*path), certificate};
}

}  // namespace thresher::net
