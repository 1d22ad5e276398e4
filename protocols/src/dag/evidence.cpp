// Evidence: how a node proves what it accepted, and how it gets the proof itself. Rules E1 to E4 of
// docs/protocols/thresher.md, section "Evidence travels".
#include <algorithm>
#include <span>
#include <utility>

#include "kill_evidence.hpp"
#include "state.hpp"

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

// E1: every node with evidence answers, for any leader.
void Dag::State::receive(NodeId from, const WantEvidence& message, Fx& fx) {
  if (config.rules.edges != Edges::kSparse || !giving.may(from)) return;
  const Witnesses here = witnesses();
  const auto leader = here.provable(message.slot, message.leader);
  if (!leader) return;
  Evidence answer{message.slot, message.leader, {}};
  std::uint64_t bytes = 0;
  for (const Witnesses::Witness& w : here.of(*leader)) {
    if (!showing.may_show(w.block, fx)) continue;
    if (!policy().fits_evidence(w.block->header, config.limits, bytes)) break;
    answer.headers.push_back(header_alone(w.block));
  }
  if (answer.headers.empty()) return;
  giving.served(from, bytes, fx);
  fx.send(from, std::move(answer));
}

// E2: all peers are asked, in turn: the claimers, those whose blocks rest on a claim, then the
// rest. The questions that one peer's claims cause in a tick are bounded.
void Dag::State::ask_for_evidence(Fx& fx) {
  std::vector<std::uint32_t> left(config.committee.size(), kAskedPerClaimer);
  culprits.ids().for_each([&](NodeId id) { left[id.value] = kAskedPerCulprit; });
  unproved.each([&](Unproved::OpenClaim& claim) {
    pull_clock.hurry(claim.search.hopeful());
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
      for (const Edge& above : waits.of(claimer)) claim.search.prefer(above.author);
    }
    claim.search.next(config.committee, config.self, [&](NodeId peer) {
      if (!policy().asks_for_evidence(peer, claim.claimers)) return false;
      claim.asked.insert(peer);
      fx.send(peer, WantEvidence{claim.leader.round, claim.leader.digest});
      return true;
    });
    return true;
  });
}

// E3: headers count for the claim that was asked about and for nothing else; they are not blocks to
// be accepted, so nothing is fetched because of them. One answer to a question.
void Dag::State::receive(NodeId from, const Evidence& message, Fx& fx) {
  const Edge* asked = unproved.find(message.slot, message.leader);
  if (asked == nullptr) return;  // proved in the meantime
  const Edge leader = *asked;
  // If an author voted twice, both votes may be needed against a KILL's doubters.
  const std::size_t most = config.committee.size() * (config.rules.two_delays ? 2 : 1);
  if (!unproved.answered(leader.round, leader.digest, from) || message.headers.size() > most) {
    ++stats.refused;
    return;
  }
  const Candidate* c = store.candidate_for(leader.round, leader.digest);
  for (const BlockPtr& block : message.headers) {
    const auto claims = block ? witnesses().stance(block->header, leader) : std::nullopt;
    if (!claims || !store.well_formed(block)) {
      ++stats.refused;
      continue;
    }
    if (c != nullptr && (*claims ? c->claims : c->votes).contains(block->author())) continue;
    awaited.ask({.block = block, .from = from, .proves = leader}, stats, fx);
  }
}

// The signature of a header that was sent as evidence is good.
void Dag::State::testify(const Awaited& p, Fx& fx) {
  const Edge leader = *p.proves;
  const auto claims = witnesses().stance(p.block->header, leader);
  const Candidate* c = store.candidate_for(leader.round, leader.digest);
  if (!claims || unproved.find(leader.round, leader.digest) == nullptr) return;
  if (c != nullptr && (*claims ? c->claims : c->votes).contains(p.block->author())) return;
  const bool about_kill = leader.digest == kAboutKill && config.rules.two_delays;
  const auto headers = proofs.of(leader.round, leader.digest);
  const auto same = [&](const BlockPtr& b) { return b->digest == p.block->digest; };
  if (std::any_of(headers.begin(), headers.end(), same)) return;
  if (about_kill && says_nothing_new(headers, p.block->header, leader.round)) return;
  proofs.add(leader.round, leader.digest, header_alone(p.block));
  const bool latched =
      about_kill ? testify_kill(leader.round) : store.testify(leader, p.block->author(), *claims);
  if (!latched) return;
  std::vector<Edge> ready;
  wake_evidence(leader.round, ready);
  settle(std::move(ready), fx);
}

// E4: before a claim of this node is sent, and before another's is recorded as accepted, what
// proves it is durable. Accepted blocks are, and stay for as long as the attic keeps them; of the
// others the headers are kept beside them.
void Dag::State::keep_evidence(Round slot, const Digest& leader, Fx& fx) {
  if (config.rules.edges != Edges::kSparse) return;
  Candidate* c = store.candidate_for(slot, leader);
  if (c == nullptr || c->kept || !c->evidence) return;
  c->kept = true;
  if (!store.certified_by_accepted(slot, *c)) keep_headers(c->leader, fx);
}

void Dag::State::keep_headers(const Edge& leader, Fx& fx) {
  std::vector<BlockPtr> headers;
  for (const Witnesses::Witness& w : witnesses().of(leader)) {
    if (!policy().records_evidence(w.durable)) continue;
    headers.push_back(header_alone(w.block));
  }
  if (headers.empty()) return;
  records.put_evidence(leader.round, leader.digest, headers, fx);
  proofs.replace(leader.round, leader.digest, std::move(headers));
}

void Dag::State::restore_evidence(const Restored& record) {
  const auto read = records.read_evidence(record);
  if (!read) return;
  for (const BlockPtr& header : read->headers) proofs.add(read->slot, read->leader, header);
}

// After the blocks: they say from which round on.
void Dag::State::count_restored_evidence(Fx& fx) {
  forget_evidence(below.attic().bottom(), fx);
  proofs.each([&](Round slot, const Digest& leader, std::span<const BlockPtr> headers) {
    if (config.rules.two_delays && leader == kAboutKill) {
      testify_kill(slot);
      return;
    }
    for (const BlockPtr& block : headers) {
      const Header& h = block->header;
      if (h.round.value == slot.value + 1 && h.vote == leader) {
        store.testify(voted(h, config.committee), h.author, false);
      } else if (h.round.value == slot.value + 2 && h.claim == leader) {
        store.testify(claimed(h, config.committee), h.author, true);
      }
    }
  });
}

void Dag::State::forget_evidence(Round bottom, Fx& fx) {
  proofs.forget(
      bottom, [&](Round slot, const Digest& leader) { records.erase_evidence(slot, leader, fx); });
}

}  // namespace thresher::dag
