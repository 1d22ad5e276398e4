// A small signed broadcast, written by nothing but docs/simulator/your-protocol.md: the origin says
// something, all sign what they heard of it first, and whoever holds a quorum of signatures outputs
// it. With one of four bugs that are easily made.
//
//   check_protocol<SignedBroadcast<Bug::kNone>>({agreement(), integrity(), validity()});
//
// Guarantees without a bug: no two correct nodes output different payloads of one origin and
// number, restarts included. Promises no totality. Keeps every instance: it is made for tests.
#pragma once

#include <map>
#include <set>

#include "thresher/core/committee.hpp"
#include "thresher/core/hash.hpp"
#include "thresher/core/protocol.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/testing/subject.hpp"

namespace thresher {

enum class Bug : std::uint8_t {
  kNone,
  kSignersTwice,         ///< a signer that repeats itself counts again
  kOneLess,              ///< a quorum minus one is enough
  kSecondValue,          ///< signs whatever it hears
  kForgetsAfterRestart,  ///< what it signed is not durable
};

template <Bug kBug>
class SignedBroadcast {
 public:
  struct Message {
    NodeId origin{};
    std::uint64_t number = 0;
    Bytes payload;
    std::optional<Signature> signature{};  ///< empty: the origin says it
  };
  struct Output {
    NodeId origin{};
    std::uint64_t number = 0;
    Bytes payload;
  };
  struct Request {
    Bytes payload;
  };
  using Fx = EffectsOf<SignedBroadcast>;

  SignedBroadcast(const Committee& members, NodeId id) : committee_(members), self_(id) {}

  void on(const Restored& r, Fx&) {
    Reader key(r.key.view());
    Reader value(r.value.view());
    const NodeId origin{key.u16()};
    const std::uint64_t number = key.u64();
    signed_[{origin, number}] = value.digest();
    if (origin == self_) said_ = std::max(said_, number);
  }
  void on(const Requested<Request>& r, Fx& fx) {
    const Message say{self_, ++said_, r.request.payload, {}};
    sign(say, fx);
    fx.broadcast(say);
  }
  void on(const Received<Message>& m, Fx& fx) {
    const Message& said = m.message;
    if (!committee_.contains(said.origin)) return;
    if (!said.signature) {
      if (m.from == said.origin) sign(said, fx);
      return;
    }
    checks_[++tickets_] = {m.from, said};
    fx.push(Verify{{tickets_, {}}, m.from, digest_of(said), *said.signature});
  }
  void on(const Verified& v, Fx& fx) {
    const auto it = checks_.find(v.ticket.local);
    if (it == checks_.end()) return;
    const auto [signer, message] = it->second;
    checks_.erase(it);
    if (v.ok) count(signer, message, fx);
  }
  void on(const Endorsed& e, Fx& fx) {
    const auto it = signing_.find(e.ticket.local);
    if (it == signing_.end()) return;
    Message vote = it->second;
    signing_.erase(it);
    vote.signature = e.signature;
    fx.broadcast(vote);
    count(self_, vote, fx);
  }

 private:
  using Name = std::pair<NodeId, std::uint64_t>;

  static Digest digest_of(const Message& m) {
    Writer w;
    w.u16(m.origin.value).u64(m.number).bytes(m.payload.view());
    return hash(w.view());
  }
  // What is heard first of an instance, and nothing else, whatever restarts lie between.
  void sign(const Message& said, Fx& fx) {
    const Digest digest = digest_of(said);
    const bool fresh = signed_.try_emplace({said.origin, said.number}, digest).second;
    if (!fresh && kBug != Bug::kSecondValue) return;
    // The own numbers must be durable in any case, or a new payload would get an old one.
    if (kBug != Bug::kForgetsAfterRestart || said.origin == self_) {
      Writer key;
      key.u16(said.origin.value).u64(said.number);
      Writer value;
      value.bytes(digest.bytes);
      fx.push(Persist{1, Bytes::from(key.take()), Bytes::from(value.take()), {}, false});
    }
    signing_[++tickets_] = said;
    fx.push(Endorse{{tickets_, {}}, digest});
  }
  void count(NodeId signer, const Message& m, Fx& fx) {
    const Digest digest = digest_of(m);
    std::multiset<NodeId>& signers = signers_[{m.origin, m.number}][digest];
    if (kBug == Bug::kSignersTwice || !signers.contains(signer)) signers.insert(signer);
    const std::size_t enough = committee_.at_least(kQuorum) - (kBug == Bug::kOneLess ? 1 : 0);
    if (signers.size() < enough || !output_.insert({m.origin, m.number}).second) return;
    fx.deliver({m.origin, m.number, m.payload});
  }

  Committee committee_;
  NodeId self_;
  std::uint64_t said_ = 0;
  std::uint64_t tickets_ = 0;
  std::map<Name, Digest> signed_;
  std::map<std::uint64_t, Message> signing_;
  std::map<std::uint64_t, std::pair<NodeId, Message>> checks_;
  std::map<Name, std::map<Digest, std::multiset<NodeId>>> signers_;
  std::set<Name> output_;
};

template <Bug kBug>
struct SignedBroadcastSubject : testing::SubjectBase<SignedBroadcast<kBug>> {
  using Base = testing::SubjectBase<SignedBroadcast<kBug>>;
  using Base::Base;
  using Base::facts_of;
  static constexpr bool kOrdered = false;

  sim::OutputFacts facts_of(const typename SignedBroadcast<kBug>::Output& o) const {
    const std::uint64_t key = o.number * this->committee.size() + o.origin.value;
    return {.key = key, .digest = hash(o.payload.view()), .round = o.number};
  }
};

}  // namespace thresher

template <thresher::Bug kBug>
struct thresher::testing::SubjectOf<thresher::SignedBroadcast<kBug>> {
  using type = thresher::SignedBroadcastSubject<kBug>;
};
