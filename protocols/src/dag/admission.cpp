#include <algorithm>
#include <tuple>
#include <utility>

#include "state.hpp"

namespace thresher::dag {

void Dag::State::receive(NodeId from, const Push& message, Fx& fx) {
  if (!message.block || message.block->author() != from) {
    ++stats.refused;
    return;
  }
  const Round round = message.block->round();
  Peer& peer = peers[from.value];
  peer.seen = std::max(peer.seen, round);
  highest_seen = std::max(highest_seen, round);
  if (round <= store.floor() || (own && round.value + 1 < own->round().value)) {
    // The peer is behind or repeats itself: our last block tells it where the others are.
    if (own && store.find({from, round, message.block->digest}) != nullptr) {
      fx.send(from, Push{outgoing()});
    }
    if (round <= store.floor()) return;
  }
  if (round.value > next_round().value + config.limits.window) {
    arm_pull(fx);
    return;
  }
  admit(from, message.block, false, fx);
}

void Dag::State::receive(NodeId from, const Give& message, Fx& fx) {
  Peer& peer = peers[from.value];
  if (peer.outstanding == 0 || message.blocks.size() > config.limits.give_blocks) {
    ++stats.refused;
    return;
  }
  --peer.outstanding;
  for (const BlockPtr& block : message.blocks) {
    if (!block) continue;
    if (block->round().value > next_round().value + config.limits.window) continue;
    admit(from, block, true, fx);
  }
  if (lagging()) arm_pull(fx);
}

bool Dag::State::well_formed(const Block& block) const {
  const Header& h = block.header;
  const std::uint64_t r = h.round.value;
  if (!config.committee.contains(h.author) || r == 0 || h.self.round.value >= r) return false;
  if ((h.self.round.value == 0) != h.self.digest.is_zero()) return false;
  const bool sparse = config.rules.edges == Edges::kSparse;
  if (h.vote && (!sparse || r < 2)) return false;
  if (h.claim && (!sparse || r < 3)) return false;
  // One way to say it: an author is named only when it is not the one whose turn it was.
  const auto named = [&](const std::optional<NodeId>& author, bool present, std::uint64_t back) {
    return !author || (present && config.rules.reputation && config.committee.contains(*author) &&
                       *author != leader_of(Round{r - back}, config.committee));
  };
  if (!named(h.vote_author, h.vote.has_value(), 1)) return false;
  if (!named(h.claim_author, h.claim.has_value(), 2)) return false;
  const bool bare = h.refs.empty() && !h.packed;
  if (sparse && config.rules.reputation) {
    // Whose slot it is follows from decisions that this node may not have made yet.
    return bare || (r >= 2 && dense(h));
  }
  if (r >= 2 && (!sparse || leader_of(h.round, config.committee) == h.author)) return dense(h);
  return bare;
}

// Enough parents by distinct authors, every author at most once, and in the one order that there
// is: parents, then stragglers, each by author.
bool Dag::State::dense(const Header& h) const {
  const std::uint64_t r = h.round.value;
  std::uint32_t parents = h.self.round.value + 1 == r ? 1 : 0;
  Tally authors(config.committee);
  if (h.packed) {
    h.packed->authors.for_each([&](NodeId id) { authors.add(id); });
    parents += authors.count();
    if (h.packed->members != config.committee.size() || authors.contains(h.author)) return false;
  }
  const auto before = [&](const Edge& a, const Edge& b) {
    return std::tuple(a.round.value + 1 != r, a.author) <
           std::tuple(b.round.value + 1 != r, b.author);
  };
  if (!std::is_sorted(h.refs.begin(), h.refs.end(), before)) return false;
  for (const Edge& e : h.refs) {
    if (!config.committee.contains(e.author)) return false;
    if (e.round.value == 0 || e.round.value >= r) return false;
    if ((e.author == h.author || !authors.add(e.author)) && config.rules.distinct_parents) {
      return false;
    }
    if (e.round.value + config.gc_depth < r) return false;
    if (e.round.value + 1 == r && h.packed) return false;
    parents += e.round.value + 1 == r ? 1 : 0;
  }
  return parents >= config.committee.at_least(config.rules.dense);
}

void Dag::State::admit(NodeId from, const BlockPtr& block, bool solicited, Fx& fx) {
  const Edge edge{block->author(), block->round(), block->digest};
  const Entry* first = store.first(edge.round, edge.author);
  if (edge.round <= store.floor() || (first != nullptr && store.find(edge) != nullptr)) return;
  Peer& peer = peers[from.value];
  const bool needed = solicited && (missing.contains(edge) || !unproved.empty());
  if (!well_formed(*block) || (edge.author == config.self && foreign_own)) {
    ++stats.refused;
    return;
  }
  if (first != nullptr && !needed && peers[edge.author.value].muted) return;
  if (peer.pending >= config.limits.waiting_per_peer ||
      (!needed && peers[edge.author.value].waiting >= config.limits.waiting_per_peer)) {
    ++stats.refused;
    return;
  }
  foreign_own |= edge.author == config.self;
  const std::uint64_t ticket = next_ticket++;
  ++peer.pending;
  pending.emplace(ticket, Pending{block, from});
  ++stats.signatures_checked;
  fx.push(Verify{{ticket, {}}, edge.author, block->digest, block->signature});
}

void Dag::State::verdict(const Verified& verified, Fx& fx) {
  const auto it = pending.find(verified.ticket.local);
  if (it == pending.end()) return;
  const Pending p = std::move(it->second);
  pending.erase(it);
  --peers[p.from.value].pending;
  const bool mine = p.block->author() == config.self;
  if (mine) foreign_own = false;
  if (!verified.ok) {
    ++stats.refused;
    return;
  }
  if (mine) return accuse_self(*p.block, fx);
  const Edge edge{p.block->author(), p.block->round(), p.block->digest};
  if (edge.round <= store.floor()) return;
  if (const Entry* first = store.first(edge.round, edge.author)) {
    if (store.find(edge) != nullptr) return;
    note_equivocation(*first->block, *p.block, fx);
    const bool needed = missing.contains(edge) || !unproved.empty();
    if (!needed) return;
  }
  if (p.block->header.packed) return hold_packed(p.block, fx);
  hold(p.block, p.from, fx);
}

// The references of a packed block are those blocks that this node holds, if it holds them; until
// then it waits, and is asked for in full when the pull timer runs. Kept are one block for each
// author and round of the window.
void Dag::State::hold_packed(const BlockPtr& block, Fx& fx) {
  std::map<NodeId, BlockPtr>& kept = packed[block->round()];
  const auto [it, fresh] = kept.emplace(block->author(), block);
  if (!fresh) {
    if (it->second->digest != block->digest) note_equivocation(*it->second, *block, fx);
    return;
  }
  if (!unfold(block, fx)) arm_pull(fx);
}

// True when the block went on to be held.
bool Dag::State::unfold(const BlockPtr& block, Fx& fx) {
  const Round before{block->round().value - 1};
  std::vector<Edge> parents;
  bool all = true;
  block->header.packed->authors.for_each([&](NodeId id) {
    const Entry* e = store.first(before, id);
    if (e == nullptr) {
      all = false;
    } else {
      parents.push_back(e->edge());
    }
  });
  const BlockPtr whole = all ? unpack(block, parents) : nullptr;
  if (all && !whole) need({block->author(), block->round(), block->digest}, block->author());
  if (whole) hold(whole, block->author(), fx);
  return whole != nullptr;
}

// A block of `round` came: packed blocks of the next one may refer to it.
void Dag::State::unfold_after(Round round, Fx& fx) {
  const auto it = packed.find(Round{round.value + 1});
  if (it == packed.end()) return;
  std::vector<BlockPtr> again;
  for (const auto& [author, block] : it->second) again.push_back(block);
  for (const BlockPtr& block : again) {
    const Edge edge{block->author(), block->round(), block->digest};
    if (store.find(edge) == nullptr) unfold(block, fx);
  }
}

// A block with our signature that we do not hold, though our blocks are durable before they are
// sent: the key signs elsewhere, or this is an old copy of the disk.
void Dag::State::accuse_self(const Block& block, Fx& fx) {
  if (block.round() <= store.floor()) return;
  if (store.find({block.author(), block.round(), block.digest}) != nullptr) return;
  Writer evidence;
  encode_header(block, evidence);
  fx.push(Accuse{config.self, Bytes::from(evidence.take())});
}

void Dag::State::note_equivocation(const Block& first, const Block& second, Fx& fx) {
  Peer& guilty = peers[second.author().value];
  ++stats.equivocations;
  if (guilty.muted) return;
  guilty.muted = true;
  muted.push_back(second.author());
  Writer evidence;
  encode_header(first, evidence);
  encode_header(second, evidence);
  fx.push(Accuse{second.author(), Bytes::from(evidence.take())});
}

// Dense rules: the referenced block of the slot's leader is the vote.
std::optional<Edge> Dag::State::derived_vote(const Header& h) const {
  if (config.rules.edges == Edges::kSparse) {
    return h.vote ? std::optional(voted(h, config.committee)) : std::nullopt;
  }
  if (h.round.value < 2 || config.rules.coin) return std::nullopt;
  const Round slot{h.round.value - 1};
  const NodeId leader = schedule.leader(slot);
  if (h.self.round == slot && leader == h.author) return h.self;
  for (const Edge& e : h.refs) {
    if (e.round == slot && e.author == leader) return e;
  }
  return std::nullopt;
}

// Dense rules: a quorum of votes among the own references is the claim (PROTOCOLS 1.6,
// certificate). Pre: the parents above the floor are held, as those of an accepted block are. So
// where nobody has twins an edge can only name the one block of its author, and no digest is read.
std::optional<Edge> Dag::State::derived_claim(const Header& h) const {
  const std::uint64_t back = config.rules.claims_after();
  if (config.rules.edges == Edges::kSparse || h.round.value <= back) return std::nullopt;
  const Round slot{h.round.value - back};
  const Round before{h.round.value - 1};
  const bool by_author = config.rules.one_vote && store.without_twins(before);
  for (const Candidate& c : store.candidates(slot)) {
    if (!c.votes.reached(config.rules.certify, config.committee)) continue;
    Tally votes(config.committee);
    const auto count = [&](const Edge& e) {
      if (e.round != before || !c.votes.contains(e.author)) return;
      const Entry* parent = by_author ? nullptr : store.find(e);
      if (by_author || (parent != nullptr && parent->vote == c.leader)) votes.add(e.author);
    };
    count(h.self);
    for (const Edge& e : h.refs) count(e);
    if (votes.reached(config.rules.certify, config.committee)) return c.leader;
  }
  return std::nullopt;
}

void Dag::State::hold(const BlockPtr& block, NodeId from, Fx& fx) {
  const Edge edge{block->author(), block->round(), block->digest};
  std::vector<Edge> ready{edge};
  missing.erase(edge);
  forget_packed(edge);
  ++peers[edge.author.value].waiting;
  if (store.insert(block, derived_vote(block->header))) {
    wake_evidence(Round{edge.round.value - 1}, ready);
    if (edge.round.value >= 2) wake_evidence(Round{edge.round.value - 2}, ready);
  }
  bool all = true;
  std::uint32_t settled = 0;
  each_edge(*block, config.committee, [&](const Edge& parent) {
    if (store.settled(parent)) {
      settled += all ? 1 : 0;
      return true;
    }
    all = false;
    if (store.missing(parent)) need(parent, from);
    return true;
  });
  store.find(edge)->settled_edges = settled;
  settle(std::move(ready), fx);
  arm_pull(fx);
  unfold_after(edge.round, fx);
}

void Dag::State::forget_packed(const Edge& edge) {
  const auto it = packed.find(edge.round);
  if (it == packed.end()) return;
  it->second.erase(edge.author);
  if (it->second.empty()) packed.erase(it);
}

// True when every edge is settled and the claim is proved; else registers what it waits for.
bool Dag::State::acceptable(Entry& entry) {
  // Settled once is settled for good: the look goes on where the last one ended.
  std::uint32_t looked_at = 0;
  const bool settled = each_edge(*entry.block, config.committee, [&](const Edge& parent) {
    if (looked_at++ < entry.settled_edges) return true;
    if (!store.settled(parent)) {
      waiting[parent].push_back(entry.edge());
      return false;
    }
    ++entry.settled_edges;
    return true;
  });
  if (!settled) return false;
  const Header& h = entry.block->header;
  if (!h.claim || !config.rules.check_claims || h.author == config.self) return true;
  const Round slot{h.round.value - 2};
  if (slot <= store.floor() || store.has_evidence(slot, *h.claim)) return true;
  unproved[claimed(h, config.committee)].push_back(entry.edge());
  return false;
}

void Dag::State::wake_evidence(Round slot, std::vector<Edge>& ready) {
  for (const Candidate& c : store.candidates(slot)) {
    if (!c.evidence) continue;
    const auto it = unproved.find(c.leader);
    if (it == unproved.end()) continue;
    ready.insert(ready.end(), it->second.begin(), it->second.end());
    unproved.erase(it);
  }
}

void Dag::State::settle(std::vector<Edge> ready, Fx& fx) {
  while (!ready.empty()) {
    const Edge edge = ready.back();
    ready.pop_back();
    Entry* entry = store.find(edge);
    if (entry == nullptr || entry->accepted || !acceptable(*entry)) continue;
    const BlockPtr block = entry->block;
    if (store.accept(*entry, derived_claim(block->header)) && edge.round.value >= 2) {
      wake_evidence(Round{edge.round.value - 2}, ready);
    }
    if (config.rules.coin) count_seen(*entry);
    Peer& author = peers[edge.author.value];
    if (author.waiting > 0) --author.waiting;
    author.accepted = std::max(author.accepted, edge.round);
    ++stats.blocks_accepted;
    await_delivery(*block);
    if (edge.author != config.self && started) persist(kBlock, *block, fx);
    if (const auto it = waiting.find(edge); it != waiting.end()) {
      ready.insert(ready.end(), it->second.begin(), it->second.end());
      waiting.erase(it);
    }
  }
}

}  // namespace thresher::dag
