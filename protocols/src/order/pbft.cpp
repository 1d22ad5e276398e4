#include "thresher/protocols/order/pbft.hpp"

#include <algorithm>
#include <functional>

#include "thresher/core/compose.hpp"
#include "thresher/core/transcript.hpp"

namespace thresher {

using namespace pbft;  // NOLINT(google-build-using-namespace): the protocol's own vocabulary

namespace {

/// Bracha's own payloads are its table 3; these follow its tables.
enum Table : std::uint32_t { kOwnBroadcasts = 3, kView = 11, kClaims = 12 };
constexpr Delay kTick{1000};
constexpr Delay kIdle{50000};  // between questions whether the others went on
enum Timer : std::uint32_t { kProgress = 2, kIdling = 4 };
constexpr std::uint64_t kQuiet = 4;     // ticks without a delivery before things are said again
constexpr std::uint64_t kPatience = 8;  // ticks: three delays to change a view, four to decide
// Each view that fails adds so many: enough for any delay in the end, and f silent leaders in turn
// cost about f squared ticks (doubling cost 2^f).
constexpr std::uint64_t kMorePatience = 2;
constexpr std::uint64_t kMaxPatience = 1024;
constexpr std::size_t kMaxSeen = 16;       // proposals remembered of a slot, the latest views
constexpr std::uint64_t kFirstChange = 2;  // the view that broadcast number 0 moves to
constexpr std::uint64_t kAnswers = 4;      // decided slots sent for one question

Bytes key_of(std::uint64_t slot) {
  Writer w;
  w.u64(slot);
  return Bytes::from(w.take());
}

void write(Writer& w, const Claim& c) {
  w.u64(c.prepared_view).u32(static_cast<std::uint32_t>(c.prepared.size()));
  w.bytes(c.prepared.view()).u8(static_cast<std::uint8_t>(c.seen.size()));
  for (const auto& [digest, view] : c.seen) w.bytes(digest.bytes).u64(view);
}

std::optional<Claim> read_claim(Reader& r, std::uint64_t below_view) {
  Claim c;
  c.prepared_view = r.u64();
  const std::uint32_t size = r.u32();
  if (size > r.remaining()) return std::nullopt;
  c.prepared = Bytes::copy_of(r.bytes(size));
  const std::uint8_t seen = r.u8();
  if (seen > kMaxSeen || c.prepared_view >= below_view) return std::nullopt;
  for (std::uint8_t k = 0; k < seen; ++k) {
    const Digest d = r.digest();
    c.seen[d] = r.u64();
  }
  return r.ok() ? std::optional(std::move(c)) : std::nullopt;
}

std::uint64_t minus(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}

}  // namespace

Pbft::Pbft(Config config)
    : config_(config),
      broadcast_(
          {.committee = config.committee,
           .self = config.self,
           .payload_bytes = 16 + 3 * config.window *
                                     (32 + config.value_bytes + kMaxSeen * (sizeof(Digest) + 8))}),
      patience_(kPatience),
      latest_(config.committee.size(), 1, config.committee.at_least(kValidity)),
      announced_(config.committee.size(), 0, config.committee.at_least(kQuorum)),
      frontier_(config.committee.size(), 0, config.committee.at_least(kValidity)),
      pending_(config.committee.size()) {}

Bytes pbft::decision_key(std::uint64_t slot) {
  return key_of(slot);
}

std::uint64_t Pbft::frontier() const {
  return frontier_.mark();
}

NodeId Pbft::leader(std::uint64_t view) const {
  return NodeId{static_cast<std::uint16_t>(view % config_.committee.size())};
}

bool Pbft::fits(std::uint64_t slot) const {
  return slot >= minus(floor_, config_.window) && slot < floor_ + config_.window;
}

void Pbft::on(const Restored& record, Fx& fx) {
  Reader key(record.key.view());
  Reader value(record.value.view());
  if (started_) {
    if (record.table == kDecisions) adopt(key.u64(), record.body, fx);
    return;
  }
  restored_ = true;
  if (record.table == kView) {
    view_ = value.u64();
    floor_ = value.u64();
  } else if (record.table == kClaims) {
    if (auto c = read_claim(value, UINT64_MAX)) slots_[key.u64()].claim = std::move(*c);
  } else if (record.table == kDecisions) {
    const std::uint64_t slot = key.u64();
    decided_[slot] = record.body;
    delivered_ = std::max(delivered_, slot + 1);
  } else {
    if (record.table == kOwnBroadcasts && key.u16() == config_.self.value)
      submitted_ = std::max(submitted_, key.u64() + 1);
    step_broadcast(record, fx);
  }
}

void Pbft::on(const Start& start, Fx& fx) {
  started_ = true;
  step_broadcast(start, fx);
  for (const auto& [slot, value] : decided_) done_[hash(value.view())] = slot;
  (void)announce(config_.self, delivered_);
  forget(fx);
  // What it said in this view is known only in part, so it says nothing more in it.
  if (restored_) change_view(view_ + 1, fx);
  advance(fx);
}

void Pbft::on(const Requested<Request>& event, Fx& fx) {
  (void)receive(config_.self, Forward{event.request.value}, fx);
  fx.broadcast(Forward{event.request.value});
  advance(fx);
}

void Pbft::on(const Received<Message>& event, Fx& fx) {
  if (event.from == config_.self || !config_.committee.contains(event.from)) return;
  const bool news =
      std::visit([&](const auto& m) { return receive(event.from, m, fx); }, event.message);
  if (news) advance(fx);
}

void Pbft::on(const Expired& timer, Fx& fx) {
  if (timer.id.route.depth > 0) {
    Expired inner = timer;
    pop_hop(inner.id.route);
    step_broadcast(inner, fx);
  } else if (timer.id.local == kIdling) {
    idling_ = false;
    if (!waiting()) fx.broadcast(Want{view_, delivered_});
  } else {
    armed_ = false;
    // Who is alone in its view waits there: the others will come, or do well without.
    const auto changes = changes_.find(view_);
    const bool together =
        active_ || (changes != changes_.end() &&
                    changes->second.size() >= config_.committee.at_least(kQuorum));
    if (waiting() && together && ++age_ >= patience_) change_view(view_ + 1, fx);
    // Messages are lost with links; while slots are delivered nothing has to be said again.
    if (++quiet_ >= kQuiet && waiting()) repeat(fx);
  }
  advance(fx);
}

void Pbft::step_broadcast(const InputOf<Bracha>& input, Fx& fx) {
  Bracha::Fx child;
  step(broadcast_, input, child);
  lift(
      child, fx, 0, [](Bracha::Message&& m) { return Message(std::move(m)); },
      [&](bracha::Delivery&& d) { take_view_change(d); });
}

bool Pbft::receive(NodeId from, const Bracha::Message& m, Fx& fx) {
  step_broadcast(Received<Bracha::Message>{from, m}, fx);
  return true;
}

bool Pbft::receive(NodeId from, const PrePrepare& m, Fx&) {
  if (!near(m.view) || from != leader(m.view) || !fits(m.slot) ||
      m.value.size() > config_.value_bytes || (m.view == view_ && active_ && m.slot < first_)) {
    ++refused_;
    return false;
  }
  return proposals_.try_emplace({m.view, m.slot}, m.value).second;
}

bool Pbft::receive(NodeId from, const Vote& m, Fx&) {
  if (!near(m.view) || !fits(m.slot) || m.phase > kCommit) {
    ++refused_;
    return false;
  }
  Ballot& b = slots_[m.slot].ballots[m.view];
  const Tally* tally = count(b, from, m.phase, m.digest);
  // Only the vote that completes a quorum moves anything.
  return tally != nullptr && b.accepted == m.digest &&
         tally->count() == config_.committee.at_least(kQuorum);
}

bool Pbft::receive(NodeId from, const NewView& m, Fx&) {
  const std::set<NodeId> distinct(m.from.begin(), m.from.end());
  if (!near(m.view) || from != leader(m.view) || distinct.size() != m.from.size() ||
      distinct.size() < config_.committee.at_least(kQuorum) ||
      !config_.committee.contains(*distinct.rbegin())) {
    ++refused_;
    return false;
  }
  return starts_.try_emplace(m.view, m.from).second;
}

// A peer's queue holds what it submitted and what it passes on of others.
bool Pbft::receive(NodeId from, const Forward& m, Fx&) {
  auto& queue = pending_[from.value];
  const bool known = std::find(queue.begin(), queue.end(), m.value) != queue.end();
  if (known || done_.contains(hash(m.value.view()))) return false;
  if (m.value.empty() || m.value.size() > config_.value_bytes ||
      queue.size() >= config_.window * config_.committee.size()) {
    ++refused_;
    return false;
  }
  queue.push_back(m.value);
  return true;
}

bool Pbft::receive(NodeId from, const Checkpoint& m, Fx& fx) {
  if (!announce(from, m.delivered)) return false;
  move_floor(fx);
  return true;
}

bool Pbft::receive(NodeId from, const Want& m, Fx& fx) {
  for (std::uint64_t s = m.slot; s < delivered_ && s - m.slot < kAnswers; ++s) {
    const auto it = decided_.find(s);
    if (it != decided_.end()) fx.send(from, Decided{s, it->second});
  }
  fx.send(from, Checkpoint{delivered_});
  const auto start = starts_.find(m.view);
  if (start != starts_.end() && leader(m.view) == config_.self)
    fx.send(from, NewView{m.view, start->second});
  return false;
}

bool Pbft::receive(NodeId from, const Decided& m, Fx&) {
  if (m.slot < delivered_ || m.slot >= delivered_ + kAnswers ||
      m.value.size() > config_.value_bytes || !heard_[m.slot].insert(from))
    return false;
  Tally& tally =
      hearsay_[m.slot].try_emplace(hash(m.value.view()), config_.committee).first->second;
  tally.add(from);
  return tally.reached(kValidity, config_.committee) &&
         decided_.try_emplace(m.slot, m.value).second;
}

bool Pbft::announce(NodeId id, std::uint64_t delivered) {
  const bool stable = announced_.raise(id, delivered);
  const bool known = frontier_.raise(id, delivered);
  return stable || known;
}

// Everything that follows from what is known, until nothing more does.
void Pbft::advance(Fx& fx) {
  while (join(fx) || start_view(fx)) {
  }
  propose(fx);
  if (active_) {
    const auto proposals = proposals_;
    for (const auto& [at, value] : proposals) {
      if (at.first == view_ && fits(at.second)) accept(at.second, value, fx);
    }
    for (auto& [number, slot] : slots_) progress(number, slot, fx);
  }
  deliver_ready(fx);
  arm(fx);
}

void Pbft::propose(Fx& fx) {
  if (!active_ || leader(view_) != config_.self) return;
  // One of each queue in turn, so that who submits much does not starve the others.
  std::size_t longest = 0;
  for (const auto& queue : pending_) longest = std::max(longest, queue.size());
  const std::uint64_t turn = next_;
  for (std::size_t k = 0; k < longest; ++k) {
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      const auto& queue = pending_[(turn + i) % pending_.size()];
      if (!fits(next_)) return;
      if (k >= queue.size() || !proposed_.insert(hash(queue[k].view())).second) continue;
      const Bytes value = queue[k];
      proposals_[{view_, next_}] = value;
      accept(next_, value, fx);
      fx.broadcast(PrePrepare{view_, next_++, value});
    }
  }
}

void Pbft::accept(std::uint64_t slot, const Bytes& value, Fx& fx) {
  Slot& s = slots_[slot];
  Ballot& b = s.ballots[view_];
  if (b.accepted) return;
  b.accepted = hash(value.view());
  b.value = value;
  highest_ = std::max(highest_, slot + 1);
  auto& seen = s.claim.seen;
  seen[*b.accepted] = view_;
  if (seen.size() > kMaxSeen)
    seen.erase(std::min_element(seen.begin(), seen.end(),
                                [](auto& a, auto& c) { return a.second < c.second; }));
  save_claim(slot, s.claim, fx);
  vote(slot, b, kPrepare, fx);
}

void Pbft::vote(std::uint64_t slot, Ballot& b, Phase phase, Fx& fx) {
  fx.broadcast(Vote{view_, slot, *b.accepted, phase});
  (void)count(b, config_.self, phase, *b.accepted);
}

/// The tally that the vote went into; null when the sender had voted before.
Tally* Pbft::count(Ballot& b, NodeId from, Phase phase, const Digest& d) {
  Votes& votes = b.votes[phase];
  if (votes.spoke.empty()) votes.first = d;
  if (!votes.spoke.insert(from)) return nullptr;
  Tally& tally = d == votes.first ? votes.of_first
                                  : votes.others.try_emplace(d, config_.committee).first->second;
  tally.add(from);
  return &tally;
}

bool Pbft::enough(const Ballot& b, Phase phase) const {
  const Votes& votes = b.votes[phase];
  if (*b.accepted == votes.first) return votes.of_first.reached(kQuorum, config_.committee);
  const auto tally = votes.others.find(*b.accepted);
  return tally != votes.others.end() && tally->second.reached(kQuorum, config_.committee);
}

void Pbft::progress(std::uint64_t slot, Slot& s, Fx& fx) {
  const auto it = s.ballots.find(view_);
  if (it == s.ballots.end() || !it->second.accepted) return;
  Ballot& b = it->second;
  if (!b.prepared && enough(b, kPrepare)) {
    b.prepared = true;
    s.claim.prepared_view = view_;
    s.claim.prepared = b.value;
    save_claim(slot, s.claim, fx);
    vote(slot, b, kCommit, fx);
  }
  if (b.prepared && slot >= delivered_ && enough(b, kCommit)) decided_.try_emplace(slot, b.value);
}

void Pbft::deliver_ready(Fx& fx) {
  for (auto it = decided_.find(delivered_); it != decided_.end(); it = decided_.find(delivered_)) {
    const Bytes value = it->second;
    const bool fresh = !value.empty() && !done_.contains(hash(value.view()));
    const std::string_view mark = fresh ? kDelivered : kRepeated;
    fx.push(Persist{kDecisions, key_of(delivered_), Bytes::copy_of(as_view(mark)), value, false});
    note_delivered(value, fresh, fx);
  }
  // Who is behind asks on as soon as the answers are used up: a tick for each few slots would be
  // slower than the others order.
  if (asked_ && delivered_ >= *asked_ + kAnswers && frontier() > delivered_) {
    asked_ = delivered_;
    fx.broadcast(Want{view_, delivered_});
  }
  move_floor(fx);
}

void Pbft::adopt(std::uint64_t slot, const Bytes& value, Fx& fx) {
  if (slot < delivered_) return;
  delivered_ = slot;
  decided_.insert_or_assign(slot, value);
  hearsay_.erase(hearsay_.begin(), hearsay_.lower_bound(slot));
  heard_.erase(heard_.begin(), heard_.lower_bound(slot));
  advance(fx);
}

void Pbft::note_delivered(const Bytes& value, bool fresh, Fx& fx) {
  const Digest digest = hash(value.view());
  done_.insert_or_assign(digest, delivered_);
  if (fresh) fx.deliver({delivered_, value});
  for (auto& queue : pending_) std::erase(queue, value);
  proposed_.erase(digest);
  hearsay_.erase(delivered_);
  heard_.erase(delivered_);
  ++delivered_;
  age_ = 0;
  quiet_ = 0;
  patience_ = kPatience;
  (void)announce(config_.self, delivered_);
  if (delivered_ % (config_.window / 2) == 0) fx.broadcast(Checkpoint{delivered_});
  forget(fx);
}

// Lazily erased records may come back at a restart, and are erased again then.
void Pbft::forget(Fx& fx) {
  while (!decided_.empty() && decided_.begin()->first + config_.history < delivered_) {
    const auto old = decided_.begin();
    const auto last = done_.find(hash(old->second.view()));
    if (last != done_.end() && last->second == old->first) done_.erase(last);
    fx.push(Persist{kDecisions, key_of(old->first), {}, {}, true});
    decided_.erase(old);
  }
  while (!slots_.empty() && slots_.begin()->first < minus(floor_, config_.window)) {
    fx.push(Persist{kClaims, key_of(slots_.begin()->first), {}, {}, true});
    slots_.erase(slots_.begin());
  }
}

void Pbft::move_floor(Fx& fx) {
  const std::uint64_t stable = announced_.mark();
  const std::uint64_t floor = std::min(stable, delivered_);
  if (floor <= floor_) return;
  floor_ = floor;
  save_view(fx);
  forget(fx);
  std::erase_if(proposals_,
                [&](auto& p) { return p.first.second < minus(floor_, config_.window); });
}

void Pbft::save_view(Fx& fx) const {
  Writer w;
  w.u64(view_).u64(floor_);
  fx.push(Persist{kView, key_of(0), Bytes::from(w.take()), {}, false});
}

void Pbft::save_claim(std::uint64_t slot, const Claim& claim, Fx& fx) const {
  Writer w;
  write(w, claim);
  fx.push(Persist{kClaims, key_of(slot), Bytes::from(w.take()), {}, false});
}

void Pbft::change_view(std::uint64_t view, Fx& fx) {
  view_ = view;
  active_ = false;
  age_ = 0;
  patience_ = std::min(patience_ + kMorePatience, kMaxPatience);
  proposed_.clear();
  for (auto& [number, slot] : slots_)
    slot.ballots.erase(slot.ballots.begin(), slot.ballots.lower_bound(view_));
  proposals_.erase(proposals_.begin(), proposals_.lower_bound({view_, 0}));
  starts_.erase(starts_.begin(), starts_.lower_bound(view_));
  changes_.erase(changes_.begin(), changes_.lower_bound(view_));
  save_view(fx);
  // The broadcast of number k moves to view k + 2; views that were skipped get an empty one.
  while (submitted_ + kFirstChange < view_) {
    ++submitted_;
    step_broadcast(Requested<Bracha::Request>{{Bytes{}}}, fx);
  }
  Writer w;
  w.u64(floor_).u32(static_cast<std::uint32_t>(slots_.size()));
  for (const auto& [number, slot] : slots_) {
    w.u64(number);
    write(w, slot.claim);
  }
  ++submitted_;
  step_broadcast(Requested<Bracha::Request>{{Bytes::from(w.take())}}, fx);
}

// All correct nodes get the same bytes, so they agree on what is no view change.
void Pbft::take_view_change(const bracha::Delivery& d) {
  const std::uint64_t view = d.instance.number + kFirstChange;
  Reader r(d.payload.view());
  ViewChange change{r.u64(), {}};
  const std::uint32_t slots = r.u32();
  if (!r.ok() || slots > 2 * config_.window || change.floor > UINT64_MAX / 2) return;
  for (std::uint32_t k = 0; k < slots; ++k) {
    const std::uint64_t slot = r.u64();
    auto claim = read_claim(r, view);
    const bool in =
        slot >= minus(change.floor, config_.window) && slot < change.floor + config_.window;
    if (!claim || !in || claim->prepared.size() > config_.value_bytes) return;
    change.claims[slot] = std::move(*claim);
  }
  if (!r.done()) return;
  (void)latest_.raise(d.instance.origin, view);
  if (view >= view_) changes_[view].emplace(d.instance.origin, std::move(change));
}

// Somebody correct gave up every view below.
bool Pbft::join(Fx& fx) {
  const std::uint64_t view = latest_.mark();
  if (view <= view_) return false;
  change_view(view, fx);
  return true;
}

bool Pbft::start_view(Fx& fx) {
  const auto changes = changes_.find(view_);
  if (active_ || changes == changes_.end()) return false;
  std::uint64_t first = 0;
  if (leader(view_) == config_.self && !starts_.contains(view_)) {
    std::vector<NodeId> from;
    for (const auto& [id, change] : changes->second) from.push_back(id);
    if (from.size() < config_.committee.at_least(kQuorum) || !choose(from, first)) return false;
    starts_[view_] = from;
    fx.broadcast(NewView{view_, from});
  }
  const auto start = starts_.find(view_);
  if (start == starts_.end()) return false;
  for (const NodeId id : start->second) {
    if (!changes->second.contains(id)) return false;
  }
  const auto chosen = choose(start->second, first);
  if (!chosen) return false;
  active_ = true;
  first_ = next_ = first;
  std::erase_if(proposals_,
                [&](auto& p) { return p.first.first == view_ && p.first.second < first_; });
  for (const auto& [slot, value] : *chosen) {
    proposed_.insert(hash(value.view()));
    proposals_[{view_, slot}] = value;
  }
  return true;
}

/// What the view proposes again, from the view changes of `from`; `first` becomes the first free
/// slot. Empty when they do not settle it yet.
std::optional<Pbft::Choice> Pbft::choose(const std::vector<NodeId>& from,
                                         std::uint64_t& first) const {
  std::vector<const ViewChange*> all;
  std::vector<std::uint64_t> floors;
  for (const NodeId id : from) {
    all.push_back(&changes_.at(view_).at(id));
    floors.push_back(all.back()->floor);
  }
  // Everything below was delivered by a validity set of correct nodes: who lacks it asks them.
  const std::uint64_t base = kth_largest(floors, config_.committee.at_least(kValidity));
  Choice choice;
  first = base;
  for (std::uint64_t slot = base; slot < base + 2 * config_.window; ++slot) {
    auto value = choose_slot(all, slot);
    if (!value) return std::nullopt;
    if (!value->empty()) first = slot + 1;
    choice[slot] = std::move(*value);
  }
  choice.erase(choice.lower_bound(first), choice.end());
  return choice;
}

/// Castro and Liskov's figure 4: a value prepared last as far as a quorum knows and proposed to a
/// validity set, or nothing when a quorum prepared nothing.
std::optional<Bytes> Pbft::choose_slot(const std::vector<const ViewChange*>& all,
                                       std::uint64_t slot) const {
  const auto claim_of = [&](const ViewChange& c) -> const Claim* {
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
    const Claim* best = claim_of(*change);
    if (best == nullptr || best->prepared_view == 0) continue;
    const Digest digest = hash(best->prepared.view());
    const auto agrees = [&](const Claim* c) {
      return c == nullptr || c->prepared_view < best->prepared_view ||
             (c->prepared_view == best->prepared_view && c->prepared == best->prepared);
    };
    const auto saw = [&](const Claim* c) {
      if (c == nullptr) return false;
      const auto it = c->seen.find(digest);
      return it != c->seen.end() && it->second >= best->prepared_view;
    };
    if (enough(kQuorum, agrees) && enough(kValidity, saw)) return best->prepared;
  }
  const auto none = [](const Claim* c) { return c == nullptr || c->prepared_view == 0; };
  return enough(kQuorum, none) ? std::optional(Bytes{}) : std::nullopt;
}

bool Pbft::waiting() const {
  const bool asked = std::any_of(pending_.begin(), pending_.end(),
                                 [](const auto& queue) { return !queue.empty(); });
  const std::uint64_t known = frontier_.mark();
  return asked || !active_ || highest_ > delivered_ || known > delivered_;
}

void Pbft::repeat(Fx& fx) {
  asked_ = delivered_;
  fx.broadcast(Want{view_, delivered_});
  for (const Bytes& value : pending_[config_.self.value]) fx.broadcast(Forward{value});
  for (std::uint16_t i = 0; i < pending_.size(); ++i) {
    if (NodeId{i} == config_.self || leader(view_) == config_.self) continue;
    for (const Bytes& value : pending_[i]) fx.send(leader(view_), Forward{value});
  }
  if (!active_) return;
  for (const auto& [number, slot] : slots_) {
    const auto b = slot.ballots.find(view_);
    if (b == slot.ballots.end() || !b->second.accepted) continue;
    if (leader(view_) == config_.self && number >= first_)
      fx.broadcast(PrePrepare{view_, number, b->second.value});
    fx.broadcast(Vote{view_, number, *b->second.accepted, kPrepare});
    if (b->second.prepared) fx.broadcast(Vote{view_, number, *b->second.accepted, kCommit});
  }
}

void Pbft::arm(Fx& fx) {
  if (!std::exchange(idling_, true)) fx.push(ArmTimer{{kIdling, {}}, kIdle});
  if (armed_ || !waiting()) return;
  armed_ = true;
  fx.push(ArmTimer{{kProgress, {}}, kTick});
}

}  // namespace thresher
