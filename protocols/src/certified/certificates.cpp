#include <algorithm>
#include <utility>

#include "state.hpp"

namespace thresher::certified {

void Bullshark::State::receive(NodeId from, const Vote& message, Fx& fx) {
  if (!own || own->certified || message.round != own_round()) return;  // late: the quorum is full
  if (message.digest != own->proposal->digest) {
    ++stats.refused;
    return;
  }
  if (!own->heard.insert(from)) return;
  own->unverified.emplace_back(from, message.signature);
  check_votes(fx);
}

// Signatures are checked when they could be enough, all at once.
void Bullshark::State::check_votes(Fx& fx) {
  const std::size_t needed = config.committee.at_least(config.rules.certify);
  if (own->votes.size() + own->unverified.size() < needed) return;
  if (own->unverified.empty()) return try_certify(fx);
  Check check;
  check.kind = Check::Kind::kVotes;
  check.from = config.self;
  check.first = own->proposal;
  check.signatures = std::exchange(own->unverified, {});
  (void)start_check(std::move(check), fx);
}

// R3
void Bullshark::State::try_certify(Fx& fx) {
  const std::size_t needed = config.committee.at_least(config.rules.certify);
  if (!own || own->certified || own->votes.size() < needed) return;
  std::sort(own->votes.begin(), own->votes.end());
  Certificate c{NodeSet(n()), {}};
  // The own signature is always among them; the others fill the quorum in order.
  std::size_t others = needed - 1;
  for (const auto& [signer, signature] : own->votes) {
    if (signer != config.self && others == 0) continue;
    if (signer != config.self) --others;
    c.signers.insert(signer);
    c.signatures.push_back(signature);
  }
  if (config.rules.one_signature) c.signatures = {config.joint->combine(own->proposal->digest, c)};
  const VertexPtr v = make_vertex(*own->proposal, own->payload, std::move(c));
  own->certified = true;
  own_vertex = v;
  fx.broadcast(certify(v));
  if (!hold(v, config.self, fx) && v->round() <= store.floor()) propose_again(v->payload);
}

Certify Bullshark::State::certify(const VertexPtr& v) {
  return {v->round(), v->digest, v->certificate, v};
}

// Asks for the verdicts: for one on a whole certificate, which is good or is not; of votes it must
// know which ones. False when the peer that caused the work has too much of it pending.
bool Bullshark::State::start_check(Check check, Fx& fx) {
  std::uint32_t& pending = peers[check.from.value].checks;
  // A whole answer is taken on top of what a peer says unasked.
  const std::uint32_t most =
      config.limits.checks_per_peer + (check.answer ? config.limits.give_vertices : 0);
  if (pending >= most && check.from != config.self) {
    ++stats.refused;
    return false;
  }
  ++pending;
  if (check.kind == Check::Kind::kVotes) ++stats.vote_calls;
  if (check.kind == Check::Kind::kVertex && !std::exchange(asked, true)) ++stats.certificate_calls;
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
  check.asked = check.left = next_ticket - first;
  if (check.kind == Check::Kind::kVotes) check.good.assign(check.asked, false);
  checks.emplace(first, std::move(check));
  return true;
}

// True when it was the last verdict of its check, so that something may have changed.
bool Bullshark::State::verdict(const Verified& verified, Fx& fx) {
  auto it = checks.upper_bound(verified.ticket.local);
  if (it == checks.begin()) return false;
  --it;
  const std::uint64_t index = verified.ticket.local - it->first;
  if (index >= it->second.asked) return false;
  if (!verified.ok) ++it->second.bad;
  if (!it->second.good.empty()) it->second.good[index] = verified.ok;
  if (--it->second.left > 0) return false;
  Check check = std::move(it->second);
  checks.erase(it);
  --peers[check.from.value].checks;
  conclude(check, fx);
  return true;
}

void Bullshark::State::conclude(Check& check, Fx& fx) {
  if (check.kind == Check::Kind::kTwo) return accuse_two(check, fx);
  if (check.kind == Check::Kind::kVertex) {
    if (check.bad > 0) {
      ++stats.refused;
      Peer& sender = peers[check.from.value];
      sender.brought_false |= !check.answer && check.vertex->author() != check.from;
    } else {
      (void)hold(check.vertex, check.from, fx);
    }
    return;
  }
  stats.refused += check.bad;
  if (!own || own->proposal != check.first || own->certified) return;
  for (std::size_t i = 0; i < check.good.size(); ++i) {
    if (check.good[i]) own->votes.push_back(check.signatures[i]);
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
  Peer& peer = peers[from.value];
  if (ref.round <= store.floor() || store.find(ref) != nullptr) return;
  reached(peer, ref.round);
  if (ref.round.value > current().value + 1 + config.limits.window) {
    ++stats.refused;
    return arm_pull(fx);
  }
  ProposalPtr proposal;
  const auto fits = [&](const ProposalPtr& p) {
    return p && p->header.round == ref.round && p->digest == message.digest;
  };
  if (fits(peer.voted_for)) proposal = peer.voted_for;
  for (const ProposalPtr& p : peer.proposals) {
    if (fits(p)) proposal = p;
  }
  const auto payload = proposal ? payload_of(proposal->header) : std::nullopt;
  if (!payload) {  // the header or the payload did not arrive: the vertex brings both
    need(ref, from, false);
    return arm_pull(fx);
  }
  const VertexPtr& shared = message.vertex;
  const bool same = shared && shared->digest == message.digest &&
                    shared->payload.bytes.size() == payload->bytes.size();
  park(same ? shared : make_vertex(*proposal, *payload, message.certificate), fx);
}

// The signatures of a round's certificates are checked together, like the votes on a header.
void Bullshark::State::park(const VertexPtr& vertex, Fx& fx) {
  Peer& peer = peers[vertex->author().value];
  const bool full = peer.parked >= config.limits.proposals_per_peer;
  if (config.rules.one_signature || full) return check_vertex(vertex, vertex->author(), fx);
  const auto [first, fresh] = parked[vertex->round()].emplace(vertex->author(), vertex);
  if (!fresh) {  // repeated, or one of the two is false
    if (first->second->certificate.signatures != vertex->certificate.signatures) ++stats.refused;
    return;
  }
  ++peer.parked;
  const auto lacked = missing.find(vertex->ref());
  wanted = wanted || (lacked != missing.end() && lacked->second.certified);
  // A header that waited for it may wait for nothing but verdicts now.
  std::vector<NodeId> waited;
  asleep.for_each([&](NodeId id) {
    if (blocked_on[id.value] == vertex->ref()) waited.push_back(id);
  });
  for (const NodeId id : waited) {
    unblock(id);
    (void)parents_settled(peers[id.value].proposals.back()->header);
  }
}

bool Bullshark::State::is_parked(const Ref& ref) const {
  const auto it = parked.find(ref.round);
  return it != parked.end() && it->second.contains(ref.author);
}

// Whether these could complete the round, or end the wait in it, or commit the anchor before it.
// Those of a round that was left go along with the next.
bool Bullshark::State::worth_checking(Round r, const std::map<NodeId, VertexPtr>& unchecked) const {
  if (r < own_round()) return false;
  const Committee& c = config.committee;
  const auto held = static_cast<std::uint32_t>(store.accepted_authors(r).count());
  const auto more = static_cast<std::uint32_t>(unchecked.size());
  const bool whole = held >= c.at_least(config.rules.complete);
  if (!whole && held + more >= c.at_least(config.rules.complete)) return true;
  const bool waits = whole && !may_leave(r);
  if (has_anchor(r)) return waits && unchecked.contains(leader(r));
  if (r.value < 2) return false;
  const Round before{r.value - 1};
  const NodeId anchor = leader(before);
  const std::uint32_t known = store.votes({anchor, before});
  const std::uint32_t needed = c.at_least(config.rules.commit);
  // They are counted only when that could tell.
  const bool may_commit = known < needed && known + more >= needed;
  const bool may_fail = waits && known + n() < needed + held + more;
  if (!may_commit && !may_fail) return false;
  const auto votes = static_cast<std::uint32_t>(std::count_if(
      unchecked.begin(), unchecked.end(),
      [&](const auto& entry) { return entry.second->header.parents.contains(anchor); }));
  if (votes > 0 && known < needed && known + votes >= needed) return true;
  return waits && known + votes + n() - held - more < needed;
}

// What completes a round, or commits the anchor before it, waits a little for the rest: headers
// will name that, and then it would need a call of its own. The silent are not waited for, and
// nobody is once a correct node went on.
bool Bullshark::State::gathers(Round r, const std::map<NodeId, VertexPtr>& unchecked, Fx& fx) {
  if (config.gather.value == 0 || complete(r)) return false;
  if (gated.size() >= config.committee.at_least(kValidity)) return false;
  const NodeSet& held = store.accepted_authors(r).members();
  bool more = false;
  for (std::uint32_t i = 0; i < n() && !more; ++i) {
    const NodeId id{static_cast<std::uint16_t>(i)};
    const bool here = id == config.self || held.contains(id) || unchecked.contains(id);
    more = !here && peers[i].accepted.value + kSuspectRounds >= r.value;
  }
  if (!more) return false;
  if (gathering == r) return !gathered;
  gathering = r;
  gathered = false;
  fx.push(ArmTimer{{kGatherTimer, {}}, config.gather});
  return true;
}

void Bullshark::State::check_parked(bool all, Fx& fx) {
  all = std::exchange(wanted, false) || all;
  for (auto it = parked.begin(); it != parked.end() && !all; ++it) {
    const auto& [round, vertices] = *it;
    all = worth_checking(round, vertices) && !gathers(round, vertices, fx);
  }
  if (!all) return;
  for (const auto& [round, vertices] : std::exchange(parked, {})) {
    for (const auto& [author, vertex] : vertices) {
      --peers[author.value].parked;
      if (round <= store.floor() || store.find({author, round}) != nullptr) continue;
      check_vertex(vertex, author, fx);
    }
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
    if (!own || own->proposal->digest != v->digest) {
      accuse_self(*v, fx);
      return false;
    }
    own->certified = true;
    own_vertex = v;
  }
  store.insert(v);
  found(ref);
  Peer& author = peers[ref.author.value];
  std::erase_if(author.proposals,
                [&](const ProposalPtr& p) { return p->header.round <= ref.round; });
  std::erase_if(author.batches, [&](const Payload& p) { return p.root == v->payload.root; });
  if (author.proposals.empty()) {
    unblock(ref.author);
    lack_batch(author, false);
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
    if (!std::exchange(registered, true)) waiting[parent].push_back(ref);
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
  std::vector<NodeId> awake;
  asleep.for_each([&](NodeId id) {
    if (store.settled(blocked_on[id.value])) awake.push_back(id);
  });
  if (completed) {
    std::exchange(gated, NodeSet(n())).for_each([&](NodeId id) { awake.push_back(id); });
  }
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
    Peer& author = peers[ref.author.value];
    author.accepted = std::max(author.accepted, ref.round);
    if (has_anchor(ref.round)) patience.block_came(slot_of(ref.round), ref.author);
    Round of_log{0};
    if (const auto logged = from_log.find(ref); logged != from_log.end()) {
      of_log = logged->second.slot;
      cell->delivered = true;
      from_log.erase(logged);
    } else if (cell->vertex->header.payload_bytes > 0) {
      ++undelivered;
    }
    if (started) persist_vertex(*cell->vertex, of_log, fx);
    if (const auto it = waiting.find(ref); it != waiting.end()) {
      ready.insert(ready.end(), it->second.begin(), it->second.end());
      waiting.erase(it);
    }
  }
  wake(completed, fx);
}

}  // namespace thresher::certified
