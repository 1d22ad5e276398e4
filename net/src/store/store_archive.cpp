#include "store/store_archive.hpp"

#include <algorithm>

#include "thresher/core/transcript.hpp"

namespace thresher::net {
namespace {

constexpr std::uint32_t kArchive = kHostTables;

}  // namespace

Bytes StoreArchive::encoded(const Entry& entry) {
  Writer w;
  w.u64(entry.place.offset).u32(entry.place.size).bytes(entry.value.view());
  return Bytes::from(w.take());
}

void StoreArchive::note(std::vector<Persist>& batch) const {
  const std::size_t size = batch.size();
  std::vector<std::size_t> noted;
  for (std::size_t k = 0; k < size; ++k) {
    if (batch[k].table != table_ || batch[k].value.empty()) continue;
    noted.push_back(k);
    batch.push_back({kArchive, batch[k].key, encoded({{}, batch[k].value}), {}, true});
  }
  if (noted.empty()) return;
  // Places depend on the sizes of all records of the batch, so they are known only now.
  const std::vector<BodyPlace> places = store_->places_of(batch);
  for (std::size_t k = 0; k < noted.size(); ++k)
    batch[size + k].value = encoded({places[noted[k]], batch[noted[k]].value});
}

Result<Unit> StoreArchive::mend() {
  std::vector<Persist> batch;
  const auto read = store_->scan(table_, {}, [&](ByteView key, ByteView value) {
    if (const auto place = store_->locate(table_, key))
      batch.push_back(
          {kArchive, Bytes::copy_of(key), encoded({*place, Bytes::copy_of(value)}), {}, true});
    return true;
  });
  if (!read) return read;
  return store_->write(batch, Sync::kNo);
}

std::optional<StoreArchive::Entry> StoreArchive::find(const Bytes& key) const {
  std::optional<Entry> out;
  (void)store_->scan(kArchive, key.view(), [&](ByteView found, ByteView value) {
    if (!std::ranges::equal(found, key.view())) return false;
    Reader in(value);
    const BodyPlace place{in.u64(), in.u32()};
    const ByteView rest = in.bytes(in.remaining());
    if (in.ok()) out = Entry{place, Bytes::copy_of(rest)};
    return false;
  });
  return out;
}

std::optional<Bytes> StoreArchive::value(const Bytes& key) const {
  auto entry = find(key);
  if (!entry) return std::nullopt;
  return std::move(entry->value);
}

std::optional<Bytes> StoreArchive::body(const Bytes& key) const {
  const auto entry = find(key);
  if (!entry) return std::nullopt;
  auto body = store_->read_body(entry->place);
  if (!body) return std::nullopt;
  return std::move(*body);
}

}  // namespace thresher::net
