#include "thresher/net/disk_store.hpp"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdarg>
#include <utility>
#include <vector>

#include "thresher/core/transcript.hpp"
#include "wal.hpp"

namespace thresher::net {
namespace {

/// The index is flushed whenever the log has grown by this much: what a start reads at most twice.
constexpr std::uint64_t kFlushEvery = 64u << 20;
/// More than can come between two flushes: the index never goes to disk before the log it is of.
constexpr std::size_t kIndexBuffer = 256u << 20;
/// Unsynced records without bodies wait in memory up to here.
constexpr std::size_t kPending = 1u << 20;
constexpr std::uint32_t kMetaTable = 0xffffffff;
constexpr std::size_t kPrefix = 8 + 8 + 4;  // sequence, offset, size

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

}  // namespace

struct DiskStore::Impl {
  std::unique_ptr<rocksdb::DB> db;
  WriteAheadLog wal;
  std::uint64_t flushed = 0;  // where the log ended when the index was flushed last
  std::string problem;

  bool fails(const char* what, const std::string& why) {
    problem = what + (": " + why);
    return false;
  }
  std::string read_meta(const std::string& folder, WalPlace& from) const;
  bool index(std::span<const WalRecord> records, std::uint64_t sequence, const WalPlace& end);
  bool flush_index(bool wait);
};

std::string DiskStore::Impl::read_meta(const std::string& folder, WalPlace& from) const {
  std::string meta;
  if (!db->Get({}, slice(full_key(kMetaTable, {})), &meta).ok()) return {};
  Reader in(as_view(meta));
  const std::uint32_t version = in.u32();
  from.offset = in.u64();
  from.sequence = in.u64();
  from.chain = in.u32();
  if (in.done() && version == kStoreVersion) return {};
  return "the store '" + folder + "' has format " + std::to_string(version) +
         ", this program reads format " + std::to_string(kStoreVersion) +
         "; run the program that wrote it, or start a new key";
}

// The write-ahead log is the node's own, so RocksDB keeps none.
bool DiskStore::Impl::index(std::span<const WalRecord> records, std::uint64_t sequence,
                            const WalPlace& end) {
  rocksdb::WriteBatch out;
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
  meta.u32(kStoreVersion).u64(end.offset).u64(end.sequence).u32(end.chain);
  out.Put(slice(full_key(kMetaTable, {})), slice(meta.view()));
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  const rocksdb::Status status = db->Write(options, &out);
  return status.ok() || fails("writing the index", status.ToString());
}

bool DiskStore::Impl::flush_index(bool wait) {
  rocksdb::FlushOptions options;
  options.wait = wait;
  flushed = wal.end().offset;
  const rocksdb::Status status = db->Flush(options);
  return status.ok() || fails("flushing the index", status.ToString());
}

DiskStore::DiskStore() : impl_(std::make_unique<Impl>()) {}

// The index goes to the disk when the log is there. Where the log found no room the index ends
// where it was flushed last, and a start reads the rest again.
DiskStore::~DiskStore() {
  if (impl_->db && impl_->problem.empty() && impl_->wal.flush(true)) (void)impl_->flush_index(true);
}

Result<std::unique_ptr<DiskStore>, std::string> DiskStore::open(const std::string& folder) {
  std::unique_ptr<DiskStore> store(new DiskStore());
  Impl& impl = *store->impl_;
  ::mkdir(folder.c_str(), 0700);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.paranoid_checks = true;
  options.max_background_jobs = 1;
  options.write_buffer_size = kIndexBuffer;
  options.max_write_buffer_number = 4;
  options.avoid_flush_during_shutdown = true;  // see ~DiskStore
  options.info_log = std::make_shared<NoLog>();
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, folder + "/index", &db);
  if (!status.ok()) {
    const bool locked = status.ToString().find("lock") != std::string::npos;
    return "cannot open the store '" + folder + "': " + status.ToString() +
           (locked ? "; another process runs this node: one key must never run twice"
                   : "; a damaged store must not vote: restore it, or start a new key in the next "
                     "epoch");
  }
  impl.db.reset(db);
  WalPlace from;
  if (std::string why = impl.read_meta(folder, from); !why.empty()) return why;
  std::string why = impl.wal.open(folder + "/wal", from, [&](const WalFrame& frame) {
    return impl.index(frame.records, frame.sequence, frame.end);
  });
  if (!why.empty()) return impl.problem.empty() ? why : why + ": " + impl.problem;
  impl.flushed = from.offset;
  return store;
}

Result<Unit> DiskStore::write(std::span<const Persist> batch, bool sync) {
  const std::uint64_t sequence = impl_->wal.end().sequence;
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
  const bool flush_index = impl_->wal.end().offset > impl_->flushed + kFlushEvery;
  if (sync || bodies || flush_index || impl_->wal.pending() > kPending) {
    if (!impl_->wal.flush(sync || flush_index)) {
      impl_->problem = impl_->wal.problem();
      return Errc::kIo;
    }
  }
  if (!records.empty() && !impl_->index(records, sequence, impl_->wal.end())) return Errc::kIo;
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
    std::uint32_t table = 0;
    for (int i = 0; i < 4; ++i)
      table = table << 8 | std::to_integer<std::uint32_t>(key[static_cast<std::size_t>(i)]);
    if (table >= kHostTables) break;
    Item item{in.u64(), {table, Bytes::copy_of(key.subspan(4)), {}, {}}};
    (void)in.bytes(kPrefix - 8);
    item.record.value = Bytes::copy_of(in.bytes(in.remaining()));
    if (!in.ok()) return Errc::kCorrupt;
    items.push_back(std::move(item));
  }
  if (!it->status().ok()) return Errc::kCorrupt;
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
  if (!it->status().ok()) return Errc::kCorrupt;
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

std::vector<BodyPlace> DiskStore::places_of(std::span<const Persist> batch) const {
  return impl_->wal.places_of(batch);
}

std::string DiskStore::problem() const {
  return impl_->problem;
}

std::uint64_t DiskStore::syncs() const {
  return impl_->wal.syncs();
}

}  // namespace thresher::net
