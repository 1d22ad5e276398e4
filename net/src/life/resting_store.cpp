#include "life/resting_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "files/advice.hpp"
#include "files/disk_problem.hpp"
#include "files/odd_file.hpp"
#include "store/sign_once.hpp"

namespace thresher::net {

Result<Unit, Error> at_rest(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) {
    std::error_code ignored;
    if (std::filesystem::exists(path + ".base", ignored)) return first_file_gone(path);
    return Error{ErrorCode::kMissing,
                 "there is no log '" + path + "': the node never ran, or the folder is another one",
                 path};
  }
  if (file < 0) return disk_error("cannot open '" + path + "'", errno, path);
  const bool free = ::flock(file, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  ::close(file);
  if (free) return Unit{};
  return Error{ErrorCode::kBusy, "'" + path + "' is in use: " + std::string(kNodeRuns), path};
}

namespace {

// A node that was killed in the middle of its first start may have left as little. One that signed
// wrote a record first, and where there is an index a file was there to be made an index of.
std::optional<Error> nothing_left(const NodeOptions& options, const Digest& chain,
                                  std::uint64_t bytes, const std::string& seen) {
  const std::string path = options.data + "/wal";
  const std::string remedy =
      "put the one of this folder back; else move 'data' away and keep it. Then " +
      std::string(kObserve);
  if (has_signed(options.key, chain))
    return Error{
        ErrorCode::kCorrupt,
        seen + ", but '" + sign_once_path(options.key, chain) + "' says that the node signed", path,
        remedy};
  std::error_code unknown;
  if (bytes > 0 || !std::filesystem::exists(options.data + "/index", unknown)) return std::nullopt;
  return Error{ErrorCode::kCorrupt, seen + ", but the index beside it is of a log that was not",
               path, remedy};
}

}  // namespace

std::optional<Error> lost_all(const NodeOptions& options, const Digest& chain, const WalScan& wal) {
  if (wal.end().sequence > 0) return std::nullopt;
  return nothing_left(options, chain, wal.size(), "'" + options.data + "/wal' is empty");
}

Result<Unit, Error> at_rest(const NodeOptions& options, const Digest& chain) {
  const std::string path = options.data + "/wal";
  auto resting = at_rest(path);
  std::error_code unknown;
  if (resting || std::filesystem::exists(path, unknown) ||
      std::filesystem::exists(path + ".base", unknown))
    return resting;
  if (auto lost = nothing_left(options, chain, 0, "there is no log '" + path + "'")) return *lost;
  return resting;
}

Result<Unit, Error> RestingStore::open(const NodeOptions& options, const Digest& chain) {
  const std::string path = options.data + "/wal";
  if (std::string why = odd_file(path); !why.empty())
    return Error{ErrorCode::kMalformed, std::move(why), path};
  if (const auto resting = at_rest(options, chain); !resting) return resting.error();
  if (auto opened = wal_.open(path); !opened) return opened;
  const auto read = wal_.read({}, [&](const WalFrame& frame) { return take(frame); });
  if (auto lost = lost_all(options, chain, wal_)) return *lost;
  if (read) return Unit{};
  return because("the log of '" + options.home + "' ends early", path, read.error());
}

bool RestingStore::take(const WalFrame& frame) {
  for (const WalRecord& r : frame.records) {
    if (r.table < kHostTables) continue;
    Key key{r.table, {r.key.begin(), r.key.end()}};
    if (r.value.empty()) {
      records_.erase(key);
    } else {
      records_.insert_or_assign(std::move(key), Record{Bytes::copy_of(r.value), r.body});
    }
  }
  return true;
}

Result<Unit> RestingStore::scan(std::uint32_t table, ByteView from,
                                const std::function<bool(ByteView, ByteView)>& visit) const {
  for (auto it = records_.lower_bound({table, {from.begin(), from.end()}}); it != records_.end();
       ++it) {
    if (it->first.first != table || !visit(it->first.second, it->second.value.view())) break;
  }
  return Unit{};
}

std::optional<BodyPlace> RestingStore::locate(std::uint32_t table, ByteView key) const {
  const auto it = records_.find({table, {key.begin(), key.end()}});
  if (it == records_.end()) return std::nullopt;
  return it->second.body;
}

Result<Bytes> RestingStore::read_body(const BodyPlace& place) const {
  return wal_.read_body(place, wal_.size());
}

Result<Unit> RestingStore::write(std::span<const Persist>, Sync) {
  return Errc::kIo;
}

// The protocol's records are not kept: nobody steps a protocol on a store that rests.
Result<Unit> RestingStore::replay(const std::function<void(const Restored&)>&) const {
  return Unit{};
}

std::vector<BodyPlace> RestingStore::places_of(std::span<const Persist> batch) const {
  return std::vector<BodyPlace>(batch.size());
}

bool RestingStore::mend_body(const BodyPlace&, ByteView) {
  return false;
}

}  // namespace thresher::net
