// What chained echo keeps, says again and forgets. The protocol's steps are in chained_echo.cpp.
#include <algorithm>
#include <utility>

#include "chained_records.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher {

using namespace chained_echo;  // NOLINT(google-build-using-namespace): the protocol's own words
using broadcast::due;
using broadcast::kRepeat;

namespace {

/// Ticks that a delivered payload is kept at least: two until others hear of it, three until they
/// ask, and four delays for the way and the payload.
constexpr std::size_t kKeepTicks = 8;
}  // namespace

void ChainedEcho::persist_link(NodeId origin, const Stream& s, const Head& head, bool lazy,
                               Fx& fx) const {
  const Link& link = *s.chain.find(head);
  fx.push(Persist{kLinks, key_of(origin, head.count), link_record(head, link.payload_digest),
                  *link.payload, lazy});
}
void ChainedEcho::persist_status(NodeId origin, const Stream& s, Fx& fx) const {
  fx.push(Persist{kStatus, key_of(origin), two_heads(s.said.echoed, s.said.ready), {}, false});
}
// Payloads that the host may not have yet stay on disk, even when the base is further.
void ChainedEcho::persist_delivered(NodeId origin, Stream& s, Fx& fx) const {
  while (s.erased < std::min(s.told.count, s.chain.base().count))
    fx.push(Persist{kLinks, key_of(origin, ++s.erased), {}, {}, true});
  fx.push(Persist{kDelivered, key_of(origin), two_heads(s.told, s.chain.base()), {}, true});
}

// At each tick. Records of one step are written before its deliveries are handed to the host, so a
// crash between the two would keep payloads from the host for ever; the second tick after a
// delivery is another step in any case.
void ChainedEcho::record_told(NodeId origin, Stream& s, Fx& fx) const {
  const Head told = std::exchange(s.told_next, s.delivered);
  if (told.count <= s.told.count) return;
  s.told = told;
  persist_delivered(origin, s, fx);
}

void ChainedEcho::on(const Restored& record, Fx&) {
  Reader key(record.key.view());
  Reader value(record.value.view());
  const NodeId origin{key.u16()};
  if (!config_.committee.contains(origin)) return;
  Stream& s = streams_[origin.value];
  if (record.table == kLinks) {
    restored_[{origin, key.u64()}] = record.body;
  } else if (record.table == kStatus) {
    s.said.echoed = read_head(value);
    s.said.ready = read_head(value);
  } else if (record.table == kDelivered) {
    s.delivered = s.told = read_head(value);
    s.chain.rebase(read_head(value));
  }
}

// Payloads in order make the chain again: what was said of it is on it, since a statement is on
// disk after what it rests on.
void ChainedEcho::restore_links(NodeId origin, Stream& s) {
  s.claims[config_.self.value] = s.said;
  s.echoed = s.chain.base();
  for (auto at = restored_.lower_bound({origin, s.echoed.count + 1});
       at != restored_.end() && at->first == std::pair(origin, s.echoed.count + 1); ++at) {
    s.echoed = add(s, s.echoed, hash(at->second.view()), std::nullopt);
    (void)s.chain.fill(s.echoed, at->second);
  }
  // It is behind what it said only if it skipped: then it echoes where it went on.
  if (s.said.echoed.count > s.echoed.count) s.echoed = s.said.echoed;
  if (!s.chain.known(s.delivered)) s.delivered = s.chain.base();
  s.dropped = s.chain.base();
  s.goal = s.delivered;
  s.told_next = s.told;
  s.echoed_at.push_front(s.echoed.count);
  s.ready = s.said.ready;
  if (s.ready.count < s.delivered.count) s.ready = s.delivered;
}

// The base lies among what was delivered, so what the host may lack up to there is delivered again.
void ChainedEcho::deliver_again(NodeId origin, Stream& s, Fx& fx) const {
  s.erased = std::min(s.told.count, s.chain.base().count);
  for (std::uint64_t k = s.erased + 1; k <= s.chain.base().count; ++k) {
    const auto at = restored_.find({origin, k});
    if (at != restored_.end()) fx.deliver({{origin, k - 1}, at->second});
  }
}

void ChainedEcho::on(const Start&, Fx& fx) {
  for (const NodeId o : node_ids(streams_.size())) deliver_again(o, streams_[o.value], fx);
  for (const NodeId o : node_ids(streams_.size())) restore_links(o, streams_[o.value]);
  restored_.clear();
  for (const NodeId o : node_ids(streams_.size())) settle(o, streams_[o.value], fx);
  arm(fx);
}

bool ChainedEcho::has_news(const Stream& s) {
  return s.said.echoed != s.echoed || s.said.ready != s.ready;
}

// Everything is delivered here, and all say that they are as far.
bool ChainedEcho::settled(const Stream& s) const {
  if (has_news(s) || s.echoed != s.delivered || s.goal != s.delivered || !s.waiting.empty())
    return false;
  return std::all_of(s.claims.begin(), s.claims.end(), [&](const Progress& c) {
    return c.ready.count == s.delivered.count && c.echoed.count == s.delivered.count;
  });
}

void ChainedEcho::on(const Expired&, Fx& fx) {
  armed_ = serving_ = false;
  ++ticks_;
  for (const NodeId o : node_ids(streams_.size())) {
    if (!settled(streams_[o.value])) tick(o, streams_[o.value], fx);
    record_told(o, streams_[o.value], fx);
  }
  arm(fx);
}

// R4: news for which no turn comes is sent all the same. R8: open positions are told and asked for
// again; not while E moves, since the next node whose turn it is sends everything anyway.
void ChainedEcho::tick(NodeId origin, Stream& s, Fx& fx) {
  const bool stands = s.echoed_at.front() == s.echoed.count;
  if (has_news(s)) {
    if (stands || ++s.news_ticks >= config_.idle_ticks) speak(origin, s, fx);
  } else if (stands && due(++s.quiet)) {
    fx.broadcast(status_of(origin, s, true));
  }
  // Payloads are most often on their way: they are asked for once nothing has moved for a tick.
  const bool stood = !s.delivered_at.empty() && s.delivered_at.front() == s.delivered.count;
  s.stuck_ticks = stood && s.goal.count > s.delivered.count ? s.stuck_ticks + 1 : 0;
  s.echoed_at.push_front(s.echoed.count);
  s.delivered_at.push_front(s.delivered.count);
  if (s.echoed_at.size() > config_.idle_ticks + std::size_t{3}) s.echoed_at.pop_back();
  if (s.delivered_at.size() > kKeepTicks) s.delivered_at.pop_back();
  note_patience(s);
  ask_unknown(origin, s, stood, fx);
  if (s.stuck_ticks > 0 && due(s.stuck_ticks)) {
    const Committee& all = config_.committee;
    s.asked = ask_payloads(origin, s, kAtATime,
                           s.stuck_ticks == 1 ? all.at_least(kValidity) : all.size(), fx);
  }
  if (origin == config_.self) send_again(s, fx);
  settle(origin, s, fx);
  trim(origin, s, fx);
}

// Sends again what every node has had a turn to echo since, to the nodes that did not echo it.
void ChainedEcho::send_again(Stream& s, Fx& fx) const {
  const std::uint64_t sent = s.echoed_at.back();
  const std::vector<Head> all = s.chain.path(s.chain.base(), s.echoed);
  const std::uint64_t base = s.chain.base().count;
  for (const NodeId k : node_ids(s.claims.size())) {
    Progress& claim = s.claims[k.value];
    if (k == config_.self || claim.echoed.count >= sent) continue;
    // Below the base it asks peers, of whom more than one may have it still.
    if (claim.echoed.count < base || !due(++claim.behind_ticks)) continue;
    const std::uint64_t first = claim.echoed.count;
    for (std::uint64_t i = first; i < std::min({sent, first + kAtATime, base + all.size()}); ++i) {
      const Link* link = s.chain.find(all[i - base]);
      if (link->payload) fx.send(k, Extend{{config_.self, i}, *link->payload, false});
    }
  }
}

// R9: all echo it, so all have it. Else with an archive that it is old or that room is short;
// without one, that it is old, n-f have it and the others had their patience. A node that lags
// itself leaves the waiting to those that are ahead: one of them is correct, and waits for this
// node only as long as this node would wait for a silent one.
bool ChainedEcho::outdated(const Stream& s, const Head& head) const {
  if (head.count > s.delivered.count) return false;
  const Link* link = s.chain.find(head);
  if (link == nullptr || link->echo.size() == config_.committee.size()) return true;
  const bool old = s.delivered_at.size() >= kKeepTicks && head.count <= s.delivered_at.back();
  if (config_.archive != nullptr) {
    return old || head.count + config_.window <= s.delivered.count ||
           s.chain.bytes() + s.waiting_bytes > config_.origin_bytes / 2;
  }
  if (!old) return false;
  std::uint32_t there = 0;
  for (const NodeId k : node_ids(s.claims.size())) {
    if (has_echoed(s, k, head.count, *link)) {
      ++there;
    } else if (s.claims[k.value].waited_ticks < config_.patience_ticks && !s.catching_up) {
      return false;
    }
  }
  return there >= config_.committee.at_least(kAvailability);
}

// A node that echoes another branch of a lying origin lacks these payloads, however long that is.
// No chain is known to the peers that this node has to catch up with, so they are believed.
bool ChainedEcho::has_echoed(const Stream& s, NodeId who, std::uint64_t count,
                             const Link& link) const {
  const Head& echoed = s.claims[who.value].echoed;
  return link.echo.contains(who) ||
         (s.catching_up && echoed.count >= count && !s.chain.known(echoed));
}

// R9: a node that lags uses up its patience, and one that has caught up earns it back. So a liar
// keeps the stream waiting for at most half of the time, and a crashed node does so once.
void ChainedEcho::note_patience(Stream& s) const {
  if (s.delivered_at.size() < kKeepTicks) return;
  const std::uint64_t old = s.delivered_at.back();
  const std::uint64_t base = s.chain.base().count;
  const std::vector<Head> kept = s.chain.path(s.chain.base(), s.delivered);
  const Link* link = old > base ? s.chain.find(kept[old - base - 1]) : nullptr;
  for (const NodeId k : node_ids(s.claims.size())) {
    Progress& c = s.claims[k.value];
    const bool level = link == nullptr ? c.echoed.count >= old : has_echoed(s, k, old, *link);
    if (!level) {
      c.waited_ticks = std::min(c.waited_ticks + 1, config_.patience_ticks);
    } else if (c.waited_ticks > 0) {
      --c.waited_ticks;
    }
  }
}

// R9. Heads are kept beyond their payloads, to where all nodes cut alike: at multiples of half a
// window, so that those that are too far behind hear of one place from f+1.
void ChainedEcho::trim(NodeId origin, Stream& s, Fx& fx) {
  const bool crowded = s.chain.bytes() + s.waiting_bytes > config_.origin_bytes / 2;
  const auto first_cut = s.chain.at(s.delivered, (s.chain.base().count / cut() + 1) * cut());
  // All below an outdated position is outdated too. Most steps end here and look no further.
  if (!crowded && !(first_cut && outdated(s, *first_cut))) return;
  std::optional<Head> base;
  for (const Head& head : s.chain.path(s.chain.base(), s.delivered)) {
    if (!outdated(s, head)) break;
    if (s.chain.bytes() + s.waiting_bytes > config_.origin_bytes / 2) {
      s.chain.drop(head);
      s.dropped = std::max(s.dropped, head);
    }
    if (head.count % cut() == 0) base = head;
  }
  if (base) move_base(origin, s, *base, fx);
}

void ChainedEcho::move_base(NodeId origin, Stream& s, const Head& base, Fx& fx) {
  s.chain.rebase(base);
  for (Head* head : {&s.echoed, &s.ready, &s.delivered, &s.goal, &s.dropped}) {
    if (head->count < base.count) *head = base;
  }
  persist_delivered(origin, s, fx);
}

void ChainedEcho::arm(Fx& fx) {
  for (std::uint16_t o = 0; o < streams_.size() && !armed_; ++o) arm_for(NodeId{o}, fx);
}

// While no timer runs nothing is left to do for any stream, so only the one that an input is about
// can need one: most that comes to an idle node is about one stream of many.
void ChainedEcho::arm_for(NodeId origin, Fx& fx) {
  if (armed_ || !config_.committee.contains(origin)) return;
  const Stream& s = streams_[origin.value];
  ++looked_at_;
  if (!serving_ && settled(s) && s.told.count == s.delivered.count) return;
  armed_ = true;
  fx.push(ArmTimer{{1, {}}, kRepeat});
}

void ChainedEcho::forget_below(std::uint64_t number, Fx&) {
  for (Stream& s : streams_) {
    for (const Head& head : s.chain.path(s.chain.base(), s.delivered)) {
      if (head.count > number) break;
      s.chain.drop(head);
      s.dropped = std::max(s.dropped, head);
    }
  }
}

void ChainedEcho::expect(const Instance& i, Fx& fx) {
  Stream* s = stream_of(i.origin);
  if (s == nullptr || i.number < s->delivered.count) return;
  fx.broadcast(status_of(i.origin, *s, true));
  arm_for(i.origin, fx);
}

const Bytes* ChainedEcho::delivered(const Instance& i) const {
  if (!config_.committee.contains(i.origin)) return nullptr;
  const Stream& s = streams_[i.origin.value];
  const std::uint64_t base = s.chain.base().count;
  if (i.number < base || i.number >= s.delivered.count) return nullptr;
  const std::vector<Head> all = s.chain.path(s.chain.base(), s.delivered);
  const Link* link = s.chain.find(all[i.number - base]);
  return link->payload ? &*link->payload : nullptr;
}

std::uint64_t ChainedEcho::looked_at() const {
  std::uint64_t count = looked_at_;
  for (const Stream& s : streams_) count += s.chain.looked_at();
  return count;
}

bool ChainedEcho::submitted(std::uint64_t number) const {
  return streams_[config_.self.value].echoed.count > number;
}

std::size_t ChainedEcho::open() const {
  std::size_t count = 0;
  for (const Stream& s : streams_) {
    count += std::max(s.echoed.count, s.goal.count) - s.delivered.count + s.waiting.size();
  }
  return count;
}

broadcast::Footprint ChainedEcho::footprint() const {
  Footprint out;
  for (const Stream& s : streams_) {
    out.instances += s.chain.size() + s.waiting.size();
    out.digests += s.chain.size();
    out.payload_bytes += s.chain.bytes() + s.waiting_bytes;
  }
  return out;
}

broadcast::Footprint ChainedEcho::most_held(const Config& config) {
  const std::size_t n = config.committee.size();
  // For an origin: its positions, and for each peer twice as many, a claim's two
  // ways.
  const std::size_t positions = n * 2 * config.window * (1 + 2 * n);
  return {.instances = positions, .digests = positions, .payload_bytes = n * config.origin_bytes};
}

}  // namespace thresher
