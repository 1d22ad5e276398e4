#include "bringing.hpp"

#include <algorithm>

namespace thresher::certified {
namespace {

/// How far below an own vertex those lie that go along with it, in rounds. Questions about older
/// ones show nothing.
constexpr std::uint64_t kReach = 16;
/// Vertices that go along with one header.
constexpr std::size_t kMostBrought = 64;

}  // namespace

Bringing::Bringing(const Config& config, const Own& own, const Offenders& offenders)
    : latecomers_(config.committee), config_(config), own_(own), offenders_(offenders) {}

// R11
void Bringing::came_late(NodeId author) {
  latecomers_.flag(author, own_->round());
}

// R11
void Bringing::missed_by(const Ref& ref, NodeId asker) {
  const bool about_itself = ref.author == asker || ref.author == config_->self;
  if (about_itself || ref.round.value + kReach < own_->round().value) return;
  latecomers_.missed(ref.author, asker, own_->round());
}

bool Bringing::is_late(NodeId author) const {
  return latecomers_.degree(author, own_->round()) >= chassis::Lateness::kLate;
}

// R11: where only anchors are dense they alone name the vertices of late authors, and bring them.
std::vector<VertexPtr> Bringing::brought_with(const Header& h, bool dense,
                                              const std::vector<VertexPtr>& entered) const {
  std::vector<VertexPtr> out;
  const Rules& rules = config_->rules;
  if (rules.parents == Parents::kDense || !rules.dense_anchor || !dense) return out;
  std::uint64_t bytes = 0;
  for (const VertexPtr& v : entered) {
    const bool servable = !v->certificate.signatures.empty();
    if (!servable || v->author() == config_->self || v->round().value + kReach < h.round.value)
      continue;
    if (!is_late(v->author())) continue;
    bytes += v->header.payload_bytes + header_bytes(v->header, config_->committee.size());
    if (out.size() == kMostBrought || bytes > config_->limits.give_bytes) break;
    out.push_back(v);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// R11
bool Bringing::may_bring(NodeId peer, const Give& message) const {
  return !offenders_->misleads(peer) && message.batches.empty() &&
         message.vertices.size() <= kMostBrought;
}

}  // namespace thresher::certified
