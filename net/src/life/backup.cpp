#include "thresher/net/backup.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>
#include <vector>

#include "engines/ordering_protocols.hpp"
#include "files/odd_file.hpp"
#include "ledger/log_entry.hpp"
#include "ledger/log_reader.hpp"
#include "life/backup_place.hpp"
#include "life/file_copy.hpp"
#include "life/log_tree.hpp"
#include "life/resting_store.hpp"
#include "life/snapshot_folder.hpp"
#include "store/wal_scan.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

/// While the node runs: the end of its log is read again when it was being written, the whole when
/// its front was pruned.
constexpr int kLooks = 20;
constexpr std::chrono::milliseconds kLook{100};
constexpr int kTries = 5;

/// One try at a copy, into a folder that is there and empty.
class Copying {
 public:
  Copying(const NodeOptions& options, const Digest& chain, std::string to)
      : options_(options), chain_(chain), to_(std::move(to)) {}

  // Snapshots first: the log that is copied then goes at least as far.
  CopyEnd run() {
    for (const char* name : {"snapshots", "evidence"}) {
      if (CopyEnd end = copy_folder(from(name), to_ + '/' + name); !end.good_or_absent())
        return end;
    }
    if (CopyEnd end = copy_file(from("snapshot"), to_ + "/snapshot"); !end.good_or_absent())
      return end;
    WalScan scan;
    if (auto measured = measure(scan, {}); !measured)
      return {CopyEnd::Kind::kUnreadable, measured.error()};
    if (auto lost = lost_all(options_, chain_, scan))
      return {CopyEnd::Kind::kUnreadable, std::move(*lost)};
    if (CopyEnd end = copy_log(scan, 0); !end.good()) return end;
    if (CopyEnd end = copy_file(from("wal.base"), to_ + "/wal.base"); !end.good_or_absent())
      return end;
    if (CopyEnd end = catch_up(scan); !end.good()) return end;
    end_ = scan.end();
    if (!sync_folder(to_)) return {CopyEnd::Kind::kUnwritable, cannot_write(to_, errno)};
    return {};
  }
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [begin, size] : copied_) sum += size;
    return sum;
  }
  /// Behind the last frame of the node's log that was read, and that the copy must have.
  const WalPlace& end() const { return end_; }

 private:
  std::string from(const std::string& name) const { return options_.data + '/' + name; }

  // Reads all of it, up to the last frame that is whole. What a node writes just now looks like
  // damage until it is written.
  Result<Unit, Error> measure(WalScan& scan, const WalPlace& begin) const {
    const auto read_from = [&](const WalPlace& place) {
      const auto opened = scan.open(from("wal"));
      return opened ? scan.read(place, [](const WalFrame&) { return true; }) : opened;
    };
    auto read = read_from(begin);
    for (int k = 0; !read && k < kLooks && !at_rest(from("wal")); ++k) {
      std::this_thread::sleep_for(kLook);
      read = read_from(scan.end());
    }
    return read;
  }

  // The base keeps what nothing had replaced when it was written. If that was after the end of the
  // copied log, it lacks what was replaced since then, and the log what replaced it: so the log is
  // copied up to where it ends now. Also where the base is the one that `scan` found: a scan looks
  // how far the log goes before it reads the base.
  CopyEnd catch_up(WalScan& scan) {
    WalScan copy;
    if (auto opened = copy.open(to_ + "/wal"); !opened)
      return {CopyEnd::Kind::kUnreadable, opened.error()};
    if (copy.begin().frame == 0) return {};  // there is none
    const WalPlace end = scan.end();
    if (auto measured = measure(scan, end); !measured)
      return {CopyEnd::Kind::kUnreadable, measured.error()};
    return copy_log(scan, end.offset);
  }

  // The files with what lies behind `begin`; what there is of them already is copied again.
  CopyEnd copy_log(const WalScan& scan, std::uint64_t begin) {
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
      const std::uint64_t until = next == files.end() ? end : std::min(end, next->first);
      if (until <= begin) continue;
      std::uint64_t size = until - it->first;
      // Only the head of the first file is left once the log begins behind it.
      if (it->first == 0 && scan.begin().frame != 0)
        size = std::min<std::uint64_t>(size, fs::file_size(from(it->second), error));
      const std::string to = to_ + '/' + it->second;
      if (copied_.contains(it->first)) fs::remove(to, error);
      if (CopyEnd copied = copy_file(from(it->second), to, size); !copied.good()) return copied;
      copied_[it->first] = size;
    }
    return {};
  }

  const NodeOptions& options_;
  Digest chain_;
  std::string to_;
  std::map<std::uint64_t, std::uint64_t> copied_;  // sizes of the log's files, by their beginnings
  WalPlace end_;
};

/// Whether the copy has a snapshot that a start takes, where it needs one: whole, and certified.
bool can_start(const std::string& data, const NodeStore& store, const LogBegin& begin, Round last,
               std::uint32_t members) {
  std::error_code error;
  if (begin.slot.value == 0 || fs::exists(data + "/snapshot", error)) return true;
  const SnapshotFolder folder(data);
  return std::ranges::any_of(folder.slots(), [&](Round slot) {
    if (slot < begin.slot || slot > last) return false;
    const auto certificate = load_certificate(store, slot, members);
    if (!certificate) return false;  // and may be large
    const auto loaded = folder.load(slot);
    return loaded && loaded->manifest.checkpoint == certificate->checkpoint;
  });
}

/// What the copy is, read as a node would, up to where the node's log ended; the error says why it
/// is none.
Result<Backup, Error> looked_at(const NodeOptions& options, const std::string& data,
                                const Genesis& genesis, const WalPlace& ended) {
  NodeOptions copy = options;
  copy.data = data;
  RestingStore store;
  if (const auto opened = store.open(copy, genesis.context().chain); !opened) return opened.error();
  if (store.end().offset != ended.offset) {
    return Error{ErrorCode::kIo,
                 "the log in the copy ends at byte " + std::to_string(store.end().offset) +
                     ", and that of the node at " + std::to_string(ended.offset) +
                     ": the disk of the copy does not keep what it is given",
                 data, "check it"};
  }
  const auto corrupt = [&](const std::string& why) {
    return Error{ErrorCode::kCorrupt, why, options.data};
  };
  const LogBegin begin = load_begin(store);
  LogEnd end{begin.slot, begin.length};
  std::string missing;
  const LogReader reader(store, log_form_of(genesis));
  const auto read = reader.each(begin.slot, [&](const LogEntry& entry) {
    if (!end.precedes(entry)) missing = missing_between(end, entry.before, entry.slot);
    if (missing.empty()) end = end_of(entry);
    return missing.empty();
  });
  if (!read) return corrupt("the log that was copied cannot be read");
  if (!missing.empty()) return corrupt(missing);
  if (can_start(data, store, begin, end.slot, static_cast<std::uint32_t>(genesis.nodes.size())))
    return Backup{end.slot.value, end.length, begin.length};
  return corrupt("no snapshot of the node is whole and of the part of the log that it keeps");
}

/// One try. `again`: another one may go well, as the node may have pruned what was being copied.
Result<Backup, Error> copied(const NodeOptions& options, const Genesis& genesis,
                             const std::string& data, bool& again) {
  std::error_code error;
  fs::create_directory(data, error);
  if (error) return cannot_write(data, error.value());
  Copying copying(options, genesis.context().chain, data);
  const CopyEnd end = copying.run();
  again = end.kind != CopyEnd::Kind::kUnwritable;
  if (!end.good()) return end.why;
  auto out = looked_at(options, data, genesis, copying.end());
  if (out) out->bytes = copying.bytes();
  return out;
}

}  // namespace

Result<Backup, Error> back_up(const NodeOptions& given, const std::string& destination) {
  if (given.make_store) {
    return Error{ErrorCode::kUnsupported,
                 "the node has a store of its own (NodeOptions::make_store)", given.home,
                 "copy that one"};
  }
  const NodeOptions options = with_paths(given);
  const auto genesis = load_genesis(options.genesis);
  if (!genesis) return genesis.error();
  const std::string wal = options.data + "/wal";
  if (std::string why = odd_file(wal); !why.empty())
    return Error{ErrorCode::kMalformed, std::move(why), wal};
  std::error_code error;
  if (!fs::exists(wal, error)) return at_rest(options, genesis->context().chain).error();
  BackupPlace place(destination);
  if (const auto opened = place.open(); !opened) return opened.error();
  bool again = true;
  bool running = false;
  Error why;
  for (int k = 0; again && k < kTries; ++k) {
    running = !at_rest(wal);
    if (const auto cleared = place.clear(); !cleared) {
      why = cleared.error();
      break;
    }
    auto out = copied(options, *genesis, place.folder() + "/data", again);
    if (out) {
      out->running = running || !at_rest(wal);
      if (const auto published = place.publish(); !published) return published.error();
      return out;
    }
    why = out.error();
    again = again && running;
  }
  why.what = "no copy of '" + options.home + "' could be made: " + why.what;
  return why;
}

}  // namespace thresher::net
