#include "payload_room.hpp"

#include <memory>
#include <utility>

#include "resting.hpp"
#include "thresher/protocols/dag/policy.hpp"

namespace thresher::dag {
namespace {

/// While some liars may not be known, one payload beyond a quota is taken in so many ticks.
constexpr std::uint32_t kTicksBeyond = 32;

}  // namespace

PayloadRoom::PayloadRoom(const Config& config, Store& store, const Culprits& culprits,
                         const Whereabouts& where, const PayloadRoom* like)
    : config_(config),
      store_(store),
      culprits_(culprits),
      where_(where),
      kept_(like != nullptr ? like->kept_ : KeptPayload(config.committee)),
      header_only_(like != nullptr ? like->header_only_ : HeaderOnly()),
      twins_(like != nullptr ? like->twins_ : Twins(config.committee)) {}

void PayloadRoom::was_accepted(const Block& block) {
  kept_.waits_no_more(block);
  if (where_.is_far(block.round())) kept_.counts_until_near(block);
}

void PayloadRoom::leaves_store(const Entry& entry) {
  if (!entry.accepted) {
    kept_.waits_no_more(*entry.block);
    twins_.forget(*entry.block);
  }
  header_only_.forget(entry.edge());
}

bool PayloadRoom::room_for_twin(NodeId payer) const {
  return config_.rules.policy->room_for_twin(twins_.held_for(payer), config_.limits);
}

// Whether an author's payloads are more than they may be, this one among them.
bool PayloadRoom::too_much(const Entry& entry) const {
  const NodeId author = entry.block->author();
  if (author == config_.self) return false;
  const std::uint64_t more =
      header_only_.contains(entry.edge()) ? entry.block->header.payload_bytes : 0;
  return kept_.bytes(author) + more > config_.limits.waiting_bytes_per_peer;
}

void PayloadRoom::drop(Entry& entry) {
  const std::uint64_t bytes = entry.block->payload.bytes.size();
  if (bytes == 0) return;
  kept_.dropped(entry.block->author(), bytes);
  entry.block = header_alone(entry.block);
  header_only_.add(entry.edge());
}

// H2
void PayloadRoom::drop_if_too_much(const Edge& edge) {
  Entry* entry = store_.find(edge);
  if (entry != nullptr && !entry->accepted && too_much(*entry)) drop(*entry);
}

// H3
PayloadRoom::Found PayloadRoom::look_at(Entry& entry) {
  const Edge edge = entry.edge();
  if (where_.is_far(edge.round) && too_much(entry)) {
    drop(entry);
    if (!header_only_.contains(edge)) return Found::kHere;
    header_only_.wait_till_near(edge);
    return Found::kFar;
  }
  if (is_held_back(entry)) return Found::kHeldBack;
  return header_only_.contains(edge) ? Found::kLacking : Found::kHere;
}

// The signature is the one that was verified: the digest, which names the payload too, does not
// cover it.
bool PayloadRoom::take(const BlockPtr& block) {
  const Edge edge = block->edge();
  if (!header_only_.contains(edge)) return false;
  Entry& entry = *store_.find(edge);
  const std::uint64_t bytes = block->payload.bytes.size();
  if (bytes != entry.block->header.payload_bytes) return false;
  auto whole = std::make_shared<Block>(*entry.block);
  whole->payload = block->payload;
  entry.block = std::move(whole);
  kept_.came(edge.author, bytes);
  header_only_.complete(edge);
  return true;
}

// H3
void PayloadRoom::bring_near(std::vector<Edge>& ready) {
  const auto is_near = [this](Round round) { return !where_.is_far(round); };
  kept_.near(is_near);
  header_only_.take_near(is_near, ready);
}

// X1. Whether `payer` has room for the payload of a further block; then it is charged for it.
bool PayloadRoom::charge(const Edge& edge, NodeId payer, std::uint64_t bytes) {
  const Policy& policy = *config_.rules.policy;
  if (!policy.room_for_twins_payload(twins_.bytes_of(payer) + bytes, config_.limits)) return false;
  twins_.charge(edge, payer, bytes);
  return true;
}

// X1. A block that is acceptable, with or without its payload.
bool PayloadRoom::is_held_back(Entry& entry) {
  const Edge edge = entry.edge();
  if (!twins_.uncharged(edge)) return false;
  const std::uint64_t bytes = entry.block->header.payload_bytes;
  if (bytes == 0 || charge(edge, edge.author, bytes)) {
    header_only_.release(edge);
    return false;
  }
  drop(entry);
  if (!header_only_.contains(edge)) return false;
  header_only_.hold_back(edge);
  return true;
}

// What others need is taken on their behalf all the same.
void PayloadRoom::charge_restored(const Entry& entry) {
  const NodeId author = entry.block->author();
  const Edge edge = entry.edge();
  if (author == config_.self || store_.first(edge.round, author)->edge() == edge) return;
  twins_.hold(edge, author);
  twins_.charge(edge, author, entry.block->header.payload_bytes);
}

// The payer for a payload that blocks of `authors` need: one with room, else the first that may
// have one beyond its quota.
std::optional<NodeId> PayloadRoom::charge_one_of(const NodeSet& authors, const Edge& edge,
                                                 NodeSet& had_more) {
  const std::uint64_t bytes = store_.find(edge)->block->header.payload_bytes;
  std::optional<NodeId> payer;
  authors.for_each([&](NodeId id) {
    if (!payer && charge(edge, id, bytes)) payer = id;
  });
  if (payer) return payer;
  authors.for_each_outside(had_more, [&](NodeId id) { payer = payer ? payer : id; });
  if (payer) twins_.charge(edge, *payer, bytes);
  return payer;
}

// X2, X3
bool PayloadRoom::want_held_back(std::uint32_t tick, std::vector<Wanted>& wanted) {
  if (!holds_back()) return false;
  const auto above = who_rests_on(store_, culprits_);
  const std::uint32_t n = config_.committee.size();
  const bool all_known = culprits_.size() >= config_.committee.faults();
  NodeSet had_more(n);
  for (std::uint32_t i = 0; i < n && !all_known && tick % kTicksBeyond != 0; ++i) {
    had_more.insert(NodeId{static_cast<std::uint16_t>(i)});
  }
  bool needed = false;
  const auto& held_back = header_only_.held_back();
  const std::vector<Edge> all(held_back.begin(), held_back.end());
  for (const Edge& edge : all) {
    const auto it = above.find(edge);
    if (it == above.end()) continue;
    NodeSet authors = it->second;
    authors.erase(edge.author);
    if (authors.empty()) continue;
    needed = true;
    const auto payer = charge_one_of(authors, edge, had_more);
    if (!payer) continue;
    if (!all_known) had_more.insert(*payer);
    header_only_.release(edge);
    wanted.push_back({edge, lowest_waiting(store_, edge, *payer), *payer});
  }
  return needed;
}

}  // namespace thresher::dag
