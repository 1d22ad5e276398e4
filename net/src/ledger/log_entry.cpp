#include "ledger/log_entry.hpp"

namespace thresher::net {

Digest chained(const Digest& before, const Commit& commit) {
  Writer w;
  w.bytes(before.bytes).u64(commit.slot.value).bytes(commit.id.bytes).u64(commit.blocks.size());
  for (const OrderedBlockPtr& b : commit.blocks) w.bytes(b->id.bytes);
  return hash(w.view());
}

std::string missing_between(const LogEnd& end, Round before, Round next) {
  return "the commit of slot " + std::to_string(next.value) + " follows slot " +
         std::to_string(before.value) + ", but the log ends with slot " +
         std::to_string(end.slot.value) + " (" + std::to_string(end.length) + " transactions)";
}

Persist record_of(const LogBegin& begin) {
  Writer w;
  w.u64(begin.slot.value).u64(begin.length).bytes(begin.log_hash.bytes);
  return {kBeginTable, Bytes::copy_of(as_view("begin")), Bytes::from(w.take()), {}, true};
}

std::optional<LogBegin> decode_begin(ByteView value) {
  Reader in(value);
  LogBegin out;
  out.slot = Round{in.u64()};
  out.length = in.u64();
  out.log_hash = in.digest();
  return in.done() ? std::optional(out) : std::nullopt;
}

LogBegin load_begin(const NodeStore& store) {
  LogBegin out;
  (void)store.scan(kBeginTable, {}, [&](ByteView, ByteView value) {
    out = decode_begin(value).value_or(LogBegin{});
    return false;
  });
  return out;
}

std::string pruned_words(std::uint64_t position, std::uint64_t begins) {
  return "position " + std::to_string(position) + " was pruned: the log of this node begins at " +
         "position " + std::to_string(begins) + "; ask a node that keeps more";
}

Bytes slot_key(Round slot) {
  std::vector<std::byte> out;
  for (int shift = 56; shift >= 0; shift -= 8) {
    out.push_back(static_cast<std::byte>(slot.value >> shift));
  }
  return Bytes::from(std::move(out));
}

std::uint64_t number_of(ByteView key) {
  std::uint64_t out = 0;
  for (const std::byte b : key) out = out << 8 | std::to_integer<std::uint64_t>(b);
  return out;
}

Bytes encode_entry(const LogEntry& entry) {
  Writer w;
  w.bytes(entry.id.bytes).bytes(entry.log_hash.bytes).u64(entry.before.value);
  w.u64(entry.first).u64(entry.count);
  w.u32(static_cast<std::uint32_t>(entry.blocks.size()));
  for (const LoggedBlock& b : entry.blocks) {
    w.u64(b.place.offset).u32(b.place.size).u32(static_cast<std::uint32_t>(b.skipped.size()));
    for (const std::uint32_t index : b.skipped) w.u32(index);
    encode_block(*b.block, w);
  }
  return Bytes::from(w.take());
}

Result<LogEntry> decode_entry(ByteView key, ByteView value, const LogForm& log) {
  LogEntry entry;
  if (key.size() != 8) return Errc::kCorrupt;
  for (const std::byte b : key) {
    entry.slot.value = entry.slot.value << 8 | std::to_integer<std::uint64_t>(b);
  }
  Reader in(value);
  entry.id = in.digest();
  entry.log_hash = in.digest();
  entry.before = Round{in.u64()};
  entry.first = in.u64();
  entry.count = in.u64();
  const std::uint32_t count = in.u32();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    LoggedBlock b;
    b.place = {in.u64(), in.u32()};
    const std::uint32_t skipped = in.u32();
    for (std::uint32_t k = 0; k < skipped && in.ok(); ++k) b.skipped.push_back(in.u32());
    b.block = decode_block(in, log);
    if (!b.block) return Errc::kCorrupt;
    entry.blocks.push_back(std::move(b));
  }
  if (!in.done()) return Errc::kCorrupt;
  return entry;
}

}  // namespace thresher::net
