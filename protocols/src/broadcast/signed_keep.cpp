// What the signed broadcasts keep and say again: restarts, repetition, forgetting. The protocol's
// steps are in signed_broadcast.cpp.
#include <algorithm>
#include <utility>

#include "floors.hpp"
#include "signed_records.hpp"
#include "thresher/core/node_ids.hpp"
#include "turns.hpp"

namespace thresher {

using namespace signed_broadcast;  // NOLINT(google-build-using-namespace): the protocol's own words
using broadcast::due;
using broadcast::kRepeat;

namespace {

// Ticks that a delivered instance is kept at least: one until others are told, one until they ask,
// and four delays for certificate and payload.
constexpr std::uint32_t kKeepTicks = 6;

// Windows of instances that are looked at in a tick though not all before them are open.
constexpr std::uint64_t kBeyond = 8;

}  // namespace

void SignedBroadcast::on(const Restored& record, Fx&) {
  Reader key(record.key.view());
  Reader value(record.value.view());
  const NodeId origin{key.u16()};
  if (!config_.committee.contains(origin)) return;
  if (record.table == kFloors) return shelf_.restore_floor(origin, value.u64());
  const Instance i{origin, key.u64()};
  State& s = shelf_.restore(i);
  if (record.table == kUnconfirmed) {
    s.unrecorded = broadcast::kRecordTicks;
    s.done = false;
    return;
  }
  const Digest digest = value.digest();
  // An empty body of a certificate's record: the payload is in that of the vote.
  if (hash(record.body.view()) == digest) shelf_.keep(i, s, digest, record.body);
  if (record.table == kVotes) {
    s.voted = digest;
    if (origin == config_.self) next_ = std::max(next_, i.number + 1);
  } else if (auto list = broadcast::read_list(value, config_.committee.size())) {
    s.value = digest;
    s.certificate = std::make_shared<const SignatureList>(std::move(*list));
    s.done = s.unrecorded == 0;
  }
}

void SignedBroadcast::on(const Start&, Fx& fx) {
  for (const NodeId id : node_ids(shelf_.origins())) {
    // Records that were erased lazily may be back.
    raise_floor(id, shelf_.take_restored_floor(id), fx);
    trim(id, fx);
    told_[id.value].origin = id;
    shelf_.for_each_of(id, [&](const Instance& i, State& s) {
      if (s.voted && !s.done) sign(i, s, fx);
      finish(i, s, fx);
    });
  }
  arm(fx);
}

// One of the f+1 that are asked first is correct; nodes begin at different ones. Later all are.
void SignedBroadcast::ask_some(const State& s, const NodeSet& of, const Want& want, Fx& fx) const {
  const std::uint32_t n = config_.committee.size();
  std::uint32_t left = s.asked <= 1 ? config_.committee.at_least(kValidity) : n;
  for (std::uint32_t k = 1; k < n && left > 0; ++k) {
    const NodeId who{static_cast<std::uint16_t>((config_.self.value + k) % n)};
    if (!of.contains(who)) continue;
    fx.send(who, want);
    --left;
  }
}

// R6: what makes an instance deliver is asked of those that say that they delivered it, and what
// this node said of it is said again.
void SignedBroadcast::ask(const Instance& i, State& s, Fx& fx) {
  ++s.asked;
  if (s.certificate) return ask_payload(i, s, fx);
  ask_some(s, peers_.who_keeps(i), Want{i, true, false}, fx);
  if (!due(s.asked)) return;
  const auto own = s.voted ? s.payloads.find(*s.voted) : s.payloads.end();
  for (std::uint16_t k = 0; k < config_.committee.size() && own != s.payloads.end(); ++k) {
    const bool lacks =
        i.origin == config_.self && NodeId{k} != config_.self && !s.spoke.contains(NodeId{k});
    if (lacks) fx.send(NodeId{k}, Propose{i, own->second});
  }
  say_vote(i, s, fx);
}

// Its signers have the payload on disk.
void SignedBroadcast::ask_payload(const Instance& i, const State& s, Fx& fx) const {
  ask_some(s, s.certificate->signers, Want{i, false, true}, fx);
}

// R6: certificate and payload once in a tick, each: a peer may need the one and then the other.
void SignedBroadcast::receive(NodeId from, const Want& m, Fx& fx) {
  State* s = instance_of(m.instance);
  if (s == nullptr) return;
  if (m.certificate && s->certificate) {
    if (s->certified.insert(from)) {
      fx.send(from, Certificate{m.instance, s->value, s->certificate});
    } else {
      ++refused_;
    }
  }
  if (m.certificate && !s->certificate && s->own && !config_.votes_to_origin)
    fx.send(from, Vote{m.instance, *s->voted, *s->own});
  if (!m.payload) return;
  // Uncertified, what it voted for: somebody else may hold the certificate.
  const auto payload = s->certificate ? s->payloads.find(s->value)
                       : s->voted     ? s->payloads.find(*s->voted)
                                      : s->payloads.end();
  if (payload == s->payloads.end()) return;
  if (!s->answered.insert(from)) {
    ++refused_;
    return;
  }
  fx.send(from, Give{m.instance, payload->second});
}

// Only the payload that is certified: its digest was signed by a quorum, so it cannot be forged. It
// needs no room (Bracha's R7): a liar may have filled it at this node alone.
void SignedBroadcast::receive(NodeId, const Give& m, Fx& fx) {
  State* s = instance_of(m.instance);
  if (s == nullptr || s->done) return;
  if (!s->certificate || m.payload.size() > config_.payload_bytes ||
      hash(m.payload.view()) != s->value) {
    ++refused_;
    return;
  }
  const bool room = shelf_.has_room(m.instance, m.payload.size());
  shelf_.keep(m.instance, *s, s->value, m.payload);
  finish(m.instance, *s, fx, room ? Payload::kStays : Payload::kGoes);
}

// R7, R9: what a peer delivered exists, and what f+1 keep no more is skipped.
void SignedBroadcast::receive(NodeId from, const Have& m, Fx& fx) {
  for (const Progress& p : m.origins) {
    if (!config_.committee.contains(p.origin)) {
      ++refused_;
      continue;
    }
    if (peers_.take(from, p)) shelf_.look_again(p.origin);
    if (const auto over = shelf_.told_floor(p.origin, from, p.floor))
      raise_floor(p.origin, *over, fx);
    open_delivered(p);
    if (p.below > shelf_.end(p.origin)) shelf_.told_ahead({p.origin, p.below - 1}, from);
  }
  if (!m.asks) return;
  if (!served_.take(from)) {
    ++refused_;
    asks_on_ = true;
    return;
  }
  Have own;
  for (const NodeId o : node_ids(shelf_.origins())) own.origins.push_back(shelf_.progress(o));
  fx.send(from, std::move(own));
}

// Summaries say the same again and again, and any peer may send one at any time: so what is open
// already is passed over. A node without the oldest ones names others; only this many of these are
// looked at in a tick.
void SignedBroadcast::open_delivered(const Progress& p) {
  const std::uint64_t oldest = shelf_.oldest_open(p.origin);
  const std::uint64_t end = std::min(p.below, shelf_.end(p.origin));
  std::uint64_t& opened = opened_[p.origin.value];
  opened = std::max(opened, oldest);
  const bool follows = p.floor <= opened;
  std::uint64_t k = std::max(opened, p.floor);
  for (; k < end && (follows || beyond_ < kBeyond * config_.window); ++k) {
    (void)shelf_.open({p.origin, k});
    beyond_ += follows ? 0 : 1;
  }
  if (follows) opened = std::max(opened, end);
  for (const std::uint64_t above : p.above) {
    if (above >= opened) (void)shelf_.open({p.origin, above});
  }
}

// R8: delivered, and nobody needs it here: all have it, or had the time to ask.
bool SignedBroadcast::may_forget(const Instance& i, const State& s) const {
  return s.done && (s.age >= kKeepTicks || peers_.all_have(config_.self, i));
}

void SignedBroadcast::trim(NodeId id, Fx& fx) {
  const auto may = [this](const Instance& i, const State& s) { return may_forget(i, s); };
  raise_floor(id, shelf_.crowded_floor(id, may), fx);
}

void SignedBroadcast::raise_floor(NodeId id, std::uint64_t number, Fx& fx) {
  const bool rose = broadcast::raise_floor(
      shelf_, {kFloors, id, number}, fx, [&](const Instance& old, const State& s) {
        if (s.unrecorded > 0) confirm(old, fx);
        fx.push(Persist{kVotes, key_of(old), {}, {}, true});
        fx.push(Persist{kCertificates, key_of(old), {}, {}, true});
      });
  if (rose && id == config_.self) next_ = std::max(next_, number);
}

void SignedBroadcast::forget_below(std::uint64_t number, Fx& fx) {
  for (const NodeId o : node_ids(shelf_.origins())) raise_floor(o, number, fx);
}

void SignedBroadcast::expect(const Instance& i, Fx& fx) {
  State* s = shelf_.open(i);
  if (s == nullptr || s->done) return;
  fx.broadcast(Want{i, true, false});
  arm(fx);
}

const Bytes* SignedBroadcast::delivered(const Instance& i) const {
  const State* s = shelf_.find(i);
  if (s == nullptr || !s->done) return nullptr;
  const auto payload = s->payloads.find(s->value);
  return payload == s->payloads.end() ? nullptr : &payload->second;
}

// R7: of those origins of which there is news; without any, of all, and others are asked for
// theirs. News of one origin must not keep a node that was cut off from hearing of another, so all
// are told again now and then whatever comes.
void SignedBroadcast::tell_progress(bool ask, Fx& fx) {
  Have have{.origins = {}, .asks = ask};
  for (const NodeId o : node_ids(shelf_.origins())) {
    Progress now = shelf_.progress(o);
    if (now == told_[o.value]) continue;
    told_[o.value] = now;
    have.origins.push_back(std::move(now));
  }
  const bool again = ++since_all_ >= broadcast::kSeldomTicks && !settled();
  if (again || (have.origins.empty() && ask)) {
    have.origins = told_;
    since_all_ = 0;
  }
  if (!have.origins.empty()) fx.broadcast(std::move(have));
}

// R9
void SignedBroadcast::catch_up(NodeId id, Fx& fx) {
  shelf_.open_missed(id, [&](const Instance& i, State& s) {
    if (s.asked == 0) ask(i, s, fx);
  });
}

// Everything is delivered here and known to be delivered by all.
bool SignedBroadcast::settled() const {
  bool all = true;
  shelf_.for_each([&](const Instance& i, const State& s) { all = all && settled(i, s); });
  return all;
}

bool SignedBroadcast::settled(const Instance& i, const State& s) const {
  return shelf_.in_history(i) || (s.done && peers_.all_have(config_.self, i));
}

void SignedBroadcast::on(const Expired&, Fx& fx) {
  armed_ = false;
  ++quiet_;
  const bool lost = std::exchange(behind_, false);
  beyond_ = 0;
  asks_on_ = false;
  served_ = PeerQuota<kSummaries>(config_.committee.size());
  for (const NodeId o : node_ids(shelf_.origins())) {
    const broadcast::Turns turns(shelf_.at_tick(o));
    shelf_.for_each_of(o, [&](const Instance& i, State& s) {
      s.answered = s.certified = NodeSet{};
      if (s.done) {
        ++s.age;
        if (broadcast::record_due(s)) confirm(i, fx);
      } else if (!turns.on_its_way(s)) {
        ask(i, s, fx);
      }
    });
  }
  // In the first quiet tick all tell what they have; nobody has to be asked then.
  tell_progress(lost || (quiet_ > 1 && due(quiet_ - 1) && !settled()), fx);
  for (const NodeId o : node_ids(shelf_.origins())) {
    trim(o, fx);
    // A peer that said it delivered more than the window had place for is asked at the next tick.
    shelf_.open_missed(o, [](const Instance&, const State&) {});
  }
  arm(fx);
}

void SignedBroadcast::arm(Fx& fx) {
  if (armed_) return;
  const auto rests = [&](const Instance& i, const State& s) {
    return s.unrecorded == 0 && s.answered.empty() && s.certified.empty() && settled(i, s);
  };
  const auto told = [&](NodeId id) { return shelf_.progress(id) == told_[id.value]; };
  if (!behind_ && !asks_on_ && shelf_.at_rest(rests, told)) return;
  armed_ = true;
  fx.push(ArmTimer{{1, {}}, kRepeat});
}

// The host has it by now, whatever dies.
void SignedBroadcast::confirm(const Instance& i, Fx& fx) {
  fx.push(Persist{kUnconfirmed, key_of(i), {}, {}, true});
}

broadcast::Footprint SignedBroadcast::footprint() const {
  return shelf_.footprint([](const State& s) {
    return s.votes.size() + s.unverified.size() + (s.certificate ? 1 : 0);
  });
}

broadcast::Footprint SignedBroadcast::most_held(const Config& config) {
  const std::size_t n = config.committee.size();
  // A voter may be in both maps of an instance by another digest, verified and not; the certificate
  // has a digest of its own.
  return broadcast::Shelf<State>::most_held(config, config.origin_bytes, 2 * n + 1);
}

}  // namespace thresher
