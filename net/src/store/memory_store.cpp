#include "store/memory_store.hpp"

#include <mutex>

namespace thresher::net {
namespace {
std::vector<std::byte> copy(ByteView v) {
  return {v.begin(), v.end()};
}
}  // namespace

Result<Unit> MemoryStore::write(std::span<const Persist> batch, Sync) {
  const std::unique_lock lock(mutex_);
  for (const Persist& p : batch) {
    Key key{p.table, copy(p.key.view())};
    if (p.value.empty()) {
      records_.erase(key);
      continue;
    }
    const BodyPlace place{bodies_.size(), static_cast<std::uint32_t>(p.body.size())};
    bodies_.push_back(p.body);
    records_.insert_or_assign(std::move(key), Record{p.value, place});
  }
  return Unit{};
}

Result<Unit> MemoryStore::scan(std::uint32_t table, ByteView from,
                               const std::function<bool(ByteView, ByteView)>& visit) const {
  const std::shared_lock lock(mutex_);
  for (auto it = records_.lower_bound({table, copy(from)}); it != records_.end(); ++it) {
    if (it->first.first != table || !visit(it->first.second, it->second.value.view())) break;
  }
  return Unit{};
}

std::optional<BodyPlace> MemoryStore::locate(std::uint32_t table, ByteView key) const {
  const std::shared_lock lock(mutex_);
  const auto it = records_.find({table, copy(key)});
  if (it == records_.end()) return std::nullopt;
  return it->second.place;
}

Result<Bytes> MemoryStore::read_body(const BodyPlace& place) const {
  const std::shared_lock lock(mutex_);
  if (place.offset >= bodies_.size()) return Errc::kCorrupt;
  return bodies_[place.offset];
}

bool MemoryStore::mend_body(const BodyPlace& place, ByteView body) {
  const std::unique_lock lock(mutex_);
  if (place.offset >= bodies_.size()) return false;
  bodies_[place.offset] = Bytes::copy_of(body);
  return true;
}

std::vector<BodyPlace> MemoryStore::places_of(std::span<const Persist> batch) const {
  const std::shared_lock lock(mutex_);
  std::vector<BodyPlace> out;
  out.reserve(batch.size());
  std::uint64_t next = bodies_.size();
  for (const Persist& p : batch) {
    out.push_back({next, static_cast<std::uint32_t>(p.body.size())});
    if (!p.value.empty()) ++next;
  }
  return out;
}

}  // namespace thresher::net
