// How a node of chained echo gets what it missed: ways to heads, payloads, and what is over. The
// protocol's steps are in chained_echo.cpp.
#include <algorithm>
#include <utility>

#include "chained_records.hpp"
#include "thresher/core/node_ids.hpp"
#include "thresher/protocols/broadcast/shelf.hpp"

namespace thresher {

using namespace chained_echo;  // NOLINT(google-build-using-namespace): the protocol's own words
using broadcast::due;

// R7. The asker may deliver the positions that f+1 say they delivered. To look for a way
// costs the same when there is none, and counts for half of what payloads on it may take (R10).
void ChainedEcho::receive(NodeId from, const Trace& m, Fx& fx) {
  Stream* s = stream_of(m.origin);
  if (s == nullptr) return;
  if (m.from.count < s->chain.base().count) return answer_from_archive(from, m, *s, fx);
  if (m.to.count <= m.from.count || !s->chain.known(m.to)) return;
  Served& served = served_to(*s, from);
  if (served.from_memory >= config_.origin_bytes) return;
  served.from_memory += (m.to.count - m.from.count) * (config_.origin_bytes / (4 * config_.window));
  Path path{m.origin, m.from, {}};
  Head delivered = m.from;
  for (const Head& head : s->chain.path(m.from, m.to)) {
    path.payloads.push_back(s->chain.find(head)->payload_digest);
    if (head.count <= s->delivered.count) delivered = head;
  }
  if (path.payloads.empty()) return;
  fx.send(from, std::move(path));
  if (delivered != m.from) fx.send(from, Delivered{m.origin, delivered});
}

// R7: of each peer so many positions are taken that it alone told of.
void ChainedEcho::receive(NodeId from, const Path& m, Fx& fx) {
  Stream* s = stream_of(m.origin);
  if (s == nullptr) return;
  Head at = m.from;
  for (const Digest& payload : m.payloads) {
    const bool room = s->chain.known(at) && s->chain.told_by(from) < 4 * config_.window &&
                      at.count < s->chain.base().count + 2 * config_.window;
    if (!room) {
      ++refused_;
      break;
    }
    at = add(*s, at, payload, from);
  }
  settle(m.origin, *s, fx);
}

// R7, R10. The bytes sent to one peer in a time are bounded, from memory as well: by what memory
// holds.
void ChainedEcho::receive(NodeId from, const Want& m, Fx& fx) {
  Stream* s = stream_of(m.origin);
  if (s == nullptr) return;
  const Link* link = s->chain.find(m.head);
  Served& served = served_to(*s, from);
  if (link != nullptr && link->payload) {
    if (served.from_memory >= config_.origin_bytes) return;
    served.from_memory += link->payload->size();
    fx.send(from, Give{m.origin, m.head, *link->payload});
    return;
  }
  if (!may_read(served)) return;
  if (auto payload = archived_payload(m.origin, m.head)) {
    served.from_archive += payload->size();
    fx.send(from, Give{m.origin, m.head, std::move(*payload)});
  } else if (m.head.count <= s->dropped.count) {
    fx.send(from, Floor{m.origin, s->dropped});
  }
}

// Only what is about to be delivered: its digest was counted, so it cannot be forged.
void ChainedEcho::receive(NodeId, const Give& m, Fx& fx) {
  Stream* s = stream_of(m.origin);
  if (s == nullptr) return;
  const Link* link = s->chain.find(m.head);
  if (link == nullptr || link->payload || m.head.count <= s->delivered.count ||
      !s->chain.extends(s->goal, m.head) || m.payload.size() > config_.payload_bytes ||
      hash(m.payload.view()) != link->payload_digest ||
      !has_room(*s, m.head.count - 1, m.payload.size())) {
    ++refused_;
    return;
  }
  (void)s->chain.fill(m.head, m.payload);
  settle(m.origin, *s, fx);
}

// R10: one of f+1 peers that delivered it is correct. To deliver it, a node was ready for it.
void ChainedEcho::count_delivered(Stream& s, NodeId who, const Head& head) {
  count(s, who, head, Chain::Said::kReady);
  count(s, who, head, Chain::Said::kDelivered);
}

void ChainedEcho::receive(NodeId from, const Delivered& m, Fx& fx) {
  Stream* s = stream_of(m.origin);
  if (s == nullptr || m.head.count <= s->delivered.count) return;
  s->claims[from.value].delivered = m.head;
  count_delivered(*s, from, m.head);
  settle(m.origin, *s, fx);
}

// What lies on disk at a position, as the head after it and the digest of its payload.
std::optional<ChainedEcho::Archived> ChainedEcho::archived(NodeId origin,
                                                           std::uint64_t count) const {
  if (config_.archive == nullptr) return std::nullopt;
  const auto value = config_.archive->value(key_of(origin, count));
  if (!value) return std::nullopt;
  Reader in(value->view());
  const Archived out{{count, in.digest()}, in.digest()};
  if (!in.done()) return std::nullopt;
  return out;
}

std::optional<Bytes> ChainedEcho::archived_payload(NodeId origin, const Head& head) const {
  const auto found = archived(origin, head.count);
  if (!found || found->head != head) return std::nullopt;
  auto payload = config_.archive->body(key_of(origin, head.count));
  if (!payload || hash(payload->view()) != found->payload) return std::nullopt;
  return payload;
}

// R10: the way up to the next place where all cut.
void ChainedEcho::answer_from_archive(NodeId to, const Trace& m, Stream& s, Fx& fx) {
  const std::uint64_t step = cut();
  const std::uint64_t end = (m.from.count / step + 1) * step;
  Path path{m.origin, m.from, {}};
  Head at = m.from;
  Served& served = served_to(s, to);
  if (!may_read(served)) return;
  for (std::uint64_t k = m.from.count + 1; k <= std::min(end, s.delivered.count); ++k) {
    const auto next = archived(m.origin, k);
    if (!next || successor(config_.chain, m.origin, at, next->payload) != next->head) break;
    path.payloads.push_back(next->payload);
    served.from_archive += sizeof(Digest);
    at = next->head;
  }
  if (path.payloads.empty()) {
    fx.send(to, Floor{m.origin, s.chain.base()});
    return;
  }
  fx.send(to, std::move(path));
  fx.send(to, Delivered{m.origin, at});
}

// Since the last tick, which comes as long as anybody is served.
ChainedEcho::Served& ChainedEcho::served_to(Stream& s, NodeId peer) {
  Served& served = s.claims[peer.value].served;
  if (std::exchange(served.tick, ticks_) != ticks_) served.from_memory = served.from_archive = 0;
  serving_ = true;
  return served;
}

// R10: reading disks for one peer must not keep a node from its work. A peer without an answer asks
// again.
bool ChainedEcho::may_read(Served& served) const {
  served.from_archive += sizeof(Digest);
  return served.from_archive <= config_.origin_bytes / 4;
}

// The highest position that the peer spoke of, if no way to it is known.
std::optional<ChainedEcho::Head> ChainedEcho::unknown_of(const Stream& s, NodeId peer) const {
  const Progress& claim = s.claims[peer.value];
  const auto unknown = [&](const Head& h) {
    return h.count > s.delivered.count && !s.chain.known(h);
  };
  if (peer == config_.self) return std::nullopt;
  if (!claim.ready.hash.is_zero() && unknown(claim.ready)) return claim.ready;
  if (unknown(claim.echoed)) return claim.echoed;
  return std::nullopt;
}

// R7: a peer at a position to which no chain is known is asked for the chain. R10: f+1 such peers,
// while nothing moves here, are far ahead.
void ChainedEcho::ask_unknown(NodeId origin, Stream& s, bool stood, Fx& fx) {
  std::uint32_t ahead = 0;
  for (const NodeId k : node_ids(s.claims.size())) {
    std::uint32_t& ticks = s.claims[k.value].unknown_ticks;
    const auto unknown = unknown_of(s, k);
    ticks = unknown ? ticks + 1 : 0;
    if (ticks < 2) continue;
    ++ahead;
    if (due(ticks - 1) || (stood && s.catching_up))
      fx.send(k, Trace{origin, s.delivered, *unknown});
  }
  const bool behind = ahead >= config_.committee.at_least(kValidity);
  s.catching_up = behind && (stood || s.catching_up);
  s.traced = s.delivered.count;
}

// R10: what leads further is asked for as soon as the last of it is here, and not at a tick.
void ChainedEcho::catch_up(NodeId origin, Stream& s, Fx& fx) {
  if (!s.catching_up) return;
  if (s.goal.count > s.delivered.count) {
    if (s.asked > s.delivered.count) return;
    const std::size_t fit =
        config_.origin_bytes / 2 / std::max<std::size_t>(1, config_.payload_bytes);
    s.asked = ask_payloads(origin, s, std::clamp<std::uint64_t>(fit, 1, cut()), 1, fx);
    return;
  }
  if (s.traced >= s.delivered.count) return;
  s.traced = s.delivered.count;
  std::uint32_t left = config_.committee.at_least(kValidity);
  for (std::uint16_t k = 0; k < s.claims.size() && left > 0; ++k) {
    const NodeId peer{static_cast<std::uint16_t>((config_.self.value + 1u + k) % s.claims.size())};
    const auto unknown = unknown_of(s, peer);
    if (!unknown) continue;
    fx.send(peer, Trace{origin, s.delivered, *unknown});
    --left;
  }
}

// One of f+1 that echoed or delivered a position is correct, and has the payload.
std::uint64_t ChainedEcho::ask_payloads(NodeId origin, const Stream& s, std::uint64_t positions,
                                        std::uint32_t most, Fx& fx) const {
  std::uint64_t last = s.delivered.count;
  std::uint64_t asked = 0;
  const std::uint32_t n = config_.committee.size();
  for (const Head& head : s.chain.path(s.delivered, s.goal)) {
    const Link& link = *s.chain.find(head);
    if (link.payload) continue;
    if (++asked > positions) break;
    last = head.count;
    std::uint32_t left = most;
    // Not always the same peer first: many nodes that lag would all ask one.
    for (std::uint64_t k = 0; k < n && left > 0; ++k) {
      const NodeId who{static_cast<std::uint16_t>((config_.self.value + head.count + k) % n)};
      const bool has = link.echo.contains(who) || link.delivered.contains(who);
      if (!has || who == config_.self) continue;
      fx.send(who, Want{origin, head});
      --left;
    }
  }
  return last;
}

// R9: what f+1 peers no longer keep is over; one of them is correct and delivered it.
void ChainedEcho::receive(NodeId from, const Floor& m, Fx& fx) {
  // A floor also says "delivered up to here". What is held is delivered first, and not
  // skipped.
  receive(from, Delivered{m.origin, m.head}, fx);
  Stream* s = stream_of(m.origin);
  if (s == nullptr || m.head.count <= s->delivered.count) return;
  s->floors[from] = m.head;
  skip_forgotten(m.origin, *s, fx);
  settle(m.origin, *s, fx);
}

void ChainedEcho::skip_forgotten(NodeId origin, Stream& s, Fx& fx) {
  const std::uint32_t some = config_.committee.at_least(kValidity);
  const auto told = [&](auto agrees) {
    std::uint32_t count = 0;
    for (const auto& [peer, head] : s.floors) count += agrees(head) ? 1 : 0;
    return count >= some;
  };
  // A place that is known here: payloads on the way to it are skipped one by one.
  const Head before = s.delivered;
  for (const Head& head : s.chain.path(s.delivered, s.goal)) {
    if (s.chain.find(head)->payload) break;
    if (!told([&](const Head& floor) { return s.chain.extends(floor, head); })) break;
    s.delivered = head;
    ++skipped_;
  }
  // One that is not: the same for f+1.
  for (const auto& [peer, place] : s.floors) {
    if (place.count <= s.delivered.count || s.chain.known(place)) continue;
    const Head base = place;
    if (!told([&](const Head& floor) { return floor == base; })) continue;
    skipped_ += base.count - s.delivered.count;
    s.told = s.told_next = base;
    move_base(origin, s, base, fx);
    s.echoed = s.delivered = base;
    speak(origin, s, fx);
    break;
  }
  if (s.delivered == before) return;
  std::erase_if(s.floors, [&](const auto& f) { return f.second.count <= s.delivered.count; });
  if (s.echoed.count < s.delivered.count) s.echoed = s.delivered;
  extend_from_waiting(origin, s, fx);
}

}  // namespace thresher
