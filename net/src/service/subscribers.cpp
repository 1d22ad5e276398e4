#include "service/subscribers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "thresher/core/assert.hpp"

namespace thresher::net {

void Subscribers::begin(ConnectionId id, std::uint64_t position) {
  followers_[id] = {{Round{0}, position}, false};
}

std::vector<ConnectionId> Subscribers::in_turn(Round head) const {
  std::vector<ConnectionId> out;
  for (const auto& [id, f] : followers_) {
    if (lacks(f, head)) out.push_back(id);
  }
  std::ranges::rotate(out, std::ranges::upper_bound(out, last_));
  return out;
}

std::optional<std::uint64_t> Subscribers::feed(Round head) {
  bool read = false;
  for (const ConnectionId id : in_turn(head)) {
    const std::uint64_t now = hooks_.now_us();
    if (!share_.free(now)) return share_.free_us();
    if (!followers_.contains(id)) continue;  // a full link may close, and leave the map
    last_ = id;
    read |= feed_one(id, now);
    share_.spent(now, hooks_.now_us());
  }
  if (std::ranges::none_of(followers_, [&](const auto& one) { return lacks(one.second, head); }))
    return std::nullopt;
  return std::max(share_.free_us(), hooks_.now_us() + (read ? 0 : kRetry));
}

// One frame at most; none while enough waits already: a client that does not read must not cost a
// look at the log each time. True: it came further.
bool Subscribers::feed_one(ConnectionId id, std::uint64_t now) {
  if (hooks_.queued(id) > kFrame) return false;
  Follower& f = followers_.at(id);
  if (f.place.position < hooks_.begins()) {
    followers_.erase(id);
    hooks_.pruned(id);
    return false;
  }
  if (!f.found) {
    const auto after = hooks_.start(f.place.position);
    if (!after) return hooks_.unreadable(id, Round{0}), false;
    f = {{*after, f.place.position}, true};
  }
  const LogPlace from = f.place;
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
      [&] { return log.size() >= kFrame || hooks_.now_us() >= now + ThreadShare::kBurst; });
  THRESHER_ASSERT(read.next.after >= from.after && read.next.position >= from.position,
                  "nobody is sent what he has");
  if (read.next.after == from.after && count == 0) {
    if (read.unreadable) hooks_.unreadable(id, *read.unreadable);
    return false;
  }
  if (count > 0 && !hooks_.send(id, read.next.position, count, std::move(log))) return false;
  const auto it = followers_.find(id);
  if (it != followers_.end()) it->second.place = read.next;
  return true;
}

}  // namespace thresher::net
