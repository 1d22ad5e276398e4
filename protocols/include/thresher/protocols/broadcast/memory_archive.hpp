// An archive of chained echo in memory: for tests and the simulator, where no store is.
//
//   MemoryArchive archive;
//   archive.add(record);                                       // each that becomes durable
//   ChainedEcho node({.archive = &archive});
//
// Guarantees: those of archive.hpp, for what was added. It grows with what is added and forgets
// nothing but by clear().
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "thresher/protocols/broadcast/archive.hpp"
#include "thresher/protocols/broadcast/chained_echo.hpp"

namespace thresher {

/// Everything that a node persisted for its archive, erased or not.
class MemoryArchive final : public broadcast::Archive {
 public:
  void add(const Persist& record) {
    if (record.table == ChainedEcho::kArchived && !record.value.empty())
      records_.insert_or_assign(text(record.key), std::pair(record.value, record.body));
  }
  std::optional<Bytes> value(const Bytes& key) const override {
    const auto at = records_.find(text(key));
    return at == records_.end() ? std::nullopt : std::optional(at->second.first);
  }
  std::optional<Bytes> body(const Bytes& key) const override {
    const auto at = records_.find(text(key));
    return at == records_.end() ? std::nullopt : std::optional(at->second.second);
  }
  void clear() { records_.clear(); }

 private:
  static std::string text(const Bytes& key) { return std::string(as_text(key.view())); }
  std::map<std::string, std::pair<Bytes, Bytes>> records_;
};

}  // namespace thresher
