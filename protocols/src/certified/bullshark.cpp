#include "thresher/protocols/certified/bullshark.hpp"

#include <set>
#include <utility>

#include "state.hpp"

namespace thresher::certified {

Bullshark::State::State(Config c)
    : config(std::move(c)),
      store(config.committee),
      attic(policy().kept_below_floor(config.host_fetches_beyond, config.gc_depth)),
      peers(config.committee.size()),
      asleep(config.committee.size()),
      blocked_on(config.committee.size()),
      gated(config.committee.size()),
      patience(config.committee, config.timeout.value, config.limits.window),
      latecomers(config.committee),
      leaders(config.committee, config.rules),
      restored_leaders(leaders) {
  if (config.rules.asynchronous) {
    coin.emplace(
        coin::Config{.committee = config.committee, .self = config.self, .scheme = config.coin});
  }
}

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
  s.asked = false;
  if (!s.started || event.from == s.config.self || !s.config.committee.contains(event.from)) return;
  std::visit([&](const auto& message) { s.receive(event.from, message, fx); }, event.message);
  s.progress(fx);
}

void Bullshark::on(const Requested<Submit>& event, Fx& fx) {
  State& s = *state_;
  s.asked = false;
  if (s.submits.size() >= s.config.limits.pending_submits) return;
  s.submits.push_back(event.request.payload);
  if (!s.started) return;
  s.announce(fx);
  s.progress(fx);
}

void Bullshark::on(const Expired& event, Fx& fx) {
  state_->asked = false;
  state_->expired(event.id, fx);
}

void Bullshark::on(const Verified& event, Fx& fx) {
  state_->asked = false;
  if (state_->verdict(event, fx)) state_->progress(fx);
}

void Bullshark::on(const Endorsed& event, Fx& fx) {
  state_->asked = false;
  state_->endorsed(event, fx);
}

void Bullshark::warm(NodeId peer) const {
  state_->store.warm(peer);
  __builtin_prefetch(&state_->peers[peer.value]);
}

Round Bullshark::round() const {
  return state_->own_round();
}
Round Bullshark::voted() const {
  Round highest{0};
  for (const auto& peer : state_->peers) {
    if (peer.voted_for) highest = std::max(highest, peer.voted_for->header.round);
  }
  return highest;
}
ProposalPtr Bullshark::latest_of(NodeId author) const {
  if (author != state_->config.self) return state_->peers[author.value].voted_for;
  return state_->own ? state_->own->proposal : nullptr;
}
Round Bullshark::last_ordered() const {
  return state_->last;
}
NodeId Bullshark::leader(Round round) const {
  return state_->leader(round);
}
Round Bullshark::frontier() const {
  return state_->frontier();
}
bool Bullshark::up_to_date() const {
  const State& s = *state_;
  const bool waits = s.has_work() || (s.own && !s.own->certified);
  return s.started && (s.last >= s.began_at || !waits);
}
const Stats& Bullshark::stats() const {
  return state_->stats;
}
std::span<const std::uint64_t> Bullshark::false_shares() const {
  if (!state_->coin) return {};
  return state_->coin->stats().false_shares;
}
std::size_t Bullshark::pending_submits() const {
  return state_->submits.size();
}

Delay Bullshark::patience() const {
  return Delay{state_->patience.timeout()};
}

Footprint Bullshark::footprint() const {
  const State& s = *state_;
  Footprint out;
  out.vertices = s.store.size() + s.attic.size();
  out.checks = s.checks.size();
  out.missing = s.missing.size();
  for (const auto& [parent, children] : s.waiting) out.waiting += children.size();
  for (const State::Peer& p : s.peers) {
    out.proposals += p.proposals.size();
    out.batches += p.batches.size();
    out.parked += p.parked;
  }
  return out;
}

// One vertex of each author and round from the floor to the window. It waits in one place, and
// what it refers to, and what the headers of each peer refer to, may be missing.
Footprint Bullshark::most() const {
  const State& s = *state_;
  const Limits& limits = s.config.limits;
  const std::size_t n = s.n();
  const std::size_t rounds = s.current().value + 1 + limits.window - s.store.floor().value;
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
  if (state_->own) enter(state_->own->proposal->header);
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
