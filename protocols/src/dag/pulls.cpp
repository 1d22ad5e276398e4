#include <algorithm>
#include <set>

#include "asks.hpp"
#include "state.hpp"

namespace thresher::dag {
namespace {
/// Rounds are asked for this seldom while the host fetches the log.
constexpr std::uint32_t kTicksFarBehind = 32;
/// Blocks looked at, at most, for somebody who needs an equivocator's further block.
constexpr std::size_t kLookedAt = 512;
/// Further blocks of equivocators for which that is done in a tick, on each account: it costs time.
constexpr std::uint32_t kTwinsLookedAt = 16;

}  // namespace

// A block that is not held. `child` refers to it; `from` sent that.
void Dag::State::need(const Edge& edge, const Edge& child, NodeId from, Fx& fx) {
  if (edge.round <= store.floor()) return;
  missing.need(edge, child, from);
  hurry(fx);
}

// The peer against whose quota an equivocator's further block counts: its own block rests on it.
// A correct node names few of them, and its quota is not used up by liars. Empty: nobody has room.
std::optional<NodeId> Dag::State::payer_of(const Edge& edge) const {
  std::vector<Edge> todo;
  std::set<Edge> seen;
  const auto rest_on = [&](const Edge& e) {
    const auto above = waits.of(e);
    todo.insert(todo.end(), above.begin(), above.end());
  };
  if (const auto* one = missing.find(edge)) todo = one->children;
  rest_on(edge);
  for (std::size_t i = 0; i < todo.size() && seen.size() < kLookedAt; ++i) {
    const Edge e = todo[i];
    if (!seen.insert(e).second || store.find(e) == nullptr) continue;
    const NodeId payer = payloads.payer(e).value_or(e.author);
    if (payloads.room_for_twin(payer)) return payer;
    rest_on(e);
  }
  return std::nullopt;
}

void Dag::State::hurry(Fx& fx) {
  pull_clock.hurry();
  arm_pull(fx);
}

void Dag::State::arm_pull(Fx& fx) {
  if (missing.empty() && !proving.waits() && packed.empty() && !payloads.holds_back() &&
      !where.lagging() && !missing.on_trial()) {
    return;
  }
  const auto after = pull_clock.arm(has_work(), config.idle_push);
  if (after) fx.push(ArmTimer{{kPullTimer, {}}, *after});
}

bool Dag::State::may_ask(NodeId peer) {
  if (peer == config.self) return false;
  answers.asked(peer);
  return true;
}

// Runs a short while after something was found missing: pushes usually arrive in between.
void Dag::State::pull(Fx& fx) {
  const PullClock::Tick tick = pull_clock.tick();
  missing.each_late([&](NodeId author) { attachments.was_missing(author); });  // B1
  if (tick == PullClock::Tick::kHalf) {
    ask_for_blocks(fx);
    return arm_pull(fx);
  }
  // Packed blocks whose parents have still not come are requested in full.
  packed.each(
      [&](const BlockPtr& block) { need(block->edge(), block->edge(), block->author(), fx); });
  pull_clock.look_again(missing.on_trial());
  std::vector<PayloadRoom::Wanted> wanted;
  if (payloads.want_held_back(pull_clock.ticks(), wanted)) pull_clock.hurry();
  for (const PayloadRoom::Wanted& one : wanted) need(one.edge, one.child, one.payer, fx);
  ask_for_blocks(fx);
  if (proving.ask(fx)) pull_clock.hurry();
  ask_for_rounds(fx);
  arm_pull(fx);
}

// The highest round below a block in which a block of its author is held, as far down as answers
// reach.
Round Dag::State::held_below(const Edge& edge) const {
  Round r = edge.round;
  for (std::uint32_t left = config.limits.give_blocks; left > 0 && r.value > 0; --left) {
    --r.value;
    if (r <= store.floor() || store.held_authors(r).contains(edge.author)) return r;
  }
  return Round{0};
}

// G1: an answer holds so much and no more, so what this node would not hold is not asked for: it
// would come again and again and keep out what is needed. Nobody may have room for an equivocator's
// further block now; somebody has when a block that needs it is linked to it.
//
// G2, G3: a peer that makes a node ask for much delays itself alone: each has its own number of
// questions, in a question those on each account take turns, and what found no room in this tick
// goes first in the next.
void Dag::State::ask_for_blocks(Fx& fx) {
  const std::uint32_t n = config.committee.size();
  std::vector<Asks> asks(n, Asks(n, pull_clock.ticks()));
  std::vector<std::uint32_t> left(n, config.limits.asks_per_peer);
  std::vector<std::uint32_t> looks(n, kTwinsLookedAt);
  const auto visit = [&](const Edge& edge, MissingBlocks::Missing& miss) {
    if (!miss.search.due()) {
      pull_clock.hurry(miss.search.hopeful());
      miss.search.wait();
      return true;
    }
    const auto pays = std::find_if(miss.children.begin(), miss.children.end(),
                                   [&](const Edge& e) { return left[e.author.value] > 0; });
    if (pays == miss.children.end()) return false;
    const NodeId payer = pays->author;
    if (store.first(edge.round, edge.author) != nullptr && store.find(edge) == nullptr) {
      if (looks[payer.value] == 0) return false;
      --looks[payer.value];
      if (!payer_of(edge)) return true;  // G1
    }
    pull_clock.hurry(miss.search.hopeful());
    --left[payer.value];
    miss.search.next(config.committee, config.self, [&](NodeId peer) {
      return policy().asks_for_block(peer, miss.children) &&
             asks[peer.value].add(payer, edge, config.limits.give_blocks);
    });
    return true;
  };
  if (pull_clock.half()) {
    missing.each_fresh(visit);
  } else {
    missing.each(visit);
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const NodeId peer{static_cast<std::uint16_t>(i)};
    std::vector<Edge> wanted = asks[i].take();
    if (wanted.empty() || !may_ask(peer)) continue;
    std::vector<Round> held;
    held.reserve(wanted.size());
    for (const Edge& e : wanted) held.push_back(held_below(e));
    fx.send(peer, Want{std::move(wanted), std::move(held)});
  }
}

// The authors whose blocks of the round are held, or would not be.
NodeSet Dag::State::not_wanted(Round r) const {
  NodeSet out = store.held_authors(r).members();
  for (std::uint32_t i = 0; i < config.committee.size(); ++i) {
    const NodeId author{static_cast<std::uint16_t>(i)};
    if (!author_has_room(author)) out.insert(author);
  }
  return out;
}

// Asks for the lowest round that is not complete here, those first who say they are further.
void Dag::State::ask_for_rounds(Fx& fx) {
  const std::uint64_t far = config.host_fetches_beyond;
  const bool slowly = far != 0 && where.frontier().reached().value > slots.next().value + far;
  if (!where.lagging() || (slowly && pull_clock.ticks() % kTicksFarBehind != 0)) return;
  const std::uint64_t decided = slots.next().value > 2 ? slots.next().value - 2 : 1;
  Round r{std::max({store.floor().value + 1, decided, where.own() ? where.round().value : 1})};
  while (r <= store.top() && where.rounds().complete(r)) ++r.value;
  if (r != round_asked) {
    round_asked = r;
    const std::uint32_t turn = pull_clock.ticks() % config.committee.size();
    round_search = Search(NodeId{static_cast<std::uint16_t>(turn)});
  }
  pull_clock.hurry(round_search.hopeful());
  round_search.tick(config.committee, config.self, [&](NodeId peer) {
    if (where.ahead(where.frontier().seen(peer)) && may_ask(peer)) {
      fx.send(peer, WantRound{r, not_wanted(r)});
    }
    return true;
  });
}

}  // namespace thresher::dag
