#include <utility>

#include "state.hpp"

namespace thresher::certified {

// True when it was the last verdict of its check, so that something may have changed.
bool Bullshark::State::verdict(const Verified& verified, Fx& fx) {
  const auto done = checking.verdict(verified);
  if (done) conclude(*done, fx);
  return done.has_value();
}

void Bullshark::State::conclude(const Checks::Concluded& done, Fx& fx) {
  const Check& check = done.what;
  if (check.kind == Check::Kind::kTwo) return accusing.judge(done, fx);
  if (check.kind == Check::Kind::kVertex) {
    if (done.bad > 0) {
      ++stats.refused;
      if (!check.answer && check.vertex->author() != check.from) accusing.mislead(check.from);
    } else {
      (void)hold(check.vertex, check.from, fx);
    }
    return;
  }
  hold_own(publishing.judge(done, fx), fx);
}

void Bullshark::State::receive(NodeId from, const Certify& message, Fx& fx) {
  const Ref ref{from, message.round};
  if (message.round.value == 0 ||
      flaw_of(message.certificate, from, config.rules, config.committee) != Flaw::kNone) {
    ++stats.refused;
    return;
  }
  if (ref.round <= store.floor()) return;
  if (store.find(ref) != nullptr) return asking.pushed(ref);
  asking.reached(from, ref.round);
  if (rounds.beyond(ref.round)) {
    ++stats.refused;
    return asking.arm(fx);
  }
  const ProposalPtr proposal = headers.find(from, ref.round, message.digest);
  const auto payload = proposal ? batches.of(proposal->header) : std::nullopt;
  if (!payload) {  // the header or the payload did not arrive: the vertex brings both
    asking.need(ref, from, false);
    return asking.arm(fx);
  }
  asking.pushed(ref);
  const VertexPtr& shared = message.vertex;
  const bool same = shared && shared->digest == message.digest &&
                    shared->payload.bytes.size() == payload->bytes.size();
  park(same ? shared : make_vertex(*proposal, *payload, message.certificate), fx);
}

// The signatures of a round's certificates are checked together, like the votes on a header.
void Bullshark::State::park(const VertexPtr& vertex, Fx& fx) {
  const NodeId author = vertex->author();
  if (config.rules.one_signature || parking.full(author)) return check_vertex(vertex, author, fx);
  switch (parking.add(vertex)) {
    case Parked::Added::kNew:
      break;
    case Parked::Added::kSame:
      return;
    case Parked::Added::kOther:
      ++stats.refused;
      return;
  }
  const Ref ref = vertex->ref();
  if (asking.exists(ref)) parking.want();
  voting.parked(ref);
}

void Bullshark::State::check_parked(bool all, Fx& fx) {
  for (const VertexPtr& v : parking.due(all, voting.gated(), fx)) check_vertex(v, v->author(), fx);
}

// Pre: the certificate's shape is right.
void Bullshark::State::check_vertex(const VertexPtr& vertex, NodeId from, Fx& fx, bool answer) {
  if (config.rules.one_signature) {
    if (checking.joint_is_good(*vertex)) (void)hold(vertex, from, fx);
    return;
  }
  Check check;
  check.from = from;
  check.vertex = vertex;
  check.answer = answer;
  (void)checking.begin(std::move(check), fx);
}

// Takes a certified vertex in. False when there is nothing new in it.
bool Bullshark::State::hold(const VertexPtr& v, NodeId from, Fx& fx) {
  const Ref ref = v->ref();
  if (ref.round <= store.floor() || store.find(ref) != nullptr) return false;
  if (ref.author == config.self) {
    if (!own.is(v->digest)) {
      accusing.accuse_self(*v, fx);
      return false;
    }
    own.certify(v);
  }
  store.insert(v);
  asking.found(ref);
  voting.certified(*v);
  if (admission.acceptable(ref, from)) settle({ref}, fx);
  asking.arm(fx);
  return true;
}

// The own header has its certificate; null: it has not yet.
void Bullshark::State::hold_own(const VertexPtr& v, Fx& fx) {
  if (v && !hold(v, config.self, fx) && v->round() <= store.floor()) composing.again(v->payload);
}

void Bullshark::State::settle(std::vector<Ref> ready, Fx& fx) {
  voting.wake(admission.settle(std::move(ready), fx), fx);
}

// It has the shape of a certified vertex with its payload, and is not too far ahead.
bool Bullshark::State::fits(const Vertex& v) const {
  const Header& h = v.header;
  return v.payload.root == h.payload_root && v.payload.bytes.size() == h.payload_bytes &&
         !rounds.beyond(h.round) &&
         flaw_of(h, config.rules, config.committee, config.gc_depth) == Flaw::kNone &&
         flaw_of(v.certificate, h.author, config.rules, config.committee) == Flaw::kNone;
}

void Bullshark::State::receive(NodeId from, const Give& message, Fx& fx) {
  const bool asked = asking.expects(from);
  if ((!asked && !bringing.may_bring(from, message)) ||
      message.vertices.size() > config.limits.give_vertices ||
      message.batches.size() > config.limits.give_vertices) {
    ++stats.refused;
    return;
  }
  if (asked) asking.came(from);
  std::uint64_t bytes = 0;
  bool news = false;
  for (const VertexPtr& v : message.vertices) {
    if (!v) continue;
    // The sender keeps to the same limit, so nothing of a correct peer is lost here.
    if (bytes > config.limits.give_bytes) break;
    const Header& h = v->header;
    bytes += h.payload_bytes + header_bytes(h, n());
    if (v->round() <= store.floor() || store.find(v->ref()) != nullptr) continue;
    if (!fits(*v)) {
      ++stats.refused;
      continue;
    }
    news = true;
    check_vertex(v, from, fx, asked);
  }
  if (news) asking.brought_news(from);
  const bool full = bytes * 2 >= config.limits.give_bytes ||
                    message.vertices.size() * 2 >= config.limits.give_vertices;
  if (full) asking.was_full(from);
  // A payload is for whichever header waits for its root.
  for (const Payload& p : message.batches) {
    for (std::uint32_t i = 0; i < config.committee.size(); ++i) {
      const NodeId author{static_cast<std::uint16_t>(i)};
      if (!batches.lacks(author) || headers.empty(author)) continue;
      if (headers.last(author)->header.payload_root != p.root) continue;
      voting.hear(author, Batch{p}, fx);
    }
  }
  if (asking.lagging()) asking.arm(fx);
}

}  // namespace thresher::certified
