// An anchor brings what it names where others may lack it. Rule R11 of docs/protocols/anchored.md.
#include <algorithm>

#include "state.hpp"

namespace thresher::certified {
namespace {

/// How far below an own vertex those lie that go along with it, in rounds. Questions about older
/// ones show nothing.
constexpr std::uint64_t kReach = 16;
/// Vertices that go along with one header.
constexpr std::size_t kMostBrought = 64;

}  // namespace

// R11: `asker` lacks a vertex that is held here.
void Bullshark::State::missed_by(const Ref& ref, NodeId asker) {
  const bool about_itself = ref.author == asker || ref.author == config.self;
  if (about_itself || ref.round.value + kReach < own.round().value) return;
  latecomers.missed(ref.author, asker, own.round());
}

bool Bullshark::State::is_late(NodeId author) const {
  return latecomers.degree(author, own.round()) >= chassis::Lateness::kLate;
}

// R11: where only anchors are dense they alone name the vertices of late authors, and bring them.
bool Bullshark::State::brings(const Header& h) const {
  const bool only_anchors = config.rules.parents != Parents::kDense && config.rules.dense_anchor;
  return only_anchors && composes_dense(h.ref());
}

// Chosen from what enters the own history with a header, the newest first; returned oldest first.
std::vector<VertexPtr> Bullshark::State::brought_with(const Header& h,
                                                      const std::vector<VertexPtr>& entered) const {
  std::vector<VertexPtr> out;
  if (!brings(h)) return out;
  std::uint64_t bytes = 0;
  for (const VertexPtr& v : entered) {
    const bool servable = !v->certificate.signatures.empty();
    if (!servable || v->author() == config.self || v->round().value + kReach < h.round.value)
      continue;
    if (!is_late(v->author())) continue;
    bytes += v->header.payload_bytes + header_bytes(v->header, n());
    if (out.size() == kMostBrought || bytes > config.limits.give_bytes) break;
    out.push_back(v);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// R11: nothing more is taken unasked from a peer that once brought a false certificate.
bool Bullshark::State::may_bring(NodeId peer, const Give& message) const {
  return !offenders.misleads(peer) && message.batches.empty() &&
         message.vertices.size() <= kMostBrought;
}

}  // namespace thresher::certified
