#include "asking.hpp"

#include <algorithm>
#include <utility>

#include "timers.hpp"

namespace thresher::certified {
namespace {

/// Rounds are asked for this seldom while the host fetches the log.
constexpr std::uint32_t kTicksFarBehind = 16;

}  // namespace

Asking::Asking(const With& with)
    : missing_(with.config.committee, with.config.self, with.config.limits.missing_per_peer),
      frontier_(with.config.committee, with.config.self),
      words_(with.config.committee),
      answers_(with.config.committee, with.config.limits.wants_per_peer),
      config_(with.config),
      store_(with.store),
      ordered_(with.ordered),
      rounds_(with.rounds),
      headers_(with.headers),
      batches_(with.batches),
      parking_(with.parking),
      bringing_(with.bringing),
      stats_(with.stats) {}

// R8
void Asking::need(const Ref& ref, NodeId who, bool certified) {
  if (ref.round <= store_->floor()) return;
  if (certified && parking_->contains(ref)) parking_->want();
  if (!missing_.need(ref, who, certified)) ++stats_->refused;
}

// A peer is ahead when it signed headers (up to `seen`) that this node cannot follow with what it
// holds.
bool Asking::ahead(Round seen, Round here) const {
  return seen > here && (!rounds_->complete(here) || seen.value > here.value + 1);
}

bool Asking::lagging() const {
  const Round here = rounds_->current();
  if (!ahead(frontier_.highest(), here)) return false;
  for (std::uint32_t i = 0; i < config_->committee.size(); ++i) {
    const NodeId id{static_cast<std::uint16_t>(i)};
    if (words_.left(id) && ahead(frontier_.seen(id), here)) return true;
  }
  return false;
}

// R9: a node that is behind asks those that say they are ahead. A word that nothing follows from is
// worth a few questions only; correct peers repeat theirs.
void Asking::reached(NodeId peer, Round round) {
  frontier_.note(peer, round);
  words_.renew(peer);
}

void Asking::arm(Fx& fx) {
  // R11: where all vertices are dense nothing depends on who is late.
  const bool tries = config_->rules.parents != Parents::kDense && missing_.on_trial();
  const bool idle = missing_.empty() && !tries && batches_->lacking() == 0;
  if (timer_.runs() || (idle && !lagging())) return;
  timer_.arm();
  fx.push(ArmTimer{{kPullTimer, {}}, PullTimer::kEvery});
}

bool Asking::may_ask(NodeId peer) {
  if (peer == config_->self) return false;
  answers_.asked(peer);
  return true;
}

// R8
void Asking::ask_vertices(std::vector<Want>& asks) {
  const auto late = [&](NodeId author) { bringing_->came_late(author); };  // R11
  missing_.tick(timer_.now(), late, [&](NodeId peer, const Ref& ref) {
    auto& list = asks[peer.value].vertices;
    const bool twice = !list.empty() && list.back() == ref;
    if (!twice && list.size() < config_->limits.give_vertices) list.push_back(ref);
  });
}

// R8, for payloads.
void Asking::ask_batches(std::vector<Want>& asks) {
  for (std::uint32_t i = 0; i < asks.size() && batches_->lacking() > 0; ++i) {
    const NodeId author{static_cast<std::uint16_t>(i)};
    if (!batches_->lacks(author) || headers_->empty(author)) continue;
    if (const auto who = batches_->whom_to_ask(author))
      asks[who->value].batches.push_back(headers_->last(author)->header.payload_root);
  }
}

void Asking::tick(Fx& fx) {
  timer_.tick();
  std::vector<Want> asks(config_->committee.size());
  ask_vertices(asks);
  ask_batches(asks);
  for (std::uint32_t i = 0; i < asks.size(); ++i) {
    const NodeId peer{static_cast<std::uint16_t>(i)};
    if (asks[i].vertices.empty() && asks[i].batches.empty()) continue;
    if (may_ask(peer)) fx.send(peer, std::move(asks[i]));
  }
  const std::uint64_t far = config_->host_fetches_beyond;
  const bool slowly = far != 0 && frontier_.reached().value > ordered_->last().value + far;
  if (!slowly || timer_.now() % kTicksFarBehind == 0) ask_round(fx);
  arm(fx);
}

// R9: asks the next of those that are ahead for the lowest round that is not complete here.
void Asking::ask_round(Fx& fx) {
  const Round here = rounds_->current();
  if (!ahead(frontier_.highest(), here)) return;
  const std::uint32_t n = config_->committee.size();
  for (std::uint32_t i = 0; i < n; ++i) {
    const NodeId who{static_cast<std::uint16_t>((i + timer_.now()) % n)};
    if (!words_.left(who) || !ahead(frontier_.seen(who), here) || !may_ask(who)) continue;
    words_.use(who);
    Round r{std::max(store_->floor(), ordered_->last()).value + 1};
    while (r <= store_->top() && rounds_->complete(r)) ++r.value;
    return fx.send(who, want_from(r));
  }
}

// With what is here of `r` and of the rounds after it.
WantRound Asking::want_from(Round r) const {
  WantRound out{r, {}};
  do {
    NodeSet& have = out.have.emplace_back(config_->committee.size());
    store_->accepted_authors(r).members().for_each([&](NodeId id) { have.insert(id); });
  } while (++r.value <= store_->top().value && out.have.size() < kMostHave);
  return out;
}

// R9. A liar that showed its last vertices to some alone would keep the others one commit behind
// for as long as there is no work.
void Asking::ask_for_last(Fx& fx) {
  const std::uint64_t top = store_->top().value;
  if (top == 0) return;
  const std::uint64_t lowest = std::max(store_->floor(), ordered_->last()).value + 1;
  const std::uint64_t recent = top < kMostHave ? 1 : top - kMostHave + 1;
  for (std::uint32_t i = 0; i < config_->committee.size(); ++i)
    (void)may_ask(NodeId{static_cast<std::uint16_t>(i)});
  fx.broadcast(want_from(Round{std::min(top, std::max(lowest, recent))}));
}

}  // namespace thresher::certified
