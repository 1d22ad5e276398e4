// Blocks held by their header alone: what an author may make this node keep is bounded in bytes,
// and where it is over, payloads give way and are asked for again when they are needed. Why nothing
// is lost by it: docs/protocols/thresher.md, section "What a peer can fill".
#include <algorithm>
#include <utility>

#include "state.hpp"

namespace thresher::dag {

// Beyond the next round, and beyond what a correct node may have written by now.
bool Dag::State::is_far(Round round) const {
  const Round near{std::max(own_round(), frontier.reached()).value + 1};
  return round > near && round > next_round();
}

void Dag::State::begins_to_wait(const Block& block) {
  Peer& author = peers[block.author().value];
  ++author.waiting;
  author.kept_bytes += block.payload.bytes.size();
}

void Dag::State::waits_no_more(const Block& block) {
  Peer& author = peers[block.author().value];
  if (author.waiting == 0) return;
  --author.waiting;
  author.kept_bytes -= std::min<std::uint64_t>(author.kept_bytes, block.payload.bytes.size());
}

// A far block counts until it is near, accepted or not.
void Dag::State::was_accepted(const Block& block) {
  waits_no_more(block);
  const std::uint64_t bytes = block.payload.bytes.size();
  if (bytes == 0 || !is_far(block.round())) return;
  peers[block.author().value].kept_bytes += bytes;
  far_bytes[block.round()].emplace_back(block.author(), bytes);
}

// Whether an author's payloads are more than they may be, this one among them.
bool Dag::State::too_much(const Entry& entry) const {
  const NodeId author = entry.block->author();
  if (author == config.self) return false;
  const std::uint64_t more = lean.contains(entry.edge()) ? entry.block->header.payload_bytes : 0;
  return peers[author.value].kept_bytes + more > config.limits.waiting_bytes_per_peer;
}

void Dag::State::drop_payload(Entry& entry) {
  const std::uint64_t bytes = entry.block->payload.bytes.size();
  if (bytes == 0) return;
  std::uint64_t& kept = peers[entry.block->author().value].kept_bytes;
  kept -= std::min(kept, bytes);
  entry.block = header_alone(entry.block);
  lean.insert(entry.edge());
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
  if (is_far(edge.round) && too_much(entry)) {
    drop_payload(entry);
    if (lean.contains(edge)) far_lean[edge.round].insert(edge);
    return !lean.contains(edge);
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
  peers[edge.author.value].kept_bytes += bytes;
  lean.erase(edge);
  missing.found(edge);
  settle(std::vector{edge}, fx);
  drop_if_too_much(edge);
}

// H3. This node, or others, went on.
void Dag::State::bring_near(Fx& fx) {
  while (!far_bytes.empty() && !is_far(far_bytes.begin()->first)) {
    for (const auto& [author, bytes] : far_bytes.begin()->second) {
      peers[author.value].kept_bytes -= bytes;
    }
    far_bytes.erase(far_bytes.begin());
  }
  std::vector<Edge> ready;
  while (!far_lean.empty() && !is_far(far_lean.begin()->first)) {
    ready.insert(ready.end(), far_lean.begin()->second.begin(), far_lean.begin()->second.end());
    far_lean.erase(far_lean.begin());
  }
  if (!ready.empty()) settle(std::move(ready), fx);
}

}  // namespace thresher::dag
