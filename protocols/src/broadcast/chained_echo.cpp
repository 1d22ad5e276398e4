#include "thresher/protocols/broadcast/chained_echo.hpp"

#include <algorithm>
#include <utility>

#include "thresher/core/node_ids.hpp"

namespace thresher {

using namespace chained_echo;  // NOLINT(google-build-using-namespace): the protocol's own words

ChainedEcho::Stream::Stream(const Config& config, NodeId origin)
    : chain(config.committee, config.chain, origin),
      echoed(chain.base()),
      ready(chain.base()),
      delivered(chain.base()),
      goal(chain.base()),
      said{chain.base(), chain.base()},
      claims(config.committee.size(), said),
      dropped(chain.base()) {}

ChainedEcho::ChainedEcho(Config config) : config_(config) {
  for (const NodeId o : node_ids(config_.committee.size())) streams_.emplace_back(config_, o);
}

ChainedEcho::Stream* ChainedEcho::stream_of(NodeId origin) {
  if (config_.committee.contains(origin)) return &streams_[origin.value];
  ++refused_;
  return nullptr;
}

// Positions after the oldest one that is not delivered fill at most half of the room.
bool ChainedEcho::has_room(const Stream& s, std::uint64_t number, std::size_t bytes) const {
  if (number >= s.chain.base().count + 2 * config_.window) return false;
  const std::size_t held = s.chain.bytes() + s.waiting_bytes + bytes;
  return held <= config_.origin_bytes / 2 ||
         (number == s.delivered.count && held <= config_.origin_bytes);
}

// R1: a chain, not a set. The number is on disk before anybody sees it.
void ChainedEcho::on(const Requested<Request>& event, Fx& fx) {
  Stream& s = streams_[config_.self.value];
  const Bytes& payload = event.request.payload;
  const std::uint64_t number = s.echoed.count;
  if (payload.size() > config_.payload_bytes || event.request.at_least > number ||
      !s.chain.known(s.echoed) || !has_room(s, number, payload.size())) {
    ++refused_;
    return;
  }
  const bool flush = s.delivered.count == number;  // nothing else is on the way
  if (flush) note_flush(s, number + 1);
  extend(config_.self, s, payload, true, fx);
  fx.broadcast(Extend{{config_.self, number}, payload, flush});
  settle(config_.self, s, fx);
  arm_for(config_.self, fx);
}

void ChainedEcho::on(const Received<Message>& event, Fx& fx) {
  if (event.from == config_.self || !config_.committee.contains(event.from)) return;
  std::visit([&](const auto& m) { receive(event.from, m, fx); }, event.message);
  const auto origin_of = [](const auto& m) {
    if constexpr (requires { m.instance; }) {
      return m.instance.origin;
    } else {
      return m.origin;
    }
  };
  arm_for(std::visit(origin_of, event.message), fx);
}

// R2: the first payload that the origin shows for a number, on top of the one chain that this node
// echoes.
void ChainedEcho::receive(NodeId from, const Extend& m, Fx& fx) {
  const std::uint64_t number = m.instance.number;
  if (from != m.instance.origin || m.payload.size() > config_.payload_bytes) {
    ++refused_;
    return;
  }
  Stream& s = streams_[from.value];
  if (number < s.echoed.count || s.waiting.contains(number)) return;
  if (!has_room(s, number, m.payload.size())) {
    ++refused_;
    return;
  }
  s.waiting.emplace(number, m.payload);
  s.waiting_bytes += m.payload.size();
  if (m.flush) note_flush(s, number + 1);
  extend_from_waiting(from, s, fx);
  settle(from, s, fx);
}

// R5: at most once in n/c instances or in a tick, so that an origin cannot make all speak always.
void ChainedEcho::note_flush(Stream& s, std::uint64_t count) {
  const std::uint64_t round = (config_.committee.size() + config_.speakers - 1) / config_.speakers;
  if (count < s.last_flush + round && s.flush_tick == ticks_ && s.last_flush != 0) return;
  s.last_flush = s.flush_at = std::max(s.flush_at, count);
  s.flush_tick = ticks_;
}

void ChainedEcho::extend_from_waiting(NodeId origin, Stream& s, Fx& fx) {
  while (!s.waiting.empty() && s.waiting.begin()->first <= s.echoed.count &&
         s.chain.known(s.echoed)) {
    const auto first = s.waiting.begin();
    const bool next = first->first == s.echoed.count;
    const Bytes payload = std::move(first->second);
    s.waiting_bytes -= payload.size();
    s.waiting.erase(first);
    if (next) extend(origin, s, payload, false, fx);
  }
}

// R2. Lazy: a statement that rests on it comes later, and holds up no others.
void ChainedEcho::extend(NodeId origin, Stream& s, const Bytes& payload, bool durable, Fx& fx) {
  const std::uint64_t number = s.echoed.count;
  const Head next = add(s, s.echoed, hash(payload.view()), std::nullopt);
  (void)s.chain.fill(next, payload);
  s.echoed = next;
  persist_link(origin, s, next, !durable, fx);
  if (in_turn(number)) speak(origin, s, fx);
}

// R4: the committee of an instance, by rotation.
bool ChainedEcho::in_turn(std::uint64_t number) const {
  const std::uint64_t n = config_.committee.size();
  const std::uint64_t c = std::min<std::uint64_t>(config_.speakers, n);
  return (config_.self.value + n - number % n * c % n) % n < c;
}

// A position that is new may be what peers spoke of already.
ChainedEcho::Head ChainedEcho::add(Stream& s, const Head& before, const Digest& payload,
                                   std::optional<NodeId> told_by) {
  const Head head = s.chain.add(before, payload, told_by);
  for (const NodeId k : node_ids(s.claims.size())) {
    const Progress& claim = s.claims[k.value];
    if (claim.echoed == head) count(s, k, head, Chain::Said::kEcho);
    const bool leads = claim.ready.hash.is_zero() ? claim.echoed == head : claim.ready == head;
    if (leads) count(s, k, ready_of(s, claim), Chain::Said::kReady);
    if (claim.delivered == head) count_delivered(s, k, head);
  }
  return head;
}

// Without a hash it is on the way down from the echoed head, once that is known.
ChainedEcho::Head ChainedEcho::ready_of(const Stream& s, const Progress& claim) {
  if (!claim.ready.hash.is_zero() || claim.ready.count > claim.echoed.count) return claim.ready;
  return s.chain.at(claim.echoed, claim.ready.count).value_or(claim.ready);
}

// R3: Bracha's thresholds, at every position at once.
void ChainedEcho::count(Stream& s, NodeId who, const Head& head, Chain::Said what) {
  if (s.chain.find(head) == nullptr) return;
  const Committee& all = config_.committee;
  const Threshold& low = what == Chain::Said::kEcho    ? config_.ready
                         : what == Chain::Said::kReady ? config_.amplify
                                                       : config_.vouch;
  const Threshold& high = what == Chain::Said::kEcho    ? config_.fast
                          : what == Chain::Said::kReady ? config_.deliver
                                                        : config_.vouch;
  const auto reached = s.chain.support(who, head, what, all.at_least(low), all.at_least(high));
  if (reached.low) raise_ready(s, *reached.low);
  if (reached.high && reached.high->count > s.goal.count) s.goal = *reached.high;
}

// Correct nodes are ready along one chain, so the higher one extends the lower one.
void ChainedEcho::raise_ready(Stream& s, const Head& head) {
  if (head.count > s.ready.count) s.ready = head;
}

void ChainedEcho::receive(NodeId from, const Status& m, Fx& fx) {
  Stream* s = stream_of(m.origin);
  if (s == nullptr) return;
  Progress& claim = s->claims[from.value];
  if (m.echoed.count > claim.echoed.count) claim.behind_ticks = 0;
  if (claim.echoed != m.echoed) {
    claim.echoed = m.echoed;
    count(*s, from, m.echoed, Chain::Said::kEcho);
  }
  claim.ready = m.ready;
  count(*s, from, ready_of(*s, claim), Chain::Said::kReady);
  if (m.asks) fx.send(from, status_of(m.origin, *s, false));
  settle(m.origin, *s, fx);
}

chained_echo::Status ChainedEcho::status_of(NodeId origin, const Stream& s, bool asks) const {
  const bool below = s.chain.extends(s.said.echoed, s.said.ready);
  return {origin, s.said.echoed, below ? Head{s.said.ready.count, {}} : s.said.ready, asks};
}

// R4: echoes first, since they may make ready; then it is on disk, then it leaves.
void ChainedEcho::speak(NodeId origin, Stream& s, Fx& fx) {
  s.said.echoed = s.echoed;
  s.claims[config_.self.value].echoed = s.echoed;
  count(s, config_.self, s.echoed, Chain::Said::kEcho);
  s.said.ready = s.ready;
  s.claims[config_.self.value].ready = s.ready;
  count(s, config_.self, s.ready, Chain::Said::kReady);
  s.news_ticks = 0;
  s.quiet = 0;
  persist_status(origin, s, fx);
  fx.broadcast(status_of(origin, s, false));
}

bool ChainedEcho::wants_to_speak(const Stream& s) const {
  return (s.flush_at > s.said.echoed.count && s.echoed.count >= s.flush_at) ||
         (s.flush_at > s.said.ready.count && s.ready.count >= s.flush_at);
}

// After any step: speaks when a flush asks for it, delivers what can be delivered.
void ChainedEcho::settle(NodeId origin, Stream& s, Fx& fx) {
  for (bool moved = true; std::exchange(moved, false);) {
    while (wants_to_speak(s)) speak(origin, s, fx);
    const Head before = s.delivered;
    deliver_ready(origin, s, fx);
    moved = s.delivered != before;
  }
  catch_up(origin, s, fx);
  // Nothing is left to do for the next tick, so none may come.
  if (settled(s)) trim(origin, s, fx);
}

void ChainedEcho::deliver_ready(NodeId origin, Stream& s, Fx& fx) {
  if (s.goal.count <= s.delivered.count) return;
  const Head before = s.delivered;
  for (const Head& head : s.chain.path(s.delivered, s.goal)) {
    const Link* link = s.chain.find(head);
    if (!link->payload) break;
    s.delivered = head;
    fx.deliver({{origin, head.count - 1}, *link->payload});
  }
  if (s.delivered == before) return;
  s.quiet = 0;
  follow_delivered(origin, s, before, fx);
  trim(origin, s, fx);
}

// R6, fork hygiene: what was delivered is over, so an echo may move onto it from a branch that can
// never be ready at or past the fork any more. What was delivered `before` is on disk already.
void ChainedEcho::follow_delivered(NodeId origin, Stream& s, const Head& before, Fx& fx) {
  if (s.ready.count < s.delivered.count) s.ready = s.delivered;
  if (!s.chain.extends(s.echoed, s.delivered)) {
    const bool moved = !s.chain.extends(s.delivered, s.echoed);
    for (const Head& head : s.chain.path(moved ? before : s.echoed, s.delivered))
      persist_link(origin, s, head, true, fx);
    s.echoed = s.delivered;
    s.chain.prune(s.delivered);
    extend_from_waiting(origin, s, fx);
    // Records of the branch that it leaves are replaced: they must not stand beside the old echo.
    // Those above stay, and are on top of this one after a restart: payloads that the origin showed
    // first for their positions, as R2 asks for.
    if (moved) speak(origin, s, fx);
    return;
  }
  s.chain.prune(s.delivered);
}

}  // namespace thresher
