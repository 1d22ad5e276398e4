#include <algorithm>
#include <utility>

#include "state.hpp"

namespace thresher::certified {

void Bullshark::State::receive(NodeId from, const Batch& message, Fx& fx) {
  Peer& peer = peers[from.value];
  if (message.payload.root.is_zero() || message.payload.bytes.empty()) {
    ++stats.refused;
    return;
  }
  for (const Payload& p : peer.batches) {
    if (p.root == message.payload.root) return;
  }
  if (message.payload.bytes.size() > config.limits.batch_bytes_per_peer) {
    ++stats.refused;
    return;
  }
  // The oldest go: a batch that was never proposed must not block those that are.
  std::size_t bytes = message.payload.bytes.size();
  for (const Payload& p : peer.batches) bytes += p.bytes.size();
  while (peer.batches.size() >= config.limits.batches_per_peer ||
         bytes > config.limits.batch_bytes_per_peer) {
    bytes -= peer.batches.front().bytes.size();
    peer.batches.erase(peer.batches.begin());
  }
  peer.batches.push_back(message.payload);
  consider(from, fx);
}

void Bullshark::State::receive(NodeId from, const Propose& message, Fx& fx) {
  const ProposalPtr& p = message.proposal;
  Peer& peer = peers[from.value];
  if (!p || p->header.author != from ||
      flaw_of(p->header, config.rules, config.committee, config.gc_depth) != Flaw::kNone) {
    ++stats.refused;
    return;
  }
  const Round r = p->header.round;
  reached(peer, r);
  if (r.value > current().value + 1 + config.limits.window) {
    ++stats.refused;
    return arm_pull(fx);
  }
  if (peer.voted_for && peer.voted_for->header.round == r) {
    if (peer.voted_for->digest != p->digest) return suspect_two(peer.voted_for, p, fx);
    fx.send(from, Vote{r, p->digest, peer.vote});  // it lost our vote
    if (r.value + 1 < own_round().value) answer_straggler(from, fx);
    return;
  }
  const auto same_round = [&](const ProposalPtr& other) { return other->header.round == r; };
  const auto other = std::find_if(peer.proposals.begin(), peer.proposals.end(), same_round);
  const bool had = other != peer.proposals.end();
  // Also while the vote for the first of them is on its way to the disk.
  if (had && (*other)->digest != p->digest) return suspect_two(*other, p, fx);
  if (r <= peer.voted) return answer_straggler(from, fx);
  if (had) {
    insist(peer.proposals.back()->header);
    return consider(from, fx);
  }
  keep_proposal(peer, p);
  if (r.value + 1 < own_round().value) answer_straggler(from, fx);
  consider(from, fx);
}

// A node that is behind learns from this one's last header where the others are.
void Bullshark::State::answer_straggler(NodeId to, Fx& fx) const {
  if (own) fx.send(to, Propose{own->proposal});
}

void Bullshark::State::keep_proposal(Peer& peer, const ProposalPtr& proposal) {
  const auto later = [](const ProposalPtr& a, const ProposalPtr& b) {
    return a->header.round < b->header.round;
  };
  peer.proposals.insert(
      std::upper_bound(peer.proposals.begin(), peer.proposals.end(), proposal, later), proposal);
  if (peer.proposals.size() > config.limits.proposals_per_peer)
    peer.proposals.erase(peer.proposals.begin());
  unblock(proposal->header.author);
  lack_batch(peer, false);
}

// Two headers for one name: only proved by both signatures.
void Bullshark::State::suspect_two(const ProposalPtr& first, const ProposalPtr& second, Fx& fx) {
  Peer& peer = peers[first->header.author.value];
  ++stats.refused;
  if (peer.accused || peer.two_suspected) return;
  Check check;
  check.kind = Check::Kind::kTwo;
  check.from = first->header.author;
  check.first = first;
  check.second = second;
  peer.two_suspected = start_check(std::move(check), fx);
}

void Bullshark::State::accuse_two(const Check& check, Fx& fx) {
  Peer& guilty = peers[check.from.value];
  guilty.two_suspected = false;
  if (check.bad > 0) return;
  ++stats.equivocations;
  guilty.accused = true;
  Writer evidence;
  encode_proposal(*check.first, n(), evidence);
  encode_proposal(*check.second, n(), evidence);
  fx.push(Accuse{check.from, Bytes::from(evidence.take())});
}

// R2, its gate: a certificate of round r proves that correct nodes are there.
bool Bullshark::State::gate_open(Round r) const {
  const Round before{r.value - 1};
  return before <= store.floor() || complete(before);
}

void Bullshark::State::block(NodeId author, const Ref& on) {
  asleep.insert(author);
  blocked_on[author.value] = on;
}

void Bullshark::State::unblock(NodeId author) {
  asleep.erase(author);
}

void Bullshark::State::lack_batch(Peer& peer, bool lacks) {
  if (std::exchange(peer.lacks_batch, lacks) == lacks) return;
  peer.batch_ticks = 0;
  lacking += lacks ? 1 : 0;
  lacking -= lacks ? 0 : 1;
}

// Calls `visit(Ref)` for what a vote for the header waits for.
template <class F>
void Bullshark::State::each_unsettled(const Header& h, F visit) const {
  const Round before{h.round.value - 1};
  const auto& accepted = store.accepted_authors(before).members();
  const auto check = [&](const Ref& ref) {
    if (!store.settled(ref)) visit(ref);
  };
  if (h.self.value > 0) check({h.author, h.self});
  h.parents.for_each_outside(accepted, [&](NodeId id) { check({id, before}); });
  for (const Ref& ref : h.stragglers) check(ref);
  h.sampled_from.for_each_outside(accepted, [&](NodeId id) { check({id, before}); });
}

// R8: an author that sends its header again has no certificate yet. Searches again for what its
// header waits for here, however long ago that was given up: it may never be named again.
void Bullshark::State::insist(const Header& h) {
  if (!policy().searches_again(asleep.contains(h.author))) return;
  each_unsettled(h, [&](const Ref& ref) {
    if (store.find(ref) == nullptr) need(ref, h.author, false);
  });
}

// R2: every referenced vertex is here.
bool Bullshark::State::parents_settled(const Header& h) {
  const NodeId author = h.author;
  if (asleep.contains(author) && !store.settled(blocked_on[author.value])) return false;
  unblock(author);
  const Round before{h.round.value - 1};
  const auto& accepted = store.accepted_authors(before).members();
  const bool sampled = before <= store.floor() || h.sampled_from.subset_of(accepted);
  if (sampled && refs_settled(h)) return true;
  // Waits first for what has to come first: then the certificates that are here already are
  // verified in one call, when the vote depends on nothing else.
  std::optional<Ref> here;
  each_unsettled(h, [&](const Ref& ref) {
    const bool at_hand = is_parked(ref);
    if (at_hand) here = ref;
    if (!at_hand && !asleep.contains(author)) block(author, ref);
    if (store.find(ref) == nullptr) need(ref, author, false);
  });
  if (here && !asleep.contains(author)) {
    block(author, *here);
    wanted = true;
  }
  return !asleep.contains(author);
}

bool Bullshark::State::sample_follows_the_rules(const Header& h) const {
  if (config.rules.parents != Parents::kVerifiable || h.round.value < 2) return true;
  const Round before{h.round.value - 1};
  if (before <= store.floor()) return true;  // never ordered any more
  NodeSet expected = sample_parents(h.ref(), h.sampled_from, unique_value(h.sampled_from, before),
                                    config.rules.sample);
  if (h.self == before) expected.insert(h.author);
  if (has_anchor(before)) {
    const NodeId anchor = leader(before);
    if (h.parents.contains(anchor)) expected.insert(anchor);
  }
  if (expected.size() != h.parents.size()) return false;
  bool same = true;
  expected.for_each([&](NodeId id) { same = same && h.parents.contains(id); });
  return same;
}

std::optional<Payload> Bullshark::State::payload_of(const Header& h) const {
  if (h.payload_root.is_zero()) return Payload{};
  const Peer& peer = peers[h.author.value];
  const auto fits = [&](const Payload& p) {
    return p.root == h.payload_root && p.bytes.size() == h.payload_bytes;
  };
  if (fits(peer.voted_payload)) return peer.voted_payload;
  for (const Payload& p : peer.batches) {
    if (fits(p)) return p;
  }
  return std::nullopt;
}

// R2: votes for the author's highest proposal once everything that it stands on is here.
void Bullshark::State::consider(NodeId author, Fx& fx) {
  Peer& peer = peers[author.value];
  if (!started || peer.proposals.empty() || peer.accused) return;
  const ProposalPtr proposal = peer.proposals.back();
  const Header& h = proposal->header;
  if (h.round <= peer.voted) return;
  if (!gate_open(h.round)) {
    gated.insert(author);
    return arm_pull(fx);  // a certificate that opens it may be lost
  }
  if (!parents_settled(h)) return arm_pull(fx);
  const auto fallback = expected_fallback(h);
  if (!fallback) return;  // until the coin of the wave before is known
  if (*fallback != h.fallback || !sample_follows_the_rules(h)) {
    ++stats.refused;
    peer.proposals.pop_back();
    return;
  }
  const auto payload = payload_of(h);
  lack_batch(peer, !payload.has_value());
  if (!payload) return arm_pull(fx);
  peer.voted = h.round;
  const std::uint64_t ticket = next_ticket++;
  voting.emplace(ticket, proposal);
  fx.push(Endorse{{ticket, {}}, proposal->digest});
}

void Bullshark::State::consider_all(Fx& fx) {
  for (std::uint32_t i = 0; i < n(); ++i) consider(NodeId{static_cast<std::uint16_t>(i)}, fx);
}

// R2: one vote for each author and round: rounds only grow, and the record is durable first.
void Bullshark::State::voted(const ProposalPtr& proposal, const Signature& signature, Fx& fx) {
  const Header& h = proposal->header;
  Peer& peer = peers[h.author.value];
  if (h.round != peer.voted) return;  // a later vote was asked for meanwhile
  peer.voted_payload = payload_of(h).value_or(Payload{});
  peer.voted_for = proposal;
  peer.vote = signature;
  if (config.records) {
    Writer key;
    key.u16(h.author.value);
    Writer value;
    encode_proposal(*proposal, n(), value);
    // Without the payload: once the vertex is held it is on the disk as a whole, and before that
    // its author repeats both.
    value.bytes(signature);
    fx.push(Persist{kVoted, Bytes::from(key.take()), Bytes::from(value.take())});
  }
  fx.send(h.author, Vote{h.round, proposal->digest, signature});
  ++stats.votes_sent;
}

}  // namespace thresher::certified
