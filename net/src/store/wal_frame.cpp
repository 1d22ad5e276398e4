#include "store/wal_frame.hpp"

#include <algorithm>

#include "thresher/core/transcript.hpp"
#include "thresher/crypto/crc32c.hpp"

namespace thresher::net {
namespace {

constexpr std::uint32_t kMagic = 0x4c415754;       // "TWAL"
constexpr std::size_t kSummed = kFrameHeader - 8;  // of a header, before its seal
constexpr std::uint64_t kHeadSize = kFileHead - kFrameHeader;

bool all_zero(ByteView bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

/// The checksum twice: with the tag over it all 64 bits must fit.
std::uint64_t seal_of(ByteView header) {
  const std::uint64_t sum = crypto::crc32c(header);
  return sum << 32 | sum;
}

void put_sum(std::byte* out, std::uint32_t sum) {
  for (int shift = 0; shift < 32; shift += 8) *out++ = static_cast<std::byte>(sum >> shift);
}

/// Calls `visit(part, its place)` for what each sector holds of bytes that lie at `at`.
template <class F>
void each_sector(ByteView bytes, std::uint64_t at, F visit) {
  while (!bytes.empty()) {
    const std::size_t room = kSector - static_cast<std::size_t>(at % kSector);
    const ByteView part = bytes.first(std::min(room, bytes.size()));
    visit(part, at);
    bytes = bytes.subspan(part.size());
    at += part.size();
  }
}

/// Of a part of one sector that is not what it should be. `cut`: the frame ends before its end,
/// with zeros alone behind.
FrameState judge_part(ByteView part, std::uint64_t at, bool cut, std::uint64_t zeros_from) {
  const bool holds_the_cut = cut && at < zeros_from && zeros_from <= at + part.size();
  return all_zero(part) || holds_the_cut ? FrameState::kTorn : FrameState::kDamaged;
}

/// Of bytes of which only the whole has a checksum: a sector without any of them is what a cut
/// leaves.
FrameState judge_unit(ByteView bytes, std::uint64_t at, std::uint64_t zeros_from) {
  bool missing = bytes.empty() || zeros_from < at + bytes.size();
  each_sector(bytes, at, [&](ByteView part, std::uint64_t) { missing |= all_zero(part); });
  return missing ? FrameState::kTorn : FrameState::kDamaged;
}

struct Head {
  std::uint32_t format = 0;
  std::uint64_t tag = 0;
};

// Since format 4.
std::optional<Head> head_of(ByteView block) {
  const auto header = decode_header(0, block.first(kFrameHeader));
  const ByteView content = block.subspan(kFrameHeader);
  if (!header || header->size != kHeadSize || header->sum != crypto::crc32c(content)) {
    return std::nullopt;
  }
  Reader in(content);
  const std::uint32_t format = in.u32();
  return Head{format, in.u64()};
}

bool is_format_3(ByteView block) {
  Reader in(block);
  const std::uint32_t magic = in.u32();
  (void)in.bytes(kSummed - 4);
  return magic == kMagic && in.u32() == crypto::crc32c(block.first(kSummed)) && in.u32() == 0;
}

}  // namespace

std::vector<std::byte> encode_head(std::uint64_t tag) {
  Writer out;
  out.u32(kWalFormat).u64(tag);
  std::vector<std::byte> content = out.take();
  content.resize(kHeadSize);
  std::vector<std::byte> block = encode_header(0, {0, kHeadSize, 0, 0, 0, crypto::crc32c(content)});
  block.insert(block.end(), content.begin(), content.end());
  return block;
}

std::optional<std::uint64_t> decode_head(ByteView block) {
  const auto head = head_of(block);
  const bool ours = head && head->format == kWalFormat && head->tag != 0;
  return ours ? std::optional(head->tag) : std::nullopt;
}

std::optional<std::uint32_t> older_format(ByteView block) {
  if (is_format_3(block)) return 3;
  const auto head = head_of(block);
  return head && head->format < kWalFormat ? std::optional(head->format) : std::nullopt;
}

std::vector<std::byte> encode_header(std::uint64_t tag, const FrameHeader& h) {
  Writer out;
  out.u32(kMagic).u32(h.chain).u64(h.size).u64(h.sequence).u64(h.durable).u32(h.count).u32(h.sum);
  out.u64(seal_of(out.view()) ^ tag);
  return out.take();
}

std::uint32_t chain_of(ByteView header) {
  return Reader(header.subspan(kSummed)).u32();  // of this file: half of its tag is in it
}

std::optional<FrameHeader> decode_header(std::uint64_t tag, ByteView header) {
  Reader in(header);
  const std::uint32_t magic = in.u32();
  FrameHeader h;
  h.chain = in.u32();
  h.size = in.u64();
  h.sequence = in.u64();
  h.durable = in.u64();
  h.count = in.u32();
  h.sum = in.u32();
  const std::uint64_t seal = in.u64();
  const bool good = magic == kMagic && seal == (seal_of(header.first(kSummed)) ^ tag);
  return good && in.ok() ? std::optional(h) : std::nullopt;
}

void write_sums(ByteView records, std::uint64_t at, std::span<std::byte> out) {
  // The rest is not zeros either, since those are what a cut leaves.
  std::fill(out.begin(), out.end(), std::byte{0xff});
  std::size_t place = 0;
  each_sector(records, at, [&](ByteView part, std::uint64_t) {
    put_sum(out.data() + place, crypto::crc32c(part));
    place += 4;
  });
}

FrameState judge_header(ByteView header, std::uint64_t at, std::uint64_t zeros_from) {
  return judge_unit(header, at, zeros_from);
}

bool is_whole(const FrameHeader& h, ByteView sums, ByteView records, std::uint64_t at) {
  if (crypto::crc32c(sums) != h.sum) return false;
  bool whole = true;
  Reader expected(sums);
  each_sector(records, at + kFrameHeader + sums.size(), [&](ByteView part, std::uint64_t) {
    whole = expected.u32() == crypto::crc32c(part) && whole;
  });
  return whole;
}

std::vector<Extent> damaged_parts(const FrameHeader& h, ByteView sums, ByteView records,
                                  std::uint64_t at) {
  std::vector<Extent> out;
  Reader expected(sums);
  each_sector(records, records_begin(at, h.size), [&](ByteView part, std::uint64_t place) {
    if (expected.u32() != crypto::crc32c(part)) out.push_back({place, place + part.size()});
  });
  return out;
}

FrameState judge_frame(const FrameHeader& h, ByteView sums, ByteView records, std::uint64_t at,
                       std::uint64_t zeros_from) {
  if (crypto::crc32c(sums) != h.sum) return judge_unit(sums, at + kFrameHeader, zeros_from);
  const bool cut = zeros_from <= records_end(at, h.size);
  FrameState state = FrameState::kWhole;
  Reader expected(sums);
  each_sector(records, at + kFrameHeader + sums.size(), [&](ByteView part, std::uint64_t place) {
    if (expected.u32() == crypto::crc32c(part)) return;
    state = std::max(state, judge_part(part, place, cut, zeros_from));
  });
  return state;
}

}  // namespace thresher::net
