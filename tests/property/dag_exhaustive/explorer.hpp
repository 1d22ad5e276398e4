// Every DAG that four nodes, one of them faulty, can build in the first rounds, up to what matters.
//
//   Explorer explorer(rules, faulty, rounds);
//   std::string violation = explorer.run();        // empty when nothing broke
//
// A schedule shows in a DAG only by what each correct node had accepted when it wrote its block:
// any set with enough authors of the round before and its own block. That set fixes its vote,
// whether it must or may claim, and, for the leader, its parents; all such choices of all correct
// nodes are combined, round by round. The faulty node signs every block that differs in its vote,
// its claim or its chain, up to two leader blocks a round with any legal parents, and is counted on
// either side of every threshold, so that what it may sign later is covered. Two DAGs are one state
// when the votes of the last round and the claims in the histories of its blocks are equal. What is
// judged: P1, P3 and P4 on every state, and the real committer on the whole DAG and on the history
// of every last block: no two of these views decide a slot differently. Left out: rounds skipped by
// correct nodes, dense blocks out of turn, garbage collection.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "committer.hpp"
#include "thresher/protocols/dag/policy.hpp"

namespace thresher::dag {

class Explorer {
 public:
  Explorer(const Rules& rules, std::uint16_t faulty, std::uint32_t rounds)
      : rules_(rules),
        faulty_(faulty),
        rounds_(rounds),
        schedule_(committee_, rules_),
        v_(committee_.at_least(rules.certify)),
        b_(committee_.at_least(rules.skip)),
        c_(committee_.at_least(rules.commit)),
        d_(committee_.at_least(rules.dense)),
        a_(committee_.at_least(rules.amplify)),
        claims_pass_(rules.policy->claim_proved(Store(committee_, rules), Round{1}, {})) {}

  std::string run() {
    std::vector<State> level{first()};
    for (std::uint32_t r = 1; r < rounds_ && violation_.empty(); ++r) {
      std::set<Key> seen;
      std::vector<State> next;
      for (const State& s : level) extend(s, seen, next);
      level = std::move(next);
      states_ += level.size();
    }
    return violation_;
  }
  std::uint64_t states() const { return states_; }
  std::uint64_t transitions() const { return transitions_; }
  std::uint64_t views() const { return views_; }

 private:
  using Mask = std::uint32_t;  ///< slots that some block in a history claims
  using Key = std::vector<std::uint32_t>;
  static constexpr std::uint32_t kNodes = 4;
  static constexpr int kNone = -1;

  /// What one block is made of. Votes and claims are indices into `now` and `before`.
  struct Choice {
    int vote = kNone;
    int claim = kNone;
    std::uint32_t parents = 0;  ///< correct authors whose last blocks are dense parents
    int own = kNone;            ///< faulty block: the chain below, or (correct leader) the parent
    auto operator<=>(const Choice&) const = default;
  };
  struct Piece {
    Mask mask = 0;
    BlockPtr block;
  };
  struct State {
    std::uint32_t round = 1;
    std::array<int, kNodes> vote{};  ///< of the last blocks, by correct node
    std::array<Piece, kNodes> last;  ///< of the correct nodes
    std::vector<Piece> now;          ///< leader blocks of this round
    std::vector<Piece> before;       ///< and of the round before
    std::vector<int> certified;      ///< of `before`: those that may have a certificate
    std::vector<Piece> faulty;       ///< blocks of the faulty node of this round
    Mask committed = 0;              ///< slots that may be committed directly
    Mask skipped = 0;                ///< slots that may be skipped directly
    std::vector<BlockPtr> all;
  };

  std::uint32_t leader(std::uint32_t round) const { return round % kNodes; }
  template <class F>
  void each_correct(F visit) const {
    for (std::uint32_t i = 0; i < kNodes; ++i) {
      if (i != faulty_) visit(i);
    }
  }
  static Mask bit(std::uint32_t slot) { return Mask{1} << slot; }
  static std::uint32_t count(std::uint32_t set) {
    return static_cast<std::uint32_t>(std::popcount(set));
  }

  BlockPtr mint(Header h, std::uint32_t author, std::uint32_t round, const BlockPtr& own) {
    h.author = NodeId{static_cast<std::uint16_t>(author)};
    h.round = Round{round};
    h.self = own ? Edge{h.author, own->round(), own->digest} : Edge{h.author, Round{0}, {}};
    return make_block(std::move(h), {}, {}, {});
  }

  State first() {
    State s;
    each_correct([&](std::uint32_t i) {
      s.vote[i] = kNone;
      s.last[i] = {0, mint({}, i, 1, nullptr)};
      s.all.push_back(s.last[i].block);
    });
    for (std::uint32_t k = 0; k < (leader(1) == faulty_ ? 2u : 1u); ++k) {
      Header h;
      h.payload_bytes = k;  // two blocks that differ
      s.faulty.push_back({0, mint(std::move(h), faulty_, 1, nullptr)});
      s.all.push_back(s.faulty.back().block);
    }
    if (leader(1) == faulty_) {
      s.now = s.faulty;
    } else {
      s.now = {s.last[leader(1)]};
    }
    return s;
  }

  Mask mask_of(const State& s, const Choice& c, Mask chain) const {
    Mask out = chain;
    if (c.vote != kNone) out |= s.now[static_cast<std::size_t>(c.vote)].mask;
    if (c.claim != kNone)
      out |= bit(s.round - 1) | s.before[static_cast<std::size_t>(c.claim)].mask;
    each_correct([&](std::uint32_t i) {
      if ((c.parents >> i & 1) != 0) out |= s.last[i].mask;
    });
    if (c.own != kNone) out |= s.faulty[static_cast<std::size_t>(c.own)].mask;
    return out;
  }

  BlockPtr block_of(const State& s, const Choice& c, std::uint32_t author) {
    Header h;
    if (c.vote != kNone) h.vote = s.now[static_cast<std::size_t>(c.vote)].block->digest;
    if (c.claim != kNone) h.claim = s.before[static_cast<std::size_t>(c.claim)].block->digest;
    const bool leads = leader(s.round + 1) == author;
    const BlockPtr none;
    const BlockPtr& theirs =
        c.own == kNone ? none : s.faulty[static_cast<std::size_t>(c.own)].block;
    for (std::uint32_t i = 0; leads && i < kNodes; ++i) {
      const BlockPtr& parent = i == faulty_ ? theirs : s.last[i].block;
      const bool in = i == faulty_ ? parent != nullptr : (c.parents >> i & 1) != 0;
      if (in && i != author) h.refs.push_back({parent->author(), parent->round(), parent->digest});
    }
    return mint(std::move(h), author, s.round + 1,
                author == faulty_ ? theirs : s.last[author].block);
  }

  // All that a correct node may write next, one choice for each vote, claim and history.
  std::vector<std::pair<Choice, Mask>> options(const State& s, std::uint32_t self) const {
    std::set<std::tuple<int, int, Mask>> seen;
    std::vector<std::pair<Choice, Mask>> out;
    const bool leads = leader(s.round + 1) == self;
    const bool byzantine_leads = leader(s.round) == faulty_;
    for (std::uint32_t set = 0; set < (1u << kNodes); ++set) {
      if ((set >> self & 1) == 0 || count(set) < committee_.at_least(rules_.complete)) continue;
      const bool with_faulty = (set >> faulty_ & 1) != 0;
      if (with_faulty && s.faulty.empty()) continue;
      const int choices = with_faulty ? static_cast<int>(s.faulty.size()) : 1;
      for (int own = 0; own < choices; ++own) {
        Choice c;
        c.own = leads && with_faulty ? own : kNone;
        c.parents = leads ? set & ~(1u << faulty_) : 0;
        if ((set >> leader(s.round) & 1) != 0) c.vote = byzantine_leads ? own : 0;
        for (const int claim : claims(s, set)) {
          c.claim = claim;
          const Mask mask = mask_of(s, c, s.last[self].mask);
          if (seen.insert({c.vote, claim, mask}).second) out.emplace_back(c, mask);
        }
      }
    }
    return out;
  }

  // What a correct node that accepted `set` may claim: it must when the votes in it suffice.
  std::vector<int> claims(const State& s, std::uint32_t set) const {
    std::vector<int> out(s.certified);
    bool must = false;
    for (const int leader_block : s.certified) {
      std::uint32_t votes = 0;
      each_correct([&](std::uint32_t i) {
        votes += (set >> i & 1) != 0 && s.vote[i] == leader_block ? 1 : 0;
      });
      must = must || votes >= v_;
    }
    if (!must) out.push_back(kNone);
    return out;
  }

  // Blocks of the faulty node that differ in the claims of their histories; as a leader with
  // parents.
  std::vector<std::pair<Choice, Mask>> lies(const State& s) const {
    std::map<Mask, Choice> found;
    const bool leads = leader(s.round + 1) == faulty_;
    for (std::uint32_t parents = 0; parents < (leads ? 1u << kNodes : 1u); ++parents) {
      if ((parents >> faulty_ & 1) != 0) continue;
      for (int own = kNone; own < static_cast<int>(s.faulty.size()); ++own) {
        if (leads && count(parents) + (own == kNone ? 0 : 1) < d_) continue;
        for (int vote = kNone; vote < static_cast<int>(s.now.size()); ++vote) {
          std::vector<int> all(s.certified);
          all.push_back(kNone);
          for (const int claim : all) {
            const Choice c{vote, claim, parents, own};
            found.emplace(mask_of(s, c, 0), c);
          }
        }
      }
    }
    std::vector<std::pair<Choice, Mask>> out;
    for (const auto& [mask, choice] : found) out.emplace_back(choice, mask);
    return out;
  }

  using Options = std::vector<std::pair<Choice, Mask>>;

  void extend(const State& s, std::set<Key>& seen, std::vector<State>& next) {
    std::vector<std::uint32_t> who;
    std::vector<Options> all;
    each_correct([&](std::uint32_t i) {
      who.push_back(i);
      all.push_back(options(s, i));
    });
    const Options lying = lies(s);
    // The faulty leader shows none, one or two of its blocks (the same twice stands for one).
    std::vector<Options> shown{lying};
    if (leader(s.round + 1) == faulty_) {
      shown = {{}};
      for (std::size_t i = 0; i < lying.size(); ++i) {
        for (std::size_t k = i; k < lying.size(); ++k) {
          shown.push_back(i == k ? Options{lying[i]} : Options{lying[i], lying[k]});
        }
      }
    }
    for (const Options& theirs : shown) {
      for (const auto& x : all[0]) {
        for (const auto& y : all[1]) {
          for (const auto& z : all[2]) {
            combine(s, who, {x, y, z}, theirs, seen, next);
            if (!violation_.empty()) return;
          }
        }
      }
    }
  }

  void combine(const State& s, const std::vector<std::uint32_t>& who,
               const std::array<std::pair<Choice, Mask>, 3>& chosen, const Options& theirs,
               std::set<Key>& seen, std::vector<State>& next) {
    ++transitions_;
    State t;
    t.round = s.round + 1;
    t.committed = s.committed;
    t.skipped = s.skipped;
    t.before = s.now;
    for (std::size_t k = 0; k < who.size(); ++k) {
      t.vote[who[k]] = chosen[k].first.vote;
      t.last[who[k]].mask = chosen[k].second;
    }
    for (const auto& lie : theirs) t.faulty.push_back({lie.second, nullptr});
    if (leader(t.round) == faulty_) {
      t.now = t.faulty;
    } else {
      t.now = {t.last[leader(t.round)]};
    }
    weigh(s, chosen, t);
    if (!violation_.empty() || !seen.insert(key_of(t)).second) return;
    t.all = s.all;
    for (std::size_t k = 0; k < who.size(); ++k) {
      t.last[who[k]].block = block_of(s, chosen[k].first, who[k]);
      t.all.push_back(t.last[who[k]].block);
    }
    for (std::size_t k = 0; k < theirs.size(); ++k) {
      t.faulty[k].block = block_of(s, theirs[k].first, faulty_);
      t.all.push_back(t.faulty[k].block);
    }
    if (leader(t.round) == faulty_) {
      t.now = t.faulty;
    } else {
      t.now = {t.last[leader(t.round)]};
    }
    judge(t);
    next.push_back(std::move(t));
  }

  // Thresholds with the faulty node on either side, and the lemmas.
  void weigh(const State& s, const std::array<std::pair<Choice, Mask>, 3>& chosen, State& t) {
    bool all_dead = true;
    for (int block = 0; block < static_cast<int>(s.now.size()); ++block) {
      std::uint32_t votes = 0;
      for (const auto& c : chosen) votes += c.first.vote == block ? 1 : 0;
      if (votes + 1 >= v_ || a_ <= 1 || claims_pass_) t.certified.push_back(block);
      all_dead = all_dead && 3 - votes + 1 >= b_;
    }
    if (t.certified.size() > 1) fail(t, "P1: two leader blocks may be certified");
    if (all_dead) t.skipped |= bit(s.round);
    for (const int block : s.certified) {
      std::uint32_t claimers = 0;
      for (const auto& c : chosen) claimers += c.first.claim == block ? 1 : 0;
      if (claimers + 1 >= c_) t.committed |= bit(s.round - 1);
    }
    if ((t.committed & t.skipped) != 0) fail(t, "P4: a slot may be committed and skipped");
    if (t.round < rules_.anchor_distance + 1) return;
    const Mask old = bit(t.round - rules_.anchor_distance + 1) - 1;
    for (const Piece& anchor : t.now) {
      if ((t.committed & old & ~anchor.mask) != 0) fail(t, "P3: a leader without a claim");
      if ((t.skipped & old & anchor.mask) != 0) fail(t, "P4: a leader claims a skipped slot");
    }
  }

  void fail(const State& t, const std::string& why) {
    if (violation_.empty()) violation_ = why + ", round " + std::to_string(t.round);
  }

  Key key_of(const State& t) const {
    Key key{t.committed, t.skipped};
    each_correct([&](std::uint32_t i) {
      key.push_back(t.last[i].mask);
      key.push_back(static_cast<std::uint32_t>(t.vote[i] + 1));
    });
    for (const auto* pieces : {&t.now, &t.before, &t.faulty}) {
      key.push_back(static_cast<std::uint32_t>(pieces->size()));
      for (const Piece& p : *pieces) key.push_back(p.mask);
    }
    for (const int block : t.certified) key.push_back(static_cast<std::uint32_t>(block));
    return key;
  }

  // The committer on the whole DAG, and on what each last block refers to.
  void judge(const State& t) {
    std::map<std::uint64_t, Decision> decided;
    std::map<Digest, BlockPtr> known;
    for (const BlockPtr& b : t.all) known.emplace(b->digest, b);
    decide_view(t, t.all, decided);
    const auto history = [&](const BlockPtr& tip) {
      std::set<Digest> in;
      std::vector<BlockPtr> todo{tip};
      while (!todo.empty()) {
        const BlockPtr b = todo.back();
        todo.pop_back();
        if (!in.insert(b->digest).second) continue;
        each_edge(*b, committee_, [&](const Edge& e) {
          todo.push_back(known.at(e.digest));
          return true;
        });
      }
      std::vector<BlockPtr> out;
      for (const BlockPtr& b : t.all) {
        if (in.contains(b->digest)) out.push_back(b);
      }
      return out;
    };
    each_correct([&](std::uint32_t i) { decide_view(t, history(t.last[i].block), decided); });
    for (const Piece& p : t.faulty) decide_view(t, history(p.block), decided);
  }

  void decide_view(const State& t, const std::vector<BlockPtr>& blocks,
                   std::map<std::uint64_t, Decision>& decided) {
    ++views_;
    Store store(committee_, rules_);
    for (const BlockPtr& b : blocks) {
      const Header& h = b->header;
      store.insert(b, h.vote ? std::optional(voted(h, committee_)) : std::nullopt);
      store.accept(*store.find({b->author(), b->round(), b->digest}), std::nullopt);
    }
    for (const Decision& d : decide(store, committee_, schedule_, rules_, Round{1})) {
      if (d.ruling == Ruling::kUndecided) continue;
      const Decision& other = decided.emplace(d.slot.value, d).first->second;
      if (other.ruling != d.ruling || other.leader != d.leader) {
        fail(t, "P5: two views decide slot " + std::to_string(d.slot.value) + " differently");
      }
      const Mask slot = bit(static_cast<std::uint32_t>(d.slot.value));
      const Mask against = d.ruling == Ruling::kCommit ? t.skipped : t.committed;
      if ((against & slot) != 0) fail(t, "P5: a view decides against what another may decide");
    }
  }

  Rules rules_;
  Committee committee_ = *Committee::make(kNodes, 1);
  std::uint32_t faulty_;
  std::uint32_t rounds_;
  Schedule schedule_;
  std::uint32_t v_;
  std::uint32_t b_;
  std::uint32_t c_;
  std::uint32_t d_;
  std::uint32_t a_;
  bool claims_pass_;  ///< without evidence
  std::uint64_t states_ = 1;
  std::uint64_t transitions_ = 0;
  std::uint64_t views_ = 0;
  std::string violation_;
};

}  // namespace thresher::dag
