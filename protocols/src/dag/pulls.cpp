#include <algorithm>
#include <functional>

#include "state.hpp"

namespace thresher::dag {
namespace {
constexpr Delay kPullEvery{500};
/// A question and its answer take at most 2 Delta.
constexpr std::uint32_t kTicksPerAnswer = 4;
/// Rounds are asked for this seldom while the host fetches the log.
constexpr std::uint32_t kTicksFarBehind = 16;

}  // namespace

void Dag::State::need(const Edge& edge, NodeId who) {
  if (edge.round <= store.floor()) return;
  missing.try_emplace(edge, Missing{who, 0});
}

// A peer is ahead when it wrote blocks (up to `seen`) that this node cannot follow with what it
// holds.
bool Dag::State::ahead(Round seen) const {
  const Round cur = own ? own->round() : Round{0};
  return seen > cur && (!complete(cur) || seen > next_round());
}

bool Dag::State::lagging() const {
  return ahead(highest_seen);
}

// The round that kValidity peers say they reached: one of them is correct.
Round Dag::State::frontier() const {
  std::vector<std::uint64_t> seen;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    if (i != config.self.value) seen.push_back(peers[i].seen.value);
  }
  const std::size_t rank = config.committee.at_least(kValidity) - 1;
  if (rank >= seen.size()) return Round{0};
  std::nth_element(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(rank), seen.end(),
                   std::greater<>());
  return Round{seen[rank]};
}

void Dag::State::arm_pull(Fx& fx) {
  if (pull_armed || (missing.empty() && unproved.empty() && packed.empty() && !lagging())) {
    return;
  }
  pull_armed = true;
  fx.push(ArmTimer{{kPullTimer, {}}, kPullEvery});
}

bool Dag::State::may_ask(NodeId peer) {
  if (peer == config.self) return false;
  // Answers may be lost for ever, so the credit saturates instead of blocking further questions.
  std::uint32_t& credit = peers[peer.value].outstanding;
  credit = std::min(credit + 1, config.limits.wants_per_peer);
  return true;
}

// Runs a short while after something was found missing: pushes usually arrive in between.
void Dag::State::pull(Fx& fx) {
  pull_armed = false;
  ++pulls;
  // Whose parents did not come in the meantime is asked for in full.
  for (const auto& [round, blocks] : packed) {
    for (const auto& [author, block] : blocks) need({author, round, block->digest}, author);
  }
  const std::uint32_t n = config.committee.size();
  std::vector<std::vector<Edge>> asks(n);
  for (auto& [edge, miss] : missing) {
    // First whoever needed it, then its author, then everybody in turn; each has time to answer.
    if (miss.ticks++ % kTicksPerAnswer != 0) continue;
    const std::uint32_t turn = miss.ticks / kTicksPerAnswer;
    std::uint32_t whom = miss.needed_by.value;
    if (turn == 1) whom = edge.author.value;
    if (turn > 1) whom = (miss.needed_by.value + turn) % n;
    if (whom == config.self.value) whom = (whom + 1) % n;
    if (asks[whom].size() < config.limits.give_blocks) asks[whom].push_back(edge);
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const NodeId peer{static_cast<std::uint16_t>(i)};
    if (!asks[i].empty() && may_ask(peer)) fx.send(peer, Want{std::move(asks[i])});
  }
  for (const auto& [leader, claimers] : unproved) {
    if (claimers.empty() || pulls % kTicksPerAnswer != 0) continue;
    const NodeId peer = claimers.front().author;
    if (may_ask(peer)) fx.send(peer, WantEvidence{leader.round, leader.digest});
  }
  const std::uint64_t far = config.host_fetches_beyond;
  const bool slowly = far != 0 && frontier().value > next.value + far;
  if (lagging() && (!slowly || pulls % kTicksFarBehind == 0)) {
    const std::uint32_t turn = pulls;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t who = (i + turn) % n;
      if (who == config.self.value || !ahead(peers[who].seen)) continue;
      ask_round(NodeId{static_cast<std::uint16_t>(who)}, fx);
      break;
    }
  }
  arm_pull(fx);
}

// Asks for the lowest round that is not complete here.
void Dag::State::ask_round(NodeId peer, Fx& fx) {
  if (peer.value >= config.committee.size() || !may_ask(peer)) return;
  const std::uint64_t decided = next.value > 2 ? next.value - 2 : 1;
  Round r{std::max({store.floor().value + 1, decided, own ? own->round().value : 1})};
  while (r <= store.top() && complete(r)) ++r.value;
  fx.send(peer, WantRound{r, store.held_authors(r).members()});
}

void Dag::State::give(NodeId to, const std::vector<const Entry*>& entries, Fx& fx) {
  Give answer;
  std::uint64_t bytes = 0;
  for (const Entry* e : entries) {
    if (answer.blocks.size() >= config.limits.give_blocks) break;
    bytes += header_bytes(e->block->header) + e->block->header.payload_bytes;
    if (!answer.blocks.empty() && bytes > config.limits.give_bytes) break;
    answer.blocks.push_back(e->block);
  }
  fx.send(to, std::move(answer));
}

void Dag::State::receive(NodeId from, const Want& message, Fx& fx) {
  if (message.blocks.size() > config.limits.give_blocks) {
    ++stats.refused;
    return;
  }
  std::vector<const Entry*> found;
  for (const Edge& edge : message.blocks) {
    if (const Entry* e = store.find(edge)) found.push_back(e);
  }
  // With them the author's chain below: who misses one block of a burst misses the ones before it.
  const std::size_t asked = found.size();
  for (std::size_t i = 0; i < asked; ++i) {
    const Entry* e = found[i];
    while (found.size() < config.limits.give_blocks) {
      e = store.find(e->block->header.self);
      if (e == nullptr) break;
      found.push_back(e);
    }
  }
  if (!found.empty()) give(from, found, fx);
}

void Dag::State::receive(NodeId from, const WantRound& message, Fx& fx) {
  std::vector<const Entry*> found;
  for (Round r = message.round; r <= store.top() && found.size() < config.limits.give_blocks;
       ++r.value) {
    if (r <= store.floor()) r = Round{store.floor().value + 1};
    for (const Entry& e : store.round(r)) {
      const bool had = r == message.round && message.have.contains(e.block->author());
      if (e.accepted && e.block->author() != from && !had) found.push_back(&e);
    }
  }
  if (!found.empty()) give(from, found, fx);
}

void Dag::State::receive(NodeId from, const WantEvidence& message, Fx& fx) {
  const Round slot = message.slot;
  if (!store.has_evidence(slot, message.leader)) return;
  std::vector<const Entry*> found;
  for (const Entry& e : store.round(Round{slot.value + 1})) {
    const Edge* vote = store.vote_of(e);
    if (vote != nullptr && vote->digest == message.leader) found.push_back(&e);
  }
  if (found.size() < config.committee.at_least(config.rules.certify)) {
    found.clear();
    for (const Entry& e : store.round(Round{slot.value + 2})) {
      const Edge* claim = store.claim_of(e);
      if (claim != nullptr && claim->digest == message.leader) found.push_back(&e);
    }
  }
  if (!found.empty()) give(from, found, fx);
}

}  // namespace thresher::dag
