#include "thresher/protocols/order/pbft.hpp"

#include <algorithm>
#include <functional>

#include "offers.hpp"
#include "pbft_parts.hpp"
#include "thresher/core/assert.hpp"
#include "thresher/core/compose.hpp"

namespace thresher {

using namespace pbft;  // NOLINT(google-build-using-namespace): the protocol's own vocabulary

namespace {

constexpr Delay kTick{1000};
constexpr Delay kIdle{50000};    // between questions whether the others went on
constexpr Delay kServing{4000};  // for so long what each peer was sent is counted
enum Timer : std::uint32_t { kProgress = 2, kIdling = 4, kServed = 6 };
constexpr std::uint64_t kQuiet = 4;        // ticks of waiting before things are said again
constexpr std::uint64_t kPatience = 8;     // ticks: three delays to change a view, four to decide
constexpr std::uint64_t kWindowTicks = 4;  // to decide a window, and to hear that a quorum has it
constexpr std::uint64_t kViewsAhead = 4;   // twice as many are followed

std::size_t queue_bytes(const Pbft::Config& c) {
  return c.queue_bytes > 0 ? c.queue_bytes : c.window * c.value_bytes;
}

Bracha::Config broadcast_of(const Pbft::Config& c) {
  return {.committee = c.committee,
          .self = c.self,
          .window = kViewsAhead,
          .payload_bytes = Pbft::largest_view_change(c),
          .origin_bytes = 2 * Pbft::largest_view_change(c),
          .history = 0};
}

}  // namespace

Pbft::Pbft(Config config)
    : config_(config),
      broadcast_(broadcast_of(config)),
      log_(config.committee, {config.history, config.value_bytes, kAnswers}),
      patience_(kPatience),
      latest_(config.committee.size(), 1, config.committee.at_least(kValidity)),
      announced_(config.committee.size(), 0, config.committee.at_least(kQuorum)),
      frontier_(config.committee.size(), 0, config.committee.at_least(kValidity)),
      requests_(config.committee.size(), {.entries = config.window * config.committee.size(),
                                          .bytes = queue_bytes(config),
                                          .value_bytes = config.value_bytes}) {}

Bytes pbft::decision_key(std::uint64_t slot) {
  return key_of(slot);
}

std::uint64_t Pbft::frontier() const {
  return frontier_.mark();
}

// R2
NodeId Pbft::leader(std::uint64_t view) const {
  return NodeId{static_cast<std::uint16_t>(view % config_.committee.size())};
}

bool Pbft::fits(std::uint64_t slot) const {
  return slot >= minus(floor_, config_.window) && slot < floor_ + config_.window;
}

void Pbft::on(const Restored& record, Fx& fx) {
  Reader value(record.value.view());
  if (started_) {
    if (record.table == kDecisions && log_.adopt(record.key, record.body)) advance(fx);
    return;
  }
  restored_ = true;
  if (record.table == kView) {
    view_ = value.u64();
    floor_ = value.u64();
  } else if (record.table == kClaims || record.table == kValues) {
    restore_claim(record);
  } else if (record.table == kDecisions) {
    log_.restore(record.key, record.value, record.body);
  } else {
    step_broadcast(record, fx);
  }
}

void Pbft::on(const Start& start, Fx& fx) {
  started_ = true;
  step_broadcast(start, fx);
  (void)announce(config_.self, delivered());
  forget(fx);
  if (restored_) resume(fx);
  advance(fx);
}

// It knows only in part what it said in that view, so it says nothing more in it. In one in which
// it accepted nothing it said nothing: a node that restarts again and again stays where the others
// can find it.
void Pbft::resume(Fx& fx) {
  const bool spoke = std::any_of(slots_.begin(), slots_.end(), [&](const auto& entry) {
    const auto& seen = entry.second.claim.seen;
    return std::any_of(seen.begin(), seen.end(),
                       [&](const auto& proposal) { return proposal.second >= view_; });
  });
  if (spoke || leader(view_) == config_.self) return change_view(view_ + 1, fx);
  if (view_ == 1) return;
  active_ = false;
  behind_ = true;
  (void)latest_.raise(config_.self, view_);
  fx.broadcast(Want{view_, delivered()});
  forget_view_changes(fx);  // the record of the view may be all that was written
  load_view_changes();
  if (!broadcast_.submitted(number_of(view_))) submit_view_change(fx);
}

// R1: every replica hears of every request.
void Pbft::on(const Requested<Request>& event, Fx& fx) {
  (void)receive(config_.self, Forward{event.request.value}, fx);
  fx.broadcast(Forward{event.request.value});
  advance(fx);
}

void Pbft::on(const Received<Message>& event, Fx& fx) {
  if (event.from == config_.self || !config_.committee.contains(event.from)) return;
  const bool moved = note_view(event.from, event.message);
  const bool news =
      std::visit([&](const auto& m) { return receive(event.from, m, fx); }, event.message);
  if (served_.began()) fx.push(ArmTimer{{kServed, {}}, kServing});
  if (news || moved) advance(fx);
}

void Pbft::on(const Expired& timer, Fx& fx) {
  if (timer.id.route.depth > 0) {
    Expired inner = timer;
    pop_hop(inner.id.route);
    broadcast_.owner_waits(pressed());
    step_broadcast(inner, fx);
  } else if (timer.id.local == kServed) {
    served_.clear();
    return;
  } else if (timer.id.local == kIdling) {
    idling_ = false;
    if (!waiting()) fx.broadcast(Want{view_, delivered()});
  } else {
    armed_ = false;
    tick(fx);
  }
  advance(fx);
}

// R7
void Pbft::tick(Fx& fx) {
  ++ticks_;
  // A node alone in its view waits there: the others will come, or do well without it.
  const bool stuck = waiting() && together() && ++age_ >= patience_;
  if (stuck || censored()) {
    change_view(view_ + 1, fx);
  } else {
    complain(fx);
    fetch_missing(fx);
  }
  const std::uint32_t before = std::exchange(beside_, latest_.at_least(view_));
  alone_ = pressed() || beside_ != before ? 0 : alone_ + 1;
  // Messages are lost with links; while slots are delivered nothing has to be said again, and where
  // nothing waits but others are missed, ever more seldom.
  const bool due = broadcast::due(static_cast<std::uint32_t>(alone_ / kQuiet));
  if (++quiet_ % kQuiet == 0 && waiting() && due) repeat(fx);
}

// The most that a leader that goes round the queues needs before it comes to one certain request:
// two of each peer may be before it, and the slots that are open.
std::uint64_t Pbft::turn_ticks() const {
  const std::uint64_t before = 2 * std::uint64_t{config_.committee.size()} + 2 * config_.window;
  return kWindowTicks * ((before + config_.window - 1) / config_.window);
}

// R7: the leader was told of a request, had the time for it and served others.
bool Pbft::censored() const {
  return active_ && complaint_ && requests_.find(complaint_->digest) != nullptr &&
         ticks_ >= complaint_->since + patience_ + turn_ticks();
}

// R7: one request at a time, the oldest of each peer in turn. The leader can have it from here as
// well, because its submitter may have left the leader out.
void Pbft::complain(Fx& fx) {
  if (!config_.complains || !active_ || leader(view_) == config_.self) return;
  if (complaint_ && requests_.find(complaint_->digest) == nullptr) complaint_.reset();
  if (!complaint_) {
    const auto peer = requests_.whose_front(complained_of_, [&](const order::Queued& first) {
      if (ticks_ < std::max(first.since, active_since_) + kQuiet) return false;
      complaint_ = Complaint{first.digest, ticks_, ticks_};
      return true;
    });
    complained_of_ = peer.value_or(complained_of_);
  }
  if (!complaint_ || ticks_ < complaint_->next) return;
  complaint_->next = ticks_ + std::max(kQuiet, ticks_ - complaint_->since);
  fx.send(leader(view_), Offer{complaint_->digest, true});
  submit_again(fx);
}

// R1. The own requests may have been lost on their way to others: who lacks one asks for it.
void Pbft::submit_again(Fx& fx) {
  if (ticks_ < submitted_again_ + std::max(kAgain, patience_)) return;
  std::uint64_t some = config_.window;
  requests_.each_of(config_.self, [&](const order::Queued& r) {
    if (some-- == 0 || ticks_ < r.since + kQuiet) return false;
    fx.broadcast(Offer{r.digest});
    submitted_again_ = ticks_;
    return true;
  });
}

bool Pbft::receive(NodeId from, const Bracha::Message& m, Fx& fx) {
  // Which view changes a peer still keeps is a word of its view too.
  if (!config_.joins && std::holds_alternative<bracha::Floor>(m)) return false;
  step_broadcast(Received<Bracha::Message>{from, m}, fx);
  return true;
}

// Nobody's offence: a link that was cut brings at once all that was said meanwhile.
bool Pbft::late(std::uint64_t view, std::uint64_t slot) const {
  return view < view_ || slot < minus(floor_, config_.window);
}

// R2
bool Pbft::receive(NodeId from, const PrePrepare& m, Fx&) {
  if (late(m.view, m.slot)) return false;
  if (!near(m.view) || from != leader(m.view) || !fits(m.slot) ||
      m.value.size() > config_.value_bytes || (m.view == view_ && active_ && m.slot < first_)) {
    ++refused_;
    return false;
  }
  return proposals_.try_emplace({m.view, m.slot}, m.value).second;
}

// R3, R4
bool Pbft::receive(NodeId from, const Vote& m, Fx&) {
  if (late(m.view, m.slot)) return false;
  if (!near(m.view) || !fits(m.slot) || m.phase > kCommit) {
    ++refused_;
    return false;
  }
  Ballot& b = slots_[m.slot].ballots[m.view];
  const Tally* tally = count(b, from, m.phase, m.digest);
  if (!b.accepted && m.view == view_ && from == leader(view_)) note_named(m.slot, b);
  // Only the vote that completes a quorum moves anything.
  return tally != nullptr && b.accepted == m.digest &&
         tally->count() == config_.committee.at_least(kQuorum);
}

// R6
bool Pbft::receive(NodeId from, const NewView& m, Fx&) {
  if (m.view < view_) return false;  // late
  const std::set<NodeId> distinct(m.from.begin(), m.from.end());
  if (!near(m.view) || from != leader(m.view) || distinct.size() != m.from.size() ||
      distinct.size() < config_.committee.at_least(kQuorum) ||
      !config_.committee.contains(*distinct.rbegin())) {
    ++refused_;
    return false;
  }
  return starts_.try_emplace(m.view, m.from).second;
}

// Only a leader has something to do for what is urgent to a peer.
bool Pbft::took(bool urgent, const Result<bool>& news) {
  if (!news) ++refused_;
  return news && *news && (!urgent || leader(view_) == config_.self);
}

// R1: a peer's queue holds what it submitted, and apart from it what it waits for most.
bool Pbft::receive(NodeId from, const Forward& m, Fx&) {
  const auto ordered = [this](const Digest& d) { return log_.repeats(d); };
  return took(m.urgent, requests_.take(from, m, ticks_, ordered));
}

// R1, R7
bool Pbft::receive(NodeId from, const Offer& m, Fx& fx) {
  return took(m.urgent, order::take_offer(from, m, ticks_, log_, requests_, fx));
}

// R1, R7
bool Pbft::receive(NodeId from, const Ask& m, Fx& fx) {
  order::give_request(from, m, requests_, served_, fx);
  return false;
}

// R9: how far a peer has delivered.
bool Pbft::receive(NodeId from, const Checkpoint& m, Fx& fx) {
  if (!announce(from, m.delivered)) return false;
  move_floor(fx);
  return true;
}

// R9, R11: the next names, and where this node is. Both only rise, and so does their sum.
bool Pbft::receive(NodeId from, const Want& m, Fx& fx) {
  using order::Served;
  order::name_slots(from, m.slot, kAnswers, log_, served_, fx);
  if (served_.number(from, Served::kStates, view_ + delivered(), sizeof(Checkpoint)))
    fx.send(from, Checkpoint{view_, delivered()});
  const auto start = starts_.find(m.view);
  if (start == starts_.end() || leader(m.view) != config_.self) return false;
  if (served_.number(from, Served::kStarts, m.view, start->second.size() * sizeof(NodeId)))
    fx.send(from, NewView{m.view, start->second});
  return false;
}

// R9: f+1 that say the same decided it, because one of them is correct.
bool Pbft::receive(NodeId from, const Ordered& m, Fx& fx) {
  if (!log_.hear(from, m.slot, m.digest)) return false;
  const auto vouched = log_.vouched(m.slot);
  if (vouched && settle(m.slot, vouched->digest)) return true;
  fetch_missing(fx);
  arm(fx);
  return false;
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
    for (auto p = proposals_.lower_bound({view_, 0}); p != proposals_.end(); ++p) {
      if (p->first.first != view_) break;
      if (fits(p->first.second)) accept(p->first.second, p->second, fx);
    }
    for (auto& [number, slot] : slots_) progress(number, slot, fx);
  }
  deliver_ready(fx);
  arm(fx);
}

// R2: one of each queue in turn, so that who submits much does not starve the others.
void Pbft::propose(Fx& fx) {
  if (!active_ || leader(view_) != config_.self) return;
  const auto free = [&](const Digest& digest) { return !proposed_.contains(digest); };
  while (fits(next_)) {
    const order::Queued* request = requests_.next(next_, free);
    if (request == nullptr) return;
    // R10: somebody may accept no other value there, or not in the next view.
    const bool hole = next_ < worn_;
    if (!hole) proposed_.insert(request->digest);
    const Bytes value = hole ? Bytes{} : request->value;
    proposals_[{view_, next_}] = value;
    accept(next_, value, fx);
    fx.broadcast(PrePrepare{view_, next_++, value});
  }
}

// R10: what was accepted is never forgotten before its slot, so not everything is accepted. A
// correct node saw what a view change chose, and holes are one value: both have their place.
bool Pbft::may_accept(std::uint64_t slot, const SlotReport& claim, const Bytes& value) const {
  return slot < first_ || value.empty() || values_seen(claim) < kFresh || !config_.remembers;
}

// R3: durable, then the prepare vote.
void Pbft::accept(std::uint64_t slot, const Bytes& value, Fx& fx) {
  Slot& s = slots_[slot];
  Ballot& b = s.ballots[view_];
  if (b.accepted || !may_accept(slot, s.claim, value)) return;
  THRESHER_ASSERT(active_, "R3: a replica that leaves a view accepts nothing more in it");
  b.accepted = hash(value.view());
  b.value = value;
  highest_ = std::max(highest_, slot + 1);
  s.claim.seen[*b.accepted] = view_;
  keep_value(slot, s, *b.accepted, value, fx);
  if (!config_.remembers && s.claim.seen.size() > kForgetful) forget_oldest(s.claim);
  save_claim(slot, s.claim, fx);
  vote(slot, b, kPrepare, fx);
}

// R3, R4
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

// R4
bool Pbft::enough(const Ballot& b, Phase phase) const {
  const Votes& votes = b.votes[phase];
  if (*b.accepted == votes.first) return votes.of_first.reached(kQuorum, config_.committee);
  const auto tally = votes.others.find(*b.accepted);
  return tally != votes.others.end() && tally->second.reached(kQuorum, config_.committee);
}

// R4: prepared by a quorum, durable, then the commit vote; committed by a quorum, decided.
void Pbft::progress(std::uint64_t slot, Slot& s, Fx& fx) {
  const auto it = s.ballots.find(view_);
  if (it == s.ballots.end() || !it->second.accepted) return;
  Ballot& b = it->second;
  if (!b.prepared && enough(b, kPrepare)) {
    b.prepared = true;
    THRESHER_ASSERT(s.claim.prepared_view < view_, "R4: a view prepares one value of a slot");
    s.claim.prepared_view = view_;
    s.claim.prepared = *b.accepted;
    save_claim(slot, s.claim, fx);
    vote(slot, b, kCommit, fx);
  }
  if (b.prepared && slot >= delivered() && enough(b, kCommit)) (void)log_.decide(slot, b.value);
}

// R5: in the order of slots.
void Pbft::deliver_ready(Fx& fx) {
  while (auto next = log_.deliver_next()) {
    fx.push(std::move(next->record));
    note_delivered(*next, fx);
  }
  // A node that lags asks for more as soon as the answers are used up: a tick for each few slots
  // would be slower than the others order.
  if (asked_ && delivered() >= *asked_ + kAnswers && frontier() > delivered()) {
    asked_ = delivered();
    fx.broadcast(Want{view_, delivered()});
  }
  move_floor(fx);
}

// R5, R7: a delivery resets the patience.
void Pbft::note_delivered(const SlotLog::Delivered& d, Fx& fx) {
  if (d.fresh) fx.deliver({d.slot, d.value});
  requests_.remove(d.digest);
  proposed_.erase(d.digest);
  age_ = 0;
  quiet_ = 0;
  if (!complaint_ || complaint_->digest == d.digest) patience_ = kPatience;
  (void)announce(config_.self, delivered());
  if (delivered() % (config_.window / 2) == 0) fx.broadcast(Checkpoint{view_, delivered()});
  forget(fx);
}

void Pbft::move_floor(Fx& fx) {
  const std::uint64_t stable = announced_.mark();
  const std::uint64_t floor = std::min(stable, delivered());
  if (floor <= floor_) return;
  floor_ = floor;
  save_view(fx);
  forget(fx);
  std::erase_if(proposals_,
                [&](auto& p) { return p.first.second < minus(floor_, config_.window); });
}

// R7: whether its clock may run.
bool Pbft::together() const {
  return active_ || latest_.at_least(view_) >= config_.committee.at_least(kQuorum);
}

// R8: whether anything waits but others to come to its view.
bool Pbft::pressed() const {
  return !requests_.empty() || highest_ > delivered() || frontier() > delivered() ||
         (!active_ && together());
}

bool Pbft::waiting() const {
  return !active_ || pressed();
}

void Pbft::repeat(Fx& fx) {
  asked_ = delivered();
  fx.broadcast(Want{view_, delivered()});
  submit_again(fx);
  if (!active_) return expect_view_changes(fx);
  for (const auto& [number, slot] : slots_) {
    const auto b = slot.ballots.find(view_);
    if (b == slot.ballots.end() || !b->second.accepted) continue;
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

std::size_t Pbft::largest_view_change(const Config& c) {
  const std::size_t claim =
      32 + sizeof(Digest) + most_seen(c.committee) * (sizeof(Digest) + sizeof(std::uint64_t));
  return 16 + 3 * c.window * claim;
}

Footprint Pbft::footprint() const {
  Footprint out;
  out.request_bytes = requests_.bytes();
  for (const auto& [at, value] : proposals_) out.proposal_bytes += value.size();
  out.asks = asks_.size();
  out.slots = slots_.size();
  for (const auto& [number, slot] : slots_) {
    for (const auto& [digest, value] : slot.values) out.value_bytes += value.size();
    for (const auto& [view, ballot] : slot.ballots) {
      for (const Votes& votes : ballot.votes)
        out.digests += votes.others.size() + (votes.spoke.empty() ? 0 : 1);
    }
  }
  out.digests += log_.heard();
  out.decisions = log_.size();
  for (const auto& [view, names] : starts_) out.new_views += names.size();
  out.given = served_.values();
  out.view_changes = broadcast_.footprint();
  return out;
}

// A peer votes once a phase, slot and view, and says once what a slot decided. Delivered slots are
// kept for the history; ahead of them are the open slots, and peers' answers.

Footprint Pbft::most_held(const Config& config) {
  const std::size_t n = config.committee.size();
  const std::size_t slots = 2 * config.window;
  const std::size_t views = kNearViews + 1;
  return {.request_bytes = n * (queue_bytes(config) + config.value_bytes),
          .proposal_bytes = views * slots * config.value_bytes,
          .value_bytes = slots * most_seen(config.committee) * config.value_bytes,
          .asks = slots + kAnswers,
          .slots = slots,
          .digests = views * slots * 2 * n + kAnswers * n,
          .decisions = config.history + config.window + kAnswers,
          .new_views = views * n,
          .given = order::Served::most_values(config.committee.size()),
          .view_changes = Bracha::most_held(broadcast_of(config))};
}

}  // namespace thresher
