#include "thresher/protocols/certified/bullshark.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "state.hpp"
#include "thresher/protocols/payload_limit.hpp"

namespace thresher::certified {

Bullshark::State::State(Config c)
    : config(std::move(c)),
      store(config.committee),
      ordered(config.committee, config.rules),
      own(config.committee),
      rounds(config, store, own),
      headers(config.committee, config.limits.proposals_per_peer),
      batches(config.committee, config.limits),
      records(config),
      checking(config, tickets, stats),
      accusing(config, checking, stats),
      waves(config, store, rounds, from_log, ordered, stats),
      pacemaker(config, store, rounds, ordered, accusing.offenders()),
      bringing(config, own, accusing.offenders()),
      composing(config, store, own, ordered, bringing, tickets),
      publishing(config, own, records, checking, stats),
      below(config, own, records),
      giving({config, store, below.attic(), own, composing, batches, headers, bringing, stats}),
      parking(config, store, own, rounds, ordered, pacemaker),
      asking({config, store, ordered, rounds, headers, batches, parking, bringing, stats}),
      voting({config, store, own, ordered, rounds, waves, records, headers, batches, parking,
              asking, accusing, tickets, stats}),
      admission({config, store, asking, pacemaker, from_log, undelivered, records, stats}),
      recovery({config, store, ordered, own, headers, records, from_log, undelivered, below,
                accusing, asking, admission, stats}) {}

Bullshark::Bullshark(Config config) : state_(std::make_unique<State>(std::move(config))) {}
Bullshark::Bullshark(const Bullshark& other) : state_(std::make_unique<State>(*other.state_)) {}
Bullshark& Bullshark::operator=(const Bullshark& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
Bullshark::Bullshark(Bullshark&&) noexcept = default;
Bullshark& Bullshark::operator=(Bullshark&&) noexcept = default;
Bullshark::~Bullshark() = default;

void Bullshark::on(const Restored& record, Fx& fx) {
  state_->restore(record, fx);
}
void Bullshark::on(const Start& event, Fx& fx) {
  state_->start(event.seed, fx);
}

void Bullshark::on(const Received<Message>& event, Fx& fx) {
  State& s = *state_;
  s.checking.next_input();
  if (!s.started || event.from == s.config.self || !s.config.committee.contains(event.from)) return;
  std::visit([&](const auto& message) { s.receive(event.from, message, fx); }, event.message);
  s.progress(fx);
}

void Bullshark::on(const Requested<Submit>& event, Fx& fx) {
  State& s = *state_;
  s.checking.next_input();
  if (event.request.payload.bytes.size() > kMostPayloadBytes) return;  // peers would refuse it
  if (!s.composing.add(event.request.payload) || !s.started) return;
  s.composing.announce(fx);
  s.progress(fx);
}

void Bullshark::on(const Expired& event, Fx& fx) {
  state_->checking.next_input();
  state_->expired(event.id, fx);
}

void Bullshark::on(const Verified& event, Fx& fx) {
  state_->checking.next_input();
  if (state_->verdict(event, fx)) state_->progress(fx);
}

void Bullshark::on(const Endorsed& event, Fx& fx) {
  state_->checking.next_input();
  state_->endorsed(event, fx);
}

void Bullshark::warm(NodeId peer) const {
  state_->store.warm(peer);
  state_->headers.warm(peer);
}

Round Bullshark::round() const {
  return state_->own.round();
}
Round Bullshark::voted() const {
  const State& s = *state_;
  Round highest{0};
  for (std::uint32_t i = 0; i < s.n(); ++i) {
    const ProposalPtr& one = s.headers.voted_for(NodeId{static_cast<std::uint16_t>(i)});
    if (one) highest = std::max(highest, one->header.round);
  }
  return highest;
}
ProposalPtr Bullshark::latest_of(NodeId author) const {
  const State& s = *state_;
  return author == s.config.self ? s.own.proposal() : s.headers.voted_for(author);
}
Round Bullshark::last_ordered() const {
  return state_->ordered.last();
}
NodeId Bullshark::leader(Round round) const {
  return state_->ordered.leader(round);
}
Round Bullshark::frontier() const {
  return state_->asking.frontier();
}
bool Bullshark::up_to_date() const {
  const State& s = *state_;
  const bool waits = s.has_work() || s.own.is_open();
  return s.started && (s.ordered.last() >= s.began_at || !waits);
}
const Stats& Bullshark::stats() const {
  return state_->stats;
}
std::span<const std::uint64_t> Bullshark::false_shares() const {
  return state_->waves.false_shares();
}
std::size_t Bullshark::pending_submits() const {
  return state_->composing.payloads();
}

Delay Bullshark::patience() const {
  return state_->pacemaker.timeout();
}

Footprint Bullshark::footprint() const {
  const State& s = *state_;
  Footprint out;
  out.vertices = s.store.size() + s.below.attic().size();
  out.checks = s.checking.size();
  out.missing = s.asking.missing();
  out.waiting = s.admission.waiting();
  for (std::uint32_t i = 0; i < s.n(); ++i) {
    const NodeId id{static_cast<std::uint16_t>(i)};
    out.proposals += s.headers.size(id);
    out.batches += s.batches.size(id);
    out.parked += s.parking.size(id);
  }
  return out;
}

// One vertex of each author and round from the floor to the window. It waits in one place, and
// what it refers to, and what the headers of each peer refer to, may be missing.
Footprint Bullshark::most() const {
  const State& s = *state_;
  const Limits& limits = s.config.limits;
  const std::size_t n = s.n();
  const std::size_t rounds = s.rounds.current().value + 1 + limits.window - s.store.floor().value;
  const std::size_t references = n + s.config.rules.stragglers + 1;
  Footprint out;
  out.vertices = n * rounds;
  out.proposals = n * limits.proposals_per_peer;
  out.batches = n * limits.batches_per_peer;
  out.checks = n * (limits.checks_per_peer + limits.give_vertices + 1);
  out.missing = out.vertices * references + n * (limits.missing_per_peer + n);
  out.waiting = out.vertices;
  out.parked = n * limits.proposals_per_peer;
  return out;
}

std::vector<Ref> Bullshark::vouched() const {
  const Store& store = state_->store;
  std::set<Ref> found;
  std::vector<Ref> open;
  const auto enter = [&](const Header& h) {
    each_ref(h, [&](const Ref& ref) {
      if (ref.round > store.floor() && found.insert(ref).second) open.push_back(ref);
      return true;
    });
  };
  if (state_->own.proposal()) enter(state_->own.proposal()->header);
  while (!open.empty()) {
    const Cell* cell = store.find(open.back());
    open.pop_back();
    if (cell != nullptr) enter(cell->vertex->header);
  }
  return {found.begin(), found.end()};
}

bool Bullshark::accepts(const Ref& ref) const {
  return state_->store.settled(ref);
}

}  // namespace thresher::certified
