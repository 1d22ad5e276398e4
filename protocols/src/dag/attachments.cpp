#include "attachments.hpp"

#include <algorithm>

#include "committer.hpp"
#include "thresher/protocols/dag/policy.hpp"

namespace thresher::dag {
namespace {

/// How far below an own block those lie that go along with it, in rounds. Questions about older
/// ones show nothing.
constexpr std::uint64_t kReach = 16;
/// Payload that goes along with an own block in any case; above it, as much as the own block has.
/// Unit: bytes.
constexpr std::uint64_t kFreePayload = 4096;

Round below(Round round) {
  return Round{round.value > kReach ? round.value - kReach : 1};
}

}  // namespace

Attachments::Attachments(const Config& config, Store& store, const Culprits& culprits,
                         const Whereabouts& where, Showing& showing, const Attachments* like)
    : config_(config),
      store_(store),
      culprits_(culprits),
      where_(where),
      showing_(showing),
      latecomers_(like != nullptr ? like->latecomers_ : chassis::Latecomers(config.committee)) {}

// B1, B6: `asker` lacks a block that is held here.
void Attachments::missed_by(const Edge& edge, NodeId asker) {
  const Round now = where_.round();
  if (edge.author == asker || edge.round < below(now)) return;
  // All that hold a dense block name it, and so bring it: its author need not.
  const bool counts = edge.author != config_.self || config_.rules.edges == Edges::kSparse;
  if (counts) latecomers_.missed(edge.author, asker, now);
  // The node that should have brought it did not bring it to all.
  const Entry* e = store_.find(edge);
  if (e != nullptr && e->attached_by != kNobody && e->attached_by != asker)
    latecomers_.missed(e->attached_by, asker, now);
}

// B2: what many name through one block is brought by f+1 nodes, of which one is correct.
bool Attachments::brings(const Place& place) const {
  const std::uint64_t n = config_.committee.size();
  const std::uint64_t first = (place.author.value + place.round.value) % n;
  return (config_.self.value + n - first) % n <= config_.committee.faults();
}

// B5: a node that lacks a late author's block of the last round waits for others in its place, and
// for all that this author writes on top of it. Dense blocks name it, sparse ones do not.
void Attachments::add_unnamed(Round round, std::vector<Edge>& from) const {
  if (config_.rules.edges != Edges::kSparse || round.value < 2) return;
  const Round before{round.value - 1};
  for (std::uint32_t i = 0; i < config_.committee.size(); ++i) {
    const NodeId author{static_cast<std::uint16_t>(i)};
    if (author == config_.self || culprits_.contains(author)) continue;
    const chassis::Lateness degree = latecomers_.degree(author, where_.round());
    if (degree < chassis::Lateness::kLate) continue;
    if (degree == chassis::Lateness::kAlwaysLate && !brings({before, author})) continue;
    const auto edge = store_.accepted_edge(before, author);
    if (edge && std::find(from.begin(), from.end(), *edge) == from.end()) from.push_back(*edge);
  }
}

// B2, B5, B6: what enters the own history with this block, and the last round's blocks, of authors
// that are late, this node among them: a node without a late author's block need not ask for it
// before it accepts the one that names it. Not blocks that another author brought that is not late
// itself.
std::vector<BlockPtr> Attachments::with(const Header& h, Dag::Fx& fx) {
  const Round now = where_.round();
  if (!config_.rules.policy->brings(latecomers_, now)) return {};
  std::vector<Edge> from = h.refs;
  if (h.self.round.value > 0) from.push_back(h.self);
  if (h.vote) from.push_back(voted(h, config_.committee));
  add_unnamed(h.round, from);
  std::vector<Digest> direct;
  direct.reserve(from.size());
  for (const Edge& e : from) direct.push_back(e.digest);
  std::sort(direct.begin(), direct.end());
  std::vector<BlockPtr> out;
  std::uint64_t bytes = 0;
  std::uint64_t room = kFreePayload + h.payload_bytes;
  for (const Place& place : store_.pass_on(from, below(h.round))) {
    const Entry& e = store_.entry(place);
    const NodeId by = e.attached_by;
    const bool named = std::binary_search(direct.begin(), direct.end(), e.block->digest);
    const chassis::Lateness degree = latecomers_.degree(place.author, now);
    if (degree < (named ? chassis::Lateness::kLate : chassis::Lateness::kVeryLate)) continue;
    if (!named && degree == chassis::Lateness::kAlwaysLate && !brings(place)) continue;
    if (by != kNobody && latecomers_.degree(by, now) < chassis::Lateness::kLate) continue;
    // Nodes that lack a liar's large block ask for it, once: brought by f+1 nodes it would cost
    // each of them more than its author.
    if (e.block->header.payload_bytes > room || !showing_.may_show(e.block, fx)) continue;
    room -= e.block->header.payload_bytes;
    bytes += header_bytes(e.block->header) + e.block->header.payload_bytes;
    if (out.size() >= config_.limits.attached_blocks || bytes > config_.limits.attached_bytes)
      break;
    out.push_back(e.block);
  }
  std::reverse(out.begin(), out.end());  // the newest count first, the oldest go first
  return out;
}

}  // namespace thresher::dag
