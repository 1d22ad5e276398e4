#include <algorithm>
#include <functional>
#include <utility>

#include "state.hpp"

namespace thresher::certified {
namespace {

constexpr Delay kPullEvery{500};
/// Questions are answered for so long before what each peer was sent is counted anew.
constexpr Delay kServeEvery{4000};
/// A question and its answer take at most 2 Delta.
constexpr std::uint32_t kTicksPerAnswer = 4;
/// Others that named a vertex are asked this far apart, and so many of them.
constexpr std::uint32_t kTicksPerNamer = 2;
constexpr std::uint32_t kNamersAsked = 4;
/// Rounds are asked for this seldom while the host fetches the log.
constexpr std::uint32_t kTicksFarBehind = 16;
/// A vertex that only a proposal names may not exist: it is asked for this long each time it is
/// named.
constexpr std::uint32_t kTicksForProposals = 64;
/// A peer's word that it is in a later round is worth so many questions, and as many again with
/// each answer that brings something.
constexpr std::uint32_t kAsksForAWord = 8;

/// The nodes that a question goes to: places in a line of all, from `first` on.
struct Turn {
  std::uint32_t first = 0;
  std::uint32_t size = 1;
};

// One is asked, then two, then four, ...: some of those who could answer stay silent, and nobody
// knows which. `most` is enough to have a correct one among them.
Turn turn_of(std::uint32_t turn, std::uint32_t most) {
  Turn out;
  for (; turn > 0 && out.size < most; --turn) {
    out.first += out.size;
    out.size = std::min(out.size * 2, most);
  }
  out.first += turn * out.size;
  return out;
}

}  // namespace

// R8
void Bullshark::State::need(const Ref& ref, NodeId who, bool certified) {
  if (ref.round <= store.floor()) return;
  wanted = wanted || (certified && is_parked(ref));
  if (const auto it = missing.find(ref); it != missing.end()) {
    Missing& known = it->second;
    note_namer(ref, known, who);
    known.forgotten_at = known.ticks + kTicksForProposals;
    if (!certified || known.certified) return;
    Peer& payer = peers[known.needed_by.value];
    if (payer.missing > 0) --payer.missing;
    known.certified = true;
    return;
  }
  if (!certified) {
    // A header of a large committee may name more than the limit all alone.
    if (peers[who.value].missing >= config.limits.missing_per_peer + n()) {
      ++stats.refused;
      return;
    }
    ++peers[who.value].missing;
  }
  missing.emplace(
      ref, Missing{.needed_by = who, .certified = certified, .forgotten_at = kTicksForProposals});
}

// A node that names a vertex holds it. Some of them are remembered: the first may be the liar that
// keeps it from others.
void Bullshark::State::note_namer(const Ref& ref, Missing& known, NodeId who) const {
  const bool of_use = who != known.needed_by && who != ref.author && who != config.self;
  if (!of_use || known.named_by >= kNamersAsked) return;
  if (std::find(known.namers.begin(), known.namers.end(), who) != known.namers.end()) return;
  ++known.named_by;
  known.namers.push_back(who);
}

// R8: besides the turns of everybody, one that named the vertex after another, a Delta apart. At
// once when so far only its author could be asked.
void Bullshark::State::ask_namer(const Ref& ref, Missing& miss, std::vector<Want>& asks) {
  const bool only_author = miss.needed_by == ref.author && miss.next_namer == 0;
  if (miss.namers.empty() || (miss.ticks < miss.next_namer && !only_author)) return;
  auto& list = asks[miss.namers.front().value].vertices;
  if (list.size() < config.limits.give_vertices) list.push_back(ref);
  miss.namers.erase(miss.namers.begin());
  miss.next_namer = miss.ticks + kTicksPerNamer;
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
bool Bullshark::State::ahead(Round seen, Round here) const {
  return seen > here && (!complete(here) || seen.value > here.value + 1);
}

bool Bullshark::State::lagging() const {
  const Round here = current();
  return ahead(highest_seen, here) && std::any_of(peers.begin(), peers.end(), [&](const Peer& p) {
           return p.round_asks > 0 && ahead(p.seen, here);
         });
}

// R9: a node that is behind asks those that say they are ahead. A word that nothing follows from is
// worth a few questions only; correct peers repeat theirs.
void Bullshark::State::reached(Peer& peer, Round round) {
  peer.seen = std::max(peer.seen, round);
  peer.round_asks = kAsksForAWord;
  highest_seen = std::max(highest_seen, round);
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

// R8: first whoever needed it, then its author, then everybody in turn, more of them each time.
void Bullshark::State::ask_vertices(std::vector<Want>& asks) {
  const std::uint32_t most = config.committee.at_least(kValidity);
  for (auto it = missing.begin(); it != missing.end();) {
    const Ref ref = it->first;
    Missing& miss = it->second;
    const std::uint32_t tick = miss.ticks++;
    if (!miss.certified && tick >= miss.forgotten_at) {
      ++it;
      found(ref);
      continue;
    }
    ++it;
    if (tick == 0) {
      latecomers.flag(ref.author, own_round());  // R11
      if (miss.needed_by != ref.author) miss.next_namer = miss.ticks + kTicksPerNamer;
    }
    ask_namer(ref, miss, asks);
    if (tick % kTicksPerAnswer != 0) continue;
    const std::uint32_t first = miss.needed_by.value;
    // A full answer was cut: there is more where it came from.
    const bool more = miss.turn == 1 && peers[first].filled_at + kTicksPerAnswer > pulls;
    const Turn turn = turn_of(more ? 0 : miss.turn++, most);
    for (std::uint32_t k = turn.first; k < turn.first + turn.size; ++k) {
      const std::uint32_t place = k % (n() + 1);
      const std::uint32_t who =
          place == 1 ? ref.author.value : (first + (place > 1 ? place - 1 : 0)) % n();
      auto& list = asks[who].vertices;
      const bool twice = !list.empty() && list.back() == ref;
      if (!twice && list.size() < config.limits.give_vertices) list.push_back(ref);
    }
  }
}

// R8, for payloads. First the author, then everybody in turn; each has time to answer.
void Bullshark::State::ask_batches(std::vector<Want>& asks) {
  for (std::uint32_t i = 0; i < n() && lacking > 0; ++i) {
    Peer& peer = peers[i];
    if (!peer.lacks_batch || peer.proposals.empty()) continue;
    const std::uint32_t tick = peer.batch_ticks++;
    if (tick >= kTicksForProposals) {  // until its author sends the header again
      lack_batch(peer, false);
      continue;
    }
    if (tick % kTicksPerAnswer != 0) continue;
    const std::uint32_t turn = tick / kTicksPerAnswer;
    const std::uint32_t who = (i + turn - std::min(turn, 1U)) % n();
    asks[who].batches.push_back(peer.proposals.back()->header.payload_root);
  }
}

// Runs a short while after something was found missing: it usually arrives in between.
void Bullshark::State::pull(Fx& fx) {
  pull_armed = false;
  ++pulls;
  std::vector<Want> asks(n());
  ask_vertices(asks);
  ask_batches(asks);
  for (std::uint32_t i = 0; i < n(); ++i) {
    const NodeId peer{static_cast<std::uint16_t>(i)};
    if (asks[i].vertices.empty() && asks[i].batches.empty()) continue;
    if (may_ask(peer)) fx.send(peer, std::move(asks[i]));
  }
  const std::uint64_t far = config.host_fetches_beyond;
  const bool slowly = far != 0 && frontier().value > last.value + far;
  if (!slowly || pulls % kTicksFarBehind == 0) ask_round(fx);
  arm_pull(fx);
}

// R9: asks the next of those that are ahead for the lowest round that is not complete here.
void Bullshark::State::ask_round(Fx& fx) {
  const Round here = current();
  if (!ahead(highest_seen, here)) return;
  for (std::uint32_t i = 0; i < n(); ++i) {
    const NodeId who{static_cast<std::uint16_t>((i + pulls) % n())};
    Peer& peer = peers[who.value];
    if (peer.round_asks == 0 || !ahead(peer.seen, here) || !may_ask(who)) continue;
    --peer.round_asks;
    Round r{std::max(store.floor().value, last.value) + 1};
    while (r <= store.top() && complete(r)) ++r.value;
    NodeSet have(n());
    store.accepted_authors(r).members().for_each([&](NodeId id) { have.insert(id); });
    return fx.send(who, WantRound{r, std::move(have)});
  }
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
  if (ref.round <= store.floor()) return attic.find(ref.round, ref.author);
  const Cell* cell = store.find(ref);
  return cell == nullptr ? nullptr : cell->vertex;
}

VertexPtr Bullshark::State::accepted_vertex(const Ref& ref) const {
  if (ref.round <= store.floor()) return attic.find(ref.round, ref.author);
  return store.accepted(ref) ? store.find(ref)->vertex : nullptr;
}

void Bullshark::State::receive(NodeId from, const Want& message, Fx& fx) {
  if (message.vertices.size() > config.limits.give_vertices ||
      message.batches.size() > config.limits.give_vertices) {
    ++stats.refused;
    return;
  }
  if (!may_serve(from)) return;
  Give answer;
  std::uint64_t bytes = 0;
  for (const Ref& ref : message.vertices) {
    const VertexPtr v = vertex(ref);
    if (!v || v->certificate.signatures.empty()) continue;
    missed_by(ref, from);
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
  serve(from, std::move(answer), bytes, fx);
}

// R10: what one peer is sent is bounded in time as well, however much it asks. To ask again is not
// a fault, and does not count as one.
bool Bullshark::State::may_serve(NodeId peer) const {
  return peers[peer.value].served < config.limits.serve_bytes_per_peer;
}

void Bullshark::State::serve(NodeId peer, Give answer, std::uint64_t bytes, Fx& fx) {
  if (answer.vertices.empty() && answer.batches.empty()) return;
  peers[peer.value].served += bytes;
  if (!std::exchange(serve_armed, true)) fx.push(ArmTimer{{kServeTimer, {}}, kServeEvery});
  fx.send(peer, std::move(answer));
}

// R9: to sign a header its author holds a quorum of the round before. So it needs no whole round
// below that of its last header, and asks for single vertices of them by name.
void Bullshark::State::receive(NodeId from, const WantRound& message, Fx& fx) {
  if (!may_serve(from)) return;
  Give answer;
  std::uint64_t bytes = 0;
  const ProposalPtr& said = peers[from.value].voted_for;
  const Round lowest = std::max(
      {message.round, Round{attic.bottom().value + 1}, said ? said->header.round : Round{0}});
  for (Round r = lowest; r <= store.top(); ++r.value) {
    for (std::uint32_t i = 0; i < n(); ++i) {
      const NodeId author{static_cast<std::uint16_t>(i)};
      if (r == message.round && message.have.contains(author)) continue;
      const VertexPtr v = accepted_vertex({author, r});
      if (!v || v->certificate.signatures.empty()) continue;
      bytes += v->header.payload_bytes + header_bytes(v->header, n());
      const bool full = answer.vertices.size() >= config.limits.give_vertices ||
                        (!answer.vertices.empty() && bytes > config.limits.give_bytes);
      if (full) return serve(from, std::move(answer), bytes, fx);
      answer.vertices.push_back(v);
    }
  }
  serve(from, std::move(answer), bytes, fx);
}

void Bullshark::State::receive(NodeId from, const Give& message, Fx& fx) {
  Peer& peer = peers[from.value];
  const bool answers = peer.outstanding > 0;
  if ((!answers && !may_bring(peer, message)) ||
      message.vertices.size() > config.limits.give_vertices ||
      message.batches.size() > config.limits.give_vertices) {
    ++stats.refused;
    return;
  }
  if (answers) --peer.outstanding;
  std::uint64_t bytes = 0;
  bool news = false;
  for (const VertexPtr& v : message.vertices) {
    if (!v) continue;
    // The sender keeps to the same limit, so nothing of a correct peer is lost here.
    if (bytes > config.limits.give_bytes) break;
    const Header& h = v->header;
    bytes += h.payload_bytes + header_bytes(h, n());
    if (v->round() <= store.floor() || store.find(v->ref()) != nullptr) continue;
    const bool whole =
        v->payload.root == h.payload_root && v->payload.bytes.size() == h.payload_bytes;
    if (!whole || h.round.value > current().value + 1 + config.limits.window ||
        flaw_of(h, config.rules, config.committee, config.gc_depth) != Flaw::kNone ||
        flaw_of(v->certificate, h.author, config.rules, config.committee) != Flaw::kNone) {
      ++stats.refused;
      continue;
    }
    news = true;
    check_vertex(v, from, fx, answers);
  }
  if (news) peer.round_asks = kAsksForAWord;
  const bool full = bytes * 2 >= config.limits.give_bytes ||
                    message.vertices.size() * 2 >= config.limits.give_vertices;
  if (full) peer.filled_at = pulls;
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
