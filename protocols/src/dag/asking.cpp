#include "asking.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "asks.hpp"
#include "thresher/protocols/dag/policy.hpp"
#include "timers.hpp"

namespace thresher::dag {
namespace {
/// Rounds are asked for this seldom while the host fetches the log.
constexpr std::uint32_t kTicksFarBehind = 32;
/// Blocks looked at, at most, for somebody who needs an equivocator's further block.
constexpr std::size_t kLookedAt = 512;
/// Further blocks of equivocators for which that is done in a tick, on each account: it costs time.
constexpr std::uint32_t kTwinsLookedAt = 16;

}  // namespace

Asking::Asking(const Config& config, const Store& store, const Slots& slots,
               const Whereabouts& where, const Work& work, const chassis::Waits<Edge>& waits,
               const PackedBlocks& packed, PayloadRoom& payloads, Proving& proving,
               Attachments& attachments, const Asking* like)
    : config_(config),
      store_(store),
      slots_(slots),
      where_(where),
      work_(work),
      waits_(waits),
      packed_(packed),
      payloads_(payloads),
      proving_(proving),
      attachments_(attachments),
      missing_(like != nullptr ? like->missing_ : MissingBlocks(config.committee)),
      absence_(like != nullptr ? like->absence_ : chassis::Absence()),
      clock_(like != nullptr ? like->clock_ : PullClock()),
      answers_(like != nullptr ? like->answers_
                               : chassis::Answers(config.committee, config.limits.wants_per_peer)),
      round_search_(like != nullptr ? like->round_search_ : Search()),
      round_asked_(like != nullptr ? like->round_asked_ : Round{0}) {}

// A block that is not held. `child` refers to it; `from` sent that.
void Asking::need(const Edge& edge, const Edge& child, NodeId from, Fx& fx) {
  if (edge.round <= store_.floor()) return;
  missing_.need(edge, child, from);
  clock_.hurry();
  arm(fx);
}

// H3. Those who wait for it have it, if anybody.
void Asking::need_payload(const Edge& edge, Fx& fx) {
  need(edge, edge, edge.author, fx);
  for (const Edge& child : waits_.of(edge)) missing_.need(edge, child, child.author);
}

// A correct node names few of them, and its quota is not used up by liars.
std::optional<NodeId> Asking::payer_of(const Edge& edge) const {
  std::vector<Edge> todo;
  std::set<Edge> seen;
  const auto rest_on = [&](const Edge& e) {
    const auto above = waits_.of(e);
    todo.insert(todo.end(), above.begin(), above.end());
  };
  if (const auto* one = missing_.find(edge)) todo = one->children;
  rest_on(edge);
  for (std::size_t i = 0; i < todo.size() && seen.size() < kLookedAt; ++i) {
    const Edge e = todo[i];
    if (!seen.insert(e).second || store_.find(e) == nullptr) continue;
    const NodeId payer = payloads_.payer(e).value_or(e.author);
    if (payloads_.room_for_twin(payer)) return payer;
    rest_on(e);
  }
  return std::nullopt;
}

void Asking::arm(Fx& fx) {
  if (missing_.empty() && !proving_.waits() && packed_.empty() && !payloads_.holds_back() &&
      !where_.lagging() && !missing_.on_trial()) {
    return;
  }
  const auto after = clock_.arm(work_.any(), config_.idle_push);
  if (after) fx.push(ArmTimer{{kPullTimer, {}}, *after});
}

bool Asking::may_ask(NodeId peer) {
  if (peer == config_.self) return false;
  answers_.asked(peer);
  return true;
}

// Runs a short while after something was found missing: pushes usually arrive in between.
void Asking::pull(Fx& fx) {
  const PullClock::Tick tick = clock_.tick();
  missing_.each_late([&](NodeId author) { attachments_.was_missing(author); });  // B1
  if (tick == PullClock::Tick::kHalf) {
    ask_for_blocks(fx);
    return arm(fx);
  }
  // Packed blocks whose parents have still not come are requested in full.
  packed_.each(
      [&](const BlockPtr& block) { need(block->edge(), block->edge(), block->author(), fx); });
  clock_.look_again(missing_.on_trial());
  std::vector<PayloadRoom::Wanted> wanted;
  if (payloads_.want_held_back(clock_.ticks(), wanted)) clock_.hurry();
  for (const PayloadRoom::Wanted& one : wanted) need(one.edge, one.child, one.payer, fx);
  ask_for_blocks(fx);
  if (proving_.ask(fx)) clock_.hurry();
  ask_for_rounds(fx);
  arm(fx);
}

// The highest round below a block in which a block of its author is held, as far down as answers
// reach.
Round Asking::held_below(const Edge& edge) const {
  Round r = edge.round;
  for (std::uint32_t left = config_.limits.give_blocks; left > 0 && r.value > 0; --left) {
    --r.value;
    if (r <= store_.floor() || store_.held_authors(r).contains(edge.author)) return r;
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
void Asking::ask_for_blocks(Fx& fx) {
  const std::uint32_t n = config_.committee.size();
  const Policy& policy = *config_.rules.policy;
  std::vector<Asks> asks(n, Asks(n, clock_.ticks()));
  std::vector<std::uint32_t> left(n, config_.limits.asks_per_peer);
  std::vector<std::uint32_t> looks(n, kTwinsLookedAt);
  const auto visit = [&](const Edge& edge, MissingBlocks::Missing& miss) {
    if (!miss.search.due()) {
      clock_.hurry(miss.search.hopeful());
      miss.search.wait();
      return true;
    }
    const auto pays = std::find_if(miss.children.begin(), miss.children.end(),
                                   [&](const Edge& e) { return left[e.author.value] > 0; });
    if (pays == miss.children.end()) return false;
    const NodeId payer = pays->author;
    if (store_.first(edge.round, edge.author) != nullptr && store_.find(edge) == nullptr) {
      if (looks[payer.value] == 0) return false;
      --looks[payer.value];
      if (!payer_of(edge)) return true;  // G1
    }
    clock_.hurry(miss.search.hopeful());
    --left[payer.value];
    miss.search.next(config_.committee, config_.self, [&](NodeId peer) {
      return policy.asks_for_block(peer, miss.children) &&
             asks[peer.value].add(payer, edge, config_.limits.give_blocks);
    });
    return true;
  };
  if (clock_.half()) {
    missing_.each_fresh(visit);
  } else {
    missing_.each(visit);
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
NodeSet Asking::not_wanted(Round r) const {
  NodeSet out = store_.held_authors(r).members();
  for (std::uint32_t i = 0; i < config_.committee.size(); ++i) {
    const NodeId author{static_cast<std::uint16_t>(i)};
    if (!has_room(author)) out.insert(author);
  }
  return out;
}

// Asks for the lowest round that is not complete here, those first who say they are further.
void Asking::ask_for_rounds(Fx& fx) {
  const std::uint64_t far = config_.host_fetches_beyond;
  const bool slowly = far != 0 && where_.frontier().reached().value > slots_.next().value + far;
  if (!where_.lagging() || (slowly && clock_.ticks() % kTicksFarBehind != 0)) return;
  const std::uint64_t decided = slots_.next().value > 2 ? slots_.next().value - 2 : 1;
  Round r{std::max({store_.floor().value + 1, decided, where_.own() ? where_.round().value : 1})};
  while (r <= store_.top() && where_.rounds().complete(r)) ++r.value;
  if (r != round_asked_) {
    round_asked_ = r;
    const std::uint32_t turn = clock_.ticks() % config_.committee.size();
    round_search_ = Search(NodeId{static_cast<std::uint16_t>(turn)});
  }
  clock_.hurry(round_search_.hopeful());
  round_search_.tick(config_.committee, config_.self, [&](NodeId peer) {
    if (where_.ahead(where_.frontier().seen(peer)) && may_ask(peer)) {
      fx.send(peer, WantRound{r, not_wanted(r)});
    }
    return true;
  });
}

}  // namespace thresher::dag
