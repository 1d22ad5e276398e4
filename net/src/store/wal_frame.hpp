// How frames of the write-ahead log lie in its file, and what may be said of bytes that are not a
// whole frame. Private to net/.
//
//   file:  | head, one block of 4 KiB | frame | frame | ... | zeros |
//   frame: | header, 48 B | checksums, 4 B a sector | records, up to a multiple of 8 | mark, 8 B |
//
// A header ends with its seal: its checksum, hidden by the file's tag: 64 random bits that never
// leave the node, so that nothing a client writes into the log passes for a header. It holds the
// checksum of the checksums; each of these covers what one sector of 512 bytes holds of the
// records. The mark is not zero. The head is a frame without records that holds the tag.
//
// Guarantees: a disk writes a sector as a whole, and the space behind the log is zeros. So a frame
// that a power cut left unfinished has in each sector what was written or zeros, or it ends
// somewhere and all behind it is zeros; it is `kTorn`. Any other difference was made afterwards,
// and is `kDamaged`. Not guaranteed: durable sectors that turn into zeros look like a cut. Where a
// later frame stands that was written after they were durable, the log tells (WriteAheadLog::open);
// else nobody here can: see ADR 012.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "thresher/core/bytes.hpp"

namespace thresher::net {

inline constexpr std::size_t kFrameHeader = 48;
inline constexpr std::size_t kSector = 512;
inline constexpr std::size_t kMark = 8;
inline constexpr std::size_t kFileHead = 4096;
inline constexpr std::uint32_t kWalFormat = 7;

/// What a frame says of itself.
struct FrameHeader {
  std::uint32_t chain = 0;     ///< checksum of the header of the frame before
  std::uint64_t size = 0;      ///< of all behind the header. Unit: bytes.
  std::uint64_t sequence = 0;  ///< of the first record
  std::uint64_t durable = 0;   ///< all before this offset was durable when the frame was written
  std::uint32_t count = 0;     ///< records
  std::uint32_t sum = 0;       ///< checksum of the checksums
};

/// The first block of a file, and the mirror: empty when it is no such block.
std::vector<std::byte> encode_head(std::uint64_t tag);
std::optional<std::uint64_t> decode_head(ByteView block);
/// The format of a file that begins so, when that is an older one.
std::optional<std::uint32_t> older_format(ByteView block);

std::vector<std::byte> encode_header(std::uint64_t tag, const FrameHeader& h);
/// Empty where no header of this file begins, or it is not what it was.
std::optional<FrameHeader> decode_header(std::uint64_t tag, ByteView header);
/// The checksum by which the next frame names this one.
std::uint32_t chain_of(ByteView header);

/// Bytes of a frame of this size that are checksums: enough wherever the records lie.
constexpr std::uint64_t sums_size(std::uint64_t size) {
  return (size / kSector + 2) * 4;
}
/// FrameHeader::size for so many bytes of records.
constexpr std::uint64_t frame_size(std::uint64_t records) {
  std::uint64_t size = records + kMark;
  for (std::uint64_t next = 0; next != size;) {  // more bytes need more checksums
    next = std::exchange(size, (sums_size(size) + records + 7) / 8 * 8 + kMark);
  }
  return size;
}
/// Where the records of a frame at `at` begin and end, with what fills them up.
constexpr std::uint64_t records_begin(std::uint64_t at, std::uint64_t size) {
  return at + kFrameHeader + sums_size(size);
}
constexpr std::uint64_t records_end(std::uint64_t at, std::uint64_t size) {
  return at + kFrameHeader + size - kMark;
}
/// Writes the checksums of `records`, which lie at `at` in the file. Pre: `out` has the size for
/// it.
void write_sums(ByteView records, std::uint64_t at, std::span<std::byte> out);

enum class FrameState : std::uint8_t { kWhole, kTorn, kDamaged };

/// Of bytes that should be a header, but are none. From `zeros_from` on the file is zeros.
FrameState judge_header(ByteView header, std::uint64_t at, std::uint64_t zeros_from);
/// Of the checksums and records behind a good header that stands at `at`.
FrameState judge_frame(const FrameHeader& h, ByteView sums, ByteView records, std::uint64_t at,
                       std::uint64_t zeros_from);
/// Whether they are what was written.
bool is_whole(const FrameHeader& h, ByteView sums, ByteView records, std::uint64_t at);
/// Some bytes of the file.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< behind the last one
};
/// Parts of the records in which the sectors differ from what was written. Pre: the checksums are
/// whole.
std::vector<Extent> damaged_parts(const FrameHeader& h, ByteView sums, ByteView records,
                                  std::uint64_t at);

}  // namespace thresher::net
