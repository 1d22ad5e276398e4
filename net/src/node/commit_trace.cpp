#include "thresher/net/commit_trace.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "thresher/core/transcript.hpp"

namespace thresher::net {
namespace {

/// Mark, node, and four numbers.
constexpr std::size_t kRecordBytes = 1 + 2 + 4 * 8;
constexpr auto kLastMark = static_cast<std::uint8_t>(TraceMark::kSpent);

struct Closed {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};

}  // namespace

std::vector<std::byte> encode_trace(const TraceRecord& r) {
  Writer w;
  w.u8(static_cast<std::uint8_t>(r.mark)).u16(r.node).u64(r.at_us).u64(r.id).u64(r.a).u64(r.b);
  return w.take();
}

Result<std::vector<TraceRecord>, Error> read_commit_trace(const std::string& path) {
  const auto cannot = [&] {
    return Error{code_of_errno(errno),
                 "cannot read the trace '" + path + "': " + std::strerror(errno), path,
                 "it is there when its node ran with --trace-commits"};
  };
  const std::unique_ptr<std::FILE, Closed> file(std::fopen(path.c_str(), "rbe"));
  if (!file) return cannot();
  std::vector<TraceRecord> out;
  std::byte bytes[kRecordBytes];
  while (std::fread(bytes, kRecordBytes, 1, file.get()) == 1) {
    Reader in(bytes);
    const std::uint8_t mark = in.u8();
    if (mark > kLastMark) {
      return Error{ErrorCode::kMalformed,
                   "'" + path + "' is no trace of this build: record " +
                       std::to_string(out.size()) + " begins with " + std::to_string(mark),
                   path, "make it again with this program"};
    }
    TraceRecord r;
    r.mark = static_cast<TraceMark>(mark);
    r.node = in.u16();
    r.at_us = in.u64();
    r.id = in.u64();
    r.a = in.u64();
    r.b = in.u64();
    out.push_back(r);
  }
  if (std::ferror(file.get()) != 0) return cannot();
  return out;
}

}  // namespace thresher::net
