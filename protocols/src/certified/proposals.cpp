#include <optional>
#include <utility>

#include "state.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::certified {

void Bullshark::State::receive(NodeId from, const Batch& message, Fx& fx) {
  const std::size_t bytes = message.payload.bytes.size();
  if (message.payload.root.is_zero() || bytes == 0 || bytes > kMostPayloadBytes) {
    ++stats.refused;
    return;
  }
  switch (batches.keep(from, message.payload)) {
    case Batches::Kept::kNew:
      return consider(from, fx);
    case Batches::Kept::kKnown:
      return;
    case Batches::Kept::kTooLarge:
      ++stats.refused;
      return;
  }
}

void Bullshark::State::receive(NodeId from, const Propose& message, Fx& fx) {
  const ProposalPtr& p = message.proposal;
  if (!p || p->header.author != from ||
      flaw_of(p->header, config.rules, config.committee, config.gc_depth) != Flaw::kNone) {
    ++stats.refused;
    return;
  }
  const Round r = p->header.round;
  reached(from, r);
  if (r.value > current().value + 1 + config.limits.window) {
    ++stats.refused;
    return arm_pull(fx);
  }
  const ProposalPtr& voted_for = headers.voted_for(from);
  if (voted_for && voted_for->header.round == r) {
    if (voted_for->digest != p->digest) return suspect_two(voted_for, p, fx);
    fx.send(from, Vote{r, p->digest, headers.vote_of(from)});  // it lost our vote
    if (r.value + 1 < own.round().value) answer_straggler(from, fx);
    return;
  }
  const ProposalPtr other = headers.of_round(from, r);
  // Also while the vote for the first of them is on its way to the disk.
  if (other && other->digest != p->digest) return suspect_two(other, p, fx);
  if (r <= headers.voted(from)) return answer_straggler(from, fx);
  if (other) {
    insist(headers.last(from)->header);
    return consider(from, fx);
  }
  headers.keep(p);
  waiting.go_on(from);
  batches.lacks(from, false);
  if (r.value + 1 < own.round().value) answer_straggler(from, fx);
  consider(from, fx);
}

// A node that is behind learns from this one's last header where the others are.
void Bullshark::State::answer_straggler(NodeId to, Fx& fx) const {
  if (own.proposal()) fx.send(to, Propose{own.proposal()});
}

// Two headers for one name: only proved by both signatures.
void Bullshark::State::suspect_two(const ProposalPtr& first, const ProposalPtr& second, Fx& fx) {
  const NodeId author = first->header.author;
  ++stats.refused;
  if (!offenders.worth_checking(author)) return;
  Check check;
  check.kind = Check::Kind::kTwo;
  check.from = author;
  check.first = first;
  check.second = second;
  if (start_check(std::move(check), fx)) offenders.suspect(author);
}

void Bullshark::State::accuse_two(const Checks::Concluded& done, Fx& fx) {
  const Check& check = done.what;
  offenders.cleared(check.from);
  if (done.bad > 0) return;
  ++stats.equivocations;
  offenders.convict(check.from);
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
  if (!policy().searches_again(waiting.waits(h.author))) return;
  each_unsettled(h, [&](const Ref& ref) {
    if (store.find(ref) == nullptr) need(ref, h.author, false);
  });
}

// R2: every referenced vertex is here.
bool Bullshark::State::parents_settled(const Header& h) {
  const NodeId author = h.author;
  if (waiting.waits(author) && !store.settled(waiting.on(author))) return false;
  waiting.go_on(author);
  const Round before{h.round.value - 1};
  const auto& accepted = store.accepted_authors(before).members();
  const bool sampled = before <= store.floor() || h.sampled_from.subset_of(accepted);
  if (sampled && refs_settled(h)) return true;
  // Waits first for what has to come first: then the certificates that are here already are
  // verified in one call, when the vote depends on nothing else.
  std::optional<Ref> here;
  each_unsettled(h, [&](const Ref& ref) {
    const bool at_hand = parked.contains(ref);
    if (at_hand) here = ref;
    if (!at_hand && !waiting.waits(author)) waiting.wait_for(author, ref);
    if (store.find(ref) == nullptr) need(ref, author, false);
  });
  if (here && !waiting.waits(author)) {
    waiting.wait_for(author, *here);
    parked.want();
  }
  return !waiting.waits(author);
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

// R2: votes for the author's highest proposal once everything that it stands on is here.
void Bullshark::State::consider(NodeId author, Fx& fx) {
  if (!started || headers.empty(author) || offenders.convicted(author)) return;
  const ProposalPtr proposal = headers.last(author);
  const Header& h = proposal->header;
  if (h.round <= headers.voted(author)) return;
  if (!gate_open(h.round)) {
    waiting.wait_for_round(author);
    return arm_pull(fx);  // a certificate that opens it may be lost
  }
  if (!parents_settled(h)) return arm_pull(fx);
  const auto fallback = expected_fallback(h);
  if (!fallback) return;  // until the coin of the wave before is known
  if (*fallback != h.fallback || !sample_follows_the_rules(h)) {
    ++stats.refused;
    headers.drop_last(author);
    return;
  }
  const bool lacks = !batches.of(h).has_value();
  batches.lacks(author, lacks);
  if (lacks) return arm_pull(fx);
  const std::uint64_t ticket = next_ticket++;
  headers.begin_vote(proposal, ticket);
  fx.push(Endorse{{ticket, {}}, proposal->digest});
}

void Bullshark::State::consider_all(Fx& fx) {
  for (std::uint32_t i = 0; i < n(); ++i) consider(NodeId{static_cast<std::uint16_t>(i)}, fx);
}

// R2: one vote for each author and round: rounds only grow, and the record is durable first.
void Bullshark::State::voted(const ProposalPtr& proposal, const Signature& signature, Fx& fx) {
  if (!headers.vote(proposal, signature)) return;  // a later vote was asked for meanwhile
  const Header& h = proposal->header;
  batches.voted(h.author, batches.of(h).value_or(Payload{}));
  records.put_vote(*proposal, signature, fx);
  fx.send(h.author, Vote{h.round, proposal->digest, signature});
  ++stats.votes_sent;
}

}  // namespace thresher::certified
