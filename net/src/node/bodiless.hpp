// Records that a protocol reads back with their bodies, when the disk has changed a body: until
// peers give the commits that hold them. Private to net/.
//
//   bodiless.add(record);                                     // while the store is read
//   if (bodiless.has(engine.record_of(block))) ...            // the log says which commit it is in
//   if (auto record = bodiless.take(name)) record->body = block.payload;
//
// Guarantees: each record is given once, without the body that it had.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engines/order_engine.hpp"

namespace thresher::net {

class Bodiless {
  static auto is(const RecordName& name) {
    return [&name](const Restored& r) { return r.table == name.table && r.key == name.key; };
  }

 public:
  void add(Restored record) {
    record.body = {};
    records_.push_back(std::move(record));
  }
  bool empty() const { return records_.empty(); }
  std::size_t size() const { return records_.size(); }
  /// Pre: there is one.
  const Restored& first() const { return records_.front(); }
  bool has(const RecordName& name) const {
    return std::any_of(records_.begin(), records_.end(), is(name));
  }
  std::optional<Restored> take(const RecordName& name) {
    const auto at = std::find_if(records_.begin(), records_.end(), is(name));
    if (at == records_.end()) return std::nullopt;
    Restored out = std::move(*at);
    records_.erase(at);
    return out;
  }

 private:
  std::vector<Restored> records_;
};

}  // namespace thresher::net
