#include "thresher/protocols/broadcast/signed_broadcast.hpp"

#include <algorithm>
#include <utility>

#include "signed_records.hpp"

namespace thresher {

using namespace signed_broadcast;  // NOLINT(google-build-using-namespace): the protocol's own words

Digest signed_broadcast::vote_digest(const ChainContext& chain, const Instance& i,
                                     const Digest& digest) {
  Transcript t("thresher/broadcast-vote/1", chain);
  t.u16(i.origin.value).u64(i.number).bytes(digest.bytes);
  return t.digest();
}

SignedBroadcast::SignedBroadcast(Config config)
    : config_(std::move(config)),
      shelf_(config_),
      peers_(config_.committee, config_.window),
      told_(config_.committee.size()),
      opened_(config_.committee.size()),
      served_(config_.committee.size()) {}

std::uint64_t SignedBroadcast::ticket(Check check) {
  checks_.emplace(++tickets_, std::move(check));
  return tickets_;
}

// R1
void SignedBroadcast::on(const Requested<Request>& event, Fx& fx) {
  const Bytes& payload = event.request.payload;
  const Instance i{config_.self, std::max(next_, event.request.at_least)};
  const bool fits = payload.size() <= config_.payload_bytes && shelf_.has_room(i, payload.size());
  State* s = fits ? shelf_.open(i) : nullptr;
  if (s == nullptr) {
    ++refused_;
    return;
  }
  next_ = i.number + 1;
  // The vote's record, which follows, holds the payload: it is the origin's as well.
  input(i, *s, payload, fx);
  fx.broadcast(Propose{i, payload});
  arm(fx);
}

void SignedBroadcast::on(const Received<Message>& event, Fx& fx) {
  if (event.from == config_.self || !config_.committee.contains(event.from)) return;
  std::visit([&](const auto& m) { receive(event.from, m, fx); }, event.message);
  arm(fx);
}

SignedBroadcast::State* SignedBroadcast::instance_of(const Instance& i) {
  State* s = shelf_.open(i);
  if (s != nullptr) return s;
  if (!shelf_.late(i)) ++refused_;
  // Too far ahead: others know from where on they keep something.
  if (config_.committee.contains(i.origin) && i.number >= shelf_.end(i.origin)) behind_ = true;
  return nullptr;
}

// R1. Without room it is refused for now: its origin repeats it.
void SignedBroadcast::receive(NodeId from, const Propose& m, Fx& fx) {
  if (from != m.instance.origin || m.payload.size() > config_.payload_bytes) {
    ++refused_;
    return;
  }
  State* s = instance_of(m.instance);
  if (s == nullptr) return;
  if (s->voted) {
    // The origin repeats itself: it may lack the vote.
    if (s->own && !s->done) fx.send(from, Vote{m.instance, *s->voted, *s->own});
    return;
  }
  if (!shelf_.has_room(m.instance, m.payload.size())) {
    ++refused_;
    return;
  }
  input(m.instance, *s, m.payload, fx);
}

// R2: one vote in an instance, durable with its payload before it leaves.
void SignedBroadcast::input(const Instance& i, State& s, const Bytes& payload, Fx& fx) {
  const Digest digest = hash(payload.view());
  if (!s.certificate || s.value == digest) shelf_.keep(i, s, digest, payload);
  s.voted = digest;
  fx.push(Persist{kVotes, key_of(i), Bytes::copy_of(digest.bytes), payload, false});
  sign(i, s, fx);
  finish(i, s, fx);
}

void SignedBroadcast::sign(const Instance& i, State& s, Fx& fx) {
  if (s.own || std::exchange(s.signing, true)) return;
  signing_.emplace(++tickets_, i);
  fx.push(Endorse{{tickets_, {}}, vote_digest(config_.chain, i, *s.voted)});
}

void SignedBroadcast::on(const Endorsed& e, Fx& fx) {
  const auto at = signing_.find(e.ticket.local);
  if (at == signing_.end()) return;
  const Instance i = at->second;
  signing_.erase(at);
  State* s = shelf_.find(i);
  if (s == nullptr) return;
  s->signing = false;
  s->own = e.signature;
  if (s->certificate) return;
  s->spoke.insert(config_.self);
  s->votes[*s->voted][config_.self] = e.signature;
  say_vote(i, *s, fx);
  check_votes(i, *s, *s->voted, fx);
}

void SignedBroadcast::say_vote(const Instance& i, const State& s, Fx& fx) const {
  if (!s.own) return;
  const Vote vote{i, *s.voted, *s.own};
  if (!config_.votes_to_origin) {
    fx.broadcast(vote);
  } else if (i.origin != config_.self) {
    fx.send(i.origin, vote);
  }
}

// R3: a peer has one vote in an instance, whatever it says.
void SignedBroadcast::receive(NodeId from, const Vote& m, Fx& fx) {
  if (config_.votes_to_origin && m.instance.origin != config_.self) {
    ++refused_;
    return;
  }
  State* s = instance_of(m.instance);
  if (s == nullptr || s->certificate || !s->spoke.insert(from)) return;
  s->unverified[m.digest][from] = m.signature;
  check_votes(m.instance, *s, m.digest, fx);
}

// Signatures are checked when they could be enough, all at once.
void SignedBroadcast::check_votes(const Instance& i, State& s, const Digest& digest, Fx& fx) {
  const std::size_t needed = config_.committee.at_least(config_.certify);
  if (s.votes[digest].size() >= needed) return try_certify(i, s, digest, fx);
  const auto waiting = s.unverified.find(digest);
  if (waiting == s.unverified.end() || s.votes[digest].size() + waiting->second.size() < needed)
    return;
  for (const auto& [signer, signature] : waiting->second) {
    const std::uint64_t t = ticket({i, digest, signer, signature});
    fx.push(Verify{{t, {}}, signer, vote_digest(config_.chain, i, digest), signature, signer});
  }
  s.unverified.erase(waiting);
}

void SignedBroadcast::on(const Verified& v, Fx& fx) {
  const auto at = checks_.find(v.ticket.local);
  if (at == checks_.end()) return;
  const Check check = std::move(at->second);
  checks_.erase(at);
  State* s = shelf_.find(check.instance);
  if (!v.ok) ++refused_;
  if (!v.ok || s == nullptr || s->certificate) return;
  if (check.list != nullptr) return certified(check.instance, *s, check.digest, check.list, fx);
  s->votes[check.digest][check.signer] = check.signature;
  check_votes(check.instance, *s, check.digest, fx);
}

// R4
void SignedBroadcast::try_certify(const Instance& i, State& s, const Digest& digest, Fx& fx) {
  if (s.certificate) return;
  const std::size_t needed = config_.committee.at_least(config_.certify);
  SignatureList list{NodeSet(config_.committee.size()), {}};
  for (const auto& [signer, signature] : s.votes[digest]) {
    if (list.signatures.size() == needed) break;
    list.signers.insert(signer);
    list.signatures.push_back(signature);
  }
  auto shared = std::make_shared<const SignatureList>(std::move(list));
  if (config_.votes_to_origin) fx.broadcast(Certificate{i, digest, shared});
  certified(i, s, digest, std::move(shared), fx);
}

// R4. One certificate of each peer is looked at, since a correct one sends a right one.
void SignedBroadcast::receive(NodeId from, const Certificate& m, Fx& fx) {
  State* s = instance_of(m.instance);
  if (s == nullptr || s->certificate || !s->certifiers.insert(from)) return;
  const bool enough = m.list != nullptr && m.list->complete() &&
                      m.list->signers.below(config_.committee.size()) &&
                      m.list->signers.size() >= config_.committee.at_least(config_.certify);
  if (!enough) {
    ++refused_;
    return;
  }
  const std::uint64_t t = ticket({.instance = m.instance, .digest = m.digest, .list = m.list});
  fx.push(VerifyAll{{t, {}}, vote_digest(config_.chain, m.instance, m.digest), m.list, from});
}

void SignedBroadcast::certified(const Instance& i, State& s, const Digest& digest,
                                std::shared_ptr<const SignatureList> list, Fx& fx) {
  s.certificate = std::move(list);
  s.value = digest;
  shelf_.keep_only(i, s, digest);
  s.votes.clear();
  s.unverified.clear();
  finish(i, s, fx);
  // A node that had to ask for the certificate will not be sent the payload either.
  if (const State* after = shelf_.find(i); after != nullptr && !after->done && after->asked > 0)
    ask_payload(i, *after, fx);
}

// R5: delivers once certificate and payload are here. The certificate is on disk before: others may
// never have the votes for another one, so it must outlive a crash as the delivery does.
void SignedBroadcast::finish(const Instance& i, State& s, Fx& fx, Payload then) {
  if (s.done || !s.certificate) return;
  const auto payload = s.payloads.find(s.value);
  if (payload == s.payloads.end()) return;
  shelf_.mark_delivered(i, s);
  quiet_ = 0;
  fx.push(Persist{kUnconfirmed, key_of(i), Bytes::copy_of(as_view("delivered")), {}, true});
  const bool body = then == Payload::kStays && s.voted != s.value;
  fx.push(Persist{kCertificates, key_of(i), certificate_record(s.value, *s.certificate),
                  body ? payload->second : Bytes{}, false});
  fx.deliver({i, payload->second});
  if (then == Payload::kGoes) shelf_.drop(i, s, s.value);
  const NodeId origin = i.origin;
  trim(origin, fx);
  if (shelf_.far_behind(origin)) catch_up(origin, fx);
}

}  // namespace thresher
