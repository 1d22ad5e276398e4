#include "thresher/net/disk_store.hpp"

#include <fcntl.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <utility>
#include <vector>

#include "thresher/core/transcript.hpp"

namespace thresher::net {
namespace {

constexpr std::uint64_t kSegment = 64u << 20;
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

bool write_all(int fd, ByteView data, std::uint64_t offset) {
  while (!data.empty()) {
    const ssize_t n = ::pwrite(fd, data.data(), data.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data = data.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
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
  int bodies = -1;
  std::uint64_t tail = 0;
  std::uint64_t reserved = 0;
  std::uint64_t sequence = 0;
  std::string problem;
  bool unsynced = false;  // bodies were written that no fdatasync has covered
  std::vector<std::byte> gather;
  std::atomic<std::uint64_t> syncs{0};

  ~Impl() {
    if (bodies >= 0) ::close(bodies);
  }

  bool fails(const char* what, const std::string& why) {
    problem = what + (": " + why);
    return false;
  }

  // One contiguous write for all bodies of a batch.
  bool append_bodies(std::span<const Persist> batch, std::vector<BodyPlace>& places) {
    gather.clear();
    for (const Persist& p : batch) {
      places.push_back({tail + gather.size(), static_cast<std::uint32_t>(p.body.size())});
      const ByteView body = p.body.view();
      gather.insert(gather.end(), body.begin(), body.end());
    }
    if (gather.empty()) return true;
    while (tail + gather.size() > reserved) {
      const int error = ::posix_fallocate(bodies, static_cast<off_t>(reserved), kSegment);
      if (error != 0) return fails("reserving space for bodies", std::strerror(error));
      reserved += kSegment;
    }
    if (!write_all(bodies, gather, tail)) return fails("writing bodies", std::strerror(errno));
    tail += gather.size();
    unsynced = true;
    return true;
  }
};

DiskStore::DiskStore() : impl_(std::make_unique<Impl>()) {}
DiskStore::~DiskStore() = default;

Result<std::unique_ptr<DiskStore>, std::string> DiskStore::open(const std::string& folder) {
  std::unique_ptr<DiskStore> store(new DiskStore());
  Impl& impl = *store->impl_;
  ::mkdir(folder.c_str(), 0700);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.paranoid_checks = true;
  options.max_background_jobs = 1;
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
  std::string meta;
  const auto key = full_key(kMetaTable, {});
  if (impl.db->Get({}, slice(key), &meta).ok()) {
    Reader in(as_view(meta));
    const std::uint32_t version = in.u32();
    impl.tail = in.u64();
    impl.sequence = in.u64();
    if (!in.done() || version != kStoreVersion) {
      return "the store '" + folder + "' has format " + std::to_string(version) +
             ", this program reads format " + std::to_string(kStoreVersion) +
             "; run the program that wrote it, or start a new key";
    }
  }
  const std::string bodies = folder + "/bodies";
  impl.bodies = ::open(bodies.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct stat info {};
  if (impl.bodies < 0 || ::fstat(impl.bodies, &info) != 0) {
    return "cannot open '" + bodies + "': " + std::strerror(errno) + "; check the folder's owner";
  }
  impl.reserved = static_cast<std::uint64_t>(info.st_size);
  if (impl.reserved < impl.tail) {
    return "'" + bodies + "' is shorter than the index says (" + std::to_string(impl.reserved) +
           " of " + std::to_string(impl.tail) + " bytes); restore the folder from one backup";
  }
  return store;
}

Result<Unit> DiskStore::write(std::span<const Persist> batch, bool sync) {
  std::vector<BodyPlace> places;
  if (!impl_->append_bodies(batch, places)) return Errc::kIo;
  if (sync && std::exchange(impl_->unsynced, false)) {
    if (::fdatasync(impl_->bodies) != 0) {
      impl_->fails("syncing bodies", std::strerror(errno));
      return Errc::kIo;
    }
    ++impl_->syncs;
  }
  rocksdb::WriteBatch out;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto key = full_key(batch[i].table, batch[i].key.view());
    if (batch[i].value.empty()) {
      out.Delete(slice(key));
      continue;
    }
    Writer value;
    value.u64(impl_->sequence++).u64(places[i].offset).u32(places[i].size);
    value.bytes(batch[i].value.view());
    out.Put(slice(key), slice(value.view()));
  }
  Writer meta;
  meta.u32(kStoreVersion).u64(impl_->tail).u64(impl_->sequence);
  out.Put(slice(full_key(kMetaTable, {})), slice(meta.view()));
  rocksdb::WriteOptions options;
  options.sync = sync;
  if (const rocksdb::Status status = impl_->db->Write(options, &out); !status.ok()) {
    impl_->fails("writing the index", status.ToString());
    return Errc::kIo;
  }
  impl_->syncs += sync ? 1 : 0;
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
  std::vector<std::byte> data(place.size);
  std::size_t done = 0;
  while (done < data.size()) {
    const ssize_t n = ::pread(impl_->bodies, data.data() + done, data.size() - done,
                              static_cast<off_t>(place.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? Errc::kIo : Errc::kCorrupt;
    done += static_cast<std::size_t>(n);
  }
  return Bytes::from(std::move(data));
}

std::string DiskStore::problem() const {
  return impl_->problem;
}

std::uint64_t DiskStore::syncs() const {
  return impl_->syncs;
}

}  // namespace thresher::net
