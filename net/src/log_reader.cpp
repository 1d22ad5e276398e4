#include "log_reader.hpp"

#include "thresher/crypto/sha256.hpp"
#include "thresher/net/codec.hpp"

namespace thresher::net {
namespace {
/// Payload in one part of the log, one block at least. Unit: bytes.
constexpr std::size_t kPartBytes = 1u << 20;
constexpr std::uint32_t kPartBlocks = 2048;
}  // namespace

Result<Unit> LogReader::each(Round after, const std::function<bool(const LogEntry&)>& visit) const {
  bool corrupt = false;
  const auto scanned = store_.scan(kLedgerTable, slot_key(Round{after.value + 1}).view(),
                                   [&](ByteView key, ByteView value) {
                                     const auto entry = decode_entry(key, value, chain_, n_);
                                     corrupt = !entry;
                                     return entry && visit(*entry);
                                   });
  if (!scanned) return scanned.error();
  if (corrupt) return Errc::kCorrupt;
  return Unit{};
}

Result<Bytes> LogReader::payload(const LoggedBlock& block) const {
  const dag::Header& header = block.block->header;
  if (header.payload_bytes == 0) return Bytes{};
  auto body = store_.read_body(block.place);
  if (!body) return body.error();
  if (body->size() != header.payload_bytes || crypto::sha256(body->view()) != header.payload_root) {
    return Errc::kCorrupt;
  }
  return body;
}

Result<dag::Committed> LogReader::whole(const LogEntry& entry) const {
  dag::Committed commit{entry.slot, entry.leader, {}};
  for (const LoggedBlock& b : entry.blocks) {
    const auto body = payload(b);
    if (!body) return body.error();
    auto block = std::make_shared<dag::Block>(*b.block);
    block->payload.bytes = *body;
    commit.blocks.push_back(std::move(block));
  }
  return commit;
}

Result<Round> LogReader::before(std::uint64_t position, Round last) const {
  std::uint64_t low = 0;  // everything up to here lies before `position`
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

Frame LogReader::part(const Frame& question, Round head) const {
  Reader in(question.control.view());
  const Round after{in.u64()};
  std::uint32_t leave_out = in.u32();
  Writer items;
  std::vector<std::byte> payload_bytes;
  std::uint32_t count = 0;
  if (in.done()) {
    (void)each(after, [&](const LogEntry& entry) {
      const auto total = static_cast<std::uint32_t>(entry.blocks.size());
      for (std::uint32_t i = std::exchange(leave_out, 0); i < total; ++i) {
        const LoggedBlock& b = entry.blocks[i];
        const bool full = payload_bytes.size() + b.place.size > kPartBytes || count == kPartBlocks;
        if (count > 0 && full) return false;
        const auto body = payload(b);
        if (!body) return false;
        items.u64(entry.slot.value).bytes(entry.leader.bytes).u32(total).u32(i);
        items.u32(static_cast<std::uint32_t>(body->size()));
        encode_header(*b.block, items);
        payload_bytes.insert(payload_bytes.end(), body->view().begin(), body->view().end());
        ++count;
      }
      return true;
    });
  }
  Writer control;
  control.u64(head.value).u32(count).bytes(items.view());
  return {kLogPart, Bytes::from(control.take()), Bytes::from(std::move(payload_bytes))};
}

Frame LogReader::hash_after(const Frame& question) const {
  Reader in(question.control.view());
  const Round slot{in.u64()};
  Digest hash{};
  bool known = false;
  if (in.done() && slot.value > 0) {
    (void)each(Round{slot.value - 1}, [&](const LogEntry& entry) {
      known = entry.slot == slot;
      hash = entry.log_hash;
      return false;
    });
  }
  Writer control;
  control.u64(slot.value).bytes(hash.bytes).u8(known ? 1 : 0);
  return {kLogHash, Bytes::from(control.take()), {}};
}

}  // namespace thresher::net
