#include <algorithm>
#include <functional>

#include "state.hpp"

namespace thresher::certified {
namespace {

constexpr Delay kPullEvery{500};
/// A question and its answer take at most 2 Delta.
constexpr std::uint32_t kTicksPerAnswer = 4;
/// Rounds are asked for this seldom while the host fetches the log.
constexpr std::uint32_t kTicksFarBehind = 16;
/// What only a proposal names may not exist: nobody is asked for it for ever.
constexpr std::uint32_t kTicksForProposals = 64;

}  // namespace

void Bullshark::State::need(const Ref& ref, NodeId who, bool certified) {
  if (ref.round <= store.floor()) return;
  wanted = wanted || (certified && is_parked(ref));
  if (const auto it = missing.find(ref); it != missing.end()) {
    if (!certified || it->second.certified) return;
    Peer& payer = peers[it->second.needed_by.value];
    if (payer.missing > 0) --payer.missing;
    it->second.certified = true;
    return;
  }
  if (!certified) {
    if (peers[who.value].missing >= config.limits.missing_per_peer) {
      ++stats.refused;
      return;
    }
    ++peers[who.value].missing;
  }
  missing.emplace(ref, Missing{who, certified, 0});
}

void Bullshark::State::found(const Ref& ref) {
  const auto it = missing.find(ref);
  if (it == missing.end()) return;
  Peer& payer = peers[it->second.needed_by.value];
  if (!it->second.certified && payer.missing > 0) --payer.missing;
  missing.erase(it);
}

// A peer is ahead when it signed headers (up to `seen`) that this node cannot follow with what it
// holds.
bool Bullshark::State::ahead(Round seen) const {
  const Round cur = current();
  return seen > cur && (!complete(cur) || seen.value > cur.value + 1);
}

bool Bullshark::State::lagging() const {
  return ahead(highest_seen);
}

// The round that kValidity peers say they reached: one of them is correct.
Round Bullshark::State::frontier() const {
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

void Bullshark::State::arm_pull(Fx& fx) {
  if (pull_armed || (missing.empty() && lacking == 0 && !lagging())) return;
  pull_armed = true;
  fx.push(ArmTimer{{kPullTimer, {}}, kPullEvery});
}

bool Bullshark::State::may_ask(NodeId peer) {
  if (peer == config.self) return false;
  // Answers may be lost for ever, so the credit saturates instead of blocking further questions.
  std::uint32_t& credit = peers[peer.value].outstanding;
  credit = std::min(credit + 1, config.limits.wants_per_peer);
  return true;
}

// Runs a short while after something was found missing: it usually arrives in between.
void Bullshark::State::pull(Fx& fx) {
  pull_armed = false;
  ++pulls;
  std::vector<Want> asks(n());
  // First whoever needed it, then its author, then everybody in turn; each has time to answer.
  const auto whom = [&](NodeId needed_by, NodeId author, std::uint32_t turn) {
    std::uint32_t who = needed_by.value;
    if (turn == 1) who = author.value;
    if (turn > 1) who = (needed_by.value + turn) % n();
    return who == config.self.value ? (who + 1) % n() : who;
  };
  for (auto it = missing.begin(); it != missing.end();) {
    const auto& [ref, miss] = *it;
    const std::uint32_t tick = it->second.ticks++;
    if (!miss.certified && tick >= kTicksForProposals) {
      Peer& payer = peers[miss.needed_by.value];
      if (payer.missing > 0) --payer.missing;
      it = missing.erase(it);
      continue;
    }
    if (tick % kTicksPerAnswer == 0) {
      auto& list = asks[whom(miss.needed_by, ref.author, tick / kTicksPerAnswer)].vertices;
      if (list.size() < config.limits.give_vertices) list.push_back(ref);
    }
    ++it;
  }
  for (std::uint32_t i = 0; i < n(); ++i) {
    Peer& peer = peers[i];
    if (!peer.lacks_batch || peer.proposals.empty()) continue;
    const std::uint32_t tick = peer.batch_ticks++;
    if (tick % kTicksPerAnswer != 0) continue;
    const NodeId author{static_cast<std::uint16_t>(i)};
    asks[whom(author, author, tick / kTicksPerAnswer)].batches.push_back(
        peer.proposals.back()->header.payload_root);
  }
  for (std::uint32_t i = 0; i < n(); ++i) {
    const NodeId peer{static_cast<std::uint16_t>(i)};
    if (asks[i].vertices.empty() && asks[i].batches.empty()) continue;
    if (may_ask(peer)) fx.send(peer, std::move(asks[i]));
  }
  const std::uint64_t far = config.host_fetches_beyond;
  const bool slowly = far != 0 && frontier().value > last.value + far;
  if (lagging() && (!slowly || pulls % kTicksFarBehind == 0)) {
    for (std::uint32_t i = 0; i < n(); ++i) {
      const std::uint32_t who = (i + pulls) % n();
      if (who == config.self.value || !ahead(peers[who].seen)) continue;
      ask_round(NodeId{static_cast<std::uint16_t>(who)}, fx);
      break;
    }
  }
  arm_pull(fx);
}

// Asks for the lowest round that is not complete here.
void Bullshark::State::ask_round(NodeId peer, Fx& fx) {
  if (!may_ask(peer)) return;
  Round r{std::max(store.floor().value, last.value) + 1};
  while (r <= store.top() && complete(r)) ++r.value;
  NodeSet have(n());
  store.accepted_authors(r).members().for_each([&](NodeId id) { have.insert(id); });
  fx.send(peer, WantRound{r, std::move(have)});
}

// Payloads that no vertex carries yet; the others travel with their vertices.
std::optional<Payload> Bullshark::State::batch(const Digest& root) const {
  const auto fits = [&](const Payload& p) { return p.root == root && !p.bytes.empty(); };
  if (own && fits(own->payload)) return own->payload;
  if (fits(signing_payload)) return signing_payload;
  for (const Payload& p : submits) {
    if (fits(p)) return p;
  }
  for (const Peer& peer : peers) {
    if (fits(peer.voted_payload)) return peer.voted_payload;
    for (const Payload& p : peer.batches) {
      if (fits(p)) return p;
    }
  }
  return std::nullopt;
}

VertexPtr Bullshark::State::vertex(const Ref& ref) const {
  if (own_vertex && own_vertex->ref() == ref) return own_vertex;
  const Cell* cell = store.find(ref);
  return cell == nullptr ? nullptr : cell->vertex;
}

void Bullshark::State::receive(NodeId from, const Want& message, Fx& fx) {
  if (message.vertices.size() > config.limits.give_vertices ||
      message.batches.size() > config.limits.give_vertices) {
    ++stats.refused;
    return;
  }
  Give answer;
  std::uint64_t bytes = 0;
  for (const Ref& ref : message.vertices) {
    const VertexPtr v = vertex(ref);
    if (!v || v->certificate.signatures.empty()) continue;
    bytes += v->header.payload_bytes + header_bytes(v->header, n());
    if (!answer.vertices.empty() && bytes > config.limits.give_bytes) break;
    answer.vertices.push_back(v);
  }
  for (const Digest& root : message.batches) {
    const auto payload = batch(root);
    if (!payload) continue;
    bytes += payload->bytes.size();
    const bool first = answer.vertices.empty() && answer.batches.empty();
    if (!first && bytes > config.limits.give_bytes) break;
    answer.batches.push_back(*payload);
  }
  if (!answer.vertices.empty() || !answer.batches.empty()) fx.send(from, std::move(answer));
}

void Bullshark::State::receive(NodeId from, const WantRound& message, Fx& fx) {
  Give answer;
  std::uint64_t bytes = 0;
  const Round lowest{std::max(message.round.value, store.floor().value + 1)};
  for (Round r = lowest; r <= store.top(); ++r.value) {
    for (std::uint32_t i = 0; i < n(); ++i) {
      const NodeId author{static_cast<std::uint16_t>(i)};
      if (r == message.round && message.have.contains(author)) continue;
      const Cell* cell = store.find({author, r});
      if (cell == nullptr || !cell->accepted) continue;
      if (cell->vertex->certificate.signatures.empty()) continue;
      bytes += cell->vertex->header.payload_bytes + header_bytes(cell->vertex->header, n());
      const bool full = answer.vertices.size() >= config.limits.give_vertices ||
                        (!answer.vertices.empty() && bytes > config.limits.give_bytes);
      if (full) return fx.send(from, std::move(answer));
      answer.vertices.push_back(cell->vertex);
    }
  }
  if (!answer.vertices.empty()) fx.send(from, std::move(answer));
}

void Bullshark::State::receive(NodeId from, const Give& message, Fx& fx) {
  Peer& peer = peers[from.value];
  if (peer.outstanding == 0 || message.vertices.size() > config.limits.give_vertices ||
      message.batches.size() > config.limits.give_vertices) {
    ++stats.refused;
    return;
  }
  --peer.outstanding;
  for (const VertexPtr& v : message.vertices) {
    if (!v || v->round() <= store.floor() || store.find(v->ref()) != nullptr) continue;
    const Header& h = v->header;
    const bool whole =
        v->payload.root == h.payload_root && v->payload.bytes.size() == h.payload_bytes;
    if (!whole || h.round.value > current().value + 1 + config.limits.window ||
        flaw_of(h, config.rules, config.committee, config.gc_depth) != Flaw::kNone ||
        flaw_of(v->certificate, h.author, config.rules, config.committee) != Flaw::kNone) {
      ++stats.refused;
      continue;
    }
    check_vertex(v, from, fx);
  }
  // A payload is for whichever header waits for its root.
  for (const Payload& p : message.batches) {
    for (std::uint32_t i = 0; i < n(); ++i) {
      Peer& author = peers[i];
      if (!author.lacks_batch || author.proposals.empty()) continue;
      if (author.proposals.back()->header.payload_root != p.root) continue;
      receive(NodeId{static_cast<std::uint16_t>(i)}, Batch{p}, fx);
    }
  }
  if (lagging()) arm_pull(fx);
}

}  // namespace thresher::certified
