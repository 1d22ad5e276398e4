#include <algorithm>
#include <utility>

#include "state.hpp"

namespace thresher::dag {

Bytes block_key(const Edge& edge) {
  std::vector<std::byte> key;
  for (int shift = 56; shift >= 0; shift -= 8) {
    key.push_back(static_cast<std::byte>(edge.round.value >> shift));
  }
  key.push_back(static_cast<std::byte>(edge.author.value >> 8));
  key.push_back(static_cast<std::byte>(edge.author.value));
  key.insert(key.end(), edge.digest.bytes.begin(), edge.digest.bytes.end());
  return Bytes::from(std::move(key));
}

void Dag::State::persist(Table table, const Block& block, Fx& fx) const {
  Writer value;
  encode_header(block, value);
  fx.push(Persist{table, block_key({block.author(), block.round(), block.digest}),
                  Bytes::from(value.take()), block.payload.bytes, table != kOwn});
}

void Dag::State::restore(const Restored& record) {
  if (record.table == kDelivered) {
    Reader key(record.key.view());
    Reader value(record.value.view());
    restored_commits[Round{key.u64()}] = value.digest();
    return;
  }
  Reader in(record.value.view());
  // The root is what the header says: the host's storage checks its own checksums.
  Reader peek(record.value.view());
  (void)peek.bytes(2 + 8 + 1);
  const Payload payload{record.body, peek.digest()};
  auto block = decode_header(in, payload, config.chain, config.committee.size());
  if (!block) return;
  if (record.table == kOwn && (!own || (*block)->round() > own->round())) own = *block;
  restored.emplace_back((*block)->round(), std::move(*block));
}

// Rebuilds the store in round order: what was accepted once is accepted again without its evidence.
void Dag::State::start(Fx& fx) {
  timeout = config.timeout.value;
  std::stable_sort(restored.begin(), restored.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (!restored_commits.empty()) {
    const Round last = restored_commits.rbegin()->first;
    if (last.value > config.gc_depth) {
      store.raise_floor(Round{last.value - config.gc_depth}, [](const Entry&) {});
    }
  }
  for (auto& [round, block] : restored) {
    const Edge edge{block->author(), round, block->digest};
    if (round <= store.floor() || store.find(edge) != nullptr) continue;
    store.insert(block, derived_vote(block->header));
    store.accept(edge, derived_claim(block->header));
    Peer& author = peers[edge.author.value];
    author.accepted = std::max(author.accepted, round);
    if (!block->payload.empty()) ++undelivered;
  }
  restored.clear();
  started = true;
  // Deliver again what was committed: the host knows its own position and drops what it has.
  for (const auto& [slot, leader] : std::exchange(restored_commits, {})) {
    next = Round{slot.value + 1};
    const Edge edge{leader_of(slot, config.committee), slot, leader};
    std::vector<Edge> edges;
    if (slot <= store.floor() || store.find(edge) == nullptr) continue;
    collect(edge, edges);
    fx.deliver(take(slot, leader, edges));
  }
  if (own) fx.broadcast(Push{own});
  pushed_recently = true;
  fx.push(ArmTimer{{kPushTimer, {}}, Delay{config.timeout.value * 2 / 3}});
  progress(fx);
}

}  // namespace thresher::dag
