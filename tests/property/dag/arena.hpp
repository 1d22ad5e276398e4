// Real Dag nodes against an adversary that owns the network and f keys: no clock, any order of
// messages, timers that fire at will, blocks that lie.
//
//   Arena arena(rules, n, seed);
//   std::string violation = arena.run(4000);       // empty when nothing broke
//
// The adversary: starves links for a while, signs several variants of a
// block for different receivers, votes for and claims any leader block it knows (or none), builds
// leader blocks on the parents that hide what it dislikes, skips rounds, speaks late.
// Checked at every delivery: one sequence of commits (P5). At the end, over every block that was
// ever signed, the faulty ones' included: P1, no slot has two certified leaders; P2, a claim that
// a correct node refers to is certified; P3, a leader that enough nodes claimed is claimed in the
// history of every later correct leader block; P4, what enough nodes did not vote for can never be
// certified. Rules with the two-delay path are judged by its lemmas too
// (sim/src/two_delay_lemmas.hpp).
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "arena_witness.hpp"
#include "thresher/protocols/coin/ideal_coin.hpp"
#include "thresher/protocols/dag/dag.hpp"
#include "thresher/protocols/dag/policy.hpp"
#include "thresher/testing/arena.hpp"
#include "thresher/testing/journal.hpp"
#include "two_delay_lemmas.hpp"

namespace thresher {

class Arena : private testing::ArenaOf<Arena, dag::Dag> {
  using Core = testing::ArenaOf<Arena, dag::Dag>;
  friend Core;

 public:
  using Message = dag::Message;

  /// What is done to correct nodes besides.
  struct Options {
    std::uint64_t crashes_per_10000 = 0;  ///< effect lists that are cut somewhere
    bool forget_own = false;              ///< a mutant: restarts lose the own blocks
    bool record = false;                  ///< keep a journal of node 0's inputs
    std::uint64_t gc_depth = 256;         ///< G; when small, only what is delivered is judged
  };

  Arena(const dag::Rules& rules, std::uint32_t n, std::uint64_t seed)
      : Arena(rules, n, seed, Options{}) {}
  Arena(const dag::Rules& rules, std::uint32_t n, std::uint64_t seed, const Options& options)
      : Arena(rules, *Committee::of(n), seed, options) {}
  Arena(const dag::Rules& rules, const Committee& committee, std::uint64_t seed,
        const Options& options)
      : Core(committee, Prng(seed, 5), options.crashes_per_10000),
        rules_(rules),
        options_(options),
        more_(seed, 6),
        chains_(committee.size()) {
    create_nodes();
  }

  std::string run(std::uint64_t steps) {
    for (std::uint16_t i = 0; i < nodes_.size(); ++i) {
      if (!faulty(i)) feed(i, Start{0});
    }
    for (std::uint64_t s = 0; s < steps && violation_.empty(); ++s) act();
    if (options_.gc_depth < 100) return violation_;
    if (violation_.empty()) check_certificates();
    if (violation_.empty()) check_skips_kill();
    if (violation_.empty()) check_claims_are_proved();
    if (violation_.empty()) check_claims_carry();
    if (violation_.empty()) check_two_delays();
    return violation_;
  }
  std::uint64_t commits() const { return reference_.size(); }
  std::uint64_t crashes() const { return crashes_; }
  const Witness& witness() const { return witness_; }
  /// Every block that was ever signed, the faulty ones' included.
  std::vector<dag::BlockPtr> blocks() const {
    std::vector<dag::BlockPtr> all;
    for (const auto& [round, blocks] : by_round_) {
      all.insert(all.end(), blocks.begin(), blocks.end());
    }
    return all;
  }
  const testing::Journal<dag::Dag>& journal() const { return journal_; }
  const dag::Dag& recorded() const { return nodes_[0]; }
  /// Node 0 as it was before its first input.
  dag::Dag first() const { return fresh(0); }
  /// Which check spoke: "P1" to "P5", one of TwoDelayLemmas, "invariant", "evidence" or "restart".
  const std::string& lemma() const { return lemma_; }

 private:
  dag::Dag fresh(std::uint16_t i) const {
    dag::Config config;
    config.committee = committee_;
    config.self = NodeId{i};
    config.rules = rules_;
    config.gc_depth = options_.gc_depth;
    // Timers fire when the arena likes: with so short a wait the first step is always the last, and
    // rounds are left early far more often than by the clock.
    config.timeout = Delay{7};
    config.coin = std::make_shared<coin::IdealCoin>(committee_.at_least(kAvailability), NodeId{i},
                                                    options_.gc_depth);
    return dag::Dag(std::move(config));
  }
  void violated(const std::string& lemma, const std::string& why) {
    if (!violation_.empty()) return;
    lemma_ = lemma;
    violation_ = lemma + ": " + why;
  }
  std::uint16_t leader(std::uint64_t round) const {
    return static_cast<std::uint16_t>(round % committee_.size());
  }

  void taste() {
    // A liar that never signs twice is believed longer.
    equivocates_ = random_.below(2) == 0;
    shown_of_3_ = 1 + random_.below(3);
    claims_of_4_ = random_.below(5);
    votes_of_4_ = random_.below(5);
    forgets_of_8_ = random_.below(5);
    if (rules_.two_delays) kills_of_4_ = more_.below(5);
    if (random_.below(3) != 0) return;
    // The plain lie: nobody is voted for, everybody is claimed to be certified, and the self edge
    // jumps over the block that blamed.
    equivocates_ = false;
    votes_of_4_ = 0;
    claims_of_4_ = 4;
    forgets_of_8_ = 4;
    shown_of_3_ = 3;
  }

  void submit() {
    const std::uint16_t i = any_node();
    if (faulty(i) || nodes_[i].pending_submits() > 0) return;
    Writer w;
    w.u16(i).u64(++payloads_);
    const Bytes bytes = Bytes::from(w.take());
    feed(i, Requested<dag::Submit>{{{bytes, hash(bytes.view())}}});
  }

  void sees(std::uint16_t i, const Input& input) {
    if (options_.record && i == 0) journal_.record(input);
  }
  void begins(std::uint16_t) {}
  bool forgets(const Restored& r) const { return options_.forget_own && r.table == dag::kOwn; }

  using Core::emit;
  void emit(std::uint16_t i, const Persist& e, Todo& todo) {
    if (e.table == dag::kOwn && !e.value.empty()) {  // in full, however it is pushed
      Reader in(e.value.view());
      const auto block = dag::decode_slim(in, {}, committee_.size());
      if (block) note(*block);
    }
    Core::emit(i, e, todo);
  }
  void emit(std::uint16_t i, const Send<Message>& e, Todo&) { post(i, e.to.value, e.message); }
  void emit(std::uint16_t i, const Broadcast<Message>& e, Todo&) {
    if (const auto* push = std::get_if<dag::Push>(&e.message)) note(push->block);
    put_to_all(i, e.message);
  }
  void emit(std::uint16_t i, const Deliver<dag::Committed>& e, Todo&) {
    committed(i, {e.output.slot.value, e.output.leader});
    const std::uint64_t length = delivered_[i];
    // After a restart old commits come again, in part.
    if (options_.crashes_per_10000 == 0 && !witness_.same_blocks(length, e.output)) {
      violated("P5", "slot " + std::to_string(e.output.slot.value) + " delivers other blocks");
    }
    check_leaders(i, length);
  }
  // Nodes that decided the same name the same leaders of the rounds to come. A commit may be one of
  // several of a step, or one that a restart repeats: only the last one shows what the node knows
  // now.
  void check_leaders(std::uint16_t i, std::uint64_t length) {
    const dag::Dag& node = nodes_[i];
    if (rules_.coin) return;  // nobody knows them
    if (node.next_slot().value != reference_[length - 1].first + 1) return;
    if (witness_.same_leaders(length, node, committee_.size())) return;
    violated("leaders", "node " + std::to_string(i) + " sees other leaders after " +
                            std::to_string(length) + " commits");
  }
  void emit(std::uint16_t, const Verify& e, Todo& todo) {
    todo.push_back(Verified{e.ticket, true});  // nobody signs for another here
  }
  void emit(std::uint16_t, const Endorse& e, Todo& todo) { todo.push_back(Endorsed{e.ticket, {}}); }
  void emit(std::uint16_t, const Accuse& e, Todo&) {
    if (!faulty(e.who.value)) violated("evidence", "a correct node was accused");
  }

  void post(std::uint16_t from, std::uint16_t to, const Message& m) {
    if (faulty(to)) return answer(to, from, m);  // the faulty know everything anyway
    put(from, to, m);
  }

  // A faulty node hands out what it is asked for, when it likes.
  void answer(std::uint16_t from, std::uint16_t to, const Message& m) {
    const auto* want = std::get_if<dag::Want>(&m);
    if (want == nullptr || more_.below(4) == 0) return;
    dag::Give give;
    for (const dag::Edge& edge : want->blocks) {
      const auto it = known_.find(edge.digest);
      if (it != known_.end()) give.blocks.push_back(it->second);
    }
    if (!give.blocks.empty()) post(from, to, Message{std::move(give)});
  }

  void note(const dag::BlockPtr& block) {
    const std::pair slot(block->author().value, block->round().value);
    if (!faulty(slot.first) && own_.emplace(slot, block->digest).first->second != block->digest) {
      violated("restart", "node " + std::to_string(slot.first) + " signed two blocks for round " +
                              std::to_string(slot.second));
    }
    if (!known_.emplace(block->digest, block).second) return;
    by_round_[block->round().value].push_back(block);
  }

  // Any block of the round that may lead it for somebody: the one whose turn it is, or any dense
  // one.
  dag::BlockPtr any_leader(std::uint64_t round) {
    if (!rules_.reputation() || more_.below(2) == 0) return any_of(round, leader(round), true);
    std::vector<dag::BlockPtr> found;
    const auto it = by_round_.find(round);
    if (it == by_round_.end()) return nullptr;
    for (const auto& b : it->second) {
      if (round == 1 || !b->header.refs.empty()) found.push_back(b);
    }
    return found.empty() ? nullptr : found[more_.below(found.size())];
  }
  std::optional<NodeId> named(const dag::BlockPtr& b) const {
    if (b->author().value == leader(b->round().value)) return std::nullopt;
    return b->author();
  }

  dag::BlockPtr any_of(std::uint64_t round, std::uint16_t author, bool fixed) {
    const auto it = by_round_.find(round);
    std::vector<dag::BlockPtr> found;
    if (it != by_round_.end()) {
      for (const auto& b : it->second) {
        if (!fixed || b->author().value == author) found.push_back(b);
      }
    }
    return found.empty() ? nullptr : found[random_.below(found.size())];
  }

  // One faulty node signs a block, perhaps in variants, and shows it to whom it likes.
  void lie() {
    if (by_round_.empty()) return;
    const std::uint16_t self = any_faulty();
    const std::uint64_t top = by_round_.rbegin()->first;
    const std::uint64_t back = random_.below(4) == 0 ? random_.below(6) : random_.below(2);
    const std::uint64_t round = top + 1 > back ? top + 1 - back : 1;
    const std::uint64_t variants = equivocates_ ? 1 + random_.below(2) : 1;
    if (!equivocates_ && !chains_[self].empty() && chains_[self].back()->round().value >= round) {
      return;
    }
    for (std::uint64_t v = 0; v < variants; ++v) {
      const dag::BlockPtr block = craft(self, round);
      if (!block) return;
      note(block);
      chains_[self].push_back(block);
      for (std::uint16_t to = 0; to < nodes_.size(); ++to) {
        if (random_.below(3) < shown_of_3_) post(self, to, dag::Push{shape(block)});
      }
    }
  }

  // As it is pushed: packed where the rules say so, and now and then with a hash that is nobody's.
  dag::BlockPtr shape(const dag::BlockPtr& block) {
    if (!rules_.bitmap_refs) return block;
    const dag::BlockPtr packed = dag::pack(block, committee_);
    if (!packed->header.packed || more_.below(8) != 0) return packed;
    dag::Header h = packed->header;
    h.packed->digests = h.payload_root;
    return dag::make_block(std::move(h), packed->payload, {}, {});
  }

  dag::BlockPtr craft(std::uint16_t self, std::uint64_t round) {
    dag::Header h;
    h.author = NodeId{self};
    h.round = Round{round};
    h.self = {NodeId{self}, Round{0}, {}};
    for (const auto& b : chains_[self]) {  // mostly the last before this round
      if (b->round().value < round &&
          (h.self.round < b->round() || random_.below(8) < forgets_of_8_)) {
        h.self = {NodeId{self}, b->round(), b->digest};
      }
    }
    const bool sparse = rules_.edges == dag::Edges::kSparse;
    if (sparse && round >= 2 && random_.below(4) < votes_of_4_) {
      if (const auto b = any_leader(round - 1)) {
        h.vote = b->digest;
        h.vote_author = named(b);
      }
    }
    if (sparse && round >= 3 && random_.below(4) < claims_of_4_) {
      if (const auto b = any_leader(round - 2)) {
        h.claim = b->digest;
        h.claim_author = named(b);
      }
    }
    h.kill = rules_.two_delays && round >= 3 && !h.claim && more_.below(4) < kills_of_4_;
    const bool leads = leader(round) == self || (rules_.reputation() && more_.below(3) == 0);
    if (round >= 2 && (!sparse || leads) && !add_parents(h)) return nullptr;
    Writer salt;
    salt.u64(++payloads_);
    const Bytes bytes = Bytes::from(salt.take());
    h.payload_root = hash(bytes.view());
    h.payload_bytes = static_cast<std::uint32_t>(bytes.size());
    const Digest root = h.payload_root;
    return dag::make_block(std::move(h), {bytes, root}, {}, {});
  }

  // Just enough parents of the round before, in a drawn order: what is left out stays hidden.
  bool add_parents(dag::Header& h) {
    std::vector<std::uint16_t> order;
    for (std::uint16_t i = 0; i < committee_.size(); ++i) {
      if (i != h.author.value) order.push_back(i);
    }
    for (std::size_t k = order.size(); k > 1; --k) {
      std::swap(order[k - 1], order[random_.below(k)]);
    }
    std::uint32_t count = h.self.round.value + 1 == h.round.value ? 1 : 0;
    for (const std::uint16_t author : order) {
      if (count >= committee_.at_least(rules_.dense)) break;
      if (const auto b = any_of(h.round.value - 1, author, true)) {
        h.refs.push_back({b->author(), b->round(), b->digest});
        ++count;
      }
    }
    if (more_.below(4) == 0) double_a_parent(h);
    std::sort(h.refs.begin(), h.refs.end());
    return count >= committee_.at_least(rules_.dense);
  }

  // Twins of faulty blocks stand in for the parents that are to stay hidden.
  void double_a_parent(dag::Header& h) {
    std::size_t replaced = 0;
    for (const auto& twin : by_round_[h.round.value - 1]) {
      const dag::Edge edge{twin->author(), twin->round(), twin->digest};
      if (!faulty(edge.author.value) || edge == h.self) continue;
      if (std::find(h.refs.begin(), h.refs.end(), edge) != h.refs.end()) continue;
      while (replaced < h.refs.size() && faulty(h.refs[replaced].author.value)) ++replaced;
      if (replaced == h.refs.size()) return;
      h.refs[replaced] = edge;
    }
  }

  // P2', P3', PF and P4' of two-delay.md.
  void check_two_delays() {
    const sim::TwoDelayLemmas lemmas(
        committee_, rules_, [this](NodeId id) { return !faulty(id.value); }, committee_.faults());
    if (const auto finding = lemmas.check(by_round_)) violated(finding->oracle, finding->why);
  }

  // P1, counting every block that was ever signed, whoever holds it.
  void check_certificates() {
    if (rules_.edges != dag::Edges::kSparse) return;
    for (const auto& [round, blocks] : by_round_) {
      std::map<Digest, std::set<std::uint16_t>> votes;
      for (const auto& b : blocks) {
        if (b->header.vote) votes[*b->header.vote].insert(b->author().value);
      }
      int certified = 0;
      for (const auto& [digest, authors] : votes) {
        certified += authors.size() >= committee_.at_least(rules_.certify) ? 1 : 0;
      }
      if (certified > 1)
        violated("P1", "slot " + std::to_string(round - 1) + " has two certificates");
    }
  }

  // P4: the f faulty may still sign both for and against, so they count on either side.
  void check_skips_kill() {
    if (rules_.edges != dag::Edges::kSparse) return;
    for (const auto& [round, blocks] : by_round_) {
      std::map<Digest, std::set<std::uint16_t>> votes;
      std::set<std::uint16_t> seen;
      for (const auto& b : blocks) {
        if (faulty(b->author().value)) continue;
        seen.insert(b->author().value);
        if (b->header.vote) votes[*b->header.vote].insert(b->author().value);
      }
      for (const auto& [digest, voters] : votes) {
        const std::size_t alive = voters.size() + committee_.faults();
        const std::size_t dead = seen.size() - voters.size() + committee_.faults();
        if (alive < committee_.at_least(rules_.certify)) continue;
        if (dead < committee_.at_least(rules_.skip)) continue;
        violated("P4", "slot " + std::to_string(round - 1) + " can be skipped and certified");
      }
    }
  }

  // P2: what a correct node refers to was accepted, so what it claims is certified.
  void check_claims_are_proved() {
    std::map<std::pair<std::uint64_t, Digest>, bool> proved;  // by slot and what is claimed
    for (const auto& [round, blocks] : by_round_) {
      for (const auto& b : blocks) {
        if (faulty(b->author().value)) continue;
        for (const dag::Edge& e : b->header.refs) {
          const auto parent = known_.find(e.digest);
          if (parent == known_.end() || !parent->second->header.claim) continue;
          const Digest claimed = *parent->second->header.claim;
          const std::uint64_t slot = e.round.value - 2;
          const auto [it, fresh] = proved.try_emplace({slot, claimed}, false);
          if (fresh) it->second = is_certified(slot, claimed);
          if (it->second) continue;
          violated("P2", "node " + std::to_string(b->author().value) +
                             " refers to a claim without a certificate, slot " +
                             std::to_string(slot));
        }
      }
    }
  }
  bool is_certified(std::uint64_t slot, const Digest& block) const {
    std::set<std::uint16_t> voters;
    const auto votes = by_round_.find(slot + 1);
    if (votes == by_round_.end()) return false;
    for (const auto& v : votes->second) {
      if (v->header.vote == block) voters.insert(v->author().value);
    }
    return voters.size() >= committee_.at_least(rules_.certify);
  }

  // A leader block, of anybody, with the parents that the rules ask for; all of its ancestors are
  // known here, since the faulty cannot refer to what does not exist.
  bool dense_leader(const dag::BlockPtr& b) const {
    const dag::Header& h = b->header;
    if (rules_.reputation() ? h.refs.empty() : leader(h.round.value) != h.author.value)
      return false;
    if (!rules_.policy->each_author_once(h)) return false;
    const auto is_parent = [&](const dag::Edge& e) { return e.round.value + 1 == h.round.value; };
    const auto named = std::count_if(h.refs.begin(), h.refs.end(), is_parent);
    const auto parents = static_cast<std::uint64_t>(named) + (is_parent(h.self) ? 1 : 0);
    return parents >= committee_.at_least(rules_.dense);
  }

  // P3: the f faulty count as claimers too, for they may still sign.
  void check_claims_carry() {
    if (rules_.edges != dag::Edges::kSparse) return;
    for (const auto& [round, blocks] : by_round_) {
      std::map<Digest, std::set<std::uint16_t>> claims;
      for (const auto& b : blocks) {
        if (b->header.claim && !faulty(b->author().value)) {
          claims[*b->header.claim].insert(b->author().value);
        }
      }
      for (const auto& [digest, authors] : claims) {
        const std::size_t all = authors.size() + committee_.faults();
        if (all < committee_.at_least(rules_.commit)) continue;
        const auto carried = with_claim(by_round_, round, digest);
        for (auto later = by_round_.upper_bound(round); later != by_round_.end(); ++later) {
          for (const auto& b : later->second) {
            if (dense_leader(b) && !carried.contains(b->digest)) {
              violated("P3", "the leader block of round " + std::to_string(b->round().value) +
                                 " has no claim for slot " + std::to_string(round - 2));
            }
          }
        }
      }
    }
  }

  dag::Rules rules_;
  Options options_;
  Prng more_;  // for what was added later: old seeds keep their schedules
  std::vector<std::vector<dag::BlockPtr>> chains_;
  testing::Journal<dag::Dag> journal_;
  std::map<std::pair<std::uint16_t, std::uint64_t>, Digest> own_;
  Witness witness_;
  Known known_;
  ByRound by_round_;
  bool equivocates_ = false;
  std::uint64_t shown_of_3_ = 3;
  std::uint64_t claims_of_4_ = 2;
  std::uint64_t votes_of_4_ = 2;
  std::uint64_t kills_of_4_ = 0;
  std::uint64_t forgets_of_8_ = 1;
  std::uint64_t payloads_ = 0;
  std::string violation_;
  std::string lemma_;
};

}  // namespace thresher
