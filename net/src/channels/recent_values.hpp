// The newest values of a beacon, for clients that ask for them. Private to net/.
//
//   RecentValues recent(64);
//   recent.add(value);
//   if (!recent.empty()) answer(recent.lines(1));   // the highest round so far
//
// Guarantees: values come in the order in which their shares do, and are kept in that of their
// rounds: the last one is the highest that there was, and never one below it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>

#include "thresher/net/beacon.hpp"

namespace thresher::net {

class RecentValues {
 public:
  explicit RecentValues(std::size_t most) : most_(most) {}

  void add(const BeaconValue& value) {
    values_.insert(std::ranges::upper_bound(values_, value.round, {}, &BeaconValue::round), value);
    if (values_.size() > most_) values_.pop_front();
  }
  bool empty() const { return values_.empty(); }
  /// The `most` highest rounds, the highest last, one a line.
  std::string lines(std::size_t most) const {
    std::string out;
    const std::size_t first = values_.size() > most ? values_.size() - most : 0;
    for (std::size_t i = first; i < values_.size(); ++i) out += json_of(values_[i]) + "\n";
    return out;
  }

 private:
  std::size_t most_;
  std::deque<BeaconValue> values_;
};

}  // namespace thresher::net
