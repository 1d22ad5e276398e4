// Every case of one slot under the two-delay rule, up to the names of nodes: what correct nodes
// voted and said two rounds up, with liars that sign everything and show it to whom they like.
//
//   SlotCases cases(rules, committee, SlotCases::Leader::kLiar);
//   std::string violation = cases.run();           // empty when nothing broke
//
// A case is how many correct nodes voted so (for a block of the slot, its twin, or none) and then
// claimed, killed or neither, as far as evidence allows. A node with all blocks decides directly,
// since what a part decides the whole decides too; and every history that a dense block three
// rounds on may have, through the chains of enough correct nodes, others' votes and whatever liars
// add that is accepted, decides as an anchor. No anchor may contradict a direct decision: PF, P3'
// and P4' of docs/protocols/two-delay.md. Agreement follows, as the page says, by induction over
// slots. Liars' blocks are accepted with evidence only. Left out: nothing of the slot; histories
// are more than can be built, since votes are added one by one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "thresher/core/assert.hpp"
#include "thresher/protocols/dag/policy.hpp"
#include "two_delay_rule.hpp"

namespace thresher::dag {

class SlotCases {
 public:
  enum class Leader : std::uint8_t { kCorrect, kLiar };
  /// What decides as an anchor: decide_by, or a form of the rule that is tried.
  using Anchor = std::function<Decision(const Edge&, const Store&, const Slot&)>;

  SlotCases(const Rules& rules, const Committee& committee, Leader leader)
      : rules_(rules),
        committee_(committee),
        slot_{Round{1}, NodeId{leader == Leader::kLiar ? first_liar() : std::uint16_t{0}}},
        blocks_of_slot_(leader == Leader::kLiar ? 2 : 1),
        claims_pass_(rules.policy->claim_proved(Store(committee, rules), Round{1}, {})),
        kills_pass_(rules.policy->kill_proved(Store(committee, rules), Round{1})),
        decide_([this](const Edge& a, const Store& s, const Slot& slot) {
          return decide_by(a, s, committee_, rules_, slot);
        }) {}

  /// Asks `decide` in place of decide_by; `may_list_leader`: whether a dense block that shows two
  /// blocks of the slot may name its leader, who then lies.
  void try_form(Anchor decide, bool may_list_leader) {
    decide_ = std::move(decide);
    may_list_leader_ = may_list_leader;
  }

  std::string run() {
    for (int i = 0; i < blocks_of_slot_; ++i) leaders_.push_back(mint(slot_.leader.value, 1, i));
    std::vector<Said> said;
    each_case(said, 0);
    return violation_;
  }
  std::uint64_t cases() const { return cases_; }
  std::uint64_t anchors() const { return anchors_; }

 private:
  static constexpr int kNone = -1;
  static constexpr int kKill = 2;
  static constexpr std::uint64_t kAnchors = 4;  // their round
  static constexpr std::size_t kMostTwins = 64;
  /// A vote, by the number of the block, and what follows: a claim of a block, a KILL, or kNone.
  struct Said {
    int vote;
    int then;
    auto operator<=>(const Said&) const = default;
  };
  using Cast = std::vector<Said>;

  std::uint16_t first_liar() const { return static_cast<std::uint16_t>(correct()); }
  std::uint32_t correct() const { return committee_.size() - committee_.faults(); }
  std::uint32_t need(Threshold t) const { return committee_.at_least(t); }
  Edge leader(int number) const { return leaders_[static_cast<std::size_t>(number)]->edge(); }

  // In ascending order: nodes have no names.
  void each_case(Cast& cast, std::size_t from) {
    if (!violation_.empty()) return;
    if (cast.size() == correct()) return possible(cast) ? judge(cast) : void();
    std::vector<Said> kinds;
    for (int vote = kNone; vote < blocks_of_slot_; ++vote) {
      for (int then = kNone; then < blocks_of_slot_; ++then) kinds.push_back({vote, then});
      kinds.push_back({vote, kKill});
    }
    for (std::size_t k = from; k < kinds.size(); ++k) {
      cast.push_back(kinds[k]);
      each_case(cast, k);
      cast.pop_back();
    }
  }

  // --- evidence, with liars on the side of whoever asks
  std::uint32_t votes(const Cast& cast, int block) const {
    return static_cast<std::uint32_t>(
        std::count_if(cast.begin(), cast.end(), [&](const Said& s) { return s.vote == block; }));
  }
  bool liars_suffice() const { return committee_.faults() >= need(rules_.amplify); }
  bool certifiable(const Cast& cast, int block) const {
    return liars_suffice() || votes(cast, block) + committee_.faults() >= need(rules_.certify);
  }
  // Whether somebody may see a dead round: of some of the blocks, his own (if any) among them.
  bool killable(const Cast& cast, int own) const {
    const std::uint32_t f = committee_.faults();
    for (std::uint32_t x = 0; x <= votes(cast, 0); ++x) {
      for (std::uint32_t y = 0; y <= votes(cast, 1); ++y) {
        const std::uint32_t all = x + y + votes(cast, kNone);
        if ((own == 0 && x == 0) || (own == 1 && y == 0)) continue;
        const std::uint32_t enough = need(rules_.skip);
        if (all + f < enough || (x > 0 && all - x + f < enough)) continue;
        if (y == 0 || all - y + f >= enough) return true;
      }
    }
    return liars_suffice();
  }
  // Claims have evidence; of those who kill one at least saw the dead round itself.
  bool possible(const Cast& cast) const {
    bool kills = false;
    bool grounded = false;
    for (const Said& s : cast) {
      if (s.then == kKill) {
        kills = true;
        grounded = grounded || killable(cast, s.vote);
      } else if (s.then != kNone && !certifiable(cast, s.then)) {
        return false;
      }
    }
    return !kills || grounded;
  }

  // --- the blocks
  BlockPtr mint(std::uint32_t author, std::uint64_t round, int number, Header h = {}) const {
    h.author = NodeId{static_cast<std::uint16_t>(author)};
    h.round = Round{round};
    if (h.self.round.value == 0) h.self = {h.author, Round{0}, {}};
    h.payload_bytes = static_cast<std::uint32_t>(number + 1);
    return make_block(std::move(h), {}, {}, {});
  }
  BlockPtr voter(std::uint32_t author, int vote) const {
    Header h;
    if (vote != kNone) name(leader(vote), h.vote, h.vote_author);
    return mint(author, 2, vote, std::move(h));
  }
  BlockPtr speaker(std::uint32_t author, int then, const BlockPtr& below) const {
    Header h;
    if (below) h.self = below->edge();
    if (then != kNone && then != kKill) name(leader(then), h.claim, h.claim_author);
    h.kill = then == kKill;
    return mint(author, 3, then, std::move(h));
  }
  void name(const Edge& e, std::optional<Digest>& digest, std::optional<NodeId>& author) const {
    digest = e.digest;
    if (e.author != leader_of(e.round, committee_)) author = e.author;
  }
  void place(Store& store, const BlockPtr& b) const {
    const Header& h = b->header;
    store.insert(b, h.vote ? std::optional(voted(h, committee_)) : std::nullopt);
  }

  // --- a case
  void judge(const Cast& cast) {
    ++cases_;
    try {
      std::vector<BlockPtr> said;
      Store store(committee_, rules_);
      for (const BlockPtr& b : leaders_) place(store, b);
      for (std::uint32_t i = 0; i < cast.size(); ++i) {
        const BlockPtr below = voter(i, cast[i].vote);
        place(store, below);
        said.push_back(speaker(i, cast[i].then, below));
        place(store, said.back());
      }
      const Liars lies = lying(store, cast);
      const Decision direct = decide_directly(store, committee_, rules_, slot_);
      if (direct.ruling != Ruling::kUndecided) each_anchor(store, cast, said, lies, direct);
    } catch (const InvariantBroken& broken) {
      fail(cast, broken.what());
    }
  }

  struct Liars {
    std::vector<BlockPtr> votes;  // of the first liar, for each block
    std::vector<BlockPtr> words;  // that are accepted: of the second round
  };
  // All that liars can sign is held; what has no evidence is accepted by nobody.
  Liars lying(Store& store, const Cast& cast) const {
    Liars out;
    for (std::uint32_t i = first_liar(); i < committee_.size(); ++i) {
      for (int vote = kNone; vote < blocks_of_slot_; ++vote) {
        const BlockPtr b = voter(i, vote);
        place(store, b);
        if (vote != kNone) out.votes.push_back(b);
      }
      for (int then = kNone; then <= kKill; ++then) {
        if (then != kNone && then != kKill && then >= blocks_of_slot_) continue;
        const BlockPtr b = speaker(i, then, nullptr);
        place(store, b);
        const bool proved =
            then == kNone || (then == kKill ? kills_pass_ || killable(cast, kNone)
                                            : claims_pass_ || certifiable(cast, then));
        if (proved) out.words.push_back(b);
      }
    }
    return out;
  }

  // Parents are the chains of enough correct nodes and of as many liars as are missing; each other
  // correct vote, each vote of liars, and one word of theirs may be seen or not.
  void each_anchor(const Store& store, const Cast& cast, const std::vector<BlockPtr>& said,
                   const Liars& lies, const Decision& direct) {
    const std::uint32_t f = committee_.faults();
    const auto bits = [](std::size_t n) { return std::uint32_t{1} << n; };
    Store scratch = store;
    for (std::uint32_t chains = 0; chains < bits(said.size()); ++chains) {
      const auto listed = static_cast<std::uint32_t>(std::popcount(chains));
      if (listed + f < need(rules_.dense)) continue;
      for (std::uint32_t more = 0; more < bits(said.size()); ++more) {
        if ((more & chains) != 0) continue;
        for (std::uint32_t theirs = 0; theirs < bits(lies.votes.size()); ++theirs) {
          for (std::size_t word = 0; word <= lies.words.size(); ++word) {
            Header h;
            const auto refer = [&](const BlockPtr& b) { h.refs.push_back(b->edge()); };
            for (std::size_t i = 0; i < said.size(); ++i) {
              if ((chains >> i & 1) != 0) refer(said[i]);
              if ((more >> i & 1) != 0) h.refs.push_back(said[i]->header.self);
            }
            for (std::size_t i = 0; i < lies.votes.size(); ++i) {
              if ((theirs >> i & 1) != 0) refer(lies.votes[i]);
            }
            if (word < lies.words.size()) refer(lies.words[word]);
            const bool lists_liar = listed < need(rules_.dense) || word < lies.words.size();
            if (!may_list_leader_ && lists_liar && shows_both(h, cast, lies)) continue;
            anchor(scratch, cast, std::move(h), direct);
            if (scratch.round(Round{kAnchors}).size() == kMostTwins) scratch = store;
            if (!violation_.empty()) return;
          }
        }
      }
    }
  }
  // Two blocks of the slot are voted for in what a block names.
  bool shows_both(const Header& h, const Cast& cast, const Liars& lies) const {
    bool seen[2] = {false, false};
    for (const Edge& e : h.refs) {
      if (e.author.value < cast.size() && cast[e.author.value].vote != kNone)
        seen[cast[e.author.value].vote] = true;
      for (std::size_t i = 0; i < lies.votes.size(); ++i) {
        if (lies.votes[i]->edge() == e) seen[i % static_cast<std::size_t>(blocks_of_slot_)] = true;
      }
    }
    return seen[0] && seen[1];
  }
  void anchor(Store& store, const Cast& cast, Header h, const Decision& direct) {
    const auto number = static_cast<int>(++anchors_ % kMostTwins);
    const BlockPtr block = mint(committee_.size() - 1, kAnchors, number, std::move(h));
    place(store, block);
    const Decision said = decide_(block->edge(), store, slot_);
    if (said.ruling != direct.ruling || said.leader != direct.leader)
      fail(cast, "an anchor decides otherwise than enough blocks do");
  }

  void fail(const Cast& cast, const std::string& why) {
    if (!violation_.empty()) return;
    violation_ = why + "; correct nodes (vote, then):";
    for (const Said& s : cast)
      violation_ += " (" + std::to_string(s.vote) + ", " + std::to_string(s.then) + ")";
  }

  Rules rules_;
  Committee committee_;
  Slot slot_;
  int blocks_of_slot_;
  bool claims_pass_;  // without evidence
  bool kills_pass_;
  Anchor decide_;
  bool may_list_leader_ = true;
  std::vector<BlockPtr> leaders_;
  std::uint64_t cases_ = 0;
  std::uint64_t anchors_ = 0;
  std::string violation_;
};

}  // namespace thresher::dag
