#include "ledger/log_reader.hpp"

#include <algorithm>

#include "thresher/net/codec.hpp"
#include "thresher/net/payload_root.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {
namespace {
/// Blocks and their payload in one part of the log, one block at least. Unit: bytes.
constexpr std::size_t kPartBytes = 1u << 20;
constexpr std::uint32_t kPartBlocks = 2048;
}  // namespace

Result<Unit> LogReader::each(Round after, const std::function<bool(const LogEntry&)>& visit) const {
  bool corrupt = false;
  const auto scanned = store_.scan(kLedgerTable, slot_key(Round{after.value + 1}).view(),
                                   [&](ByteView key, ByteView value) {
                                     const auto entry = decode_entry(key, value, log_);
                                     corrupt = !entry;
                                     return entry && visit(*entry);
                                   });
  if (!scanned) return scanned.error();
  if (corrupt) return Errc::kCorrupt;
  return Unit{};
}

Result<Bytes> checked_payload(const LoggedBlock& block, Result<Bytes> body,
                              HashedPayloads* hashed) {
  const OrderedBlock& of = *block.block;
  if (of.payload_bytes == 0) return Bytes{};
  if (!body) return body.error();
  if (body->size() != of.payload_bytes) return Errc::kCorrupt;
  const Digest root = hashed ? hashed->root_of(body->view()) : payload_root(body->view());
  if (root != of.payload_root) return Errc::kCorrupt;
  return body;
}

Result<Bytes> LogReader::payload(const LoggedBlock& block) const {
  if (block.block->payload_bytes == 0) return Bytes{};
  return checked_payload(block, store_.read_body(block.place));
}

Result<Commit> LogReader::whole(const LogEntry& entry) const {
  Commit commit{entry.slot, entry.id, {}, entry.before};
  for (const LoggedBlock& b : entry.blocks) {
    const auto body = payload(b);
    if (!body) return body.error();
    commit.blocks.push_back(with_payload(*b.block, *body));
  }
  return commit;
}

Result<Round> LogReader::before(std::uint64_t position, Round last) const {
  std::uint64_t low = begin_.slot.value;  // everything up to here lies before `position`
  std::uint64_t high = last.value;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    bool behind = false;
    const auto seek = each(Round{middle}, [&](const LogEntry& e) {
      behind = e.first + e.count <= position;
      return false;
    });
    if (!seek) return seek.error();
    if (behind) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return Round{low};
}

LogAnswer LogReader::part(const wire::WantLog& want, Round head) const {
  std::uint32_t leave_out = want.leave_out;
  wire::WantLog rest = want;
  wire::LogPart out{head, {}, {}, wire::LogPlace{want.after, want.leave_out}};
  if (want.after < begin_.slot) {
    out.begins = begin_.slot;
    return {{kLogPart, wire::encode(out), {}}, rest, false};
  }
  std::vector<std::byte> payload_bytes;
  std::size_t bytes = 0;
  (void)each(want.after, [&](const LogEntry& entry) {
    if (entry.slot > head) return false;
    const auto total = static_cast<std::uint32_t>(entry.blocks.size());
    for (std::uint32_t i = std::exchange(leave_out, 0); i < total; ++i) {
      const LoggedBlock& b = entry.blocks[i];
      bytes += b.place.size + encoded_size(*b.block);  // headers name up to n blocks each
      const bool full = bytes > kPartBytes || out.blocks.size() == kPartBlocks;
      if (!out.blocks.empty() && full) return false;
      // Not hashed here: the asker does, and asks another node when it is damaged.
      const auto body = b.place.size > 0 ? store_.read_body(b.place) : Result<Bytes>(Bytes{});
      if (!body) return false;
      Writer block;
      encode_block(*b.block, block.reserve(encoded_size(*b.block)));
      out.blocks.push_back({entry.slot, entry.id, total, i,
                            static_cast<std::uint32_t>(body->size()), Bytes::from(block.take())});
      payload_bytes.insert(payload_bytes.end(), body->view().begin(), body->view().end());
      rest.leave_out = i + 1;
    }
    rest.after = entry.slot;
    rest.leave_out = 0;
    return true;
  });
  const bool more = !out.blocks.empty() && rest.after < head;
  return {{kLogPart, wire::encode(out), Bytes::from(std::move(payload_bytes))}, rest, more};
}

std::optional<Digest> LogReader::hash_at(Round slot) const {
  if (slot == begin_.slot) return begin_.log_hash;
  if (slot < begin_.slot) return std::nullopt;
  std::optional<Round> reached;
  Digest found{};
  (void)each(Round{slot.value - 1}, [&](const LogEntry& entry) {
    reached = entry.slot;
    found = entry.log_hash;
    return false;
  });
  if (!reached || *reached == slot) return reached ? std::optional(found) : std::nullopt;
  // The slot itself was skipped: looks further back each time.
  std::uint64_t below = slot.value;
  for (std::uint64_t step = 1; below > begin_.slot.value; step *= 2) {
    const std::uint64_t from = below - std::min(below - begin_.slot.value, step);
    std::optional<Digest> last;
    (void)each(Round{from}, [&](const LogEntry& entry) {
      if (entry.slot.value > below) return false;
      last = entry.log_hash;
      return true;
    });
    if (last) return last;
    below = from;
  }
  return begin_.log_hash;
}

std::optional<Frame> LogReader::hash_after(const Frame& question, Round head) const {
  const auto want = wire::decode<wire::WantLogHash>(question.control.view());
  if (!want) return std::nullopt;
  const auto hash = want->slot <= head ? hash_at(want->slot) : std::nullopt;
  return Frame{kLogHash,
               wire::encode(wire::LogHash{want->slot, hash.value_or(Digest{}), hash.has_value()}),
               {}};
}

}  // namespace thresher::net
