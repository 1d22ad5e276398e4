#include "service/pool.hpp"

#include <algorithm>
#include <utility>

namespace thresher::net {
namespace {
/// A client may always take this much in one turn. Unit: bytes.
constexpr std::size_t kLeastTurn = 4096;
/// A client that gives way drops at least this part of its excess: many small newcomers cost one
/// cut together, not one each.
constexpr std::size_t kCut = 8;
}  // namespace

std::size_t Pool::held(const ClientId& client) const {
  const auto it = queues_.find(client);
  return it == queues_.end() ? 0 : it->second.cost;
}

bool Pool::has_room(const ClientId& client, std::size_t bytes, std::size_t count) const {
  const std::size_t cost = cost_of(bytes, count);
  const std::size_t before = held(client);
  if (before + cost <= share(queues_.size() + (before == 0 ? 1 : 0))) return true;
  return before + cost + cost_ + cost <= capacity_;  // as much is left to others
}

bool Pool::others_have_more(const ClientId& client, std::size_t bytes, std::size_t count) const {
  return !by_cost_.empty() && by_cost_.rbegin()->first > held(client) + cost_of(bytes, count);
}

// Puts an entry where its cost belongs; 0: nowhere.
void Pool::recost(Queues::value_type& entry, std::size_t cost) {
  std::size_t& old = entry.second.cost;
  if (old == cost) return;
  cost_ = cost_ - old + cost;
  auto node = by_cost_.extract({old, entry.first});
  old = cost;
  if (cost == 0) return;
  if (!node) {
    by_cost_.insert({cost, entry.first});
    return;
  }
  node.value().first = cost;
  by_cost_.insert(std::move(node));
}

void Pool::add(const RunHead& head, Bytes entries, std::size_t count) {
  const auto [it, is_new] = queues_.try_emplace(head.client);
  if (is_new) turns_.push_back(it);
  bytes_ += entries.size();
  recost(*it, it->second.cost + cost_of(entries.size(), count));
  it->second.waiting.push_back({head, std::move(entries), count});
}

// Nothing of it waits any more.
void Pool::leave(Queues::iterator at) {
  turns_.erase(std::find(turns_.begin(), turns_.end(), at));
  queues_.erase(at);
}

// Takes what was submitted last, in whole or from its end, of the client that has most.
Pool::Waiting Pool::cut_heaviest(std::size_t cost) {
  const auto it = queues_.find(by_cost_.rbegin()->second);
  Queue& queue = it->second;
  const std::size_t fair = share(queues_.size());
  const std::size_t surplus = queue.cost - std::min(queue.cost, fair);
  Waiting& last = queue.waiting.back();
  Waiting out = cut(last, std::max(std::min(cost, surplus), surplus / kCut));
  if (last.count == 0) queue.waiting.pop_back();
  bytes_ -= out.entries.size();
  recost(*it, queue.cost - cost_of(out.entries.size(), out.count));
  if (queue.waiting.empty()) leave(it);
  return out;
}

// Cuts transactions of at least this cost, and at least one, from the end. The rest is copied, so
// that what was cut off takes no memory.
Pool::Waiting Pool::cut(Waiting& waiting, std::size_t cost) {
  const std::size_t all = cost_of(waiting.bytes(), waiting.count);
  const std::size_t most = all - std::min(all, std::max<std::size_t>(cost, 1));
  const ByteView left = waiting.entries.view().subspan(waiting.begin);
  std::size_t size = 0;
  std::size_t count = 0;
  while (count < waiting.count) {
    const std::size_t next = size + kEntryHead + load<std::uint32_t>(left.data() + size + 8);
    if (cost_of(next, count + 1) > most) break;
    size = next;
    ++count;
  }
  Waiting out{waiting.head, Bytes::copy_of(left.subspan(size)), waiting.count - count};
  waiting = {waiting.head, Bytes::copy_of(left.first(size)), count};
  return out;
}

// Whole transactions of one client, as far as the allowance goes.
Pool::End Pool::serve(Queues::value_type& entry, Allowance allowance, RunWriter& out) {
  Queue& queue = entry.second;
  std::size_t cost = queue.cost;
  End end = End::kNothingLeft;
  while (!queue.waiting.empty() && end == End::kNothingLeft) {
    Waiting& w = queue.waiting.front();
    const ByteView left = w.entries.view().subspan(w.begin);
    std::size_t size = 0;
    std::size_t count = 0;
    while (size < left.size()) {
      const std::size_t next = size + kEntryHead + load<std::uint32_t>(left.data() + size + 8);
      if (allowance.head + next > allowance.bytes) {
        end = End::kSpent;
      } else if (out.size() + kRunHead + next > allowance.limit) {
        end = End::kFull;
      }
      if (end != End::kNothingLeft) break;
      size = next;
      ++count;
    }
    if (count == 0) break;
    out.run(w.head, left.first(size));
    allowance.bytes -= allowance.head + size;
    queue.deficit -= static_cast<std::ptrdiff_t>(size);
    bytes_ -= size;
    cost -= cost_of(size, count);
    w.begin += size;
    w.count -= count;
    if (w.count == 0) queue.waiting.pop_front();
  }
  recost(entry, cost);
  return end;
}

// Gives each client its part of half of the block, so that one with little waiting is in it.
void Pool::serve_small(std::size_t room, std::size_t limit, RunWriter& out) {
  const std::size_t part = std::max(kLeastShare, room / (2 * turns_.size()));
  for (std::size_t k = std::min(turns_.size(), room / (2 * part)); k > 0; --k) {
    const Queues::iterator it = turns_.front();
    turns_.pop_front();
    if (serve(*it, {part, kRunHead, limit}, out) == End::kNothingLeft) {
      queues_.erase(it);
    } else {
      turns_.push_back(it);
    }
  }
}

void Pool::serve_in_turn(std::size_t quantum, std::size_t limit, RunWriter& out) {
  while (!turns_.empty()) {
    const Queues::iterator it = turns_.front();
    Queue& queue = it->second;
    if (!std::exchange(queue.interrupted, false)) {
      queue.deficit += static_cast<std::ptrdiff_t>(quantum);
    }
    const auto most = static_cast<std::size_t>(std::max<std::ptrdiff_t>(queue.deficit, 0));
    const End end = serve(*it, {most, 0, limit}, out);
    if (end == End::kFull) {
      queue.interrupted = true;  // goes on in the next block
      return;
    }
    turns_.pop_front();
    if (end == End::kNothingLeft) {
      queues_.erase(it);
    } else {
      turns_.push_back(it);
    }
  }
}

void Pool::take(std::size_t room, std::vector<std::byte>& out) {
  if (turns_.empty()) return;
  const std::size_t limit = out.size() + room;
  const std::size_t quantum = std::max(kLeastTurn, room / (2 * turns_.size()));
  out.reserve(out.size() + std::min(room, bytes_ + kRunHead * turns_.size()));
  RunWriter runs(out);
  serve_small(room, limit, runs);
  serve_in_turn(quantum, limit, runs);
}

}  // namespace thresher::net
