#include "thresher/protocols/dag/dag.hpp"

#include <utility>

#include "state.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::dag {

Dag::State::State(Parts parts, const State* like)
    : Parts(std::move(parts)),
      where(config, store, culprits, slots, its(like, &State::where)),
      waves(config, store, slots, where, stats, its(like, &State::waves)),
      work(store, where, undelivered, backlog),
      payloads(config, store, culprits, where, its(like, &State::payloads)),
      unfolding(store, payloads, its(like, &State::unfolding)),
      showing(config.self, awaited, stats, its(like, &State::showing)),
      below(config, where, records, payloads, showing, its(like, &State::below)),
      attachments(config, store, culprits, where, showing, its(like, &State::attachments)),
      giving(config, store, below.attic(), payloads, where, attachments, showing, stats,
             its(like, &State::giving)),
      proving(config, store, below.attic(), culprits, waits, awaited, records, showing, giving,
              stats, its(like, &State::proving)),
      convictions(config, store, where, records, culprits, arrivals, awaited, giving, stats),
      asking(config, store, slots, where, work, waits, unfolding.packed(), payloads, proving,
             attachments, its(like, &State::asking)),
      pacemaker(config, store, culprits, slots, where, work, undelivered, backlog, stats,
                its(like, &State::pacemaker)),
      own_blocks(config, store, culprits, slots, where, work, backlog, attachments, stats,
                 its(like, &State::own_blocks)) {}

Dag::Dag(Config config) : state_(std::make_unique<State>(std::move(config))) {}
Dag::Dag(const Dag& other) : state_(std::make_unique<State>(*other.state_)) {}
Dag& Dag::operator=(const Dag& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Dag::Dag(Dag&&) noexcept = default;
Dag& Dag::operator=(Dag&&) noexcept = default;
Dag::~Dag() = default;

void Dag::on(const Restored& record, Fx& fx) {
  state_->restore(record, fx);
}
void Dag::on(const Start&, Fx& fx) {
  state_->start(fx);
}

void Dag::on(const Received<Message>& event, Fx& fx) {
  State& s = *state_;
  if (!s.started || event.from == s.config.self || !s.config.committee.contains(event.from)) return;
  std::visit([&](const auto& message) { s.receive(event.from, message, fx); }, event.message);
  s.progress(fx);
}

void Dag::on(const Requested<Submit>& event, Fx& fx) {
  State& s = *state_;
  if (event.request.payload.bytes.size() > kMostPayloadBytes) return;  // peers would refuse it
  if (s.backlog.add(event.request)) s.progress(fx);
}

void Dag::on(const Expired& event, Fx& fx) {
  state_->expired(event.id, fx);
}

void Dag::on(const Verified& event, Fx& fx) {
  state_->verdict(event, fx);
  state_->progress(fx);
}

void Dag::on(const Endorsed& event, Fx& fx) {
  state_->endorsed(event, fx);
}

Round Dag::round() const {
  return state_->where.round();
}
BlockPtr Dag::latest_of(NodeId author) const {
  const State& s = *state_;
  if (author == s.config.self) return s.where.own();
  BlockPtr best;
  const auto consider = [&best](const BlockPtr& block) {
    if (!best || block->round() > best->round()) best = block;
  };
  const auto consider_its = [&](const BlockPtr& block) {
    if (block->author() == author) consider(block);
  };
  s.restored.each_block([&](const RestoredBlock& one) { consider_its(one.block); });
  s.unfolding.packed().each(consider_its);
  for (Round r = s.store.top(); r > s.store.floor(); --r.value) {
    const Entry* entry = s.store.first(r, author);
    if (entry == nullptr) continue;
    consider(entry->block);
    break;
  }
  return best;
}
void Dag::warm(NodeId peer) const {
  state_->store.warm(peer);
}
Round Dag::next_slot() const {
  return state_->slots.next();
}
NodeId Dag::leader(Round round) const {
  return state_->slots.leader(round);
}
Round Dag::frontier() const {
  return state_->where.frontier().reached();
}
bool Dag::up_to_date() const {
  const State& s = *state_;
  return s.started && (s.slots.next() > s.began_at || !s.work.any());
}
const Stats& Dag::stats() const {
  return state_->stats;
}
std::span<const std::uint64_t> Dag::false_shares() const {
  return state_->waves.false_shares();
}
std::size_t Dag::pending_submits() const {
  return state_->backlog.size();
}

}  // namespace thresher::dag
