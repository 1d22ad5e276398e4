#include "proving.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "committer.hpp"
#include "kill_evidence.hpp"
#include "thresher/protocols/dag/policy.hpp"

namespace thresher::dag {
namespace {

/// Leader blocks about whose evidence one claimer makes a node ask in a tick.
constexpr std::uint32_t kAskedPerClaimer = 8;
/// For a proven equivocator. A node that named its block before needs it all the same.
constexpr std::uint32_t kAskedPerCulprit = 1;

// Whether headers that are evidence for a KILL of `round` say as much without this one: one KILL of
// its author, the same vote, or two others. A liar signs twins without end.
bool says_nothing_new(std::span<const BlockPtr> headers, const Header& h, Round round) {
  int votes = 0;
  for (const BlockPtr& b : headers) {
    if (b->author() != h.author || b->round() != h.round) continue;
    const bool kills = h.round.value == round.value + 2;
    const bool alike = b->header.vote == h.vote && b->header.vote_author == h.vote_author;
    if (kills || alike || ++votes == 2) return true;
  }
  return false;
}

}  // namespace

Proving::Proving(const Config& config, Store& store, const Attic<BlockPtr>& attic,
                 const Culprits& culprits, const chassis::Waits<Edge>& waits,
                 AwaitedVerdicts& awaited, const Records& records, Showing& showing, Giving& giving,
                 Stats& stats, const Proving* like)
    : config_(config),
      store_(store),
      attic_(attic),
      culprits_(culprits),
      waits_(waits),
      awaited_(awaited),
      records_(records),
      showing_(showing),
      giving_(giving),
      stats_(stats),
      unproved_(like != nullptr ? like->unproved_ : Unproved()),
      proofs_(like != nullptr ? like->proofs_ : Proofs()) {}

// N6
std::optional<Edge> Proving::lacks(const Entry& entry) const {
  const Header& h = entry.block->header;
  if ((!h.claim && !h.kill) || h.author == config_.self) return std::nullopt;
  const Round slot{h.round.value - 2};
  if (slot <= store_.floor()) return std::nullopt;
  if (h.claim && !policy().claim_proved(store_, slot, *h.claim))
    return claimed(h, config_.committee);
  if (h.kill && !policy().kill_proved(store_, slot)) return Edge{h.author, slot, kAboutKill};
  return std::nullopt;
}

// E1: every node with evidence answers, for any leader.
void Proving::receive(NodeId from, const WantEvidence& message, Fx& fx) {
  if (config_.rules.edges != Edges::kSparse || !giving_.may(from)) return;
  const Witnesses here = witnesses();
  const auto leader = here.provable(message.slot, message.leader);
  if (!leader) return;
  Evidence answer{message.slot, message.leader, {}};
  std::uint64_t bytes = 0;
  for (const Witnesses::Witness& w : here.of(*leader)) {
    if (!showing_.may_show(w.block, fx)) continue;
    if (!policy().fits_evidence(w.block->header, config_.limits, bytes)) break;
    answer.headers.push_back(header_alone(w.block));
  }
  if (answer.headers.empty()) return;
  giving_.served(from, bytes, fx);
  fx.send(from, std::move(answer));
}

// E2: all peers are asked, in turn: the claimers, those whose blocks rest on a claim, then the
// rest. The questions that one peer's claims cause in a tick are bounded.
bool Proving::ask(Fx& fx) {
  bool hopeful = false;
  std::vector<std::uint32_t> left(config_.committee.size(), kAskedPerClaimer);
  culprits_.ids().for_each([&](NodeId id) { left[id.value] = kAskedPerCulprit; });
  unproved_.each([&](Unproved::OpenClaim& claim) {
    hopeful = hopeful || claim.search.hopeful();
    if (!claim.search.due()) {
      claim.search.wait();
      return true;
    }
    const auto pays = std::find_if(claim.claimers.begin(), claim.claimers.end(),
                                   [&](const Edge& e) { return left[e.author.value] > 0; });
    if (pays == claim.claimers.end()) return false;
    --left[pays->author.value];
    for (const Edge& claimer : claim.claimers) {
      claim.search.prefer(claimer.author);
      for (const Edge& above : waits_.of(claimer)) claim.search.prefer(above.author);
    }
    claim.search.next(config_.committee, config_.self, [&](NodeId peer) {
      if (!policy().asks_for_evidence(peer, claim.claimers)) return false;
      claim.asked.insert(peer);
      fx.send(peer, WantEvidence{claim.leader.round, claim.leader.digest});
      return true;
    });
    return true;
  });
  return hopeful;
}

// E3: headers count for the claim that was asked about and for nothing else; they are not blocks to
// be accepted, so nothing is fetched because of them. One answer to a question.
void Proving::receive(NodeId from, const Evidence& message, Fx& fx) {
  const Edge* asked = unproved_.find(message.slot, message.leader);
  if (asked == nullptr) return;  // proved in the meantime
  const Edge leader = *asked;
  // If an author voted twice, both votes may be needed against a KILL's doubters.
  const std::size_t most = config_.committee.size() * (config_.rules.two_delays ? 2 : 1);
  if (!unproved_.answered(leader.round, leader.digest, from) || message.headers.size() > most) {
    ++stats_.refused;
    return;
  }
  const Candidate* c = store_.candidate_for(leader.round, leader.digest);
  for (const BlockPtr& block : message.headers) {
    const auto claims = block ? witnesses().stance(block->header, leader) : std::nullopt;
    if (!claims || !store_.well_formed(block)) {
      ++stats_.refused;
      continue;
    }
    if (c != nullptr && (*claims ? c->claims : c->votes).contains(block->author())) continue;
    awaited_.ask({.block = block, .from = from, .proves = leader}, stats_, fx);
  }
}

// The signature of a header that was sent as evidence is good.
bool Proving::testify(const Awaited& p) {
  const Edge leader = *p.proves;
  const auto claims = witnesses().stance(p.block->header, leader);
  const Candidate* c = store_.candidate_for(leader.round, leader.digest);
  if (!claims || unproved_.find(leader.round, leader.digest) == nullptr) return false;
  if (c != nullptr && (*claims ? c->claims : c->votes).contains(p.block->author())) return false;
  const bool about_kill = leader.digest == kAboutKill && config_.rules.two_delays;
  const auto headers = proofs_.of(leader.round, leader.digest);
  const auto same = [&](const BlockPtr& b) { return b->digest == p.block->digest; };
  if (std::any_of(headers.begin(), headers.end(), same)) return false;
  if (about_kill && says_nothing_new(headers, p.block->header, leader.round)) return false;
  proofs_.add(leader.round, leader.digest, header_alone(p.block));
  return about_kill ? testify_kill(leader.round)
                    : store_.testify(leader, p.block->author(), *claims);
}

// E4: before a claim of this node is sent, and before another's is recorded as accepted, what
// proves it is durable. Accepted blocks are, and stay for as long as the attic keeps them; of the
// others the headers are kept beside them.
void Proving::keep(Round slot, const Digest& leader, Fx& fx) {
  if (config_.rules.edges != Edges::kSparse) return;
  Candidate* c = store_.candidate_for(slot, leader);
  if (c == nullptr || c->kept || !c->evidence) return;
  c->kept = true;
  if (!store_.certified_by_accepted(slot, *c)) keep_headers(c->leader, fx);
}

void Proving::keep_headers(const Edge& leader, Fx& fx) {
  std::vector<BlockPtr> headers;
  for (const Witnesses::Witness& w : witnesses().of(leader)) {
    if (!policy().records_evidence(w.durable)) continue;
    headers.push_back(header_alone(w.block));
  }
  if (headers.empty()) return;
  records_.put_evidence(leader.round, leader.digest, headers, fx);
  proofs_.replace(leader.round, leader.digest, std::move(headers));
}

void Proving::restore(const Restored& record) {
  const auto read = records_.read_evidence(record);
  if (!read) return;
  for (const BlockPtr& header : read->headers) proofs_.add(read->slot, read->leader, header);
}

// After the blocks: they say from which round on.
void Proving::count_restored(Fx& fx) {
  forget(fx);
  proofs_.each([&](Round slot, const Digest& leader, std::span<const BlockPtr> headers) {
    if (config_.rules.two_delays && leader == kAboutKill) {
      testify_kill(slot);
      return;
    }
    for (const BlockPtr& block : headers) {
      const Header& h = block->header;
      if (h.round.value == slot.value + 1 && h.vote == leader) {
        store_.testify(voted(h, config_.committee), h.author, false);
      } else if (h.round.value == slot.value + 2 && h.claim == leader) {
        store_.testify(claimed(h, config_.committee), h.author, true);
      }
    }
  });
}

void Proving::forget(Fx& fx) {
  proofs_.forget(attic_.bottom(), [&](Round slot, const Digest& leader) {
    records_.erase_evidence(slot, leader, fx);
  });
}

// Headers that were sent as evidence, or restored: true when they prove the KILL now.
bool Proving::testify_kill(Round round) {
  if (store_.killable(round) || !witnesses().prove_kill(round)) return false;
  store_.prove_kill(round);
  return store_.killable(round);
}

// E4, for KILLs.
void Proving::keep_kill(Round round, Fx& fx) {
  if (store_.keep_kill(round)) keep_headers({NodeId{}, round, kAboutKill}, fx);
}

}  // namespace thresher::dag
