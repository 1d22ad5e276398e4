#include <algorithm>
#include <utility>

#include "state.hpp"

namespace thresher::certified {

void Bullshark::State::receive(NodeId from, const Vote& message, Fx& fx) {
  if (!own.is_open() || message.round != own.round()) return;  // late: the quorum is full
  if (!own.is(message.digest)) {
    ++stats.refused;
    return;
  }
  if (own.hear(from, message.signature)) check_votes(fx);
}

// Signatures are checked when they could be enough, all at once.
void Bullshark::State::check_votes(Fx& fx) {
  if (own.votes() < config.committee.at_least(config.rules.certify)) return;
  Check check;
  check.kind = Check::Kind::kVotes;
  check.from = config.self;
  check.first = own.proposal();
  check.signatures = own.take_unverified();
  if (check.signatures.empty()) return try_certify(fx);
  (void)start_check(std::move(check), fx);
}

// R3
void Bullshark::State::try_certify(Fx& fx) {
  const std::size_t needed = config.committee.at_least(config.rules.certify);
  if (!own.is_open() || own.verified() < needed) return;
  Certificate c = own.certificate(needed);
  const Proposal& proposal = *own.proposal();
  if (config.rules.one_signature) c.signatures = {config.joint->combine(proposal.digest, c)};
  const VertexPtr v = make_vertex(proposal, own.payload(), std::move(c));
  own.certify(v);
  fx.broadcast(certify(v));
  if (!hold(v, config.self, fx) && v->round() <= store.floor()) backlog.again(v->payload);
}

Certify Bullshark::State::certify(const VertexPtr& v) {
  return {v->round(), v->digest, v->certificate, v};
}

// Asks for the verdicts: for one on a whole certificate, which is good or is not; of votes it must
// know which ones. False when the peer that caused the work has too much of it pending.
bool Bullshark::State::start_check(Check check, Fx& fx) {
  if (!checks.room(check)) {
    ++stats.refused;
    return false;
  }
  if (check.kind == Check::Kind::kVotes) ++stats.vote_calls;
  if (check.kind == Check::Kind::kVertex && checks.begins_call()) ++stats.certificate_calls;
  const std::uint64_t first = next_ticket;
  // Headers and votes come from their signers alone.
  const auto ask = [&](NodeId signer, const Digest& digest, const Signature& signature) {
    fx.push(Verify{{next_ticket++, {}}, signer, digest, signature, signer});
    ++stats.signatures_checked;
  };
  if (check.kind == Check::Kind::kTwo) {
    ask(check.from, check.first->digest, check.first->signature);
    ask(check.from, check.second->digest, check.second->signature);
  } else if (check.kind == Check::Kind::kVertex) {
    const VertexPtr& v = check.vertex;
    fx.push(VerifyAll{{next_ticket++, {}},
                      v->digest,
                      std::shared_ptr<const SignatureList>(v, &v->certificate),
                      check.from});
    stats.signatures_checked += v->certificate.signatures.size();
  } else {
    for (const auto& [signer, signature] : check.signatures)
      ask(signer, check.first->digest, signature);
  }
  checks.keep(std::move(check), first, next_ticket - first);
  return true;
}

// True when it was the last verdict of its check, so that something may have changed.
bool Bullshark::State::verdict(const Verified& verified, Fx& fx) {
  const auto done = checks.verdict(verified.ticket.local, verified.ok);
  if (done) conclude(*done, fx);
  return done.has_value();
}

void Bullshark::State::conclude(const Checks::Concluded& done, Fx& fx) {
  const Check& check = done.what;
  if (check.kind == Check::Kind::kTwo) return accuse_two(done, fx);
  if (check.kind == Check::Kind::kVertex) {
    if (done.bad > 0) {
      ++stats.refused;
      if (!check.answer && check.vertex->author() != check.from) offenders.mislead(check.from);
    } else {
      (void)hold(check.vertex, check.from, fx);
    }
    return;
  }
  stats.refused += done.bad;
  if (!own.is_open() || own.proposal() != check.first) return;
  for (std::size_t i = 0; i < done.good.size(); ++i) {
    if (done.good[i]) own.add(check.signatures[i].first, check.signatures[i].second);
  }
  check_votes(fx);
  try_certify(fx);
}

void Bullshark::State::receive(NodeId from, const Certify& message, Fx& fx) {
  const Ref ref{from, message.round};
  if (message.round.value == 0 ||
      flaw_of(message.certificate, from, config.rules, config.committee) != Flaw::kNone) {
    ++stats.refused;
    return;
  }
  if (ref.round <= store.floor()) return;
  if (store.find(ref) != nullptr) return missing.pushed(ref);
  reached(from, ref.round);
  if (ref.round.value > current().value + 1 + config.limits.window) {
    ++stats.refused;
    return arm_pull(fx);
  }
  const ProposalPtr proposal = headers.find(from, ref.round, message.digest);
  const auto payload = proposal ? batches.of(proposal->header) : std::nullopt;
  if (!payload) {  // the header or the payload did not arrive: the vertex brings both
    need(ref, from, false);
    return arm_pull(fx);
  }
  missing.pushed(ref);
  const VertexPtr& shared = message.vertex;
  const bool same = shared && shared->digest == message.digest &&
                    shared->payload.bytes.size() == payload->bytes.size();
  park(same ? shared : make_vertex(*proposal, *payload, message.certificate), fx);
}

// The signatures of a round's certificates are checked together, like the votes on a header.
void Bullshark::State::park(const VertexPtr& vertex, Fx& fx) {
  const NodeId author = vertex->author();
  if (config.rules.one_signature || parked.full(author)) return check_vertex(vertex, author, fx);
  switch (parked.add(vertex)) {
    case Parked::Added::kNew:
      break;
    case Parked::Added::kSame:
      return;
    case Parked::Added::kOther:
      ++stats.refused;
      return;
  }
  const Ref ref = vertex->ref();
  if (missing.exists(ref)) parked.want();
  // A header that waited for it may wait for nothing but verdicts now.
  for (const NodeId id : waiting.woken([&](const Ref& on) { return on == ref; })) {
    waiting.go_on(id);
    (void)parents_settled(headers.last(id)->header);
  }
}

// Whether these could complete the round, or end the wait in it, or commit the anchor before it.
// Those of a round that was left go along with the next.
bool Bullshark::State::worth_checking(Round r, const Parked::OfRound& unchecked) const {
  if (r < own.round()) return false;
  const Committee& c = config.committee;
  const auto held = static_cast<std::uint32_t>(store.accepted_authors(r).count());
  const auto more = static_cast<std::uint32_t>(unchecked.size());
  const bool whole = held >= c.at_least(config.rules.complete);
  if (!whole && held + more >= c.at_least(config.rules.complete)) return true;
  const bool still_waits = whole && !may_leave(r);
  if (has_anchor(r)) return still_waits && unchecked.contains(leader(r));
  if (r.value < 2) return false;
  const Round before{r.value - 1};
  const NodeId anchor = leader(before);
  const std::uint32_t known = store.votes({anchor, before});
  const std::uint32_t needed = c.at_least(config.rules.commit);
  // They are counted only when that could tell.
  const bool may_commit = known < needed && known + more >= needed;
  const bool may_fail = still_waits && known + n() < needed + held + more;
  if (!may_commit && !may_fail) return false;
  const auto votes = static_cast<std::uint32_t>(std::count_if(
      unchecked.begin(), unchecked.end(),
      [&](const auto& entry) { return entry.second->header.parents.contains(anchor); }));
  if (votes > 0 && known < needed && known + votes >= needed) return true;
  return still_waits && known + votes + n() - held - more < needed;
}

// What completes a round, or commits the anchor before it, waits a little for the rest: headers
// will name that, and then it would need a call of its own. The silent are not waited for, and
// nobody is once a correct node went on.
bool Bullshark::State::gathers(Round r, const Parked::OfRound& unchecked, Fx& fx) {
  if (config.gather.value == 0 || complete(r)) return false;
  if (waiting.gated() >= config.committee.at_least(kValidity)) return false;
  const NodeSet& held = store.accepted_authors(r).members();
  bool more = false;
  for (std::uint32_t i = 0; i < n() && !more; ++i) {
    const NodeId id{static_cast<std::uint16_t>(i)};
    const bool here = id == config.self || held.contains(id) || unchecked.contains(id);
    more = !here && store.highest_accepted(id).value + kSuspectRounds >= r.value;
  }
  if (!more) return false;
  if (gather_timer.waits_for(r)) return !gather_timer.over();
  gather_timer.restart();
  gather_timer.begin(r);
  fx.push(ArmTimer{{kGatherTimer, {}}, config.gather});
  return true;
}

void Bullshark::State::check_parked(bool all, Fx& fx) {
  all = parked.take_wanted() || all;
  for (auto it = parked.rounds().begin(); it != parked.rounds().end() && !all; ++it) {
    const auto& [round, vertices] = *it;
    all = worth_checking(round, vertices) && !gathers(round, vertices, fx);
  }
  if (!all) return;
  for (const VertexPtr& v : parked.take_all()) {
    if (v->round() <= store.floor() || store.find(v->ref()) != nullptr) continue;
    check_vertex(v, v->author(), fx);
  }
}

// Pre: the certificate's shape is right.
void Bullshark::State::check_vertex(const VertexPtr& vertex, NodeId from, Fx& fx, bool answer) {
  if (config.rules.one_signature) {
    const Certificate& one = vertex->certificate;
    ++stats.signatures_checked;
    if (config.joint->verify(vertex->digest, one.signers, one.signatures.front())) {
      (void)hold(vertex, from, fx);
    } else {
      ++stats.refused;
    }
    return;
  }
  Check check;
  check.from = from;
  check.vertex = vertex;
  check.answer = answer;
  (void)start_check(std::move(check), fx);
}

// A vertex with our signature that we do not hold, though our headers are durable before they are
// sent: the key signs elsewhere, or this is an old copy of the disk.
void Bullshark::State::accuse_self(const Vertex& vertex, Fx& fx) {
  Writer evidence;
  encode_vertex(vertex, n(), evidence);
  fx.push(Accuse{config.self, Bytes::from(evidence.take())});
}

// Takes a certified vertex in. False when there is nothing new in it.
bool Bullshark::State::hold(const VertexPtr& v, NodeId from, Fx& fx) {
  const Ref ref = v->ref();
  if (ref.round <= store.floor() || store.find(ref) != nullptr) return false;
  if (ref.author == config.self) {
    if (!own.is(v->digest)) {
      accuse_self(*v, fx);
      return false;
    }
    own.certify(v);
  }
  store.insert(v);
  missing.found(ref);
  headers.certified(ref.author, ref.round);
  batches.carried(ref.author, v->payload.root);
  if (headers.empty(ref.author)) {
    waiting.go_on(ref.author);
    batches.lacks(ref.author, false);
  }
  if (acceptable(ref, from)) settle({ref}, fx);
  arm_pull(fx);
  return true;
}

// True when every parent is settled; else registers what is missing and what it waits for.
bool Bullshark::State::acceptable(const Ref& ref, NodeId from) {
  if (refs_settled(store.find(ref)->vertex->header)) return true;
  bool registered = false;
  each_ref(store.find(ref)->vertex->header, [&](const Ref& parent) {
    if (store.settled(parent)) return true;
    if (!std::exchange(registered, true)) waits.add(parent, ref);
    if (store.find(parent) == nullptr) need(parent, from, true);
    return true;
  });
  return !registered;
}

bool Bullshark::State::refs_settled(const Header& h) const {
  const Round before{h.round.value - 1};
  const auto& accepted = store.accepted_authors(before).members();
  if (before > store.floor() && !h.parents.subset_of(accepted)) return false;
  if (h.self.value > 0 && !store.settled({h.author, h.self})) return false;
  return std::all_of(h.stragglers.begin(), h.stragglers.end(),
                     [&](const Ref& ref) { return store.settled(ref); });
}

// Looks at the proposals that waited for a vertex, or for a round to be complete.
void Bullshark::State::wake(bool completed, Fx& fx) {
  std::vector<NodeId> awake = waiting.woken([&](const Ref& ref) { return store.settled(ref); });
  if (completed) waiting.take_gated().for_each([&](NodeId id) { awake.push_back(id); });
  for (const NodeId id : awake) consider(id, fx);
}

void Bullshark::State::settle(std::vector<Ref> ready, Fx& fx) {
  const std::uint32_t needed = config.committee.at_least(config.rules.complete);
  bool completed = false;
  while (!ready.empty()) {
    const Ref ref = ready.back();
    ready.pop_back();
    Cell* cell = store.find(ref);
    if (cell == nullptr || cell->accepted || !acceptable(ref, ref.author)) continue;
    store.accept(ref);
    completed = completed || store.accepted_authors(ref.round).count() == needed;
    ++stats.vertices_accepted;
    if (has_anchor(ref.round)) patience.block_came(slot_of(ref.round), ref.author);
    const std::optional<Round> of_log = from_log.take(ref);
    if (of_log) {
      cell->delivered = true;
    } else {
      undelivered.add(cell->vertex->header);
    }
    if (started) records.put_vertex(*cell->vertex, of_log.value_or(Round{0}), fx);
    waits.wake(ref, ready);
  }
  wake(completed, fx);
}

}  // namespace thresher::certified
