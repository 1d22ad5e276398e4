// Real nodes of Simplex or HotStuff-2 against an adversary that owns the network and f keys: no
// clock, any order of messages, timers that fire at will, crashes after any effect.
//
//   ChainArena<Simplex> arena(5, seed, {.crashes_per_10000 = 50});
//   std::string violation = arena.run(4000);       // empty when nothing broke
//
// The adversary reads every message and keeps every signature, so it makes each certificate as soon
// as it can be made, and shows it to whom it likes. It proposes two blocks in a view, on any
// certified block, with all proofs that it has or fewer; it votes for everything, skips what it
// finalizes, and starves links. Every message passes through its wire form.
// Checked: S1, a correct node votes for one block a view; S2, it never says of one view both that
// it may be skipped and that a block is final; S3, one sequence of deliveries, restarts included.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "thresher/protocols/order/leader_chain_wire.hpp"
#include "thresher/sim/signing.hpp"
#include "thresher/testing/arena.hpp"

namespace thresher {

struct ChainArenaOptions {
  std::uint64_t crashes_per_10000 = 0;  ///< effect lists that are cut somewhere
  bool forgets_said = false;            ///< a mutant: restarts lose what was said
  bool forges = false;                  ///< liars sign badly in votes and certificates, too
  LeaderChain::Config base{};           ///< with the rules that a mutant lacks
};

template <class Node>
class ChainArena : private testing::ArenaOf<ChainArena<Node>, Node> {
  using Core = testing::ArenaOf<ChainArena<Node>, Node>;
  friend Core;
  using Message = LeaderChain::Message;
  using Todo = typename Core::Todo;
  using Kind = leader_chain::Kind;
  using Reference = leader_chain::Reference;
  using Core::any_node, Core::any_faulty, Core::faulty, Core::feed, Core::random_, Core::nodes_;
  using Core::committee_, Core::letters_, Core::put;

 public:
  ChainArena(std::uint32_t n, std::uint64_t seed, const ChainArenaOptions& options = {})
      : Core(n, Prng(seed, 13), options.crashes_per_10000), options_(options) {
    this->create_nodes();
  }

  std::string run(std::uint64_t steps) {
    for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
      if (!faulty(i)) feed(i, Start{i});
    }
    for (std::uint64_t s = 0; s < steps && violation_.empty(); ++s) this->act();
    return violation_;
  }
  std::uint64_t delivered() const { return this->reference_.size(); }
  std::uint64_t crashes() const { return this->crashes_; }
  std::uint64_t lies() const { return lies_; }

 private:
  using About = std::pair<Kind, Reference>;

  LeaderChain::Config config_of(std::uint16_t i) const {
    LeaderChain::Config config = options_.base;
    config.committee = committee_;
    config.self = NodeId{i};
    config.value_bytes = 64;
    config.block_values = 4;
    return config;
  }
  Node fresh(std::uint16_t i) const { return Node(config_of(i)); }
  void violated(const std::string& lemma, const std::string& why) {
    if (violation_.empty()) violation_ = lemma + ": " + why;
  }
  void begins(std::uint16_t) {}
  bool forgets(const Restored& r) const {
    constexpr std::uint32_t kSaid = 1;
    return options_.forgets_said && r.table == kSaid;
  }
  void taste() {
    shown_of_4_ = 1 + random_.below(4);
    hurries_ = random_.below(4);
  }
  void submit() {
    const std::uint16_t i = any_node();
    if (!faulty(i)) feed(i, Requested<leader_chain::Submit>{{some_value()}});
  }
  Bytes some_value() { return Bytes::from(Writer().u64(++values_).take()); }

  // What correct nodes do.
  using Core::emit;
  void emit(std::uint16_t i, const Send<Message>& e, Todo&) {
    note(i, e.message);
    post(i, e.to.value, e.message);
  }
  void emit(std::uint16_t i, const Broadcast<Message>& e, Todo&) {
    note(i, e.message);
    this->put_to_all(i, e.message);
  }
  void emit(std::uint16_t i, const Deliver<leader_chain::Delivery>& e, Todo&) {
    this->committed(i, {e.output.slot, hash(e.output.value.view())});
  }
  void emit(std::uint16_t i, const Verify& e, Todo& todo) {
    const bool ok = sim::mock_signature(e.signer, e.digest) == e.signature;
    this->judged(i, e, ok);
    todo.push_back(Verified{e.ticket, ok});
  }
  void emit(std::uint16_t i, const VerifyAll& e, Todo& todo) {
    const bool ok = e.list->all([&](NodeId signer, const Signature& s) {
      return sim::mock_signature(signer, e.digest) == s;
    });
    this->judged(i, e, ok);
    todo.push_back(Verified{e.ticket, ok});
  }
  void emit(std::uint16_t i, const Endorse& e, Todo& todo) {
    todo.push_back(Endorsed{e.ticket, sim::mock_signature(NodeId{i}, e.digest)});
  }
  void post(std::uint16_t from, std::uint16_t to, const Message& m) {
    if (faulty(to)) return;
    auto again = decode_leader_chain(encode(m), committee_);
    if (!again) return violated("wire", "a message of a correct node is not read back");
    put(from, to, std::move(*again));
  }

  // What the adversary learns, and the lemmas of the proof.
  void note(std::uint16_t i, const Message& m) {
    if (const auto* p = std::get_if<leader_chain::Propose>(&m)) {
      if (p->parent) note_certificate(*p->parent);
      for (const auto& c : p->skips) note_certificate(c);
      top_ = std::max(top_, p->block.view);
    }
    if (const auto* c = std::get_if<leader_chain::Certificate>(&m)) note_certificate(*c);
    const auto* v = std::get_if<leader_chain::Vote>(&m);
    if (v == nullptr) return;
    top_ = std::max(top_, v->view);
    signatures_[{v->kind, {v->view, v->digest}}][NodeId{i}] = v->signature;
    auto& said = said_[{i, v->view}];
    said.insert({v->kind, v->digest});
    const auto of = [&](Kind k) {
      return std::count_if(said.begin(), said.end(), [&](const auto& s) { return s.first == k; });
    };
    const std::string who = "node " + std::to_string(i) + " in view " + std::to_string(v->view);
    if (of(Kind::kNotarize) > 1) violated("S1", who + " voted for two blocks");
    if (of(Kind::kSkip) > 0 && of(Kind::kFinalize) > 0)
      violated("S2", who + " skips and finalizes");
    try_certificate({v->kind, {v->view, v->digest}});
  }
  void note_certificate(const leader_chain::Certificate& c) {
    certificates_.try_emplace({c.kind, {c.view, c.digest}}, c);
  }
  std::uint32_t enough(Kind kind) const {
    return committee_.at_least(kind == Kind::kNotarize ? options_.base.notarize
                                                       : options_.base.skip);
  }
  Digest statement(const About& about) const {
    return leader_chain::statement({}, rules(), about.first, about.second);
  }
  static leader_chain::Rules rules() { return Node(LeaderChain::Config{}).rules(); }
  // With the own signatures on top.
  void try_certificate(const About& about) {
    if (about.first == Kind::kFinalize || certificates_.contains(about)) return;
    auto signatures = signatures_[about];
    for (const std::uint16_t b : this->faulty_)
      signatures[NodeId{b}] = sim::mock_signature(NodeId{b}, statement(about));
    if (signatures.size() < enough(about.first)) return;
    SignatureList list{NodeSet(committee_.size()), {}};
    for (const auto& [signer, signature] : signatures) {
      if (list.signatures.size() == enough(about.first)) break;
      list.signers.insert(signer);
      list.signatures.push_back(signature);
    }
    certificates_[about] = {about.first, about.second.view, about.second.digest,
                            std::make_shared<const SignatureList>(std::move(list))};
  }

  // What liars do.
  void lie() {
    ++lies_;
    const std::uint64_t what = random_.below(16);
    if (what < 6) return lie_by_blocks();
    if (what < 12) return lie_by_votes();
    if (what < 12 + hurries_) return hurry();
    show_certificate();
  }
  // A clock that runs ahead.
  void hurry() {
    const std::uint16_t i = any_node();
    for (int k = 0; k < 8 && !faulty(i) && !this->timers_[i].empty(); ++k) {
      const TimerId id = *this->timers_[i].begin();
      this->timers_[i].erase(id);
      feed(i, Expired{id});
    }
  }
  bool forges() { return options_.forges && random_.below(2) == 0; }
  void show(std::uint16_t from, const Message& m) {
    for (std::uint16_t to = 0; to < nodes_.size(); ++to) {
      if (!faulty(to) && random_.below(4) < shown_of_4_) put(from, to, m);
    }
  }
  // In a view that a faulty node leads, two blocks, on the same certified block or on two.
  void lie_by_blocks() {
    const std::uint16_t b = any_faulty();
    const std::uint64_t n = committee_.size();
    const std::uint64_t from = top_ - std::min<std::uint64_t>(top_, 2) + 1;
    const std::uint64_t view = from + (b + n - from % n) % n;
    for (int k = 0; k < 2; ++k) {
      leader_chain::Propose m;
      m.block.view = view;
      choose_parent(m);
      if (random_.below(4) != 0) m.block.values.push_back(some_value());
      add_skips(m);
      show(b, m);
      for (const std::uint16_t voter : this->faulty_) vote_for(voter, m);
    }
  }
  void choose_parent(leader_chain::Propose& m) {
    std::vector<const leader_chain::Certificate*> blocks;
    for (const auto& [about, c] : certificates_) {
      if (about.first == Kind::kNotarize && c.view < m.block.view) blocks.push_back(&c);
    }
    const std::size_t back = random_.below(3);  // one of the latest
    if (blocks.size() <= back) return;
    m.parent = *blocks[blocks.size() - 1 - back];
    m.block.parent = {m.parent->view, m.parent->digest};
    m.block.first = ends_[m.block.parent];
  }
  void add_skips(leader_chain::Propose& m) {
    const bool all = random_.below(4) != 0;
    for (std::uint64_t k = m.block.parent.view + 1; k < m.block.view; ++k) {
      const auto c = certificates_.find({Kind::kSkip, {k, {}}});
      const bool may = c != certificates_.end() && m.skips.size() < leader_chain::kSkips;
      if (may && (all || random_.below(2) == 0)) m.skips.push_back(c->second);
    }
  }
  // A node computes the name of a block; the adversary learns it from a node that votes for it.
  void vote_for(std::uint16_t voter, const leader_chain::Propose& m) {
    const Reference name = leader_chain::name_of({}, m.block);
    ends_[name] = m.block.end();
    vote(voter, {Kind::kNotarize, name});
  }
  void vote(std::uint16_t voter, const About& about) {
    Signature s = sim::mock_signature(NodeId{voter}, statement(about));
    if (forges()) s.front() ^= std::byte{1};
    show(voter, leader_chain::Vote{about.first, about.second.view, about.second.digest, s});
  }
  // For whatever others vote for, and for skipping the same view.
  void lie_by_votes() {
    std::vector<About> recent;
    for (const auto& [about, signatures] : signatures_) {
      if (about.second.view + 3 >= top_) recent.push_back(about);
    }
    if (recent.empty()) return;
    const std::uint16_t b = any_faulty();
    About about = recent[random_.below(recent.size())];
    if (about.second.digest.is_zero() || random_.below(3) == 0) {
      about = {Kind::kSkip, {about.second.view, {}}};
    } else {
      about.first = random_.below(2) == 0 ? Kind::kNotarize : Kind::kFinalize;
    }
    vote(b, about);
    try_certificate(about);
  }
  void show_certificate() {
    if (certificates_.empty()) return;
    auto at = certificates_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(certificates_.size())));
    const std::uint16_t to = any_node();
    leader_chain::Certificate shown = at->second;
    if (forges()) {
      SignatureList list = *shown.list;
      list.signatures.back().front() ^= std::byte{1};
      shown.list = std::make_shared<const SignatureList>(std::move(list));
    }
    if (!faulty(to)) put(any_faulty(), to, std::move(shown));
  }
  void sees(std::uint16_t, const InputOf<Node>& input) {
    const auto* r = std::get_if<Received<Message>>(&input);
    const auto* p = r == nullptr ? nullptr : std::get_if<leader_chain::Propose>(&r->message);
    if (p != nullptr) ends_[leader_chain::name_of({}, p->block)] = p->block.end();
  }

  ChainArenaOptions options_;
  std::map<About, std::map<NodeId, Signature>> signatures_;
  std::map<About, leader_chain::Certificate> certificates_;
  std::map<Reference, std::uint64_t> ends_;  // slots, of blocks that were shown
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::set<std::pair<Kind, Digest>>> said_;
  std::uint64_t top_ = 1;
  std::uint64_t values_ = 0;
  std::uint64_t shown_of_4_ = 1;
  std::uint64_t hurries_ = 0;  // of 16 lies
  std::uint64_t lies_ = 0;
  std::string violation_;
};

}  // namespace thresher
