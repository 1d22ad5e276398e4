// Blocks bring what they name where others may lack it. Rules B1 to B4 of
// docs/protocols/thresher.md, section "A block brings what it names".
#include <algorithm>

#include "state.hpp"

namespace thresher::dag {
namespace {

/// How far below an own block those lie that go along with it, in rounds. Questions about older
/// ones are no sign.
constexpr std::uint64_t kReach = 16;

Round below(Round round) {
  return Round{round.value > kReach ? round.value - kReach : 1};
}

}  // namespace

// B1: `asker` lacks a block that is held here.
void Dag::State::missed_by(const Edge& edge, NodeId asker) {
  const Round now = own_round();
  if (edge.author == asker || edge.round < below(now)) return;
  if (edge.author != config.self) latecomers.missed(edge.author, asker, now);
  // Who should have brought it did not bring it to all.
  const Entry* e = store.find(edge);
  if (e != nullptr && e->attached_by != kNobody && e->attached_by != asker)
    latecomers.missed(e->attached_by, asker, now);
}

// B2: who brings what many name through one block: f+1 nodes, of which one is correct.
bool Dag::State::brings(const Place& place) const {
  const std::uint64_t n = config.committee.size();
  const std::uint64_t first = (place.author.value + place.round.value) % n;
  return (config.self.value + n - first) % n <= config.committee.faults();
}

// B2: what enters the own history with this block, of authors that are late: whoever lacks the
// block of a late author need not ask for it before it accepts the one that names it. Not what
// somebody else brought, who is not late himself.
std::vector<BlockPtr> Dag::State::attachments(const Header& h, Fx& fx) {
  const Round now = own_round();
  if (!config.rules.brings_late || !latecomers.any(now)) return {};
  std::vector<Edge> from = h.refs;
  if (h.self.round.value > 0) from.push_back(h.self);
  if (h.vote) from.push_back(voted(h, config.committee));
  std::vector<Digest> direct;
  for (const Edge& e : from) direct.push_back(e.digest);
  std::sort(direct.begin(), direct.end());
  std::vector<BlockPtr> out;
  std::uint64_t bytes = 0;
  for (const Place& place : store.pass_on(from, below(h.round))) {
    const Entry& e = store.entry(place);
    const NodeId by = e.attached_by;
    if (place.author == config.self) continue;
    const bool named = std::binary_search(direct.begin(), direct.end(), e.block->digest);
    const Lateness degree = latecomers.degree(place.author, now);
    if (degree < (named ? Lateness::kLate : Lateness::kVeryLate)) continue;
    if (!named && degree == Lateness::kAlwaysLate && !brings(place)) continue;
    if (by != kNobody && latecomers.degree(by, now) < Lateness::kLate) continue;
    if (!may_show(e.block, fx)) continue;
    bytes += header_bytes(e.block->header) + e.block->header.payload_bytes;
    if (out.size() >= config.limits.attached_blocks || bytes > config.limits.attached_bytes) break;
    out.push_back(e.block);
  }
  std::reverse(out.begin(), out.end());  // the newest count first, the oldest go first
  return out;
}

// B3: an attached block is taken like one that its author pushed, and waits for its verdict on the
// account of who attached it.
void Dag::State::take_attached(NodeId from, const std::vector<BlockPtr>& attached, Fx& fx) {
  if (attached.empty()) return;
  if (peers[from.value].misleads || attached.size() > config.limits.attached_blocks) {
    ++stats.refused;
    return;
  }
  for (const BlockPtr& block : attached) {
    if (!block || block->round().value > next_round().value + config.limits.window) continue;
    if (Entry* held = store.find(block->edge())) {
      if (held->attached_by == kNobody) held->attached_by = from;
      continue;
    }
    admit(from, block, fx, true);
  }
}

}  // namespace thresher::dag
