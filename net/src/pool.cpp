#include "pool.hpp"

#include <algorithm>
#include <utility>

namespace thresher::net {
namespace {
/// What a client may take in one turn at least. Unit: bytes.
constexpr std::size_t kLeastTurn = 4096;
}  // namespace

bool Pool::has_room(const ClientId& client, std::size_t bytes, std::size_t count) const {
  const auto it = queues_.find(client);
  const std::size_t held = it == queues_.end() ? 0 : it->second.cost;
  return held + bytes + count * kEntryCost <= capacity_ - std::min(capacity_, cost_);
}

void Pool::add(const Run& head, Bytes entries, std::size_t count) {
  const auto [it, is_new] = queues_.try_emplace(head.client);
  if (is_new) turns_.push_back(it);
  const std::size_t cost = entries.size() + count * kEntryCost;
  it->second.cost += cost;
  cost_ += cost;
  bytes_ += entries.size();
  it->second.waiting.push_back({head.valid, std::move(entries)});
}

void Pool::take_front(Queue& queue, std::size_t size, std::size_t count) {
  Waiting& front = queue.waiting.front();
  const std::size_t cost = size + count * kEntryCost;
  queue.deficit -= size;
  queue.cost -= cost;
  cost_ -= cost;
  bytes_ -= size;
  front.begin += size;
  if (front.begin == front.entries.size()) queue.waiting.pop_front();
}

// One client's turn: whole transactions, as far as its deficit goes and until `out` has `limit`
// bytes. False: the limit ended it.
bool Pool::serve(Queues::value_type& entry, std::size_t limit, RunWriter& out) {
  Queue& queue = entry.second;
  while (!queue.waiting.empty()) {
    const Waiting& w = queue.waiting.front();
    const ByteView left = w.entries.view().subspan(w.begin);
    std::size_t size = 0;
    std::size_t count = 0;
    bool spent = false;
    bool full = false;
    while (size < left.size()) {
      const std::size_t next = size + kEntryHead + load<std::uint32_t>(left.data() + size + 8);
      spent = next > queue.deficit;
      full = out.size() + kRunHead + next > limit;
      if (spent || full) break;
      size = next;
      ++count;
    }
    if (count > 0) {
      out.run({entry.first, w.valid}, left.first(size));
      take_front(queue, size, count);
    }
    if (spent || full) return spent;
  }
  return true;
}

void Pool::take(std::size_t room, std::vector<std::byte>& out) {
  if (turns_.empty()) return;
  const std::size_t limit = out.size() + room;
  // Two turns a block: whoever joins at the end of the row is in the next block for certain.
  const std::size_t quantum = std::max(kLeastTurn, room / (2 * turns_.size()));
  RunWriter runs(out);
  while (!turns_.empty()) {
    const Queues::iterator it = turns_.front();
    Queue& queue = it->second;
    if (!std::exchange(queue.interrupted, false)) queue.deficit += quantum;
    if (!serve(*it, limit, runs)) {
      queue.interrupted = true;  // goes on in the next block
      return;
    }
    turns_.pop_front();
    if (queue.waiting.empty()) {
      queues_.erase(it);
    } else {
      turns_.push_back(it);
    }
  }
}

}  // namespace thresher::net
