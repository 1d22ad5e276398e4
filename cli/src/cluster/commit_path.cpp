#include "commit_path.hpp"

#include <algorithm>

namespace thresher::cli {
namespace {

/// A chain of more blocks is no way of one transaction.
constexpr std::uint64_t kLongest = 1000;

/// Walks back in time: each step ends where the one behind it began.
class Walk {
 public:
  Walk(const std::vector<NodeTrace>& nodes, std::uint64_t until) : nodes_(nodes), at_(until) {}

  /// From `since` until where the walk is. Clocks of two threads are read at different moments, so
  /// a step may seem to begin late: then it takes no time.
  void step(Step which, std::uint64_t since) {
    const std::uint64_t from = std::clamp(since, begin_, at_);
    path_.us[static_cast<std::size_t>(which)] += at_ - from;
    at_ = from;
  }
  /// Nothing before counts.
  void begins(std::uint64_t us) { begin_ = us; }
  bool over() const { return at_ <= begin_; }
  std::uint64_t at() const { return at_; }
  CommitPath path() const { return path_; }

  /// Through blocks from the time at hand at `node` back to where `block`, of `author`, was
  /// composed. False: something was not noted.
  bool blocks(std::size_t node, std::uint64_t round, std::uint64_t block);

 private:
  bool arrive(std::size_t& node, const NodeTrace::Accepted& accepted);

  const std::vector<NodeTrace>& nodes_;
  CommitPath path_;
  std::uint64_t at_;
  std::uint64_t begin_ = 0;
};

bool Walk::blocks(std::size_t node, std::uint64_t round, std::uint64_t block) {
  std::uint64_t least = round;
  Step before = Step::kOrder;
  while (!over() && path_.blocks < kLongest) {
    const auto accepted = nodes_[node].accepted_before(at_, least);
    if (!accepted) return false;
    if (before == Step::kOrder) {
      if (const auto woken = nodes_[node].woken_between(accepted->at, at_)) {
        step(Step::kOrder, *woken);
        before = Step::kOwnDisk;
      }
    }
    step(before, accepted->at);
    before = Step::kHeld;
    if (over()) break;
    ++path_.blocks;
    if (!arrive(node, *accepted)) return false;
    if (accepted->id == block) break;
    least = accepted->round > 0 ? accepted->round - 1 : 0;
  }
  // The chain that was waited for may go past the transaction's own block.
  step(before, begin_);
  return path_.blocks < kLongest;
}

// From where a block was accepted back to where its author composed it.
bool Walk::arrive(std::size_t& node, const NodeTrace::Accepted& accepted) {
  if (!accepted.own) {
    const NodeTrace::PeerBlock* here = nodes_[node].of_peer(accepted.id);
    if (here == nullptr || here->author >= nodes_.size()) return false;
    node = here->author;
    const NodeTrace::OwnBlock* there = nodes_[node].own(accepted.id);
    if (there == nullptr) return false;
    step(Step::kParents, here->verified);
    step(Step::kVerify, here->received);
    step(Step::kLink, there->sent);
    step(Step::kSend, there->woken);
    step(Step::kLoopWakes, there->synced);
    step(Step::kSync, there->write_began);
    step(Step::kWriterWakes, there->signed_at);
    step(Step::kSign, there->composed);
    return true;
  }
  const NodeTrace::OwnBlock* own = nodes_[node].own(accepted.id);
  if (own == nullptr) return false;
  step(Step::kSign, own->composed);
  return true;
}

}  // namespace

std::optional<CommitPath> path_of(const std::vector<NodeTrace>& nodes, const TracedTransaction& t) {
  if (t.node >= nodes.size()) return std::nullopt;
  const NodeTrace& node = nodes[t.node];
  const auto ordered = node.ordered(t.position);
  if (!ordered || ordered->author != t.node)
    return std::nullopt;  // sent to one, answered by another
  const NodeTrace::OwnBlock* own = node.own(ordered->id);
  const auto taken = node.taken(t.client, t.sequence);
  if (own == nullptr || !taken) return std::nullopt;
  const auto packed = node.packed_after(*taken);
  if (!packed || own->composed > ordered->at) return std::nullopt;
  Walk walk(nodes, t.answered_us);
  walk.begins(own->composed);
  walk.step(Step::kToClient, ordered->answered);
  walk.step(Step::kApply, ordered->at);
  if (!walk.blocks(t.node, own->round, ordered->id)) return std::nullopt;
  walk.begins(t.sent_us);
  walk.step(Step::kBlock, std::min(*packed, own->composed));
  walk.step(Step::kPool, *taken);
  walk.step(Step::kToNode, t.sent_us);
  return walk.path();
}

}  // namespace thresher::cli
