// Blocks held by their header alone: what an author may make this node keep is bounded in bytes,
// and where it is over, payloads give way and are asked for again when they are needed. Why nothing
// is lost by it: docs/protocols/thresher.md, section "What a peer can fill".
#include <algorithm>
#include <utility>

#include "state.hpp"

namespace thresher::dag {

// A far block counts until it is near, accepted or not.
void Dag::State::was_accepted(const Block& block) {
  kept_payload.waits_no_more(block);
  if (where.is_far(block.round())) kept_payload.counts_until_near(block);
}

// Whether an author's payloads are more than they may be, this one among them.
bool Dag::State::too_much(const Entry& entry) const {
  const NodeId author = entry.block->author();
  if (author == config.self) return false;
  const std::uint64_t more = lean.contains(entry.edge()) ? entry.block->header.payload_bytes : 0;
  return kept_payload.bytes(author) + more > config.limits.waiting_bytes_per_peer;
}

void Dag::State::drop_payload(Entry& entry) {
  const std::uint64_t bytes = entry.block->payload.bytes.size();
  if (bytes == 0) return;
  kept_payload.dropped(entry.block->author(), bytes);
  entry.block = header_alone(entry.block);
  lean.add(entry.edge());
}

// H2. A block was held that could not be accepted at once.
void Dag::State::drop_if_too_much(const Edge& edge) {
  Entry* entry = store.find(edge);
  if (entry != nullptr && !entry->accepted && too_much(*entry)) drop_payload(*entry);
}

// H3. Whether a block that is acceptable but for its payload can be accepted now; else its payload
// is asked for, now or when the block is far no more.
bool Dag::State::has_payload(Entry& entry, Fx& fx) {
  const Edge edge = entry.edge();
  if (where.is_far(edge.round) && too_much(entry)) {
    drop_payload(entry);
    if (!lean.contains(edge)) return true;
    lean.wait_till_near(edge);
    return false;
  }
  if (is_held_back(entry)) return false;
  if (!lean.contains(edge)) return true;
  need(edge, edge, edge.author, fx);
  for (const Edge& child : waits.of(edge)) missing.need(edge, child, child.author);
  return false;
}

// The rest of a block of which the header is held. The signature is the one that was verified: the
// digest, which names the payload too, does not cover it.
void Dag::State::take_payload(const BlockPtr& block, Fx& fx) {
  const Edge edge = block->edge();
  if (!lean.contains(edge) || !missing.contains(edge)) return;
  Entry& entry = *store.find(edge);
  const std::uint64_t bytes = block->payload.bytes.size();
  if (bytes != entry.block->header.payload_bytes) return;
  auto whole = std::make_shared<Block>(*entry.block);
  whole->payload = block->payload;
  entry.block = std::move(whole);
  kept_payload.came(edge.author, bytes);
  lean.complete(edge);
  missing.found(edge);
  settle(std::vector{edge}, fx);
  drop_if_too_much(edge);
}

// H3. This node, or others, went on.
void Dag::State::bring_near(Fx& fx) {
  const auto is_near = [this](Round round) { return !where.is_far(round); };
  kept_payload.near(is_near);
  std::vector<Edge> ready;
  lean.take_near(is_near, ready);
  if (!ready.empty()) settle(std::move(ready), fx);
}

}  // namespace thresher::dag
