#include "thresher/net/backup.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>
#include <vector>

#include "../disk_problem.hpp"
#include "../log_entry.hpp"
#include "../odd_file.hpp"
#include "../wal_scan.hpp"
#include "resting_store.hpp"
#include "snapshot_folder.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

/// Of a node that runs: the end of its log is read again when it was being written, the whole when
/// its front was pruned.
constexpr int kLooks = 20;
constexpr std::chrono::milliseconds kLook{100};
constexpr int kTries = 5;
constexpr std::size_t kPiece = 1u << 20;

std::string cannot(const std::string& what, int error) {
  return "cannot " + what + ": " + disk_problem(error);
}

std::string cannot(const std::string& what, const std::error_code& error) {
  return "cannot " + what + ": " + disk_problem(error.value());
}

/// Empty, or why not. The rest of the file is zeros: nothing is written behind a log.
std::string copy_part(const std::string& from, const std::string& to, std::uint64_t size) {
  const int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) return cannot("read '" + from + "'", errno);
  const int out = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kForOwner);
  std::string why = out < 0 ? cannot("write '" + to + "'", errno) : std::string();
  std::vector<std::byte> piece(kPiece);
  while (why.empty() && size > 0) {
    const ssize_t got =
        ::read(in, piece.data(), static_cast<std::size_t>(std::min<std::uint64_t>(size, kPiece)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      why = got < 0 ? cannot("read '" + from + "'", errno) : "'" + from + "' became shorter";
    } else if (::write(out, piece.data(), static_cast<std::size_t>(got)) != got) {
      why = cannot("write '" + to + "'", errno);
    }
    size -= static_cast<std::uint64_t>(std::max<ssize_t>(got, 0));
  }
  if (why.empty() && ::fsync(out) != 0) why = cannot("write '" + to + "'", errno);
  ::close(in);
  if (out >= 0) ::close(out);
  return why;
}

/// One try at a copy, into a folder that is there and empty.
class Copying {
 public:
  Copying(const NodeOptions& options, std::string to) : options_(options), to_(std::move(to)) {}

  // Snapshots first: the log that is copied then goes at least as far.
  std::string run() {
    for (const char* name : {"snapshots", "evidence"}) {
      if (std::string why = copy_folder(name); !why.empty()) return why;
    }
    if (std::string why = copy_file("snapshot"); !why.empty()) return why;
    WalScan scan;
    if (std::string why = measure(scan); !why.empty()) return why;
    if (std::string why = copy_log(scan); !why.empty()) return why;
    return sync_folder(to_) ? std::string() : cannot("write '" + to_ + "'", errno);
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::string from(const std::string& name) const { return options_.data + '/' + name; }

  // Files of a running node may go while they are copied: what is not whole is left out by a start.
  std::string copy_folder(const std::string& name) const {
    std::error_code error;
    if (!fs::exists(from(name), error)) return {};
    fs::copy(from(name), to_ + '/' + name, fs::copy_options::recursive, error);
    if (error && error != std::errc::no_such_file_or_directory)
      return cannot("copy '" + from(name) + "'", error);
    for (const auto& entry : fs::directory_iterator(to_ + '/' + name, error)) {
      std::error_code ignored;
      if (entry.path().extension() == ".partial") fs::remove_all(entry.path(), ignored);
    }
    return {};
  }
  std::string copy_file(const std::string& name) const {
    std::error_code error;
    if (!fs::exists(from(name), error)) return {};
    const std::uint64_t size = fs::file_size(from(name), error);
    return error ? cannot("read '" + from(name) + "'", error)
                 : copy_part(from(name), to_ + '/' + name, size);
  }

  // Reads all of it, up to the last frame that is whole. What a node writes just now looks like
  // damage until it is written.
  std::string measure(WalScan& scan) const {
    std::string why = scan.open(from("wal"));
    if (why.empty()) why = scan.read({}, [](const WalFrame&) { return true; });
    for (int k = 0; !why.empty() && k < kLooks && !in_use(from("wal")).empty(); ++k) {
      std::this_thread::sleep_for(kLook);
      const WalPlace end = scan.end();
      why = scan.open(from("wal"));
      if (why.empty()) why = scan.read(end, [](const WalFrame&) { return true; });
    }
    return why;
  }

  std::string copy_log(const WalScan& scan) {
    std::map<std::uint64_t, std::string> files{{0, "wal"}};
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(options_.data, error)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("wal.")) continue;
      if (name.find_first_not_of("0123456789", 4) == name.npos && name.size() > 4)
        files.emplace(std::stoull(name.substr(4)), name);
    }
    const std::uint64_t end = scan.end().offset;
    for (auto it = files.begin(); it != files.end() && it->first < end; ++it) {
      const auto next = std::next(it);
      std::uint64_t size = (next == files.end() ? end : std::min(end, next->first)) - it->first;
      if (it->first == 0 && scan.begin().frame != 0) size = kFileHead;
      if (std::string why = copy_part(from(it->second), to_ + '/' + it->second, size); !why.empty())
        return why;
      bytes_ += size;
    }
    return copy_file("wal.base");
  }

  const NodeOptions& options_;
  std::string to_;
  std::uint64_t bytes_ = 0;
};

/// What the copy is, read as a node would; the error says why it is none.
Result<Backup, std::string> looked_at(const NodeOptions& options, const std::string& data,
                                      std::uint32_t n, const ChainContext& chain) {
  NodeOptions copy = options;
  copy.data = data;
  RestingStore store;
  if (std::string why = store.open(copy); !why.empty()) return why;
  const LogBegin begin = load_begin(store);
  Backup out{begin.slot.value, begin.length, begin.length};
  const auto read = store.scan(kLedgerTable, slot_key(Round{begin.slot.value + 1}).view(),
                               [&](ByteView key, ByteView value) {
                                 const auto entry = decode_entry(key, value, chain, n);
                                 if (!entry || entry->first != out.length) return false;
                                 out.slot = entry->slot.value;
                                 out.length = entry->first + entry->count;
                                 return true;
                               });
  if (!read) return std::string("the log that was copied cannot be read");
  if (begin.slot.value == 0 || fs::exists(data + "/snapshot")) return out;
  const SnapshotFolder folder(data);
  const std::vector<Round> slots = folder.slots();
  const auto usable = [&](Round slot) {
    return slot >= begin.slot && slot.value <= out.slot && folder.load(slot);
  };
  if (std::ranges::any_of(slots, usable)) return out;
  return std::string("no snapshot of the node is whole and of the part of the log that it keeps");
}

}  // namespace

Result<Backup, std::string> back_up(const NodeOptions& given, const std::string& destination) {
  const NodeOptions options = with_paths(given);
  const auto genesis = load_genesis(options.genesis);
  if (!genesis) return genesis.error();
  const std::string wal = options.data + "/wal";
  if (std::string why = odd_file(wal); !why.empty()) return why;
  std::error_code error;
  if (!fs::exists(wal, error)) return in_use(wal);
  if (fs::exists(fs::symlink_status(destination, error))) {
    return "'" + destination + "' is there already; name a folder that is not, or move it away";
  }
  const std::string partial = destination + ".partial";
  std::string why;
  // A running node may prune what is being copied.
  for (int k = 0; k < kTries; ++k) {
    const bool running = !in_use(wal).empty();
    fs::remove_all(partial, error);
    if (!fs::create_directories(partial + "/data", error)) {
      return cannot("make '" + partial + "'", error);
    }
    Copying copying(options, partial + "/data");
    why = copying.run();
    if (why.empty()) {
      auto out = looked_at(options, partial + "/data",
                           static_cast<std::uint32_t>(genesis->nodes.size()), genesis->context());
      if (out) {
        out->bytes = copying.bytes();
        out->running = running || !in_use(wal).empty();
        fs::rename(partial, destination, error);
        if (!error && sync_folder_of(destination)) return out;
        return cannot("make '" + destination + "'", error);
      }
      why = out.error();
    }
    if (!running) break;
  }
  fs::remove_all(partial, error);
  return "no copy of '" + options.home + "' could be made: " + why;
}

}  // namespace thresher::net
