#include "subscribers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "thresher/core/assert.hpp"

namespace thresher::net {

void Subscribers::begin(ConnectionId id, const LogPlace& from) {
  places_[id] = from;
}

bool Subscribers::feed(Round head) {
  std::vector<ConnectionId> behind;  // a full link may close, and leave the map
  for (const auto& [id, place] : places_) {
    if (place.after < head) behind.push_back(id);
  }
  for (const ConnectionId id : behind) {
    if (places_.contains(id)) feed_one(id);
  }
  return std::any_of(places_.begin(), places_.end(),
                     [&](const auto& one) { return one.second.after < head; });
}

// One frame; none while enough waits already: who does not read must not cost a look at the log
// each time.
void Subscribers::feed_one(ConnectionId id) {
  if (hooks_.queued(id) > kFrame) return;
  const LogPlace from = places_.at(id);
  if (from.position < hooks_.begins()) {
    places_.erase(id);
    return hooks_.pruned(id);
  }
  std::vector<std::byte> log;
  RunWriter out(log);
  std::uint32_t count = 0;
  const ReadOn read = hooks_.read(
      from,
      [&](const Transaction& t, const Validity& valid) {
        out.add({t.client, valid}, t.sequence, t.data);
        ++count;
        return log.size() < kMost;
      },
      [&] { return log.size() >= kFrame; });
  THRESHER_ASSERT(read.next.after >= from.after && read.next.position >= from.position,
                  "nobody is sent what he has");
  if (read.next.after == from.after && count == 0) {
    if (read.unreadable) hooks_.unreadable(id, *read.unreadable);
    return;
  }
  if (count > 0 && !hooks_.send(id, read.next.position, count, std::move(log))) return;
  const auto place = places_.find(id);
  if (place != places_.end()) place->second = read.next;
}

}  // namespace thresher::net
