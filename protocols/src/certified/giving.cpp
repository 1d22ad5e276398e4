#include "giving.hpp"

#include <algorithm>
#include <utility>

#include "thresher/protocols/payload_limit.hpp"
#include "timers.hpp"

namespace thresher::certified {
namespace {

/// Questions are answered for so long before what each peer was sent is counted anew.
constexpr Delay kServeEvery{4000};

// What a vertex adds to an answer's frame. Certificates do not count in give_bytes; those of a
// large committee are most of an answer of empty vertices.
std::uint64_t frame_bytes(const Vertex& v, std::uint32_t n) {
  return v.header.payload_bytes + header_bytes(v.header, n) + certificate_bytes(v.certificate, n);
}

}  // namespace

/// What was found so far for one question.
struct Giving::Answer {
  Give give;
  std::uint64_t bytes = 0;
  std::uint64_t in_frame = 0;

  /// With this one it has more than it may, if it may be cut.
  bool grows_too_large(const Vertex& v, const Config& config) {
    const std::uint32_t n = config.committee.size();
    bytes += v.header.payload_bytes + header_bytes(v.header, n);
    in_frame += frame_bytes(v, n);
    return bytes > config.limits.give_bytes || in_frame > kMostPayloadBytes;
  }
};

Giving::Giving(const With& with)
    : service_(with.config.committee, with.config.limits.serve_bytes_per_peer),
      config_(with.config),
      store_(with.store),
      attic_(with.attic),
      own_(with.own),
      composing_(with.composing),
      batches_(with.batches),
      headers_(with.headers),
      bringing_(with.bringing),
      stats_(with.stats) {}

// Payloads that no vertex carries yet; the others travel with their vertices.
std::optional<Payload> Giving::payload(const Digest& root) const {
  const Payload& own = own_->payload();
  if (own.root == root && !own.bytes.empty()) return own;
  if (auto waits_here = composing_->find(root)) return waits_here;
  return batches_->find(root);
}

VertexPtr Giving::vertex(const Ref& ref) const {
  if (own_->vertex() && own_->vertex()->ref() == ref) return own_->vertex();
  if (ref.round <= store_->floor()) return attic_->find(ref.round, ref.author);
  const Cell* cell = store_->find(ref);
  return cell == nullptr ? nullptr : cell->vertex;
}

VertexPtr Giving::accepted_vertex(const Ref& ref) const {
  if (ref.round <= store_->floor()) return attic_->find(ref.round, ref.author);
  return store_->accepted(ref) ? store_->find(ref)->vertex : nullptr;
}

void Giving::answer(NodeId from, const Want& message, Fx& fx) {
  const Limits& limits = config_->limits;
  if (message.vertices.size() > limits.give_vertices ||
      message.batches.size() > limits.give_vertices) {
    ++stats_->refused;
    return;
  }
  if (!service_.may(from)) return;
  Answer out;
  for (const Ref& ref : message.vertices) {
    const VertexPtr v = vertex(ref);
    if (!v || v->certificate.signatures.empty()) continue;
    bringing_->missed_by(ref, from);
    const bool much = out.grows_too_large(*v, *config_);
    if (!out.give.vertices.empty() && much) break;
    out.give.vertices.push_back(v);
  }
  std::uint64_t searched = 0;
  for (const Digest& root : message.batches) {
    const auto found = payload(root);
    if (!found) {
      searched += config_->committee.size() * sizeof(Digest);  // it was looked for at every author
      continue;
    }
    out.bytes += found->bytes.size();
    const bool first = out.give.vertices.empty() && out.give.batches.empty();
    if (!first && out.bytes > limits.give_bytes) break;
    out.give.batches.push_back(*found);
  }
  out.bytes += searched;
  serve(from, std::move(out), fx);
}

// R10: what one peer is sent is bounded in time as well, however much it asks, and so is what was
// looked for in vain. To ask again is not a fault, and does not count as one.
void Giving::serve(NodeId peer, Answer answer, Fx& fx) {
  if (answer.bytes > 0 && service_.count(peer, answer.bytes))
    fx.push(ArmTimer{{kServeTimer, {}}, kServeEvery});
  if (answer.give.vertices.empty() && answer.give.batches.empty()) return;
  fx.send(peer, std::move(answer.give));
}

// R9: to sign a header its author holds a quorum of the round before. So it needs no whole round
// below that of its last header: it names single vertices, or says that it has a quorum. `have`:
// what it says it has of the round, if it says anything.
bool Giving::may_lack(NodeId peer, Round r, const NodeSet* have) const {
  const ProposalPtr& said = headers_->voted_for(peer);
  if (!said || r >= said->header.round) return true;
  return have != nullptr && have->size() >= config_->committee.at_least(config_->rules.complete);
}

void Giving::answer(NodeId from, const WantRound& message, Fx& fx) {
  if (message.have.size() > kMostHave) {
    ++stats_->refused;
    return;
  }
  if (!service_.may(from)) return;
  Answer out;
  const Round lowest = std::max(message.round, Round{attic_->bottom().value + 1});
  for (Round r = lowest; r <= store_->top(); ++r.value) {
    const std::uint64_t after = r.value - message.round.value;
    const NodeSet* have = after < message.have.size() ? &message.have[after] : nullptr;
    if (!may_lack(from, r, have)) continue;
    for (std::uint32_t i = 0; i < config_->committee.size(); ++i) {
      const NodeId author{static_cast<std::uint16_t>(i)};
      if (have != nullptr && have->contains(author)) continue;
      const VertexPtr v = accepted_vertex({author, r});
      if (!v || v->certificate.signatures.empty()) continue;
      const bool much = out.grows_too_large(*v, *config_);
      const bool full = out.give.vertices.size() >= config_->limits.give_vertices ||
                        (!out.give.vertices.empty() && much);
      if (full) return serve(from, std::move(out), fx);
      out.give.vertices.push_back(v);
    }
  }
  serve(from, std::move(out), fx);
}

}  // namespace thresher::certified
