#include "thresher/protocols/broadcast/chain.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "thresher/core/assert.hpp"

namespace thresher::chained_echo {

Head genesis(const ChainContext& context, NodeId origin) {
  Transcript t("thresher/broadcast-chain/1", context);
  t.u16(origin.value);
  return {0, t.digest()};
}

Head successor(const ChainContext& context, NodeId origin, const Head& before,
               const Digest& payload) {
  Transcript t("thresher/broadcast-link/1", context);
  t.u16(origin.value).u64(before.count + 1).bytes(payload.bytes).bytes(before.hash.bytes);
  return {before.count + 1, t.digest()};
}

Chain::Chain(const Committee& committee, const ChainContext& context, NodeId origin)
    : committee_(committee), context_(context), origin_(origin), base_(genesis(context, origin)) {}

Link* Chain::find(const Head& head) {
  return const_cast<Link*>(std::as_const(*this).find(head));
}
const Link* Chain::find(const Head& head) const {
  ++looked_at_;
  const auto at = links_.find(head);
  return at == links_.end() ? nullptr : &at->second;
}

// Two jumps of one length are followed by one over both (E. W. Myers, An applicative random-access
// stack, 1983). What lies below the base is nowhere to jump from.
Head Chain::jump_from(const Head& before) const {
  const Link* first = find(before);
  const Link* second = first == nullptr ? nullptr : find(first->jump);
  if (second == nullptr) return before;
  const Head& middle = first->jump;
  const bool alike = before.count - middle.count == middle.count - second->jump.count;
  return alike ? second->jump : before;
}

std::optional<Head> Chain::at(const Head& head, std::uint64_t count) const {
  Head at = head;
  if (at.count > count && count < base_.count) return std::nullopt;
  while (at.count > count) {
    const Link* link = find(at);
    if (link == nullptr) return std::nullopt;
    at = link->jump.count >= count ? link->jump : Head{at.count - 1, link->parent};
  }
  if (at.count < count) return std::nullopt;
  return at;
}

bool Chain::extends(const Head& head, const Head& ancestor) const {
  return at(head, ancestor.count) == ancestor;
}

Head Chain::add(const Head& before, const Digest& payload, std::optional<NodeId> told_by) {
  THRESHER_ASSERT(known(before), "a position is added on top of a known one");
  const Head head = successor(context_, origin_, before, payload);
  const std::uint32_t n = committee_.size();
  const bool fresh = links_
                         .try_emplace(head, Link{before.hash,
                                                 jump_from(before),
                                                 payload,
                                                 {},
                                                 NodeSet(n),
                                                 NodeSet(n),
                                                 NodeSet(n),
                                                 told_by})
                         .second;
  if (fresh && told_by) ++told_[*told_by];
  return head;
}

bool Chain::fill(const Head& head, const Bytes& payload) {
  Link* link = find(head);
  THRESHER_ASSERT(link != nullptr, "a payload is kept of a known position");
  if (link->payload) return false;
  link->payload = payload;
  bytes_ += payload.size();
  return true;
}

void Chain::drop(const Head& head) {
  Link* link = find(head);
  if (link == nullptr || !link->payload) return;
  bytes_ -= link->payload->size();
  link->payload.reset();
}

Chain::Reached Chain::support(NodeId who, const Head& head, Said what, std::uint32_t low,
                              std::uint32_t high) {
  THRESHER_ASSERT(low <= high, "thresholds in order");
  Reached out;
  Head at = head;
  for (Link* link = find(at); link != nullptr; link = find(at)) {
    NodeSet& set = what == Said::kEcho    ? link->echo
                   : what == Said::kReady ? link->ready
                                          : link->delivered;
    if (!set.insert(who)) break;
    if (!out.low && set.size() >= low) out.low = at;
    if (!out.high && set.size() >= high) out.high = at;
    at = {at.count - 1, link->parent};
  }
  return out;
}

std::vector<Head> Chain::path(const Head& from, const Head& to) const {
  std::vector<Head> out;
  Head at = to;
  while (at.count > from.count && find(at) != nullptr) {
    out.push_back(at);
    at = below(at);
  }
  if (at != from) return {};
  std::reverse(out.begin(), out.end());
  return out;
}

Chain::Links::iterator Chain::erase(Links::iterator at) {
  if (at->second.payload) bytes_ -= at->second.payload->size();
  if (at->second.told_by) --told_[*at->second.told_by];
  return links_.erase(at);
}

void Chain::prune(const Head& delivered) {
  // One branch alone has as many positions as it is long.
  if (links_.empty() || links_.rbegin()->first.count - base_.count == links_.size()) return;
  std::set<Head> alive;
  for (Head at = delivered; at != base_ && find(at) != nullptr; at = below(at)) alive.insert(at);
  for (auto at = links_.begin(); at != links_.end();) {
    const Head under{at->first.count - 1, at->second.parent};
    const bool above =
        at->first.count > delivered.count && (under == delivered || alive.contains(under));
    if (above) alive.insert(at->first);
    at = above || alive.contains(at->first) ? std::next(at) : erase(at);
  }
}

void Chain::rebase(const Head& base) {
  std::set<Head> alive{base};
  for (auto at = links_.begin(); at != links_.end();) {
    const bool above =
        alive.contains({at->first.count - 1, at->second.parent}) && at->first.count > base.count;
    if (above) alive.insert(at->first);
    at = above ? std::next(at) : erase(at);
  }
  base_ = base;
}

std::size_t Chain::told_by(NodeId peer) const {
  const auto at = told_.find(peer);
  return at == told_.end() ? 0 : at->second;
}

}  // namespace thresher::chained_echo
