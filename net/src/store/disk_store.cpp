#include "thresher/net/disk_store.hpp"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "files/disk_problem.hpp"
#include "store/wal.hpp"
#include "store/wal_frame.hpp"
#include "store/wal_scan.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/net/synced_file.hpp"

namespace thresher::net {
namespace {
/// How much of the log is looked at in one go. Unit: bytes.
constexpr std::uint64_t kPiece = 4u << 20;

/// The index is flushed whenever the log has grown by this much: what a start reads at most twice.
constexpr std::uint64_t kFlushEvery = 64u << 20;
/// More than can come between two flushes: the index never goes to disk before the log it is of.
constexpr std::size_t kIndexBuffer = 256u << 20;
/// Unsynced records without bodies wait in memory up to here.
constexpr std::size_t kPending = 1u << 20;
constexpr std::uint32_t kMetaTable = 0xffffffff;
constexpr std::size_t kPrefix = 8 + 8 + 4;  // sequence, offset, size
/// Places between frames that are noted for each file of the log.
constexpr std::uint64_t kMarks = 4;
/// Looks at whether the index is on the disk, and the time between two.
constexpr int kLooks = 20;
constexpr std::chrono::milliseconds kLook{50};
constexpr char kMadeAgain[] = ": it is made again from the write-ahead log, which has everything";

rocksdb::Slice slice(ByteView v) {
  return {reinterpret_cast<const char*>(v.data()), v.size()};
}
ByteView view(const rocksdb::Slice& s) {
  return {reinterpret_cast<const std::byte*>(s.data()), s.size()};
}

std::vector<std::byte> full_key(std::uint32_t table, ByteView key) {
  std::vector<std::byte> out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::byte>(table >> shift));
  out.insert(out.end(), key.begin(), key.end());
  return out;
}

// RocksDB's own log file would be on the same disk; of a full one its writer makes an assertion
// that fails, which ended the process before the failed write was reported.
class NoLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

/// Nothing but what the index holds is wrong: all of it can be made again.
bool repairable(const rocksdb::Status& status) {
  const std::string missing = std::strerror(ENOENT);
  return !status.IsIOError() || status.ToString().find(missing) != std::string::npos;
}

/// The key of a noted place; they sort by their offsets.
std::vector<std::byte> mark_key(std::uint64_t offset) {
  std::vector<std::byte> key;
  for (int shift = 56; shift >= 0; shift -= 8)
    key.push_back(static_cast<std::byte>(offset >> shift));
  return full_key(kMetaTable, key);
}

std::uint32_t table_of(ByteView key) {
  std::uint32_t table = 0;
  for (std::size_t i = 0; i < 4; ++i) table = table << 8 | std::to_integer<std::uint32_t>(key[i]);
  return table;
}

Errc error_of(const rocksdb::Status& status) {
  return status.IsIOError() ? Errc::kIo : Errc::kCorrupt;
}

}  // namespace

struct DiskStore::Impl {
  std::unique_ptr<rocksdb::DB> db;
  WriteAheadLog wal;
  std::uint64_t segment = 0;
  std::uint64_t mark = 0;                 // the part of the log that the last noted place is in
  std::atomic<std::uint64_t> flushed{0};  // where the log ended when the index was flushed last
  std::atomic<std::uint64_t> released{0};
  std::string folder;
  std::optional<Error> problem;  // nothing goes to the disk any more

  /// What the index said when the log was synced last, and where that ended.
  struct Durable {
    std::shared_ptr<const rocksdb::Snapshot> view{};
    std::uint64_t end = 0;
  };
  std::mutex durable_mutex;
  Durable durable;
  void note_durable();
  Durable last_durable() {
    const std::lock_guard lock(durable_mutex);
    return durable;
  }

  bool fails(Error why) {
    problem = std::move(why);
    return false;
  }
  Error of_index(const std::string& what, const std::string& why) const {
    return {ErrorCode::kIo, what + ": " + why, folder + "/index"};
  }
  Result<Unit, Error> open(const Warn& warn);
  std::optional<Error> clock_problem() const;
  rocksdb::Status open_index(const std::string& path);
  rocksdb::Status read_meta(WalPlace& from) const;
  Result<Unit, Error> index_log(const WalPlace& from);
  bool index(std::span<const WalRecord> records, std::uint64_t sequence, const WalPlace& begin,
             const WalPlace& end);
  void note_place(const WalPlace& at, rocksdb::WriteBatch& out);
  bool flush_index(bool wait);
  std::optional<std::uint64_t> index_covers() const;
  std::optional<std::uint64_t> first_needed(const NamedBody& named,
                                            const rocksdb::ReadOptions& from) const;
  std::optional<WalPlace> last_place(std::uint64_t until) const;
  bool collect(WalBase& base, std::uint32_t leading, const rocksdb::ReadOptions& from) const;
  void forget_places(std::uint64_t before);
};

static_assert(kStoreVersion == kWalFormat, "one number tells users what a home can be read by");

// Before 1970 RocksDB ends the process at its next write, and nanoseconds in 64 bits end in 2262:
// the standard library's clock starts again below zero there, so the system is asked. A problem of
// the machine, not of the disk: see disk_failed().
std::optional<Error> DiskStore::Impl::clock_problem() const {
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max() / 1'000'000'000;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec >= 0 && now.tv_sec < kEnd) return std::nullopt;
  const std::string when = now.tv_sec < 0 ? "before 1970" : "after 2262";
  return Error{ErrorCode::kUnsupported, "the clock of this machine says a time " + when, folder,
               "set the clock"};
}

rocksdb::Status DiskStore::Impl::open_index(const std::string& path) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.paranoid_checks = true;
  options.max_background_jobs = 1;
  options.write_buffer_size = kIndexBuffer;
  options.max_write_buffer_number = 4;
  options.avoid_flush_during_shutdown = true;  // see ~DiskStore
  options.info_log = std::make_shared<NoLog>();
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, path, &opened);
  db.reset(opened);
  // What is damaged is found here, where it can be made again, and not when somebody asks for it.
  return status.ok() ? db->VerifyChecksum() : status;
}

rocksdb::Status DiskStore::Impl::read_meta(WalPlace& from) const {
  std::string meta;
  rocksdb::Status status = db->Get({}, slice(full_key(kMetaTable, {})), &meta);
  if (status.IsNotFound()) return rocksdb::Status::OK();
  if (!status.ok()) return status;
  Reader in(as_view(meta));
  const std::uint32_t version = in.u32();
  from.offset = in.u64();
  from.sequence = in.u64();
  from.frame = in.u64();
  from.chain = in.u32();
  if (in.done() && version == kStoreVersion) return status;
  return rocksdb::Status::Corruption("the index is of another format");
}

Result<Unit, Error> DiskStore::Impl::index_log(const WalPlace& from) {
  WalPlace begin = from;
  auto read = wal.recover(from, [&](const WalFrame& frame) {
    return index(frame.records, frame.sequence, std::exchange(begin, frame.end), frame.end);
  });
  flushed = from.offset;
  released = wal.begin().frame == 0 ? 0 : wal.begin().offset;
  if (read) note_durable();
  if (read || !problem) return read;
  return because(read.error().what, folder, *problem);
}

// Whatever is wrong with the index alone is repaired: all that it says is in the log.
Result<Unit, Error> DiskStore::Impl::open(const Warn& warn) {
  if (auto opened = wal.open(folder + "/wal", segment); !opened) return opened;
  const std::string path = folder + "/index";
  std::error_code unknown;
  bool gone = !std::filesystem::exists(path + "/CURRENT", unknown) && !unknown;
  WalPlace from;
  rocksdb::Status status = open_index(path);
  if (status.ok()) status = read_meta(from);
  if (status.ok() && from.frame != 0 && from.offset < wal.begin().offset) {
    status = rocksdb::Status::Corruption("it is older than the log");
  }
  if (!status.ok()) {
    if (!repairable(status)) {
      const std::string why = disk_problem_in(status.ToString());
      return of_index("cannot open the index '" + path + "'",
                      why.empty() ? status.ToString() + "; move 'index' away" + kMadeAgain : why);
    }
    warn("the index '" + path + "' is damaged (" + status.ToString() + ")" + kMadeAgain);
    gone = false;
    db.reset();
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error) return of_index("cannot remove the damaged index '" + path + "'", error.message());
    status = open_index(path);
    if (!status.ok())
      return of_index("cannot make the index '" + path + "' again", status.ToString());
    from = {};
  }
  auto indexed = index_log(from);
  if (indexed && gone && wal.end().sequence > 0) {
    warn("the index '" + path + "' is gone" + kMadeAgain);
  }
  return indexed;
}

// The write-ahead log is the node's own, so RocksDB keeps none.
bool DiskStore::Impl::index(std::span<const WalRecord> records, std::uint64_t sequence,
                            const WalPlace& begin, const WalPlace& end) {
  rocksdb::WriteBatch out;
  note_place(begin, out);
  for (const WalRecord& r : records) {
    const auto key = full_key(r.table, r.key);
    if (r.value.empty()) {
      out.Delete(slice(key));
    } else {
      Writer value;
      value.u64(sequence).u64(r.body.offset).u32(r.body.size).bytes(r.value);
      out.Put(slice(key), slice(value.view()));
    }
    ++sequence;
  }
  Writer meta;
  meta.u32(kStoreVersion).u64(end.offset).u64(end.sequence).u64(end.frame).u32(end.chain);
  out.Put(slice(full_key(kMetaTable, {})), slice(meta.view()));
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  if (auto clock = clock_problem()) return fails(*clock);
  const rocksdb::Status status = db->Write(options, &out);
  return status.ok() || fails(of_index("writing the index", status.ToString()));
}

// The first place between two frames in each part of the log, so that one near any offset is known.
void DiskStore::Impl::note_place(const WalPlace& at, rocksdb::WriteBatch& out) {
  if (segment == 0 || at.frame == 0 || at.offset / (segment / kMarks) == mark) return;
  mark = at.offset / (segment / kMarks);
  Writer value;
  value.u64(at.offset).u64(at.sequence).u64(at.frame).u32(at.chain);
  out.Put(slice(mark_key(at.offset)), slice(value.view()));
}

bool DiskStore::Impl::flush_index(bool wait) {
  rocksdb::FlushOptions options;
  options.wait = wait;
  const rocksdb::Status status = db->Flush(options);
  flushed = wal.end().offset;  // behind the switch to a new table, which index_covers() counts
  return status.ok() || fails(of_index("flushing the index", status.ToString()));
}

// For release(), which nobody calls where there is one file.
void DiskStore::Impl::note_durable() {
  if (segment == 0) return;
  Durable now{{db->GetSnapshot(), [this](const rocksdb::Snapshot* s) { db->ReleaseSnapshot(s); }},
              wal.end().offset};
  const std::lock_guard lock(durable_mutex);
  std::swap(durable, now);
}

DiskStore::DiskStore() : impl_(std::make_unique<Impl>()) {}

// The index goes to the disk when the log is there. Where the log found no room the index ends
// where it was flushed last, and a start reads the rest again.
DiskStore::~DiskStore() {
  if (impl_->db && !impl_->problem && impl_->wal.flush(Sync::kYes)) (void)impl_->flush_index(true);
}

Result<std::unique_ptr<DiskStore>, Error> DiskStore::open(const std::string& folder,
                                                          const Warn& warn, std::uint64_t segment) {
  const std::string what = "cannot open the store '" + folder + "'";
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return disk_error(what, errno, folder);
  std::unique_ptr<DiskStore> store(new DiskStore());
  store->impl_->folder = folder;
  store->impl_->segment = segment;
  if (auto clock = store->impl_->clock_problem()) return *clock;
  auto opened = store->impl_->open(warn);
  if (opened && !sync_folder_of(folder))
    opened = disk_error("cannot sync the folder around it", errno, folder);
  if (opened) return store;
  store->impl_->problem = opened.error();
  return because(what, folder, opened.error());
}

Result<std::unique_ptr<DiskStore>, Error> DiskStore::open_checked(const std::string& folder,
                                                                  const Warn& warn) {
  auto store = open(folder, warn);
  if (!store) return store.error();
  const auto refuse = [&](const Error& why) {
    return because("cannot use the store '" + folder + "'", folder, why);
  };
  WalScan scan;
  if (const auto opened = scan.open(folder + "/wal"); !opened) return refuse(opened.error());
  const std::uint64_t end = (*store)->impl_->wal.end().offset;
  WalScan::Checked found;
  while (!found.problem && found.damaged.empty() && !found.done) found = scan.check(end, kPiece);
  if (found.problem) return refuse(*found.problem);
  if (!found.damaged.empty()) return refuse(scan.damaged(found.damaged.front().begin));
  return store;
}

Result<Unit> DiskStore::write(std::span<const Persist> batch, Sync sync) {
  const WalPlace begin = impl_->wal.end();
  std::vector<BodyPlace> places;
  if (!batch.empty()) impl_->wal.append(batch, places);
  std::vector<WalRecord> records;
  records.reserve(batch.size());
  bool bodies = false;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    bodies |= places[i].size > 0;
    records.push_back({batch[i].table, batch[i].key.view(), batch[i].value.view(), places[i]});
  }
  // A body is read from the disk, so it goes there at once; what has none may wait for a sync.
  const std::uint64_t every =
      impl_->segment == 0 ? kFlushEvery : std::min(kFlushEvery, impl_->segment);
  const bool flush_index = impl_->wal.end().offset > impl_->flushed + every;
  if (sync == Sync::kYes || bodies || flush_index || impl_->wal.pending() > kPending) {
    if (!impl_->wal.flush(flush_index ? Sync::kYes : sync)) {
      impl_->problem = impl_->wal.problem();
      return Errc::kIo;
    }
  }
  if (!records.empty() && !impl_->index(records, begin.sequence, begin, impl_->wal.end())) {
    return Errc::kIo;
  }
  if (sync == Sync::kYes || flush_index) impl_->note_durable();
  if (flush_index && !impl_->flush_index(false)) return Errc::kIo;
  return Unit{};
}

Result<Unit> DiskStore::replay(const std::function<void(const Restored&)>& visit) const {
  struct Item {
    std::uint64_t sequence;
    Restored record;
  };
  std::vector<Item> items;
  const std::unique_ptr<rocksdb::Iterator> it(impl_->db->NewIterator({}));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const ByteView key = view(it->key());
    Reader in(view(it->value()));
    const std::uint32_t table = table_of(key);
    if (table >= kHostTables) break;
    Item item{in.u64(), {table, Bytes::copy_of(key.subspan(4)), {}, {}}};
    (void)in.bytes(kPrefix - 8);
    item.record.value = Bytes::copy_of(in.bytes(in.remaining()));
    if (!in.ok()) return Errc::kCorrupt;
    items.push_back(std::move(item));
  }
  if (!it->status().ok()) return error_of(it->status());
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.sequence < b.sequence; });
  for (const Item& item : items) visit(item.record);
  return Unit{};
}

Result<Unit> DiskStore::scan(std::uint32_t table, ByteView from,
                             const std::function<bool(ByteView key, ByteView value)>& visit) const {
  const auto prefix = full_key(table, {});
  const std::unique_ptr<rocksdb::Iterator> it(impl_->db->NewIterator({}));
  for (it->Seek(slice(full_key(table, from))); it->Valid() && it->key().starts_with(slice(prefix));
       it->Next()) {
    if (it->value().size() < kPrefix) return Errc::kCorrupt;
    if (!visit(view(it->key()).subspan(4), view(it->value()).subspan(kPrefix))) break;
  }
  if (!it->status().ok()) return error_of(it->status());
  return Unit{};
}

std::optional<BodyPlace> DiskStore::locate(std::uint32_t table, ByteView key) const {
  std::string value;
  const auto full = full_key(table, key);
  if (!impl_->db->Get({}, slice(full), &value).ok()) return std::nullopt;
  Reader in(as_view(value));
  (void)in.u64();
  const BodyPlace place{in.u64(), in.u32()};
  if (!in.ok()) return std::nullopt;
  return place;
}

Result<Bytes> DiskStore::read_body(const BodyPlace& place) const {
  return impl_->wal.read_body(place);
}

bool DiskStore::mend_body(const BodyPlace& place, ByteView body) {
  if (impl_->wal.mend_body(place, body)) return true;
  impl_->problem = impl_->wal.problem();
  return false;
}

std::vector<BodyPlace> DiskStore::places_of(std::span<const Persist> batch) const {
  return impl_->wal.places_of(batch);
}

// Up to where the index on the disk covers the log; empty: a flush has not come to its end.
std::optional<std::uint64_t> DiskStore::Impl::index_covers() const {
  const std::uint64_t until = flushed;  // before the question: what it counts is of then or earlier
  std::uint64_t waiting = 0;
  const bool known = db->GetIntProperty("rocksdb.num-immutable-mem-table", &waiting);
  return known && waiting == 0 ? std::optional(until) : std::nullopt;
}

// One view of all records: a block whose record is erased meanwhile is named by the log entry that
// was written before, or was still there when the view was taken.
std::optional<std::uint64_t> DiskStore::Impl::first_needed(const NamedBody& named,
                                                           const rocksdb::ReadOptions& from) const {
  std::uint64_t first = ~std::uint64_t{0};
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(from));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const ByteView key = view(it->key());
    const std::uint32_t table = table_of(key);
    if (table == kMetaTable) break;
    Reader in(view(it->value()));
    (void)in.u64();
    const BodyPlace body{in.u64(), in.u32()};
    if (!in.ok()) return std::nullopt;
    if (body.size > 0) first = std::min(first, body.offset);
    if (table < kHostTables) continue;
    const auto other = named(table, key.subspan(4), in.bytes(in.remaining()));
    if (other) first = std::min(first, *other);
  }
  return it->status().ok() ? std::optional(first) : std::nullopt;
}

std::optional<WalPlace> DiskStore::Impl::last_place(std::uint64_t until) const {
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator({}));
  it->SeekForPrev(slice(mark_key(until)));
  // The record without a number is the first of its table.
  if (!it->Valid() || it->key().size() != mark_key(0).size()) return std::nullopt;
  Reader in(view(it->value()));
  WalPlace at{in.u64(), in.u64(), in.u64(), in.u32()};
  if (!in.done()) return std::nullopt;
  return at;
}

// What is still there of the records in front of the place.
bool DiskStore::Impl::collect(WalBase& base, std::uint32_t leading,
                              const rocksdb::ReadOptions& from) const {
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(from));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const ByteView key = view(it->key());
    if (table_of(key) == kMetaTable) break;
    Reader in(view(it->value()));
    const std::uint64_t sequence = in.u64();
    const BodyPlace body{in.u64(), in.u32()};
    if (!in.ok()) return false;
    if (sequence >= base.begin.sequence && table_of(key) != leading) continue;
    base.records.push_back({sequence, table_of(key), Bytes::copy_of(key.subspan(4)),
                            Bytes::copy_of(in.bytes(in.remaining())), body});
  }
  std::ranges::sort(base.records, {}, [&](const WalBase::Kept& r) {
    return std::pair(r.table != leading, r.sequence);
  });
  return it->status().ok();
}

void DiskStore::Impl::forget_places(std::uint64_t before) {
  rocksdb::WriteBatch out;
  out.DeleteRange(slice(mark_key(0)), slice(mark_key(before)));
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  (void)db->Write(options, &out);  // they are in nobody's way
}

// The log's new beginning is durable first, and then the files before it are deleted. The records
// that the index had at the log's last sync are kept: a kill may lose those that replaced or erased
// one since, and then the replaced record would be gone too.
Result<Unit, Error> DiskStore::release(const NamedBody& named, std::uint32_t leading) {
  if (impl_->segment == 0) return Unit{};
  auto covers = impl_->index_covers();
  for (int k = 0; !covers && k < kLooks; ++k) {
    std::this_thread::sleep_for(kLook);
    covers = impl_->index_covers();
  }
  const Error unreadable{ErrorCode::kIo, "the index cannot be read", impl_->folder + "/index"};
  const Impl::Durable durable = impl_->last_durable();
  if (!durable.view) return Unit{};
  rocksdb::ReadOptions from;
  from.snapshot = durable.view.get();
  const auto first = impl_->first_needed(named, from);
  if (!first) return unreadable;
  const auto place = impl_->last_place(std::min({*first, covers.value_or(0), durable.end}));
  if (!place || place->offset <= impl_->released) return Unit{};
  WalBase base{*place};
  if (!impl_->collect(base, leading, from)) return unreadable;
  if (auto begins = impl_->wal.begin_at(base); !begins) return begins;
  // Before the first file goes: who meets the hole asks whether it may be one.
  impl_->released = place->offset;
  impl_->forget_places(place->offset);
  return impl_->wal.give_back(place->offset);
}

std::uint64_t DiskStore::released() const {
  return impl_->released;
}

std::optional<Error> DiskStore::problem() const {
  return impl_->problem;
}

std::uint64_t DiskStore::written() const {
  return impl_->wal.written();
}

std::uint64_t DiskStore::syncs() const {
  return impl_->wal.syncs();
}

}  // namespace thresher::net
