#include "ledger/snapshot.hpp"

#include <utility>

#include "files/read_file.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {
constexpr std::uint32_t kVersion = 5;

}  // namespace

std::string save_snapshot(const std::string& folder, const Snapshot& s) {
  Writer w;
  w.u32(kVersion).u64(s.own.size()).bytes(s.own.view());
  w.u64(s.app.size()).bytes(s.app.view()).bytes(s.state.bytes);
  const Digest digest = hash(w.view());
  w.bytes(digest.bytes);
  const std::string path = folder + "/snapshot";
  if (!replace_synced(path, w.view())) {
    return "cannot write '" + path + "'; the next start replays the log instead";
  }
  return {};
}

std::optional<StopSnapshot> load_snapshot(const std::string& folder) {
  const auto on_disk = ReadFile::open(folder + "/snapshot");
  auto file = on_disk ? on_disk->all() : std::nullopt;
  constexpr std::size_t kDigest = sizeof(Digest::bytes);
  if (!file || file->size() < kDigest) return std::nullopt;
  const ByteView body = file->view().first(file->size() - kDigest);
  Reader tail(file->view().last(kDigest));
  if (hash(body) != tail.digest()) return std::nullopt;
  Reader r(body);
  if (r.u32() != kVersion) return std::nullopt;
  const ByteView own = r.bytes(r.u64());
  const ByteView app = r.bytes(r.u64());
  const Digest state = r.digest();
  if (!r.done()) return std::nullopt;
  return StopSnapshot{std::move(*file), own, app, state};
}

}  // namespace thresher::net
