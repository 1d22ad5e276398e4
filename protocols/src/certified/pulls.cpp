#include <algorithm>
#include <utility>

#include "state.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::certified {
namespace {

/// Questions are answered for so long before what each peer was sent is counted anew.
constexpr Delay kServeEvery{4000};
/// Rounds are asked for this seldom while the host fetches the log.
constexpr std::uint32_t kTicksFarBehind = 16;

// What a vertex adds to an answer's frame. Certificates do not count in give_bytes; those of a
// large committee are most of an answer of empty vertices.
std::uint64_t frame_bytes(const Vertex& v, std::uint32_t n) {
  return v.header.payload_bytes + header_bytes(v.header, n) + certificate_bytes(v.certificate, n);
}

}  // namespace

// R8
void Bullshark::State::need(const Ref& ref, NodeId who, bool certified) {
  if (ref.round <= store.floor()) return;
  if (certified && parked.contains(ref)) parked.want();
  if (!missing.need(ref, who, certified)) ++stats.refused;
}

// A peer is ahead when it signed headers (up to `seen`) that this node cannot follow with what it
// holds.
bool Bullshark::State::ahead(Round seen, Round here) const {
  return seen > here && (!complete(here) || seen.value > here.value + 1);
}

bool Bullshark::State::lagging() const {
  const Round here = current();
  if (!ahead(frontier.highest(), here)) return false;
  for (std::uint32_t i = 0; i < n(); ++i) {
    const NodeId id{static_cast<std::uint16_t>(i)};
    if (words.left(id) && ahead(frontier.seen(id), here)) return true;
  }
  return false;
}

// R9: a node that is behind asks those that say they are ahead. A word that nothing follows from is
// worth a few questions only; correct peers repeat theirs.
void Bullshark::State::reached(NodeId peer, Round round) {
  frontier.note(peer, round);
  words.renew(peer);
}

void Bullshark::State::arm_pull(Fx& fx) {
  // R11: where all vertices are dense nothing depends on who is late.
  const bool tries = config.rules.parents != Parents::kDense && missing.on_trial();
  const bool idle = missing.empty() && !tries && batches.lacking() == 0;
  if (pull_timer.runs() || (idle && !lagging())) return;
  pull_timer.arm();
  fx.push(ArmTimer{{kPullTimer, {}}, PullTimer::kEvery});
}

bool Bullshark::State::may_ask(NodeId peer) {
  if (peer == config.self) return false;
  answers.asked(peer);
  return true;
}

// R8
void Bullshark::State::ask_vertices(std::vector<Want>& asks) {
  const auto late = [&](NodeId author) { latecomers.flag(author, own.round()); };  // R11
  missing.tick(pull_timer.now(), late, [&](NodeId peer, const Ref& ref) {
    auto& list = asks[peer.value].vertices;
    const bool twice = !list.empty() && list.back() == ref;
    if (!twice && list.size() < config.limits.give_vertices) list.push_back(ref);
  });
}

// R8, for payloads.
void Bullshark::State::ask_batches(std::vector<Want>& asks) {
  for (std::uint32_t i = 0; i < n() && batches.lacking() > 0; ++i) {
    const NodeId author{static_cast<std::uint16_t>(i)};
    if (!batches.lacks(author) || headers.empty(author)) continue;
    if (const auto who = batches.whom_to_ask(author))
      asks[who->value].batches.push_back(headers.last(author)->header.payload_root);
  }
}

// Runs a short while after something was found missing: it usually arrives in between.
void Bullshark::State::pull(Fx& fx) {
  pull_timer.tick();
  std::vector<Want> asks(n());
  ask_vertices(asks);
  ask_batches(asks);
  for (std::uint32_t i = 0; i < n(); ++i) {
    const NodeId peer{static_cast<std::uint16_t>(i)};
    if (asks[i].vertices.empty() && asks[i].batches.empty()) continue;
    if (may_ask(peer)) fx.send(peer, std::move(asks[i]));
  }
  const std::uint64_t far = config.host_fetches_beyond;
  const bool slowly = far != 0 && frontier.reached().value > ordered.last().value + far;
  if (!slowly || pull_timer.now() % kTicksFarBehind == 0) ask_round(fx);
  arm_pull(fx);
}

// R9: asks the next of those that are ahead for the lowest round that is not complete here.
void Bullshark::State::ask_round(Fx& fx) {
  const Round here = current();
  if (!ahead(frontier.highest(), here)) return;
  for (std::uint32_t i = 0; i < n(); ++i) {
    const NodeId who{static_cast<std::uint16_t>((i + pull_timer.now()) % n())};
    if (!words.left(who) || !ahead(frontier.seen(who), here) || !may_ask(who)) continue;
    words.use(who);
    Round r{std::max(store.floor(), ordered.last()).value + 1};
    while (r <= store.top() && complete(r)) ++r.value;
    return fx.send(who, want_from(r));
  }
}

WantRound Bullshark::State::want_from(Round r) const {
  WantRound out{r, {}};
  do {
    NodeSet& have = out.have.emplace_back(n());
    store.accepted_authors(r).members().for_each([&](NodeId id) { have.insert(id); });
  } while (++r.value <= store.top().value && out.have.size() < kMostHave);
  return out;
}

// R9: nothing names the last vertices before a committee rests. A liar that showed its own to some
// alone would keep the others one commit behind for as long as there is no work.
void Bullshark::State::ask_for_last(Fx& fx) {
  const std::uint64_t top = store.top().value;
  if (top == 0) return;
  const std::uint64_t lowest = std::max(store.floor(), ordered.last()).value + 1;
  const std::uint64_t recent = top < kMostHave ? 1 : top - kMostHave + 1;
  for (std::uint32_t i = 0; i < n(); ++i) (void)may_ask(NodeId{static_cast<std::uint16_t>(i)});
  fx.broadcast(want_from(Round{std::min(top, std::max(lowest, recent))}));
}

// Payloads that no vertex carries yet; the others travel with their vertices.
std::optional<Payload> Bullshark::State::batch(const Digest& root) const {
  const auto fits = [&](const Payload& p) { return p.root == root && !p.bytes.empty(); };
  if (fits(own.payload())) return own.payload();
  if (draft && fits(draft->payload)) return draft->payload;
  if (auto waits_here = backlog.find(root)) return waits_here;
  return batches.find(root);
}

VertexPtr Bullshark::State::vertex(const Ref& ref) const {
  if (own.vertex() && own.vertex()->ref() == ref) return own.vertex();
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
  if (!service.may(from)) return;
  Give answer;
  std::uint64_t bytes = 0;
  std::uint64_t in_frame = 0;
  for (const Ref& ref : message.vertices) {
    const VertexPtr v = vertex(ref);
    if (!v || v->certificate.signatures.empty()) continue;
    missed_by(ref, from);
    bytes += v->header.payload_bytes + header_bytes(v->header, n());
    in_frame += frame_bytes(*v, n());
    const bool full = bytes > config.limits.give_bytes || in_frame > kMostPayloadBytes;
    if (!answer.vertices.empty() && full) break;
    answer.vertices.push_back(v);
  }
  std::uint64_t searched = 0;
  for (const Digest& root : message.batches) {
    const auto payload = batch(root);
    if (!payload) {
      searched += n() * sizeof(Digest);  // it was looked for at every author
      continue;
    }
    bytes += payload->bytes.size();
    const bool first = answer.vertices.empty() && answer.batches.empty();
    if (!first && bytes > config.limits.give_bytes) break;
    answer.batches.push_back(*payload);
  }
  serve(from, std::move(answer), bytes + searched, fx);
}

// R10: what one peer is sent is bounded in time as well, however much it asks, and so is what was
// looked for in vain. To ask again is not a fault, and does not count as one.
void Bullshark::State::serve(NodeId peer, Give answer, std::uint64_t bytes, Fx& fx) {
  if (bytes > 0 && service.count(peer, bytes)) fx.push(ArmTimer{{kServeTimer, {}}, kServeEvery});
  if (answer.vertices.empty() && answer.batches.empty()) return;
  fx.send(peer, std::move(answer));
}

// R9: to sign a header its author holds a quorum of the round before. So it needs no whole round
// below that of its last header: it names single vertices, or says that it has a quorum.
bool Bullshark::State::may_lack(NodeId peer, Round r, const NodeSet* have) const {
  const ProposalPtr& said = headers.voted_for(peer);
  if (!said || r >= said->header.round) return true;
  return have != nullptr && have->size() >= config.committee.at_least(config.rules.complete);
}

void Bullshark::State::receive(NodeId from, const WantRound& message, Fx& fx) {
  if (message.have.size() > kMostHave) {
    ++stats.refused;
    return;
  }
  if (!service.may(from)) return;
  Give answer;
  std::uint64_t bytes = 0;
  std::uint64_t in_frame = 0;
  const Round lowest = std::max(message.round, Round{attic.bottom().value + 1});
  for (Round r = lowest; r <= store.top(); ++r.value) {
    const std::uint64_t after = r.value - message.round.value;
    const NodeSet* have = after < message.have.size() ? &message.have[after] : nullptr;
    if (!may_lack(from, r, have)) continue;
    for (std::uint32_t i = 0; i < n(); ++i) {
      const NodeId author{static_cast<std::uint16_t>(i)};
      if (have != nullptr && have->contains(author)) continue;
      const VertexPtr v = accepted_vertex({author, r});
      if (!v || v->certificate.signatures.empty()) continue;
      bytes += v->header.payload_bytes + header_bytes(v->header, n());
      in_frame += frame_bytes(*v, n());
      const bool much = bytes > config.limits.give_bytes || in_frame > kMostPayloadBytes;
      const bool full = answer.vertices.size() >= config.limits.give_vertices ||
                        (!answer.vertices.empty() && much);
      if (full) return serve(from, std::move(answer), bytes, fx);
      answer.vertices.push_back(v);
    }
  }
  serve(from, std::move(answer), bytes, fx);
}

void Bullshark::State::receive(NodeId from, const Give& message, Fx& fx) {
  const bool asked = answers.expects(from);
  if ((!asked && !may_bring(from, message)) ||
      message.vertices.size() > config.limits.give_vertices ||
      message.batches.size() > config.limits.give_vertices) {
    ++stats.refused;
    return;
  }
  if (asked) answers.came(from);
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
    check_vertex(v, from, fx, asked);
  }
  if (news) words.renew(from);
  const bool full = bytes * 2 >= config.limits.give_bytes ||
                    message.vertices.size() * 2 >= config.limits.give_vertices;
  if (full) missing.full_answer(from, pull_timer.now());
  // A payload is for whichever header waits for its root.
  for (const Payload& p : message.batches) {
    for (std::uint32_t i = 0; i < n(); ++i) {
      const NodeId author{static_cast<std::uint16_t>(i)};
      if (!batches.lacks(author) || headers.empty(author)) continue;
      if (headers.last(author)->header.payload_root != p.root) continue;
      receive(author, Batch{p}, fx);
    }
  }
  if (lagging()) arm_pull(fx);
}

}  // namespace thresher::certified
