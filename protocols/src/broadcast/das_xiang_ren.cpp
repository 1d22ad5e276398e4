#include "thresher/protocols/broadcast/das_xiang_ren.hpp"

#include <algorithm>
#include <utility>

#include "coded_instances.hpp"
#include "thresher/core/node_ids.hpp"

namespace thresher {

// The protocol's own vocabulary.
using namespace das_xiang_ren;  // NOLINT(google-build-using-namespace)

template class coded::Instances<DasXiangRen, das_xiang_ren::State, das_xiang_ren::Message>;

Count& DasXiangRen::count(State& s, const Digest& hash) const {
  return s.counts.try_emplace(hash, config_.committee).first->second;
}

// What was refused leaves nothing behind: its sender may say something else as often as it likes.
void DasXiangRen::forget_unsaid(State& s, const Digest& hash) {
  const auto at = s.counts.find(hash);
  const Count& c = at->second;
  const std::size_t said = c.ready.count() + c.echoed.size() + c.claims.size() + c.fragments.size();
  if (said == 0) s.counts.erase(at);
}

// A fragment of any payload that is allowed has one of these sizes, or is left out.
bool DasXiangRen::fits(const Bytes& fragment) const {
  return fragment.size() <= fragments_.size(config_.payload_bytes);
}

// A node with the payload can cut the fragment that was left out.
bool DasXiangRen::understood(const State& s, const Digest& hash, const Bytes& fragment) const {
  return !fragment.empty() || s.payloads.contains(hash);
}

// R1
void DasXiangRen::start(const Instance& i, State& s, const Bytes& payload, Fx& fx) {
  own(i, s, hash(payload.view()), payload, fx);
  fx.broadcast(Propose{i, payload});
  input(i, s, payload, fx);
  advance(i, s, fx);
}

// R1. Without room it is refused for now: it is asked for again.
void DasXiangRen::receive(NodeId from, const Propose& m, Fx& fx) {
  if (from != m.instance.origin || m.payload.size() > config_.payload_bytes) return refuse();
  State* s = instance_for(from, m.instance, fx);
  if (s == nullptr || s->input) return;
  if (!shelf_.has_room(m.instance, m.payload.size())) return refuse();
  s->input = hash(m.payload.view());
  // A payload that can no longer be delivered needs no echo.
  const auto ready_for = s->said[kReadied].value_or(*s->input);
  if (ready_for == *s->input) {
    shelf_.keep(m.instance, *s, *s->input, m.payload);
    input(m.instance, *s, m.payload, fx);
  }
  advance(m.instance, *s, fx);
}

// R2
void DasXiangRen::input(const Instance& i, State& s, const Bytes& payload, Fx& fx) {
  record(i, s, kEcho, *s.input, {}, i.origin == config_.self ? Bytes{} : payload, fx);
  Count& c = count(s, *s.input);
  c.echoed.insert(config_.self);
  drop_fragments(i, s, c);
  const std::vector<Bytes> fragments = fragments_.cut(payload.view());
  for (const NodeId k : node_ids(fragments.size())) {
    if (k != config_.self) fx.send(k, Echo{i, *s.input, fragments[k.value]});
  }
  if (!s.said[kReadied]) (void)claim(i, s, c, config_.self, fragments[config_.self.value]);
}

// What `by` says that this node's fragment is; false without room.
bool DasXiangRen::claim(const Instance& i, State& s, Count& c, NodeId by, const Bytes& fragment) {
  auto at = std::ranges::find(c.claims, fragment, &FragmentClaim::fragment);
  if (at == c.claims.end()) {
    if (by == config_.self ? !take_room(i, s, fragment.size())
                           : !take_room_on_word(by, i, s, fragment.size()))
      return false;
    c.claims.push_back({Bytes::copy_of(fragment.view()), Tally(config_.committee)});
    at = std::prev(c.claims.end());
  }
  at->by.add(by);
  return true;
}

// A node with the payload has claimed its own fragment, and knows that all others are lies.
bool DasXiangRen::disproved(const Count& c, const Bytes& fragment) const {
  return std::ranges::any_of(c.claims, [&](const FragmentClaim& claim) {
    return claim.by.contains(config_.self) && claim.fragment != fragment;
  });
}

// R3: a peer counts once.
void DasXiangRen::receive(NodeId from, const Echo& m, Fx& fx) {
  if (!fits(m.fragment)) return refuse();
  State* s = instance_for(from, m.instance, fx);
  if (s == nullptr || s->spoke[kEcho].contains(from)) return;
  if (!understood(*s, m.hash, m.fragment)) return refuse();
  Count& c = count(*s, m.hash);
  if (!s->said[kReadied]) {
    const Bytes fragment = m.fragment.empty()
                               ? fragments_.cut(s->payloads.at(m.hash).view(), config_.self)
                               : m.fragment;
    if (!disproved(c, fragment) && !claim(m.instance, *s, c, from, fragment))
      return forget_unsaid(*s, m.hash);
  }
  s->spoke[kEcho].insert(from);
  c.echoed.insert(from);
  advance(m.instance, *s, fx);
}

// R5: a peer counts once.
void DasXiangRen::receive(NodeId from, const Ready& m, Fx& fx) {
  if (!fits(m.fragment)) return refuse();
  State* s = instance_for(from, m.instance, fx);
  if (s == nullptr || s->spoke[kReadied].contains(from)) return;
  if (!understood(*s, m.hash, m.fragment)) return refuse();
  Count& c = count(*s, m.hash);
  if (!s->payloads.contains(m.hash) && s->said[kReadied].value_or(m.hash) == m.hash) {
    if (!take_room_on_word(from, m.instance, *s, m.fragment.size()))
      return forget_unsaid(*s, m.hash);
    c.fragments.emplace(from, m.fragment);
  }
  s->spoke[kReadied].insert(from);
  c.ready.add(from);
  advance(m.instance, *s, fx);
}

void DasXiangRen::drop_fragments(const Instance& i, State& s, Count& c) {
  for (const auto& [who, fragment] : c.fragments) free_room(i, s, fragment.size());
  c.fragments.clear();
}

void DasXiangRen::drop_claims(const Instance& i, State& s, Count& c) {
  for (const FragmentClaim& claim : c.claims) free_room(i, s, claim.fragment.size());
  c.claims.clear();
}

// R3, R4: this node's fragment of the payload with that hash, once enough vouch for it. A node with
// the payload can make it alone.
std::optional<Bytes> DasXiangRen::vouched(const State& s, const Digest& hash,
                                          const Count& c) const {
  const bool amplify = reached(c.ready, thresholds_.amplify);
  for (const FragmentClaim& claim : c.claims) {
    if (reached(claim.by, thresholds_.ready)) return claim.fragment;
    if (amplify && reached(claim.by, thresholds_.vouch)) return claim.fragment;
  }
  const auto held = s.payloads.find(hash);
  if (!amplify || held == s.payloads.end()) return std::nullopt;
  return Bytes::copy_of(fragments_.cut(held->second.view(), config_.self).view());
}

void DasXiangRen::ready(const Instance& i, State& s, const Digest& hash, const Bytes& fragment,
                        Fx& fx) {
  record(i, s, kReadied, hash, {}, fragment, fx);
  count(s, hash).ready.add(config_.self);
  fx.broadcast(Ready{i, hash, fragment});
  // Nobody can deliver another payload any more. The claim's room is the fragment's now.
  for (auto& [other, told] : s.counts) {
    drop_claims(i, s, told);
    if (other != hash) drop_fragments(i, s, told);
  }
  shelf_.keep_only(i, s, hash);
  if (s.payloads.contains(hash)) return;
  s.mine = fragment;
  s.bytes += fragment.size();
  shelf_.charge(i, fragment.size());
}

// R6: decoding is tried whenever one more fragment came, until the hash is right. The payload takes
// less room than the fragments that it comes from.
bool DasXiangRen::recover(const Instance& i, State& s, const Digest& hash, Count& c) {
  if (s.payloads.contains(hash)) return true;
  std::vector<Bytes> held(fragments_.total());
  for (const auto& [who, fragment] : c.fragments) held[who.value] = fragment;
  if (s.said[kReadied] == hash) held[config_.self.value] = s.mine;
  const auto there = std::ranges::count_if(held, [](const Bytes& b) { return !b.empty(); });
  if (std::exchange(c.tried, there) == there) return false;
  const auto payload = fragments_.mend(held);
  if (!payload || payload->size() > config_.payload_bytes ||
      thresher::hash(payload->view()) != hash)
    return false;
  drop_fragments(i, s, c);
  free_room(i, s, s.mine.size());
  s.mine = Bytes{};
  shelf_.keep(i, s, hash, *payload);
  return true;
}

void DasXiangRen::advance(const Instance& i, State& s, Fx& fx) {
  std::optional<Digest> decided;
  for (bool moved = true; moved;) {
    moved = false;
    for (auto& [hash, c] : s.counts) {
      if (s.said[kReadied].value_or(hash) != hash) continue;
      if (!s.done && reached(c.ready, thresholds_.deliver) && recover(i, s, hash, c))
        decided = hash;
      const auto fragment = s.said[kReadied] ? std::nullopt : vouched(s, hash, c);
      if (!fragment) continue;
      ready(i, s, hash, *fragment, fx);
      moved = true;
      break;
    }
  }
  if (decided) deliver(i, s, *decided, s.said[kEcho] == decided, fx);
}

std::size_t DasXiangRen::held_on_word(const State& s, NodeId from) const {
  std::size_t bytes = 0;
  for (const auto& [hash, c] : s.counts) {
    if (s.payloads.contains(hash)) continue;
    const auto held = c.fragments.find(from);
    if (held != c.fragments.end()) bytes += held->second.size();
    for (const FragmentClaim& claim : c.claims)
      bytes += claim.by.contains(from) ? claim.fragment.size() : 0;
  }
  return bytes;
}

bool DasXiangRen::all_hold(const State& s) const {
  if (s.payloads.empty()) return false;
  const auto c = s.counts.find(s.payloads.begin()->first);
  return c != s.counts.end() && c->second.echoed.size() == config_.committee.size();
}

void DasXiangRen::say(NodeId to, const Instance& i, const State& s, Counter c, Fx& fx) const {
  const Digest& said = *s.said[c];
  const auto held = s.payloads.find(said);
  const auto cut = [&](NodeId of) { return fragments_.cut(held->second.view(), of); };
  if (c == kEcho) {
    if (held != s.payloads.end()) fx.send(to, Echo{i, said, cut(to)});
  } else {
    fx.send(to, Ready{i, said, held == s.payloads.end() ? s.mine : cut(config_.self)});
  }
}

void DasXiangRen::say_bare(NodeId to, const Instance& i, const Digest& hash, Counter c,
                           Fx& fx) const {
  if (c == kEcho) return fx.send(to, Echo{i, hash, {}});
  fx.send(to, Ready{i, hash, {}});
}

void DasXiangRen::say_input(NodeId to, const Instance& i, State& s, Fx& fx) const {
  const auto held = s.payloads.find(*s.input);
  if (held != s.payloads.end()) fx.send(to, Propose{i, held->second});
}

void DasXiangRen::restore(const Instance& i, State& s, Counter c, const Restored& record) {
  const Digest& said = *s.said[c];
  Count& counted = count(s, said);
  if (c == kEcho) {
    s.input = said;
    counted.echoed.insert(config_.self);
    if (hash(record.body.view()) == said) shelf_.keep(i, s, said, record.body);
  } else {
    counted.ready.add(config_.self);
    s.mine = record.body;
    s.bytes += s.mine.size();
    shelf_.charge(i, s.mine.size());
  }
}

void DasXiangRen::resume(const Instance& i, State& s, Fx& fx) {
  const auto held = s.input ? s.payloads.find(*s.input) : s.payloads.end();
  if (held != s.payloads.end()) {
    const Bytes payload = held->second;
    // A crash came between the origin's record and its echo.
    if (i.origin == config_.self && !s.said[kEcho]) input(i, s, payload, fx);
    if (s.said[kEcho] && !s.said[kReadied])
      (void)claim(i, s, count(s, *s.said[kEcho]), config_.self,
                  fragments_.cut(payload.view(), config_.self));
  }
  if (s.said[kReadied] && s.payloads.contains(*s.said[kReadied])) {
    free_room(i, s, s.mine.size());
    s.mine = Bytes{};
  }
  advance(i, s, fx);
}

}  // namespace thresher
