// Blocks bring what they name where others may lack it. Rules B1 to B4 of
// docs/protocols/thresher.md, section "A block brings what it names".
#include <algorithm>

#include "state.hpp"

namespace thresher::dag {
namespace {

/// How much later a sign makes an author, and how late it is at most; it is late from kLate on.
/// Unit: own rounds, since a round without a sign takes one away.
constexpr std::uint32_t kSign = 32;
constexpr std::uint32_t kLatest = 512;
constexpr std::uint32_t kLate = 24;
/// From here on, two signs, its blocks also go along with one that names them through another.
constexpr std::uint32_t kVeryLate = 33;
/// From here on an author is late round after round, and f+1 nodes bring what all name.
constexpr std::uint32_t kAlwaysLate = 256;
/// Questions of different peers are one sign when they come within so many own rounds.
constexpr std::uint64_t kTogether = 64;
/// How far below an own block those lie that go along with it, in rounds. Questions about older
/// ones are no sign.
constexpr std::uint64_t kReach = 16;

Round below(Round round) {
  return Round{round.value > kReach ? round.value - kReach : 1};
}

}  // namespace

std::uint64_t Dag::State::lateness(const Peer& peer) const {
  const std::uint64_t now = own ? own->round().value : 0;
  const std::uint64_t since = now - std::min(now, peer.late_at.value);
  return peer.lateness - std::min<std::uint64_t>(peer.lateness, since);
}

// B1: a block of `author` was missing here, or at so many that one of them is correct.
void Dag::State::flag_late(NodeId author, std::uint64_t signs) {
  Peer& peer = peers[author.value];
  peer.lateness =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(lateness(peer) + signs * kSign, kLatest));
  peer.late_at = own ? own->round() : Round{0};
}

// `asker` lacks a block that is held here. f liars alone make nobody late.
void Dag::State::missed_by(const Edge& edge, NodeId asker) {
  const std::uint64_t now = own ? own->round().value : 0;
  if (edge.author == asker || edge.round < below(Round{now})) return;
  std::vector<NodeId> guilty;
  if (edge.author != config.self) guilty.push_back(edge.author);
  // Who should have brought it did not bring it to all.
  const Entry* e = store.find(edge);
  if (e != nullptr && e->attached_by != kNobody && e->attached_by != asker)
    guilty.push_back(e->attached_by);
  for (const NodeId id : guilty) {
    Peer& peer = peers[id.value];
    if (lateness(peer) == 0 && now > peer.missed_since.value + kTogether) {
      peer.missed_by = NodeSet(config.committee.size());
      peer.missed_since = Round{now};
    }
    const std::uint32_t before = peer.missed_by.size();
    peer.missed_by.insert(asker);
    const std::uint32_t enough = config.committee.at_least(kValidity);
    if (peer.missed_by.size() < enough) continue;
    flag_late(id, before < enough ? enough : 1);  // with the signs of those who asked before
  }
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
  const auto is_late = [&](const Peer& peer) { return lateness(peer) >= kLate; };
  if (!config.rules.brings_late || std::none_of(peers.begin(), peers.end(), is_late)) return {};
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
    const std::uint64_t points = lateness(peers[place.author.value]);
    if (points < (named ? kLate : kVeryLate)) continue;
    if (!named && points >= kAlwaysLate && !brings(place)) continue;
    if (by != kNobody && !is_late(peers[by.value])) continue;
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
