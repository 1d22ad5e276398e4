#include "store/wal_scan.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "files/advice.hpp"
#include "files/disk_problem.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/crypto/crc32c.hpp"

namespace thresher::net {
namespace {

/// False when the sizes inside do not add up, but for what fills up the last 8 bytes.
bool split(ByteView payload, const FrameHeader& h, std::uint64_t at, std::vector<WalRecord>& out) {
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
  return in.remaining() < 8;
}

}  // namespace

Error WalScan::corrupt(std::string what) const {
  return {ErrorCode::kCorrupt, std::move(what), path_};
}

Error WalScan::cannot_read(std::uint64_t at) const {
  if (errno != 0) {
    return disk_error("cannot read '" + path_ + "' at byte " + std::to_string(at), errno, path_);
  }
  // The part to read may begin in a file that is whole.
  constexpr std::uint64_t kPart = WalSegments::kUnit;
  std::byte last{};
  std::uint64_t end = std::min((at / kPart + 1) * kPart, size_);
  while (end < size_ && get(&last, 1, end - 1)) end = std::min(end + kPart, size_);
  const std::string file = window_.file_at(end - 1);
  const std::string next = window_.file_behind(end - 1);
  const bool front = next.empty() && file == path_ && base_.begin.frame != 0;
  const std::string what =
      front ? "the file behind '" + file + "' is gone"
            : "'" + file + "' was cut short" + (next.empty() ? "" : ", or '" + next + "' is gone");
  return corrupt("the log '" + path_ + "' stops at byte " + std::to_string(at) +
                 " and goes on later: " + what +
                 ". Put it back, out of a backup only if the node has not run since that was made; "
                 "else move 'data' away and keep it. Then " +
                 std::string(kObserve));
}

Error WalScan::damaged(std::uint64_t at) const {
  const std::string file = window_.file_at(at);
  const std::string what = "'" + path_ + "' is damaged at byte " + std::to_string(at) +
                           (file == path_ ? "" : " of the log, in '" + file + "'") +
                           ": records that were durable are not what they were. ";
  if (at_rest_) {
    return corrupt(
        what +
        "Start the node: payloads that its index knows it fetches from its peers and writes "
        "again, a few a second, and says which. Of anything else it stops, at the start or "
        "when it reads the place, and says what to do");
  }
  return corrupt(
      what +
      "A node that forgot what it signed must not sign. A backup of the folder helps only if "
      "the node has not run since it was made; else move 'data' away and keep it. Then " +
      std::string(kObserve));
}

Result<Unit, Error> WalScan::open(const std::string& path) {
  path_ = path;
  if (!window_.open(path)) return disk_error("cannot open '" + path + "'", errno, path);
  size_ = window_.size();
  base_ = {{kFileHead, 0, 0, 0}};
  end_ = base_.begin;
  if (size_ < kFileHead) return Unit{};
  std::vector<std::byte> head(kFileHead);
  if (!get(head.data(), head.size(), 0)) return cannot_read(0);
  if (const auto tag = decode_head(head)) {
    tag_ = *tag;
    return open_base();
  }
  if (const auto format = older_format(head)) {
    return Error{
        ErrorCode::kUnsupported,
        "'" + path + "' has format " + std::to_string(*format) + ", this program reads format " +
            std::to_string(kWalFormat),
        path, "run the program that wrote it, or move 'data' away: then " + std::string(kObserve)};
  }
  // Created, and the power went before anything was written.
  end_.offset = 0;
  if (auto looked = look_behind(); !looked) return looked;
  if (zeros_from_ > 0) return damaged(0);
  end_.offset = kFileHead;
  return Unit{};
}

Result<Unit, Error> WalScan::open_base() {
  const std::string path = path_ + ".base";
  auto base = load_base(path, tag_);
  if (!base) return base.error();
  if (*base) base_ = std::move(**base);
  end_ = base_.begin;
  std::array<std::byte, kFrameHeader> first{};
  errno = 0;
  if (base_.begin.frame == 0 && size_ > kFileHead && !get(first.data(), first.size(), kFileHead) &&
      errno == 0) {
    return Error{ErrorCode::kCorrupt,
                 "'" + path +
                     "', which says where the log begins, is gone: put the one of this folder "
                     "back; else move 'data' away and keep it. Then " +
                     std::string(kObserve),
                 path};
  }
  return Unit{};
}

// Whether the log is the one of which somebody noted that it goes up to `from`.
Result<Unit, Error> WalScan::belongs(const WalPlace& from) const {
  if (from.frame == 0) return Unit{};
  const Error elsewhere = corrupt(
      "'" + path_ + "' is not the log that its index was made of, or lost its end (byte " +
      std::to_string(from.offset) + " of " + std::to_string(size_) +
      "): an older copy, or a disk that lost what was durable. A node that forgot what it signed "
      "must not sign. " +
      std::string(kKeyMayNotSign));
  if (size_ < from.offset) return elsewhere;
  const WalPlace& begin = base_.begin;
  if (from.offset == begin.offset) {  // the frame before it was given back
    if (from.chain == begin.chain && from.sequence == begin.sequence) return Unit{};
    return elsewhere;
  }
  std::array<std::byte, kFrameHeader> raw{};
  if (!get(raw.data(), raw.size(), from.frame)) return cannot_read(from.frame);
  if (decode_header(tag_, raw) && chain_of(raw) == from.chain) return Unit{};
  return elsewhere;
}

// What stands at the end so far, and whether it is the frame that comes next.
Result<Unit, Error> WalScan::load_header(Loaded& out) {
  const std::uint64_t start = end_.offset;
  if (!get(out.raw.data(), out.raw.size(), start)) return cannot_read(start);
  out.header = decode_header(tag_, out.raw);
  if (!out.header) return Unit{};
  const FrameHeader& h = *out.header;
  // Space is reserved before it is written, so a frame never reaches behind its file.
  const std::uint64_t room = size_ - start - kFrameHeader;
  out.follows = h.chain == end_.chain && h.sequence == end_.sequence && h.size <= room &&
                h.size >= frame_size(0);
  return Unit{};
}

// The same with what is in it.
Result<Unit, Error> WalScan::load(Loaded& out) {
  if (auto header = load_header(out); !header || !out.follows) return header;
  const FrameHeader& h = *out.header;
  const std::uint64_t start = end_.offset;
  const std::uint64_t at = records_begin(start, h.size);
  out.sums.resize(static_cast<std::size_t>(sums_size(h.size)));
  payload_.resize(static_cast<std::size_t>(records_end(start, h.size) - at));
  const bool got = get(out.sums.data(), out.sums.size(), start + kFrameHeader) &&
                   get(payload_.data(), payload_.size(), at);
  if (!got) return cannot_read(start);
  return Unit{};
}

WalPlace WalScan::behind(const Loaded& f) const {
  return {end_.offset + kFrameHeader + f.header->size, f.header->sequence + f.header->count,
          end_.offset, chain_of(f.raw)};
}

// The frame at the end so far, if it is whole.
Result<FrameState, Error> WalScan::frame(WalFrame& out) {
  const std::uint64_t start = end_.offset;
  Loaded f;
  if (const auto loaded = load(f); !loaded) return loaded.error();
  if (!f.header) {
    if (const auto looked = look_behind(); !looked) return looked.error();
    return judge_header(f.raw, start, zeros_from_);
  }
  if (!f.follows) return FrameState::kDamaged;
  FrameState state = FrameState::kWhole;
  if (!is_whole(*f.header, f.sums, payload_, start)) {
    if (const auto looked = look_behind(); !looked) return looked.error();
    return judge_frame(*f.header, f.sums, payload_, start, zeros_from_);
  }
  if (!split(payload_, *f.header, records_begin(start, f.header->size), out.records)) {
    state = FrameState::kDamaged;
  }
  out.sequence = f.header->sequence;
  out.end = behind(f);
  return state;
}

WalScan::Checked WalScan::check(std::uint64_t until, std::uint64_t bytes) {
  const std::uint64_t pause = end_.offset + bytes;
  window_.forget();  // bodies are mended in their places
  while (end_.offset < std::min(until, pause)) {
    Loaded f;
    if (const auto loaded = load(f); !loaded) return {loaded.error(), {}, end_.offset};
    if (!f.follows || crypto::crc32c(f.sums) != f.header->sum) {
      return {damaged(end_.offset), {}, end_.offset};
    }
    auto parts = damaged_parts(*f.header, f.sums, payload_, end_.offset);
    if (!parts.empty()) return {{}, std::move(parts), end_.offset};
    end_ = behind(f);
  }
  return {{}, {}, end_.offset, end_.offset >= until};
}

bool WalScan::visit_base(const Visit& visit) const {
  for (const WalBase::Kept& r : base_.records) {
    const WalRecord record{r.table, r.key.view(), r.value.view(), r.body};
    if (!visit({r.sequence, {record}, base_.begin})) return false;
  }
  return true;
}

Result<Unit, Error> WalScan::read(const WalPlace& from, const Visit& visit) {
  if (auto fits = belongs(from); !fits) return fits;
  if (from.frame != 0) {
    end_ = from;
  } else if (!visit_base(visit)) {
    return corrupt("reading '" + path_ + ".base' was ended");
  }
  while (tag_ != 0 && end_.offset + kFrameHeader <= size_) {
    WalFrame next;
    const auto state = frame(next);
    if (!state) return state.error();
    if (*state == FrameState::kDamaged) return damaged(end_.offset);
    if (*state == FrameState::kTorn) return Unit{};
    if (!visit(next)) {
      return corrupt("reading '" + path_ + "' was ended at byte " + std::to_string(end_.offset));
    }
    end_ = next.end;
  }
  return look_behind();
}

// Tables and keys of the frame's records, in `payload_`; false when the sizes do not add up.
bool WalScan::load_keys(const Loaded& f, std::vector<WalRecord>& out) {
  constexpr std::size_t kHead = 20;
  std::uint64_t at = records_begin(end_.offset, f.header->size);
  const std::uint64_t end = records_end(end_.offset, f.header->size);
  std::array<std::byte, kHead> raw{};
  std::vector<std::pair<std::uint32_t, std::size_t>> heads;  // table, size of the key
  payload_.clear();
  for (std::uint32_t i = 0; i < f.header->count; ++i) {
    if (end - at < kHead || !get(raw.data(), raw.size(), at)) return false;
    at += kHead;
    Reader in(raw);
    const std::uint32_t table = in.u32();
    const std::uint32_t key = in.u32();
    const std::uint64_t value = in.u64();
    const std::uint32_t body = in.u32();
    if (key > end - at || value > end - at - key || body > end - at - key - value) return false;
    payload_.resize(payload_.size() + key);
    if (!get(payload_.data() + payload_.size() - key, key, at)) return false;
    at += key + value + body;
    heads.emplace_back(table, key);
  }
  ByteView keys = payload_;
  for (const auto& [table, size] : heads) {
    out.push_back({table, keys.first(size), {}, {}});
    keys = keys.subspan(size);
  }
  return true;
}

void WalScan::skim(std::uint32_t exact, const std::function<void(const WalRecord&)>& visit) {
  const Visit each = [&](const WalFrame& f) {
    for (const WalRecord& r : f.records) visit(r);
    return true;
  };
  (void)visit_base(each);
  while (tag_ != 0 && end_.offset + kFrameHeader <= size_) {
    Loaded f;
    WalFrame next;
    if (!load_header(f) || !f.follows || !load_keys(f, next.records)) break;
    const bool is_exact = std::any_of(next.records.begin(), next.records.end(),
                                      [&](const WalRecord& r) { return r.table == exact; });
    if (is_exact) {  // what a power cut left of it counts for nothing
      next.records.clear();
      const auto state = frame(next);
      if (!state || *state != FrameState::kWhole) break;
    }
    (void)each(next);
    end_ = behind(f);
  }
  end_ = base_.begin;
}

// What stands behind the end: nothing that says "all up to here was durable", or the end is none.
Result<Unit, Error> WalScan::look_behind() {
  constexpr std::size_t kPiece = 1u << 20;
  std::vector<std::byte> piece(kPiece + kFrameHeader);
  zeros_from_ = end_.offset;
  for (std::uint64_t at = end_.offset; at < size_; at += kPiece) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), size_ - at));
    if (!get(piece.data(), size, at)) return cannot_read(at);
    const ByteView view = ByteView(piece).first(size);
    for (std::size_t i = 0; i < kPiece && i + 8 <= size; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, view.data() + i, sizeof word);
      if (word == 0) continue;
      zeros_from_ = at + i + 8;
      if (tag_ == 0 || i + kFrameHeader > size) continue;
      const auto header = decode_header(tag_, view.subspan(i, kFrameHeader));
      if (header && header->durable > end_.offset) return damaged(end_.offset);
    }
  }
  return Unit{};
}

Result<Bytes> WalScan::read_body(const BodyPlace& place, std::uint64_t written) const {
  std::vector<std::byte> data(place.size);
  errno = 0;
  if (!window_.read(data.data(), data.size(), place.offset, written)) {
    return errno == 0 ? Errc::kCorrupt : Errc::kIo;
  }
  return Bytes::from(std::move(data));
}

}  // namespace thresher::net
