#include "life/portable_ledger.hpp"

#include <algorithm>
#include <utility>

namespace thresher::net {
namespace {

constexpr std::uint32_t kLedgerVersion = 2;
constexpr std::size_t kDigest = sizeof(Digest::bytes);
/// Peaks of a tree, and records of a commit: no list of them is longer.
constexpr std::size_t kMostPeaks = 64;
constexpr std::size_t kMostRecords = 64;
/// For all but the recent transactions of most ledgers. Unit: bytes.
constexpr std::size_t kRest = 1u << 16;
/// That are made before they are written. Unit: bytes.
constexpr std::size_t kPiece = 1u << 20;

void put(const Bytes& bytes, Writer& out) {
  out.u64(bytes.size()).bytes(bytes.view());
}
Bytes take(Reader& in) {
  const std::uint64_t size = in.u64();
  return size > in.remaining() ? Bytes::copy_of(in.bytes(in.remaining() + 1))
                               : Bytes::copy_of(in.bytes(size));
}

std::uint64_t count_of(const std::vector<Remembered::Slot>& slots) {
  std::uint64_t out = 0;
  for (const Remembered::Slot& s : slots) out += s.count;
  return out;
}

// A number of things that follow, each of `size` bytes at least; too many: none, and not ok().
std::size_t count(Reader& in, std::size_t size) {
  const std::uint64_t n = in.u64();
  if (n <= in.remaining() / size) return n;
  (void)in.bytes(in.remaining() + 1);
  return 0;
}

}  // namespace

RecentTransactions::View PortableLedger::remembered() const {
  return recent.last(std::min<std::uint64_t>(count_of(slots), recent.size()));
}

std::vector<LeafContent> PortableLedger::open_contents() const {
  std::vector<LeafContent> out;
  const auto last = recent.last(std::min(open_results.size(), recent.size()));
  for (std::size_t i = 0; i < last.size(); ++i)
    out.push_back({last[i].client, last[i].sequence, last[i].payload, open_results[i]});
  return out;
}

bool write(const PortableLedger& l, const std::function<bool(ByteView)>& sink) {
  Writer w;
  const Checkpoint& c = l.checkpoint;
  w.reserve(kPiece + kRest);
  w.u32(kLedgerVersion).u64(c.slot.value).u64(c.length).bytes(c.log_hash.bytes).bytes(c.root.bytes);
  w.bytes(c.state.bytes).u64(l.window_before.value).bytes(l.window_hash.bytes);
  put(l.time, w);
  w.u64(l.since.value).u64(l.slots.size());
  for (const Remembered::Slot& s : l.slots) w.u64(s.slot.value).u64(s.count);
  for (const auto* list : {&l.peaks, &l.open_results}) {
    w.u64(list->size());
    for (const Digest& d : *list) w.bytes(d.bytes);
  }
  w.u64(l.recent.size());
  bool good = true;
  l.recent.each([&](const OrderedTransaction& t) {
    if (!good) return;
    write(t, w);
    if (w.view().size() < kPiece) return;
    good = sink(w.view());
    w = Writer();
    w.reserve(kPiece + kRest);
  });
  w.u64(l.progress.size());
  for (const Persist& r : l.progress) {
    w.u32(r.table);
    put(r.key, w);
    put(r.value, w);
  }
  return good && sink(w.view());
}

std::optional<PortableLedger> decode_portable_ledger(ByteView bytes) {
  Reader in(bytes);
  PortableLedger out;
  if (in.u32() != kLedgerVersion) return std::nullopt;
  Checkpoint& c = out.checkpoint;
  c.slot = Round{in.u64()};
  c.length = in.u64();
  c.log_hash = in.digest();
  c.root = in.digest();
  c.state = in.digest();
  out.window_before = Round{in.u64()};
  out.window_hash = in.digest();
  out.time = take(in);
  out.since = Round{in.u64()};
  for (std::size_t n = count(in, 16); n > 0; --n) out.slots.push_back({Round{in.u64()}, in.u64()});
  for (auto* list : {&out.peaks, &out.open_results}) {
    for (std::size_t n = count(in, kDigest); n > 0; --n) list->push_back(in.digest());
  }
  RecentTransactions all;
  if (!read_recent(in, all)) return std::nullopt;
  const std::size_t recent = all.size();
  out.recent = all.view();
  for (std::size_t n = count(in, 20); n > 0 && out.progress.size() < kMostRecords; --n) {
    Persist& r = out.progress.emplace_back();
    r.table = in.u32();
    r.key = take(in);
    r.value = take(in);
  }
  // As long as both need, and no longer than the log.
  const std::uint64_t remembered = count_of(out.slots);
  const bool fits = remembered <= recent && out.open_results.size() <= recent &&
                    std::max<std::uint64_t>(remembered, out.open_results.size()) == recent &&
                    recent <= c.length && out.peaks.size() <= kMostPeaks &&
                    out.open_results.size() == c.length % LogTree::kChunk;
  if (!in.done() || !fits || out.window_before > c.slot) return std::nullopt;
  return out;
}

std::optional<StartPoint> start_point(const PortableLedger& l, const AgreedTime& time) {
  StartPoint out{Ledger(time), {}};
  const Checkpoint& c = l.checkpoint;
  if (!out.ledger.inherit(
          {c.slot, c.length, c.log_hash, l.time.view(), l.since, l.slots, l.remembered()})) {
    return std::nullopt;
  }
  std::vector<LeafContent> open_leaf = l.open_contents();
  open_leaf.erase(open_leaf.begin(),
                  open_leaf.end() - static_cast<std::ptrdiff_t>(c.length % kLeafPositions));
  Writer tree;
  save_tree(l.peaks, l.open_results, open_leaf, tree);
  Reader again(tree.view());
  if (!out.tree.restore(again, c.length) || out.tree.root() != c.root) return std::nullopt;
  out.tree.recall_recent(RecentTransactions(l.recent));
  return out;
}

void write(const OwnState& own, Writer& out) {
  const std::size_t size = own.ledger.size();
  own.ledger.save(out.reserve(out.view().size() + size + kRest).u64(size));
  save_tree(own.peaks, own.open_results, own.open_leaf, out);
}

Bytes encode(const OwnState& own) {
  Writer w;
  write(own, w);
  return Bytes::from(w.take());
}

}  // namespace thresher::net
