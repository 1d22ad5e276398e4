#include "wal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "thresher/core/transcript.hpp"
#include "thresher/crypto/crc32c.hpp"

namespace thresher::net {
namespace {

constexpr std::uint32_t kMagic = 0x4c415754;  // "TWAL"
constexpr std::size_t kBlock = BlockBuffer::kBlock;
constexpr std::size_t kHeader = 48;
constexpr std::size_t kRecordHeader = 20;
constexpr std::uint64_t kReserve = 16u << 20;    // the file grows by this much
constexpr std::size_t kSmallWrite = 64u << 10;   // up to here space is filled ahead
constexpr std::size_t kFillAhead = 256u << 10;   // by this much at a time
constexpr std::size_t kKeepBuffer = 4u << 20;    // a larger buffer is given back
constexpr std::uint64_t kLookAhead = 64u << 20;  // how far a frame after a bad one is looked for

std::uint64_t up(std::uint64_t offset) {
  return BlockBuffer::up(offset);
}

struct Header {
  std::uint32_t chain = 0;
  std::uint64_t size = 0;      // of the records, without padding
  std::uint64_t sequence = 0;  // of the first record
  std::uint64_t durable = 0;   // all before this offset was durable when the frame was written
  std::uint32_t count = 0;
  std::uint32_t sum = 0;  // of the records
};

std::vector<std::byte> encode(const Header& h) {
  Writer out;
  out.u32(kMagic).u32(h.chain).u64(h.size).u64(h.sequence).u64(h.durable).u32(h.count).u32(h.sum);
  out.u32(crypto::crc32c(out.view())).u32(0);
  return out.take();
}

/// The checksum by which the next frame names this one.
std::uint32_t chain_of(ByteView header) {
  Reader in(header.subspan(40, 4));
  return in.u32();
}

/// Nothing where no frame was ever begun or its header is not what it was.
std::optional<Header> decode(ByteView header) {
  Reader in(header);
  const std::uint32_t magic = in.u32();
  Header h;
  h.chain = in.u32();
  h.size = in.u64();
  h.sequence = in.u64();
  h.durable = in.u64();
  h.count = in.u32();
  h.sum = in.u32();
  if (magic != kMagic || in.u32() != crypto::crc32c(header.first(40))) return std::nullopt;
  return h;
}

/// False when the sizes inside do not add up.
bool split(ByteView payload, const Header& h, std::uint64_t at, std::vector<WalRecord>& out) {
  Reader in(payload);
  for (std::uint32_t i = 0; i < h.count; ++i) {
    WalRecord record;
    record.table = in.u32();
    const std::uint32_t key = in.u32();
    const std::uint64_t value = in.u64();
    record.body.size = in.u32();
    if (!in.ok() || key > in.remaining()) return false;
    record.key = in.bytes(key);
    if (value > in.remaining()) return false;
    record.value = in.bytes(value);
    if (record.body.size > in.remaining()) return false;
    record.body.offset = at + (payload.size() - in.remaining());
    (void)in.bytes(record.body.size);
    out.push_back(record);
  }
  return in.done();
}

}  // namespace

WriteAheadLog::~WriteAheadLog() {
  if (file_ >= 0) ::close(file_);
}

bool WriteAheadLog::fails(const char* what, int error) {
  problem_ = std::string(what) + ": " + std::strerror(error);
  return false;
}

std::string WriteAheadLog::open(const std::string& path, const WalPlace& from,
                                const std::function<bool(const WalFrame&)>& visit) {
  file_ = open_past_cache(path, O_RDWR | O_CREAT);
  struct stat info {};
  if (file_ < 0 || !window_.open(path) || ::fstat(file_, &info) != 0) {
    return "cannot open '" + path + "': " + std::strerror(errno) + "; check the folder's owner";
  }
  reserved_ = static_cast<std::uint64_t>(info.st_size);
  if (reserved_ < from.offset) {
    return "'" + path + "' is shorter than the index says (" + std::to_string(reserved_) + " of " +
           std::to_string(from.offset) + " bytes); restore the folder from one backup";
  }
  if (std::string why = recover(path, from, visit); !why.empty()) return why;
  // What was read behind the last frame is about to be written.
  window_.forget();
  written_ = durable_ = filled_ = end_.offset;
  base_ = BlockBuffer::down(end_.offset);
  buffer_.grow(kBlock, 0);
  used_ = static_cast<std::size_t>(end_.offset - base_);
  if (!read_all(buffer_.data(), used_, base_)) {
    return "cannot read '" + path + "': " + std::strerror(errno);
  }
  return {};
}

std::string WriteAheadLog::recover(const std::string& path, const WalPlace& from,
                                   const std::function<bool(const WalFrame&)>& visit) {
  end_ = from;
  std::vector<std::byte> payload;
  std::array<std::byte, kHeader> raw{};
  while (end_.offset + kHeader <= reserved_) {
    if (!read_all(raw.data(), raw.size(), end_.offset)) {
      return "cannot read '" + path + "': " + std::strerror(errno);
    }
    const auto header = decode(raw);
    const std::uint64_t at = end_.offset + kHeader;
    bool whole = header && header->chain == end_.chain && header->sequence == end_.sequence &&
                 header->size <= reserved_ - at;
    WalFrame frame;
    if (whole) {
      payload.resize(static_cast<std::size_t>(header->size));
      whole = read_all(payload.data(), payload.size(), at) &&
              crypto::crc32c(payload) == header->sum && split(payload, *header, at, frame.records);
    }
    if (!whole) {
      if (!damaged_at(end_.offset)) return {};
      return "'" + path + "' is damaged at byte " + std::to_string(end_.offset) +
             ": records that were durable are not what they were; a node that forgot must not " +
             "vote: restore the folder from one backup, or start a new key in the next epoch";
    }
    frame.sequence = header->sequence;
    frame.end = {(at + header->size + 7) / 8 * 8, header->sequence + header->count, chain_of(raw)};
    if (!visit(frame)) return "cannot make the index of '" + path + "' again";
    end_ = frame.end;
  }
  return {};
}

// A frame that was cut off has nothing behind it that says "all before me is durable".
bool WriteAheadLog::damaged_at(std::uint64_t offset) const {
  constexpr std::size_t kPiece = 1u << 20;
  std::vector<std::byte> piece(kPiece + kHeader);
  const std::uint64_t until = std::min(reserved_, offset + kLookAhead);
  for (std::uint64_t at = offset; at < until; at += kPiece) {
    const std::size_t size =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), reserved_ - at));
    if (!read_all(piece.data(), size, at)) return true;
    for (std::size_t i = 0; i < kPiece && i + kHeader <= size; i += 8) {
      const auto header = decode(ByteView(piece).subspan(i, kHeader));
      if (header && header->sequence >= end_.sequence && header->durable > offset) return true;
    }
  }
  return false;
}

bool WriteAheadLog::read_all(std::byte* data, std::size_t size, std::uint64_t at) const {
  return window_.read(data, size, at, written_);
}

void WriteAheadLog::put(const void* data, std::size_t size) {
  if (size == 0) return;
  std::memcpy(buffer_.data() + used_, data, size);
  used_ += size;
}

std::vector<BodyPlace> WriteAheadLog::places_of(std::span<const Persist> batch) const {
  std::vector<BodyPlace> out;
  out.reserve(batch.size());
  std::uint64_t at = base_ + used_ + kHeader;
  for (const Persist& p : batch) {
    at += kRecordHeader + p.key.size() + p.value.size();
    out.push_back({at, static_cast<std::uint32_t>(p.body.size())});
    at += p.body.size();
  }
  return out;
}

void WriteAheadLog::append(std::span<const Persist> batch, std::vector<BodyPlace>& places) {
  std::size_t size = 0;
  for (const Persist& p : batch)
    size += kRecordHeader + p.key.size() + p.value.size() + p.body.size();
  buffer_.grow(static_cast<std::size_t>(up(used_ + kHeader + size + 8)), used_);
  const std::size_t start = used_;
  used_ += kHeader;
  for (const Persist& p : batch) {
    Writer head;
    head.u32(p.table).u32(static_cast<std::uint32_t>(p.key.size())).u64(p.value.size());
    head.u32(static_cast<std::uint32_t>(p.body.size()));
    put(head.view().data(), head.view().size());
    put(p.key.view().data(), p.key.size());
    put(p.value.view().data(), p.value.size());
    places.push_back({base_ + used_, static_cast<std::uint32_t>(p.body.size())});
    put(p.body.view().data(), p.body.size());
  }
  const std::byte* payload = buffer_.data() + start + kHeader;
  Header header{end_.chain, used_ - start - kHeader, end_.sequence, durable_, 0, 0};
  header.count = static_cast<std::uint32_t>(batch.size());
  header.sum = crypto::crc32c({payload, static_cast<std::size_t>(header.size)});
  const auto raw = encode(header);
  std::memcpy(buffer_.data() + start, raw.data(), raw.size());
  while (used_ % 8 != 0) buffer_.data()[used_++] = std::byte{0};
  pending_ += used_ - start;
  end_ = {base_ + used_, end_.sequence + batch.size(), chain_of(raw)};
}

bool WriteAheadLog::reserve(std::uint64_t until) {
  while (reserved_ < until) {
    int done = ::fallocate(file_, 0, static_cast<off_t>(reserved_), static_cast<off_t>(kReserve));
    if (done != 0 && errno == EINTR) continue;
    // Where space cannot be reserved a full disk is met by the write instead.
    if (done != 0 && errno == EOPNOTSUPP) {
      done = ::ftruncate(file_, static_cast<off_t>(reserved_ + kReserve));
    }
    if (done != 0) return fails("reserving space for the write-ahead log", errno);
    reserved_ += kReserve;
  }
  return true;
}

// Zeros in front of a small write. A large one pays for its journal entry itself, and would be
// written twice.
bool WriteAheadLog::fill_ahead() {
  const std::uint64_t until = up(end_.offset);
  if (until <= filled_) return true;
  if (pending_ > kSmallWrite) {
    filled_ = until;
    return true;
  }
  alignas(kBlock) static std::byte zeros[kFillAhead + kBlock];
  if (!reserve(until + kFillAhead)) return false;
  const std::uint64_t from = std::max(up(filled_), until - kBlock);
  if (!write_blocks(zeros, static_cast<std::size_t>(until + kFillAhead - from), from, false)) {
    return fails("filling the write-ahead log", errno);
  }
  filled_ = until + kFillAhead;
  return true;
}

bool WriteAheadLog::write_blocks(const std::byte* data, std::size_t size, std::uint64_t at,
                                 bool sync) {
  while (size > 0) {
    iovec part{const_cast<std::byte*>(data), size};
    const ssize_t n = ::pwritev2(file_, &part, 1, static_cast<off_t>(at), sync ? RWF_DSYNC : 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

bool WriteAheadLog::flush(bool sync) {
  if (pending_ > 0) {
    if (!reserve(up(end_.offset)) || !fill_ahead()) return false;
    const std::size_t whole = static_cast<std::size_t>(up(used_));
    std::memset(buffer_.data() + used_, 0, whole - used_);
    // A sync of this write alone is enough where nothing else waits for one.
    const bool alone = sync && !unsynced_;
    if (!write_blocks(buffer_.data(), whole, base_, alone)) {
      return fails("writing the write-ahead log", errno);
    }
    if (!alone) unsynced_ = true;
    if (alone) ++syncs_;
    const std::size_t kept = used_ % kBlock;
    std::memmove(buffer_.data(), buffer_.data() + (used_ - kept), kept);
    base_ += used_ - kept;
    used_ = kept;
    pending_ = 0;
    written_ = end_.offset;
    if (buffer_.capacity() > kKeepBuffer) buffer_.shrink(used_);
  }
  if (!sync) return true;
  if (std::exchange(unsynced_, false)) {
    if (::fdatasync(file_) != 0) return fails("syncing the write-ahead log", errno);
    ++syncs_;
  }
  durable_ = end_.offset;
  return true;
}

Result<Bytes> WriteAheadLog::read_body(const BodyPlace& place) const {
  std::vector<std::byte> data(place.size);
  errno = 0;
  if (!read_all(data.data(), data.size(), place.offset)) {
    return errno == 0 ? Errc::kCorrupt : Errc::kIo;
  }
  return Bytes::from(std::move(data));
}

}  // namespace thresher::net
