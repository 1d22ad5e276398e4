// Real certified nodes against an adversary that owns the network and f keys: no clock, any order
// of messages, timers that fire at will, headers that lie, certificates that only some see.
//
//   CertifiedArena arena(Rules::anchored_bullshark(), n, seed);
//   std::string violation = arena.run(4000);       // empty when nothing broke
//
// The adversary reads every message, starves links for a while, proposes two headers for one round,
// drops self edges, builds anchors on the parents that hide what it dislikes, keeps certificates
// back, signs whatever others propose, badly too. Every message passes through its wire form.
// Checked: C1, no name has two certifiable vertices; C2, a correct node signs one header and casts
// one vote for each author and round, restarts included; P5, one sequence of commits; T1, over all
// vertices that can be certified, every one that may be an anchor reaches every earlier one with
// enough votes; P6, once the network is fair, everybody has every commit and every payload.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/certified/store.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "thresher/sim/signing.hpp"
#include "thresher/testing/arena.hpp"

namespace thresher {

class CertifiedArena : private testing::ArenaOf<CertifiedArena, certified::Bullshark> {
  using Core = testing::ArenaOf<CertifiedArena, certified::Bullshark>;
  friend Core;

 public:
  using Bullshark = certified::Bullshark;
  using Message = certified::Message;

  struct Options {
    std::uint64_t crashes_per_10000 = 0;  ///< effect lists that are cut somewhere
    bool forget_votes = false;            ///< a mutant: restarts lose the votes
    bool fair_end = true;                 ///< demand P6
    bool forges = false;                  ///< liars sign badly in votes and certificates, too
  };

  CertifiedArena(const certified::Rules& rules, std::uint32_t n, std::uint64_t seed)
      : CertifiedArena(rules, n, seed, Options{}) {}
  CertifiedArena(const certified::Rules& rules, std::uint32_t n, std::uint64_t seed,
                 const Options& options)
      : Core(n, Prng(seed, 11), options.crashes_per_10000), rules_(rules), options_(options) {
    create_nodes();
  }

  std::string run(std::uint64_t steps) {
    for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
      if (!faulty(i)) feed(i, Start{i});
    }
    for (std::uint64_t s = 0; s < steps && violation_.empty(); ++s) act();
    if (violation_.empty()) check_anchors_reach();
    if (violation_.empty() && options_.fair_end) finish_fairly();
    if (violation_.empty()) check_anchors_reach();
    return violation_;
  }
  std::uint64_t commits() const { return reference_.size(); }
  std::uint64_t crashes() const { return crashes_; }
  std::uint64_t equivocations() const { return accusations_; }
  std::uint64_t certified_lies() const { return certified_lies_; }

 private:
  using Name = std::pair<std::uint16_t, std::uint64_t>;
  Bullshark fresh(std::uint16_t i) const {
    certified::Config config;
    config.committee = committee_;
    config.self = NodeId{i};
    config.rules = rules_;
    if (i % 2 == 1) config.gather = Delay{500};  // the others verify as soon as it could matter
    config.coin = std::make_shared<coin::IdealCoin>(committee_.at_least(kStrong), NodeId{i}, 3);
    return Bullshark(std::move(config));
  }
  void violated(const std::string& why) {
    if (violation_.empty()) violation_ = why;
  }
  void violated(const std::string& lemma, const std::string& why) { violated(lemma + ": " + why); }

  static Signature sign(std::uint16_t signer, const Digest& digest) {
    return sim::mock_signature(NodeId{signer}, digest);
  }

  void taste() {
    shown_of_3_ = 1 + random_.below(3);
    variants_ = 1 + random_.below(2);
    forgets_of_8_ = random_.below(9);
  }

  void submit() {
    const std::uint16_t i = any_node();
    if (faulty(i) || nodes_[i].pending_submits() > 0) return;
    const certified::Payload p = some_payload(i);
    if (!restarted_.contains(i)) wanted_.emplace(p.root, i);
    feed(i, Requested<certified::Submit>{{p}});
  }
  certified::Payload some_payload(std::uint16_t author) {
    Writer w;
    w.u16(author).u64(++payloads_);
    const Bytes bytes = Bytes::from(w.take());
    return {bytes, hash(bytes.view())};
  }

  // The host keeps what was submitted and is not yet in a header.
  void begins(std::uint16_t i) {
    restarted_.insert(i);
    std::erase_if(wanted_, [&](const auto& w) { return w.second == i; });
  }
  bool forgets(const Restored& r) const {
    return options_.forget_votes && r.table == certified::kVoted;
  }

  using Core::emit;
  void emit(std::uint16_t i, const Send<Message>& e, Todo&) {
    note(i, e.message);
    post(i, e.to.value, e.message);
  }
  void emit(std::uint16_t i, const Broadcast<Message>& e, Todo&) {
    note(i, e.message);
    put_to_all(i, e.message);
  }
  void emit(std::uint16_t i, const Deliver<certified::Committed>& e, Todo&) {
    for (const auto& v : e.output.blocks) got_[v->payload.root].insert(i);
    committed(i, {e.output.slot.value, e.output.leader});
  }
  void emit(std::uint16_t i, const Verify& e, Todo& todo) {
    const bool ok = sign(e.signer.value, e.digest) == e.signature;
    judged(i, e, ok);
    todo.push_back(Verified{e.ticket, ok});
  }
  void emit(std::uint16_t i, const VerifyAll& e, Todo& todo) {
    const bool ok = e.list->all(
        [&](NodeId signer, const Signature& s) { return sign(signer.value, e.digest) == s; });
    judged(i, e, ok);
    todo.push_back(Verified{e.ticket, ok});
  }
  void emit(std::uint16_t i, const Endorse& e, Todo& todo) {
    todo.push_back(Endorsed{e.ticket, sign(i, e.digest)});
  }
  void emit(std::uint16_t, const Accuse& e, Todo&) {
    ++accusations_;
    if (!faulty(e.who.value)) violated("evidence: a correct node was accused");
  }

  void post(std::uint16_t from, std::uint16_t to, const Message& m) {
    if (faulty(to)) return answer(to, from, m);
    if (letters_.size() >= kMostLetters) return;
    const certified::Shape shape{committee_, rules_.stragglers};
    const WireParts wire = certified::encode(m, committee_.size());
    auto back = certified::decode(wire, {}, shape, certified::Limits{}, &hash);
    if (!back) return violated("wire: a message does not come back");
    put(from, to, std::move(*back));
  }

  // What the adversary learns, and what correct nodes may not do.
  void note(std::uint16_t from, const Message& m) {
    if (const auto* p = std::get_if<certified::Propose>(&m)) {
      const auto& h = p->proposal->header;
      learn(p->proposal);
      const auto first = own_.emplace(Name(from, h.round.value), p->proposal->digest).first;
      if (!faulty(from) && first->second != p->proposal->digest) {
        violated("C2: node " + std::to_string(from) + " signed two headers for round " +
                 std::to_string(h.round.value));
      }
    } else if (const auto* v = std::get_if<certified::Vote>(&m)) {
      const auto known = headers_.find(v->digest);
      if (known == headers_.end()) return violated("C2: a vote for nothing");
      const auto& h = known->second->header;
      const auto first =
          votes_.emplace(std::pair(from, Name(h.author.value, h.round.value)), v->digest).first;
      if (first->second != v->digest) {
        violated("C2: node " + std::to_string(from) + " voted twice for one author and round");
      }
      signed_[v->digest].insert(from);
    } else if (const auto* c = std::get_if<certified::Certify>(&m)) {
      c->certificate.signers.for_each([&](NodeId id) { signed_[c->digest].insert(id.value); });
    } else if (const auto* b = std::get_if<certified::Batch>(&m)) {
      payload_of_.emplace(b->payload.root, b->payload);
    }
  }
  void learn(const certified::ProposalPtr& p) {
    if (!headers_.emplace(p->digest, p).second) return;
    signed_[p->digest].insert(p->header.author.value);
    by_round_[p->header.round.value].push_back(p);
  }

  // A header that the faulty can complete to a vertex: enough correct signatures are out.
  bool certifiable(const certified::ProposalPtr& p) const {
    std::set<std::uint16_t> all = faulty_;
    const auto it = signed_.find(p->digest);
    if (it != signed_.end()) all.insert(it->second.begin(), it->second.end());
    return all.size() >= committee_.at_least(rules_.certify);
  }
  certified::VertexPtr vertex(const certified::ProposalPtr& p) {
    std::set<std::uint16_t> all = signed_[p->digest];
    all.insert(faulty_.begin(), faulty_.end());
    certified::Certificate c{NodeSet(committee_.size()), {}};
    for (const std::uint16_t signer : all) {
      c.signers.insert(NodeId{signer});
      c.signatures.push_back(sign(signer, p->digest));
    }
    certified::Payload payload;
    if (!p->header.payload_root.is_zero()) payload = payload_of_[p->header.payload_root];
    return certified::make_vertex(*p, payload, std::move(c));
  }

  // A faulty node is asked: it gives what it likes.
  void answer(std::uint16_t self, std::uint16_t to, const Message& m) {
    if (fair_) return;
    const auto* want = std::get_if<certified::Want>(&m);
    if (want == nullptr || random_.below(2) == 0) return;
    certified::Give give;
    for (const certified::Ref& ref : want->vertices) {
      for (const auto& p : by_round_[ref.round.value]) {
        if (p->header.author == ref.author && certifiable(p)) give.vertices.push_back(vertex(p));
      }
    }
    if (!give.vertices.empty()) post(self, to, give);
  }

  void lie() {
    const std::uint16_t self = any_faulty();
    const std::uint64_t what = random_.below(4);
    if (what == 0) return vote_for_anything(self);
    if (what == 1) return show_certificates(self);
    const std::uint64_t top = by_round_.empty() ? 0 : by_round_.rbegin()->first;
    const std::uint64_t back = random_.below(4) == 0 ? random_.below(6) : random_.below(2);
    const std::uint64_t round = top + 1 > back ? top + 1 - back : 1;
    const std::uint64_t variants = random_.below(variants_) + 1;
    for (std::uint64_t v = 0; v < variants; ++v) propose(self, round);
  }

  bool forges() { return options_.forges && random_.below(2) == 0; }

  void vote_for_anything(std::uint16_t self) {
    if (by_round_.empty()) return;
    const auto& last = by_round_.rbegin()->second;
    const auto& p = last[random_.below(last.size())];
    std::uint16_t as = random_.below(4) == 0 ? any_node() : self;  // sometimes badly
    if (forges()) as = static_cast<std::uint16_t>(self + 1);
    post(self, p->header.author.value,
         certified::Vote{p->header.round, p->digest, sign(as, p->digest)});
  }

  void show_certificates(std::uint16_t self) {
    for (auto& [round, list] : by_round_) {
      if (round + 6 < by_round_.rbegin()->first) continue;
      for (const auto& p : list) {
        if (p->header.author.value != self || !certifiable(p)) continue;
        ++certified_lies_;
        const certified::VertexPtr v = vertex(p);
        for (std::uint16_t to = 0; to < nodes_.size(); ++to) {
          if (random_.below(3) >= shown_of_3_) continue;
          certified::Certificate shown = v->certificate;
          if (forges()) shown.signatures.back().front() ^= std::byte{1};
          post(self, to, certified::Certify{v->round(), v->digest, std::move(shown)});
        }
      }
    }
  }

  // Certified vertices of a round, one for each author, in a drawn order.
  std::vector<certified::ProposalPtr> choices(std::uint64_t round) {
    std::vector<certified::ProposalPtr> out;
    if (const auto it = by_round_.find(round); it != by_round_.end()) {
      for (const auto& p : it->second) {
        if (certifiable(p)) out.push_back(p);
      }
    }
    for (std::size_t k = out.size(); k > 1; --k) std::swap(out[k - 1], out[random_.below(k)]);
    return out;
  }

  void propose(std::uint16_t self, std::uint64_t round) {
    certified::Header h;
    h.author = NodeId{self};
    h.round = Round{round};
    const bool dense =
        certified::must_be_dense(h.ref(), rules_, committee_) ||
        (certified::may_be_dense(h.ref(), rules_, committee_) && random_.below(2) == 0);
    if (rules_.parents == certified::Parents::kVerifiable) return propose_sampled(std::move(h));
    const std::uint32_t most = dense ? committee_.at_least(rules_.dense) : rules_.sample + 1;
    for (const auto& p : choices(round - 1)) {
      if (round < 2 || h.parents.size() >= most) break;
      if (p->header.author.value == self && random_.below(8) < forgets_of_8_) continue;
      h.parents.insert(p->header.author);
      if (p->header.author.value == self) h.self = Round{round - 1};
    }
    if (h.self.value == 0 && round > 2) {  // an older self edge, or none
      for (std::uint64_t r = round - 2; r > 0 && random_.below(8) >= forgets_of_8_; --r) {
        for (const auto& p : choices(r)) {
          if (p->header.author.value == self && h.self.value == 0) h.self = Round{r};
        }
      }
    }
    h.fallback = rules_.asynchronous && random_.below(2) == 0 && certified::opens_wave(h.round) &&
                 round > certified::kFirstOfWaves;
    publish(std::move(h));
  }

  // The sample follows the rules, or nobody votes for it; the set it is drawn from is the author's.
  void propose_sampled(certified::Header h) {
    const Round before{h.round.value - 1};
    std::map<std::uint16_t, Digest> set;
    for (const auto& p : choices(before.value)) {
      if (set.size() < committee_.at_least(rules_.dense)) {
        set.emplace(p->header.author.value, p->digest);
      }
    }
    Writer unique;
    for (const auto& [author, digest] : set) {
      h.sampled_from.insert(NodeId{author});
      unique.u16(author).bytes(digest.bytes);
    }
    h.parents =
        certified::sample_parents(h.ref(), h.sampled_from, hash(unique.view()), rules_.sample);
    if (h.parents.contains(h.author)) h.self = before;
    publish(std::move(h));
  }

  void publish(certified::Header h) {
    const std::uint16_t self = h.author.value;
    const certified::Payload payload = some_payload(self);
    h.payload_root = payload.root;
    h.payload_bytes = static_cast<std::uint32_t>(payload.bytes.size());
    payload_of_.emplace(payload.root, payload);
    if (certified::flaw_of(h, rules_, committee_, 50) != certified::Flaw::kNone) return;
    const Digest digest = certified::digest_of(h, {});
    const auto p = certified::make_proposal(std::move(h), sign(self, digest), {});
    learn(p);
    for (std::uint16_t to = 0; to < nodes_.size(); ++to) {
      if (random_.below(3) >= shown_of_3_) continue;
      post(self, to, certified::Batch{payload});
      post(self, to, certified::Propose{p});
    }
  }

  // C1 and T1 over everything that could be certified, whoever holds it.
  void check_anchors_reach() {
    certified::Store all(committee_);
    for (const auto& [round, list] : by_round_) {
      for (const auto& p : list) {
        if (!certifiable(p)) continue;
        bool settled = true;
        certified::each_ref(p->header, [&](const certified::Ref& r) {
          settled = settled && all.settled(r);
          return settled;
        });
        // A vertex that no correct node has can still lack parents: nobody will accept it.
        if (!settled) continue;
        if (!all.insert(vertex(p))) {
          violated("C1: two vertices of node " + std::to_string(p->header.author.value) +
                   " in round " + std::to_string(round) + " can be certified");
          continue;
        }
        all.accept(p->header.ref());
      }
    }
    if (rules_.asynchronous) return;  // its votes have sides: P5 judges them
    for (Round a{2}; a < all.top(); a.value += 2) {
      for (const certified::Ref& one : leaders_of(all, a)) {
        if (all.votes(one) < committee_.at_least(rules_.commit)) continue;
        for (Round b{a.value + 2}; b <= all.top(); b.value += 2) {
          for (const certified::Ref& later : leaders_of(all, b)) expect_reaches(all, later, one);
        }
      }
    }
  }
  void expect_reaches(const certified::Store& all, const certified::Ref& later,
                      const certified::Ref& one) {
    if (all.reaches(later, one)) return;
    violated("T1: the anchor of round " + std::to_string(later.round.value) +
             " does not reach the committed one of round " + std::to_string(one.round.value));
  }
  // The vertices that may be the anchor of a round: of all authors, where what was ordered says who
  // leads. Then every dense vertex has to reach every one with enough votes.
  std::vector<certified::Ref> leaders_of(const certified::Store& all, Round round) const {
    if (rules_.turns == certified::Turns::kInOrder) {
      const certified::Ref anchor{certified::anchor_of(round, committee_), round};
      if (!all.accepted(anchor)) return {};
      return {anchor};
    }
    std::vector<certified::Ref> out;
    all.accepted_authors(round).members().for_each([&](NodeId id) {
      const certified::Ref ref{id, round};
      const std::size_t parents = all.find(ref)->vertex->header.parents.size();
      if (!rules_.dense_anchor || parents >= committee_.at_least(rules_.dense)) out.push_back(ref);
    });
    return out;
  }

  // The network becomes fair and the faulty fall silent: P6.
  void finish_fairly() {
    fair_ = true;
    crashes_per_10000_ = 0;
    stop_starving();
    const std::uint64_t target = reference_.size();
    for (int sweep = 0; sweep < 400 && violation_.empty(); ++sweep) {
      for (std::uint64_t k = 0; k < 4000 && !letters_.empty(); ++k) {
        deliver(random_.below(letters_.size()));
      }
      if (everybody_has(target)) return;
      for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
        const std::set<TimerId> due = std::exchange(timers_[i], {});
        for (const TimerId& id : due) {
          if (!faulty(i)) feed(i, Expired{id});
        }
      }
    }
    std::string where;
    for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
      if (faulty(i)) continue;
      where += "; node " + std::to_string(i) + " round " + std::to_string(nodes_[i].round().value) +
               " commits " + std::to_string(delivered_[i]) + " missing " +
               std::to_string(nodes_[i].footprint().missing);
    }
    violated("P6: not everything arrived in a fair network" + where);
  }
  bool everybody_has(std::uint64_t target) {
    for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
      if (faulty(i)) continue;
      if (delivered_[i] < target) return false;
      for (const auto& [root, owner] : wanted_) {
        if (!restarted_.contains(i) && !got_[root].contains(i)) return false;
      }
    }
    return true;
  }

  certified::Rules rules_;
  Options options_;
  std::set<std::uint16_t> restarted_;
  std::uint64_t accusations_ = 0;
  std::uint64_t certified_lies_ = 0;
  std::map<Digest, std::uint16_t> wanted_;
  std::map<Digest, std::set<std::uint16_t>> got_;
  std::map<Name, Digest> own_;
  std::map<std::pair<std::uint16_t, Name>, Digest> votes_;
  std::map<Digest, certified::ProposalPtr> headers_;
  std::map<std::uint64_t, std::vector<certified::ProposalPtr>> by_round_;
  std::map<Digest, std::set<std::uint16_t>> signed_;
  std::map<Digest, certified::Payload> payload_of_;
  std::uint64_t shown_of_3_ = 3;
  std::uint64_t variants_ = 1;
  std::uint64_t forgets_of_8_ = 1;
  std::uint64_t payloads_ = 0;
  bool fair_ = false;
  std::string violation_;
};

}  // namespace thresher
