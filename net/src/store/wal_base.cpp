#include "store/wal_base.hpp"

#include <optional>
#include <utility>

#include "files/advice.hpp"
#include "files/whole_file.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHash = sizeof(Digest::bytes);
/// A record without its key and value.
constexpr std::size_t kLeast = 8 + 4 + 4 + 8 + 8 + 4;

std::optional<WalBase> decode(ByteView content, std::uint64_t tag) {
  Reader in(content);
  const bool ours = in.u32() == kVersion && in.u64() == tag;
  WalBase out;
  out.begin.offset = in.u64();
  out.begin.sequence = in.u64();
  out.begin.frame = in.u64();
  out.begin.chain = in.u32();
  const std::uint64_t count = in.u64();
  if (!ours || !in.ok() || count > in.remaining() / kLeast) return std::nullopt;
  out.records.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    WalBase::Kept r;
    r.sequence = in.u64();
    r.table = in.u32();
    const std::uint32_t key = in.u32();
    const std::uint64_t value = in.u64();
    r.body = {in.u64(), in.u32()};
    if (!in.ok() || key > in.remaining() || value > in.remaining() - key) return std::nullopt;
    r.key = Bytes::copy_of(in.bytes(key));
    r.value = Bytes::copy_of(in.bytes(static_cast<std::size_t>(value)));
    out.records.push_back(std::move(r));
  }
  if (!in.done()) return std::nullopt;
  return out;
}

}  // namespace

Error first_file_gone(const std::string& path) {
  return {ErrorCode::kMissing,
          "the first file of the log, '" + path + "', is gone, and '" + path + ".base' is there",
          path, "put it back: it is what the other files are read by"};
}

bool save_base(const std::string& path, std::uint64_t tag, const WalBase& base) {
  Writer w;
  w.u32(kVersion).u64(tag).u64(base.begin.offset).u64(base.begin.sequence);
  w.u64(base.begin.frame).u32(base.begin.chain).u64(base.records.size());
  for (const WalBase::Kept& r : base.records) {
    w.u64(r.sequence).u32(r.table).u32(static_cast<std::uint32_t>(r.key.size()));
    w.u64(r.value.size()).u64(r.body.offset).u32(r.body.size);
    w.bytes(r.key.view()).bytes(r.value.view());
  }
  const Digest sum = hash(w.view());
  w.bytes(sum.bytes);
  return replace_synced(path, w.view());
}

Result<std::optional<WalBase>, Error> load_base(const std::string& path, std::uint64_t tag) {
  const auto content = read_whole(path);
  if (!content && content.error().code == ErrorCode::kMissing) return std::optional<WalBase>();
  if (!content) return content.error();
  const ByteView bytes = as_view(*content);
  if (bytes.size() >= kHash) {
    const ByteView said = bytes.first(bytes.size() - kHash);
    Reader tail(bytes.last(kHash));
    auto found = hash(said) == tail.digest() ? decode(said, tag) : std::nullopt;
    if (found) return found;
  }
  return Error{
      ErrorCode::kCorrupt,
      "'" + path +
          "', which says where the log begins, is not what was written, or is of another "
          "log. Put the one of this folder back; else move 'data' away and keep it. Then " +
          std::string(kObserve),
      path};
}

}  // namespace thresher::net
