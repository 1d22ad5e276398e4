#include "voting.hpp"

#include <optional>
#include <utility>

#include "composing.hpp"
#include "settled.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::certified {

Voting::Voting(const With& with)
    : waiting_(with.config.committee),
      config_(with.config),
      store_(with.store),
      own_(with.own),
      ordered_(with.ordered),
      rounds_(with.rounds),
      waves_(with.waves),
      records_(with.records),
      headers_(with.headers),
      batches_(with.batches),
      parking_(with.parking),
      asking_(with.asking),
      accusing_(with.accusing),
      tickets_(with.tickets),
      stats_(with.stats) {}

void Voting::hear(NodeId from, const Batch& message, Fx& fx) {
  const std::size_t bytes = message.payload.bytes.size();
  if (message.payload.root.is_zero() || bytes == 0 || bytes > kMostPayloadBytes) {
    ++stats_->refused;
    return;
  }
  switch (batches_->keep(from, message.payload)) {
    case Batches::Kept::kNew:
      return consider(from, fx);
    case Batches::Kept::kKnown:
      return;
    case Batches::Kept::kTooLarge:
      ++stats_->refused;
      return;
  }
}

void Voting::hear(NodeId from, const Propose& message, Fx& fx) {
  const ProposalPtr& p = message.proposal;
  if (!p || p->header.author != from ||
      flaw_of(p->header, config_->rules, config_->committee, config_->gc_depth) != Flaw::kNone) {
    ++stats_->refused;
    return;
  }
  const Round r = p->header.round;
  asking_->reached(from, r);
  if (rounds_->beyond(r)) {
    ++stats_->refused;
    return asking_->arm(fx);
  }
  const ProposalPtr& voted_for = headers_->voted_for(from);
  if (voted_for && voted_for->header.round == r) {
    if (voted_for->digest != p->digest) return accusing_->suspect_two(voted_for, p, fx);
    fx.send(from, Vote{r, p->digest, headers_->vote_of(from)});  // it lost our vote
    if (r.value + 1 < own_->round().value) answer_straggler(from, fx);
    return;
  }
  const ProposalPtr other = headers_->of_round(from, r);
  // Also while the vote for the first of them is on its way to the disk.
  if (other && other->digest != p->digest) return accusing_->suspect_two(other, p, fx);
  if (r <= headers_->voted(from)) return answer_straggler(from, fx);
  if (other) {
    insist(headers_->last(from)->header);
    return consider(from, fx);
  }
  headers_->keep(p);
  waiting_.go_on(from);
  batches_->lacks(from, false);
  if (r.value + 1 < own_->round().value) answer_straggler(from, fx);
  consider(from, fx);
}

// A node that is behind learns from this one's last header where the others are.
void Voting::answer_straggler(NodeId to, Fx& fx) const {
  if (own_->proposal()) fx.send(to, Propose{own_->proposal()});
}

// R2, its gate: a certificate of round r proves that correct nodes are there.
bool Voting::gate_open(Round r) const {
  const Round before{r.value - 1};
  return before <= store_->floor() || rounds_->complete(before);
}

// R8: an author that sends its header again has no certificate yet. Searches again for what its
// header waits for here, however long ago that was given up: it may never be named again.
void Voting::insist(const Header& h) {
  if (!config_->rules.policy->searches_again(waiting_.waits(h.author))) return;
  each_unsettled(*store_, h, [&](const Ref& ref) {
    if (store_->find(ref) == nullptr) asking_->need(ref, h.author, false);
  });
}

// R2: every referenced vertex is here.
bool Voting::parents_settled(const Header& h) {
  const NodeId author = h.author;
  if (waiting_.waits(author) && !store_->settled(waiting_.on(author))) return false;
  waiting_.go_on(author);
  const Round before{h.round.value - 1};
  const auto& accepted = store_->accepted_authors(before).members();
  const bool sampled = before <= store_->floor() || h.sampled_from.subset_of(accepted);
  if (sampled && refs_settled(*store_, h)) return true;
  // Waits first for what has to come first: then the certificates that are here already are
  // verified in one call, when the vote depends on nothing else.
  std::optional<Ref> here;
  each_unsettled(*store_, h, [&](const Ref& ref) {
    const bool at_hand = parking_->contains(ref);
    if (at_hand) here = ref;
    if (!at_hand && !waiting_.waits(author)) waiting_.wait_for(author, ref);
    if (store_->find(ref) == nullptr) asking_->need(ref, author, false);
  });
  if (here && !waiting_.waits(author)) {
    waiting_.wait_for(author, *here);
    parking_->want();
  }
  return !waiting_.waits(author);
}

bool Voting::sample_follows_the_rules(const Header& h) const {
  if (config_->rules.parents != Parents::kVerifiable || h.round.value < 2) return true;
  const Round before{h.round.value - 1};
  if (before <= store_->floor()) return true;  // never ordered any more
  NodeSet expected =
      sample_parents(h.ref(), h.sampled_from, unique_value_of(*store_, h.sampled_from, before),
                     config_->rules.sample);
  if (h.self == before) expected.insert(h.author);
  if (has_anchor(before)) {
    const NodeId anchor = ordered_->leader(before);
    if (h.parents.contains(anchor)) expected.insert(anchor);
  }
  if (expected.size() != h.parents.size()) return false;
  bool same = true;
  expected.for_each([&](NodeId id) { same = same && h.parents.contains(id); });
  return same;
}

// R2: votes for the author's highest proposal once everything that it stands on is here.
void Voting::consider(NodeId author, Fx& fx) {
  if (headers_->empty(author) || accusing_->offenders().convicted(author)) return;
  const ProposalPtr proposal = headers_->last(author);
  const Header& h = proposal->header;
  if (h.round <= headers_->voted(author)) return;
  if (!gate_open(h.round)) {
    waiting_.wait_for_round(author);
    return asking_->arm(fx);  // a certificate that opens it may be lost
  }
  if (!parents_settled(h)) return asking_->arm(fx);
  const auto fallback = waves_->expected_fallback(h);
  if (!fallback) return;  // until the coin of the wave before is known
  if (*fallback != h.fallback || !sample_follows_the_rules(h)) {
    ++stats_->refused;
    headers_->drop_last(author);
    return;
  }
  const bool lacks = !batches_->of(h).has_value();
  batches_->lacks(author, lacks);
  if (lacks) return asking_->arm(fx);
  const std::uint64_t ticket = tickets_->next();
  headers_->begin_vote(proposal, ticket);
  fx.push(Endorse{{ticket, {}}, proposal->digest});
}

void Voting::consider_all(Fx& fx) {
  for (std::uint32_t i = 0; i < config_->committee.size(); ++i)
    consider(NodeId{static_cast<std::uint16_t>(i)}, fx);
}

// Looks at the headers that waited for a vertex, or for a round to be complete.
void Voting::wake(bool completed, Fx& fx) {
  std::vector<NodeId> awake = waiting_.woken([&](const Ref& ref) { return store_->settled(ref); });
  if (completed) waiting_.take_gated().for_each([&](NodeId id) { awake.push_back(id); });
  for (const NodeId id : awake) consider(id, fx);
}

// A header that waited for it may wait for nothing but verdicts now.
void Voting::parked(const Ref& ref) {
  for (const NodeId id : waiting_.woken([&](const Ref& on) { return on == ref; })) {
    waiting_.go_on(id);
    (void)parents_settled(headers_->last(id)->header);
  }
}

void Voting::certified(const Vertex& vertex) {
  const NodeId author = vertex.author();
  headers_->certified(author, vertex.round());
  batches_->carried(author, vertex.payload.root);
  if (!headers_->empty(author)) return;
  waiting_.go_on(author);
  batches_->lacks(author, false);
}

// R2: one vote for each author and round: rounds only grow, and the record is durable first.
void Voting::vote(const ProposalPtr& proposal, const Signature& signature, Fx& fx) {
  if (!headers_->vote(proposal, signature)) return;  // a later vote was asked for meanwhile
  const Header& h = proposal->header;
  batches_->voted(h.author, batches_->of(h).value_or(Payload{}));
  records_->put_vote(*proposal, signature, fx);
  fx.send(h.author, Vote{h.round, proposal->digest, signature});
  ++stats_->votes_sent;
}

}  // namespace thresher::certified
