#include "snapshot.hpp"

#include <fstream>
#include <iterator>

#include "thresher/core/transcript.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {
constexpr std::uint32_t kVersion = 4;

}  // namespace

std::string save_snapshot(const std::string& folder, const Snapshot& s) {
  Writer w;
  w.u32(kVersion).u64(s.own.size()).bytes(s.own.view());
  w.u64(s.app.size()).bytes(s.app.view());
  const Digest digest = hash(w.view());
  w.bytes(digest.bytes);
  const std::string path = folder + "/snapshot";
  if (!replace_synced(path, w.view())) {
    return "cannot write '" + path + "'; the next start replays the log instead";
  }
  return {};
}

std::optional<Snapshot> load_snapshot(const std::string& folder) {
  std::ifstream in(folder + "/snapshot", std::ios::binary);
  if (!in) return std::nullopt;
  const std::string all((std::istreambuf_iterator<char>(in)), {});
  const ByteView view = as_view(all);
  constexpr std::size_t kDigest = sizeof(Digest::bytes);
  if (view.size() < kDigest) return std::nullopt;
  const ByteView body = view.first(view.size() - kDigest);
  Reader tail(view.last(kDigest));
  if (hash(body) != tail.digest()) return std::nullopt;
  Reader r(body);
  if (r.u32() != kVersion) return std::nullopt;
  Snapshot s;
  s.own = Bytes::copy_of(r.bytes(r.u64()));
  s.app = Bytes::copy_of(r.bytes(r.u64()));
  if (!r.done()) return std::nullopt;
  return s;
}

}  // namespace thresher::net
