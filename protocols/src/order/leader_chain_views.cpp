// Views and blocks of the leader chain: who proposes on what, what is voted for, what is final.
#include <algorithm>
#include <set>
#include <utility>

#include "leader_chain_parts.hpp"
#include "thresher/core/assert.hpp"

namespace thresher {

using namespace leader_chain;  // NOLINT(google-build-using-namespace): the protocol's own words

// Everything that follows from what is known, until nothing more does.
void LeaderChain::advance(Fx& fx) {
  while (enter(fx)) {
  }
  propose(fx);
  (void)consider(fx);
  deliver_ready(fx);
  arm(fx);
}

// R6: a certificate of this view or a later one leads to the view after it. A node that gets there
// by a block that it holds, and has not voted to skip the view, votes that the block is final.
bool LeaderChain::enter(Fx& fx) {
  if (certified_ < view_) return false;
  const std::uint64_t ended = certified_;
  view_ = ended + 1;
  age_ = 0;
  quiet_ = 0;
  gathering_ = false;
  View& v = views_[ended];
  const bool kept_word = !(said_.view == ended && said_.skipped) || !config_.keeps_word;
  const bool speaks = !rules_.linear() && v.notarized && said_.view <= ended &&
                      !(said_.view == ended && said_.finalized);
  if (speaks && kept_word && held(about(*v.notarized)) != nullptr)
    say(Kind::kFinalize, about(*v.notarized), fx);
  if (!v.notarized) patience_ = std::min(patience_ + kMorePatience, kMaxPatience);
  for (auto at = views_.begin(); at != views_.end() && at->first < view_; ++at) {
    at->second.proposal.reset();
    if (!near(at->first)) {
      for (Votes& votes : at->second.votes) votes = {};
    }
  }
  tell_leader(fx);
  return true;
}

// R7: the leader may lack what brought this node here, and cannot propose without it. A node that
// got here by the leader's proposal need not.
void LeaderChain::tell_leader(Fx& fx) {
  const View& before = views_[view_ - 1];
  const bool by_skip = !before.notarized;
  const Certificate& entry = by_skip ? *before.skipped : *before.notarized;
  const Certificate* high = certificate_of(high_);
  if (leader(view_) == config_.self) {
    if (!rules_.linear() || !by_skip) return;
    gathering_ = true;
    fx.push(ArmTimer{{kGathered, {}}, kGather});
    fx.broadcast(entry);
    return;
  }
  const auto v = views_.find(view_);
  if (v != views_.end() && v->second.proposal) return;
  fx.send(leader(view_), entry);
  if (rules_.linear() && by_skip && high != nullptr) fx.send(leader(view_), *high);
}

// R2: one block a view. It is voted for, and so durable, before it leaves.
void LeaderChain::propose(Fx& fx) {
  const bool spoke = said_.view == view_ && said_.notarized;
  if (leader(view_) != config_.self || proposed_ >= view_ || spoke || gathering_) return;
  const auto parent = choose_parent();
  if (!parent) return;
  std::vector<Bytes> values = gather(*parent);
  if (values.empty() && !must_go_on(*parent)) return;
  proposed_ = view_;
  const Held block = held_of({view_, *parent, *end_of(*parent), std::move(values)});
  keep_block(block, fx);
  say(Kind::kNotarize, block.name(), fx);
  fx.broadcast(proposal_of(block.block));
}

// R2: what a voter needs with the block. HotStuff-2 needs only what leads to its view, Simplex all
// that is left out. If a message cannot hold all, the newest go: voters ask for the others
// (R12).
Propose LeaderChain::proposal_of(const Block& block) const {
  Propose m{block, {}, {}};
  const std::uint64_t parent = block.parent.view;
  if (const Certificate* c = certificate_of(block.parent)) m.parent = *c;
  const std::uint64_t from = rules_.linear() ? std::max(parent, block.view - 2) : parent;
  for (std::uint64_t k = block.view - 1; k > from && m.skips.size() < kSkips; --k) {
    const auto v = views_.find(k);
    if (v != views_.end() && v->second.skipped) m.skips.push_back(*v->second.skipped);
  }
  return m;
}

// R8: the highest certified block; in Simplex the highest one from which certificates of skipped
// views lead here.
std::optional<Reference> LeaderChain::choose_parent() const {
  const auto usable = [this](const Reference& b) {
    return end_of(b) && (b.view == 0 || certificate_of(b) != nullptr);
  };
  if (rules_.linear()) {
    const Reference best = std::max(high_, tip_);
    return usable(best) ? std::optional(best) : std::nullopt;
  }
  for (std::uint64_t k = view_ - 1; k > tip_.view; --k) {
    const auto v = views_.find(k);
    if (v == views_.end()) return std::nullopt;
    if (v->second.notarized && usable(about(*v->second.notarized)))
      return about(*v->second.notarized);
    if (!v->second.skipped) return std::nullopt;
  }
  return usable(tip_) ? std::optional(tip_) : std::nullopt;
}

// R2. One of each queue in turn, without what the chain holds already.
std::vector<Bytes> LeaderChain::gather(const Reference& parent) const {
  if (open_loads() >= kLoads) return {};
  std::set<Digest> taken;
  for (const Held* b = held(parent); b != nullptr; b = held(b->block.parent))
    taken.insert(b->values.begin(), b->values.end());
  std::vector<Bytes> values;
  std::size_t bytes = 0;
  const auto free = [&](const Digest& digest) { return !taken.contains(digest); };
  for (std::uint64_t turn = view_; values.size() < config_.block_values; ++turn) {
    const order::Queued* request = requests_.next(turn, free);
    if (request == nullptr || bytes + request->value.size() > config_.block_bytes) break;
    bytes += request->value.size();
    values.push_back(request->value);
    taken.insert(request->digest);
  }
  return values;
}

// R2. An empty block makes final what stands below it.
bool LeaderChain::must_go_on(const Reference& parent) const {
  const bool waited = age_ > 0 && (open_loads() > 0 || skip_called_for());
  return waited || (rules_.linear() && unpublished(parent));
}

// Whether the chain up to `parent` has payloads of which the others cannot know that they are
// final: they know the certificates of all blocks below `parent`.
bool LeaderChain::unpublished(const Reference& parent) const {
  const Held* const last = held(parent);
  for (const Held* b = last; b != nullptr;) {
    if (!b->block.values.empty()) return true;
    const Held* below = held(b->block.parent);
    if (below != nullptr && b != last && below->block.view + 1 == b->block.view) return false;
    b = below;
  }
  return false;
}

// R3: one vote a view, for its leader's first proposal, on a certified block that is held here.
// True: it voted.
bool LeaderChain::consider(Fx& fx) {
  const auto v = views_.find(view_);
  if (v == views_.end() || !v->second.proposal) return false;
  if (said_.view == view_ && said_.notarized) return false;
  const Held& block = *v->second.proposal;
  const Reference& parent = block.block.parent;
  if (parent != tip_ && certificate_of(parent) == nullptr) return false;
  const auto first = end_of(parent);
  if (!first || *first != block.block.first) return false;
  const bool bears = block.block.values.empty() || open_loads() < kVoterLoads;
  const bool justified =
      rules_.linear() ? parent.view >= high_.view || !config_.locks
                      : first_unskipped(parent.view, view_) == view_ || !config_.proves_skips;
  if (!bears || !justified) return false;
  keep_block(block, fx);
  say(Kind::kNotarize, block.name(), fx);
  return true;
}

// R8. The first view between the two without a certificate that it was skipped; `before` when all
// have one.
std::uint64_t LeaderChain::first_unskipped(std::uint64_t after, std::uint64_t before) const {
  for (std::uint64_t k = after + 1; k < before; ++k) {
    const auto v = views_.find(k);
    if (v == views_.end() || !v->second.skipped) return k;
  }
  return before;
}

std::optional<std::uint64_t> LeaderChain::end_of(const Reference& block) const {
  if (block == tip_) return tip_end_;
  const Held* h = held(block);
  return h == nullptr ? std::nullopt : std::optional(h->block.end());
}

const LeaderChain::Held* LeaderChain::held(const Reference& block) const {
  const auto at = blocks_.find(block);
  return at == blocks_.end() ? nullptr : &at->second;
}

const Certificate* LeaderChain::certificate_of(const Reference& block) const {
  const auto v = views_.find(block.view);
  if (v == views_.end() || !v->second.notarized) return nullptr;
  return v->second.notarized->digest == block.digest ? &*v->second.notarized : nullptr;
}

void LeaderChain::keep_block(const Held& block, Fx& fx) {
  if (!blocks_.try_emplace(block.name(), block).second) return;
  save(block, fx);
  if (certificate_of(block.name()) != nullptr) try_two_chain(block, fx);
}

// R9, of HotStuff-2: a certified block on one of the view before makes that one final.
void LeaderChain::try_two_chain(const Held& child, Fx&) {
  const Reference& parent = child.block.parent;
  if (rules_.linear() && parent.view > target_.view && parent.view + 1 == child.block.view)
    finalize(parent);
}

// R9: with it all that it stands on.
void LeaderChain::finalize(const Reference& block) {
  THRESHER_ASSERT(block.view > target_.view, "final blocks follow each other");
  target_ = block;
  patience_ = rules_.patience;
}

// R10: in the order of slots. Final blocks that are not held here come from peers.
void LeaderChain::deliver_ready(Fx& fx) {
  std::vector<const Held*> path;
  for (const Held* b = held(target_); b != nullptr && b->block.end() > log_.delivered();
       b = held(b->block.parent))
    path.push_back(b);
  std::uint64_t next = log_.delivered();
  for (; !path.empty() && path.back()->block.first <= next; path.pop_back()) {
    const Block& block = path.back()->block;
    for (; next < block.end(); ++next) (void)log_.decide(next, block.values[next - block.first]);
  }
  const std::uint64_t before = log_.delivered();
  while (auto d = log_.deliver_next()) {
    fx.push(std::move(d->record));
    requests_.remove(d->digest);
    if (d->fresh) fx.deliver({d->slot, d->value});
  }
  if (log_.delivered() > before) {
    quiet_ = late_ = 0;
    for (Persist& gone : log_.forget()) fx.push(std::move(gone));
    (void)frontier_.raise(config_.self, log_.delivered());
    // A node that lags asks for more as soon as the answers are used up.
    if (asked_ && log_.delivered() >= *asked_ + kAnswers && frontier() > log_.delivered())
      ask_slots(fx);
    if (log_.delivered() / kAnswers > before / kAnswers)
      fx.broadcast(Status{view_, log_.delivered()});
  }
  move_tip(fx);
}

void LeaderChain::move_tip(Fx& fx) {
  const Held* last = held(target_);
  const bool whole = target_ != tip_ && last != nullptr && last->block.end() <= log_.delivered();
  if (whole) {
    tip_ = target_;
    tip_end_ = last->block.end();
    save_tip(fx);
    forget_views(tip_.view, fx);
  }
  // Final ones that wait for those before them: peers have them as slots.
  std::size_t waiting =
      static_cast<std::size_t>(std::count_if(blocks_.begin(), blocks_.end(), [&](const auto& b) {
        return b.first.view < target_.view && b.first.view > tip_.view;
      }));
  for (auto b = blocks_.upper_bound(tip_); waiting > kBacklog && b->first < target_; --waiting) {
    erase(b->second, fx);
    b = blocks_.erase(b);
  }
}

std::size_t LeaderChain::open_loads() const {
  return static_cast<std::size_t>(
      std::count_if(blocks_.begin(), blocks_.end(), [this](const auto& b) {
        return b.first.view > target_.view && !b.second.block.values.empty();
      }));
}

}  // namespace thresher
