// How PBFT leaves a view and starts the next: view changes, new-views, what they choose.
#include <algorithm>

#include "pbft_parts.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/core/compose.hpp"

namespace thresher {

using namespace pbft;  // NOLINT(google-build-using-namespace): the protocol's own vocabulary

namespace {

// Each view that fails adds so many ticks: enough for any delay up to the most in the end, and f
// silent leaders in turn cost about f squared ticks (doubling cost 2^f).
constexpr std::uint64_t kMorePatience = 2;
constexpr std::uint64_t kMaxPatience = 256;

}  // namespace

// R6, R7
void Pbft::change_view(std::uint64_t view, Fx& fx) {
  THRESHER_ASSERT(view > view_, "R7: a view that was left is never entered again");
  view_ = view;
  (void)latest_.raise(config_.self, view);
  active_ = false;
  age_ = 0;
  patience_ = std::min(patience_ + kMorePatience, kMaxPatience);
  complaint_.reset();
  proposed_.clear();
  chosen_.clear();
  asks_.clear();
  highest_ = 0;
  for (auto& [number, slot] : slots_)
    slot.ballots.erase(slot.ballots.begin(), slot.ballots.lower_bound(view_));
  proposals_.erase(proposals_.begin(), proposals_.lower_bound({view_, 0}));
  starts_.erase(starts_.begin(), starts_.lower_bound(view_));
  save_view(fx);
  forget_view_changes(fx);
  load_view_changes();
  submit_view_change(fx);
}

// R6. Those of the previous view are kept: a node may still need them to leave it.
void Pbft::forget_view_changes(Fx& fx) {
  Bracha::Fx child;
  broadcast_.forget_below(minus(number_of(view_), 1), child);
  lift_broadcast(child, fx);
}

// R6
void Pbft::submit_view_change(Fx& fx) {
  Writer w;
  w.u64(floor_).u32(static_cast<std::uint32_t>(slots_.size()));
  for (const auto& [number, slot] : slots_) {
    w.u64(number);
    write(w, slot.claim);
    note_worn(number, slot.claim);
  }
  const Bytes change = Bytes::from(w.take());
  step_broadcast(Requested<Bracha::Request>{{change, number_of(view_)}}, fx);
}

// R6. All correct nodes get the same bytes, so they agree on what is not a view change.
std::optional<ViewChange> Pbft::read_view_change(const Bytes& payload) const {
  Reader r(payload.view());
  ViewChange change{r.u64(), {}};
  const std::uint32_t slots = r.u32();
  if (!r.ok() || slots > 2 * config_.window || change.floor > UINT64_MAX / 2) return std::nullopt;
  for (std::uint32_t k = 0; k < slots; ++k) {
    const std::uint64_t slot = r.u64();
    auto claim = read_claim(r, view_, most_seen(config_.committee));
    const bool in =
        slot >= minus(change.floor, config_.window) && slot < change.floor + config_.window;
    if (!claim || !in) return std::nullopt;
    change.claims[slot] = std::move(*claim);
  }
  return r.done() ? std::optional(std::move(change)) : std::nullopt;
}

// R10: the highest slot said to be nearly full. A lie costs at most one window of holes in a view.
void Pbft::note_worn(std::uint64_t slot, const SlotReport& claim) {
  if (config_.remembers && values_seen(claim) >= kWorn && slot < floor_ + config_.window)
    worn_ = std::max(worn_, slot + 1);
}

// R6
void Pbft::keep_view_change(NodeId origin, const Bytes& payload) {
  auto change = read_view_change(payload);
  if (!change) return;
  for (const auto& [slot, claim] : change->claims) note_worn(slot, claim);
  changes_.emplace(origin, std::move(*change));
}

// R6, R8: it says in which view its sender is.
void Pbft::take_view_change(const bracha::Delivery& d) {
  (void)latest_.raise(d.instance.origin, d.instance.number + kFirstChange);
  if (d.instance.number != number_of(view_)) return;  // looked for again in its view
  keep_view_change(d.instance.origin, d.payload);
}

void Pbft::load_view_changes() {
  changes_.clear();
  for (std::uint32_t i = 0; i < config_.committee.size(); ++i) {
    const NodeId origin{static_cast<std::uint16_t>(i)};
    const Bytes* payload = broadcast_.delivered({origin, number_of(view_)});
    if (payload != nullptr) keep_view_change(origin, *payload);
  }
}

// R8: a new-view names view changes that this node may have missed.
void Pbft::expect_view_changes(Fx& fx) {
  const auto start = starts_.find(view_);
  if (start == starts_.end()) return;
  Bracha::Fx child;
  for (const NodeId id : start->second) {
    if (!changes_.contains(id)) broadcast_.expect({id, number_of(view_)}, child);
  }
  lift_broadcast(child, fx);
}

// R8: where a peer is, by its own word.
bool Pbft::note_view(NodeId from, const Message& message) {
  if (!config_.joins) return false;
  std::uint64_t view = 0;
  if (const auto* c = std::get_if<Checkpoint>(&message)) view = c->view;
  if (const auto* w = std::get_if<Want>(&message)) view = w->view;
  if (const auto* v = std::get_if<Vote>(&message)) view = v->view;
  if (const auto* s = std::get_if<NewView>(&message)) view = s->view;
  if (const auto* b = std::get_if<Bracha::Message>(&message)) {
    const auto* init = std::get_if<bracha::Init>(b);
    const bool own = init != nullptr && init->instance.origin == from;
    if (own && init->instance.number < UINT64_MAX - kFirstChange)
      view = init->instance.number + kFirstChange;
  }
  return latest_.raise(from, view);
}

// R8: of f+1 peers that are in this view or a later one somebody is correct.
bool Pbft::join(Fx& fx) {
  const std::uint64_t view = latest_.mark();
  if (view <= view_) return false;
  behind_ = view > view_ + 1;
  change_view(view, fx);
  // Those who are there will not say again how it began.
  if (behind_) fx.broadcast(Want{view_, delivered()});
  return true;
}

// R6
bool Pbft::start_view(Fx& fx) {
  if (active_) return false;
  std::uint64_t first = 0;
  if (leader(view_) == config_.self && !starts_.contains(view_)) {
    std::vector<NodeId> from;
    for (const auto& [id, change] : changes_) from.push_back(id);
    if (from.size() < config_.committee.at_least(kQuorum) || !choose(from, first)) return false;
    starts_[view_] = from;
    fx.broadcast(NewView{view_, from});
  }
  const auto start = starts_.find(view_);
  if (start == starts_.end()) return false;
  const bool all = std::all_of(start->second.begin(), start->second.end(),
                               [&](NodeId id) { return changes_.contains(id); });
  if (!all) {
    if (behind_) expect_view_changes(fx);
    return false;
  }
  auto chosen = choose(start->second, first);
  if (!chosen) return false;
  active_ = true;
  behind_ = false;
  active_since_ = ticks_;
  first_ = next_ = first;
  std::erase_if(proposals_,
                [&](auto& p) { return p.first.first == view_ && p.first.second < first_; });
  chosen_ = std::move(*chosen);
  for (const auto& [slot, digest] : chosen_) {
    proposed_.insert(digest);
    highest_ = slot + 1;
    if (auto value = value_of(slot, digest)) proposals_[{view_, slot}] = std::move(*value);
  }
  for (const auto& [slot, s] : slots_) {
    const auto ballot = s.ballots.find(view_);
    if (ballot != s.ballots.end()) note_named(slot, ballot->second);
  }
  fetch_missing(fx);
  return true;
}

/// What the view proposes again, from the view changes of `from`; `first` becomes the first free
/// slot. Empty when they do not settle it yet.
std::optional<Pbft::Choice> Pbft::choose(const std::vector<NodeId>& from,
                                         std::uint64_t& first) const {
  std::vector<const ViewChange*> all;
  std::vector<std::uint64_t> floors;
  for (const NodeId id : from) {
    all.push_back(&changes_.at(id));
    floors.push_back(all.back()->floor);
  }
  // Everything below was delivered by a validity set of correct nodes: who lacks it asks them.
  const std::uint64_t base = kth_largest(floors, config_.committee.at_least(kValidity));
  Choice choice;
  first = base;
  for (std::uint64_t slot = base; slot < base + 2 * config_.window; ++slot) {
    auto chosen = choose_slot(all, slot);
    if (!chosen) return std::nullopt;
    // A hole that a quorum prepared may be decided: it is proposed again like any other value.
    if (chosen->prepared) first = slot + 1;
    choice[slot] = std::move(chosen->value);
  }
  choice.erase(choice.lower_bound(first), choice.end());
  return choice;
}

/// Castro and Liskov's figure 4: a value prepared last as far as a quorum knows and proposed to a
/// validity set, or nothing when a quorum prepared nothing.
std::optional<Pbft::Chosen> Pbft::choose_slot(const std::vector<const ViewChange*>& all,
                                              std::uint64_t slot) const {
  const auto claim_of = [&](const ViewChange& c) -> const SlotReport* {
    const auto it = c.claims.find(slot);
    return it == c.claims.end() ? nullptr : &it->second;
  };
  const auto enough = [&](Threshold t, auto holds) {
    const auto n = std::count_if(all.begin(), all.end(), [&](const ViewChange* c) {
      return minus(c->floor, config_.window) <= slot && holds(claim_of(*c));
    });
    return static_cast<std::uint32_t>(n) >= config_.committee.at_least(t);
  };
  for (const ViewChange* change : all) {
    const SlotReport* best = claim_of(*change);
    if (best == nullptr || best->prepared_view == 0) continue;
    const Digest digest = best->prepared;
    const auto agrees = [&](const SlotReport* c) {
      return c == nullptr || c->prepared_view < best->prepared_view ||
             (c->prepared_view == best->prepared_view && c->prepared == best->prepared);
    };
    const auto saw = [&](const SlotReport* c) {
      if (c == nullptr) return false;
      const auto it = c->seen.find(digest);
      return it != c->seen.end() && it->second >= best->prepared_view;
    };
    if (enough(kQuorum, agrees) && enough(kValidity, saw)) return Chosen{best->prepared, true};
  }
  const auto none = [](const SlotReport* c) { return c == nullptr || c->prepared_view == 0; };
  return enough(kQuorum, none) ? std::optional(Chosen{hash({})}) : std::nullopt;
}

void Pbft::step_broadcast(const InputOf<Bracha>& input, Fx& fx) {
  Bracha::Fx child;
  step(broadcast_, input, child);
  lift_broadcast(child, fx);
}

void Pbft::lift_broadcast(Bracha::Fx& child, Fx& fx) {
  lift(
      child, fx, 0, [](Bracha::Message&& m) { return Message(std::move(m)); },
      [&](bracha::Delivery&& d) { take_view_change(d); });
}

}  // namespace thresher
