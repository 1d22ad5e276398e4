// The blocks a node holds, by round and author, with the tallies that decisions read.
//
//   Entry& e = store.place(block);                // held
//   store.count(e, vote);                         // counted for votes and (sparse) claims
//   store.accept(e, claim);                       // all ancestors are here and its claim is proved
//
// Guarantees: a value (copyable), no unordered container, lookup by reference in constant time;
// what all parents of a block have or lack is found a word at a time (shape.hpp). A reference to an
// entry holds until the next block is placed in its round. Does not judge blocks: admission does.
// Rounds at or below floor() are gone and count as accepted.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "shape.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::dag {

inline constexpr NodeId kNobody{0xffff};

/// A held block.
struct Entry {
  BlockPtr block;
  ShapePtr shape;
  std::uint32_t vote = 0;            ///< 1 + index of the candidate it votes for; 0: none
  std::uint32_t claim = 0;           ///< likewise, that it claims
  std::uint32_t next_of_author = 0;  ///< 1 + index in the round of the author's next; 0: none
  bool named = false;
  bool accepted = false;
  bool delivered = false;
  bool in_own_history = false;
  bool passed = false;  ///< seen by pass_on()
  /// The node that sent it along with an own block, and so to all; kNobody: none is known.
  NodeId attached_by = kNobody;

  Edge edge() const { return {block->author(), block->round(), block->digest}; }
};

/// What is known of one block of a leader slot.
struct Candidate {
  Edge leader;
  Tally votes;
  Tally dead;
  Tally claims;
  Row voters;             ///< whose named block votes for it
  bool evidence = false;  ///< latched: certified by votes or by amplified claims
  bool kept = false;      ///< the evidence is durable
};

/// Where a held block is. Holds while its round does.
struct Place {
  Round round;
  NodeId author;
  std::uint32_t index = 0;
};

class Store {
 public:
  Store(const Committee& committee, const Rules& rules, std::uint64_t gc_depth = 256,
        std::shared_ptr<Names> names = nullptr);
  Store(const Store& other);
  Store& operator=(const Store& other);
  Store(Store&&) noexcept = default;
  Store& operator=(Store&&) noexcept = default;
  ~Store() = default;

  Round floor() const { return floor_; }
  /// Highest round with a held block.
  Round top() const { return top_; }
  /// No round above this one has accepted blocks of enough authors to be complete.
  Round full_top() const { return full_top_; }
  bool in_range(Round r) const { return r > floor_ && r <= top_; }
  /// Changes whenever what `decide` reads changed.
  std::uint64_t version() const { return version_; }
  const Judge& judge() const { return judge_; }

  Entry* find(const Edge& edge);
  const Entry* find(const Edge& edge) const;
  /// The first held block of an author in a round.
  const Entry* first(Round round, NodeId author) const;
  const Entry& entry(const Place& place) const { return at(place.round).entries[place.index]; }
  Entry& entry(const Place& place) { return at(place.round).entries[place.index]; }
  /// Held, accepted, or below the floor (genesis included).
  bool settled(const Edge& edge) const {
    if (edge.round <= floor_) return true;
    const Entry* entry = find(edge);
    return entry != nullptr && entry->accepted;
  }
  /// Neither held nor at or below the floor.
  bool missing(const Edge& edge) const { return edge.round > floor_ && find(edge) == nullptr; }
  /// The first edge of a held block that is not settled.
  std::optional<Edge> first_unsettled(const Entry& entry) const;
  /// Calls `visit(const Edge&)` for all that are not.
  template <class F>
  void each_unsettled(const Entry& entry, F visit) const {
    for (const Line& line : entry.shape->lines()) {
      if (line.round <= floor_) break;
      line.authors.for_each_outside(at(line.round).accepted_named,
                                    [&](NodeId author) { visit(named_edge(line, author)); });
    }
    for (const Edge& e : entry.shape->others) {
      if (!settled(e)) visit(e);
    }
  }
  /// Calls `visit(const Edge&)` for the edges of a held block that are missing.
  template <class F>
  void each_missing(const Entry& entry, F visit) const {
    for (const Line& line : entry.shape->lines()) {
      if (line.round <= floor_) break;
      line.authors.for_each_outside(at(line.round).held_named,
                                    [&](NodeId author) { visit(named_edge(line, author)); });
    }
    for (const Edge& e : entry.shape->others) {
      if (missing(e)) visit(e);
    }
  }
  /// The parent of a held block by `author`, in the round before, that comes first among its edges.
  std::optional<Edge> parent_by(const Entry& entry, NodeId author) const;
  /// Whether the parents of a held block are a claim on `c`, a candidate of the slot that the round
  /// before votes on: enough of them vote for it.
  bool certifies(const Entry& entry, const Candidate& c) const;
  /// All that can be told of a block without any other. Nodes that share the names ask of one
  /// object, held or packed, once for all.
  bool well_formed(const BlockPtr& block) const;
  /// A held copy of a packed block with all its parents; null when nobody who shares the names has
  /// one, or this node lacks a parent. Pre: packed.
  BlockPtr unpacked(const BlockPtr& block) const;

  /// Adds a held block. Pre: round > floor, not held yet.
  Entry& place(BlockPtr block);
  /// Counts a placed block for `vote`, and for what it claims where that is a field. True when some
  /// slot latched evidence.
  bool count(Entry& entry, const std::optional<Edge>& vote);
  bool insert(BlockPtr block, const std::optional<Edge>& vote) {
    return count(place(std::move(block)), vote);
  }
  /// Counts a vote for `leader`, or a claim, by a header that is not placed. True when evidence
  /// latched.
  bool testify(const Edge& leader, NodeId author, bool claims);
  /// Marks as accepted and, for dense rules, counts its derived claim. True when evidence latched.
  bool accept(Entry& entry, const std::optional<Edge>& claim);
  /// Counts what an accepted block votes for, where that is read off its history. True when
  /// evidence latched.
  bool vote(Entry& entry, const std::optional<Edge>& vote);
  /// A coin named the leader of `slot`: what the accepted blocks of its wave vote for and claim is
  /// derived by `vote(entry)`, then `claim(entry)`. Pre: slot > floor.
  template <class V, class C>
  void derive(Round slot, V vote, C claim) {
    ++version_;
    auto& voters = round(Round{slot.value + judge_.rules.votes_after()});
    for (Entry& e : voters) {
      if (e.accepted) set_vote(e, vote(std::as_const(e)));
    }
    for (const Entry& e : voters) {
      if (e.accepted) count_vote(e);
    }
    count_claims(Round{slot.value + judge_.rules.claims_after()}, claim);
  }
  /// Other leaders from `slot` on: what later blocks vote for and (accepted ones) claim is derived
  /// again by `vote(entry)` and `claim(entry)`. For dense rules. Pre: slot > floor.
  template <class V, class C>
  void derive_again(Round slot, V vote, C claim) {
    forget_votes(slot);
    for (Round r{slot.value + 1}; r <= top_; ++r.value) {
      for (Entry& e : at(r).entries) set_vote(e, vote(std::as_const(e)));
      for (const Entry& e : at(r).entries) count_vote(e);
    }
    for (Round r{slot.value + 2}; r <= top_; ++r.value) count_claims(r, claim);
  }
  /// The block that a held one votes for, and the one that it claims; null: none.
  const Edge* vote_of(const Entry& entry) const {
    return candidate_of(entry, entry.vote, judge_.rules.votes_after());
  }
  const Edge* claim_of(const Entry& entry) const {
    return candidate_of(entry, entry.claim, judge_.rules.claims_after());
  }
  /// Marks as delivered. Pre: not delivered yet.
  void deliver(Entry& entry);
  /// Delivers what can be reached from `from`, through blocks not delivered and not below `lowest`.
  /// The places by round, author and digest.
  std::vector<Place> deliver_history(std::span<const Edge> from, Round lowest);
  /// Marks what can be reached from `from` as history of the own last block.
  void enter_own_history(std::span<const Edge> from);
  /// What can be reached from `from`, not below `lowest`, and was not in an earlier call: by
  /// descending rounds.
  std::vector<Place> pass_on(std::span<const Edge> from, Round lowest);

  /// Changes nothing: brings near what is known of an author in the newest rounds.
  void warm(NodeId author) const {
    for (std::size_t i = rounds_.size(); i-- > 0 && i + kWarm >= rounds_.size();) {
      const RoundInfo& info = rounds_[i];
      __builtin_prefetch(&info.first[author.value]);
      __builtin_prefetch(info.entries.data() + info.entries.size());
    }
  }

  const Tally& held_authors(Round round) const;
  const Tally& accepted_authors(Round round) const;
  const std::vector<Candidate>& candidates(Round slot) const;
  bool has_evidence(Round slot, const Digest& leader) const;
  /// Authors of held blocks that KILL the round. Two-delay rules, as the next three.
  const Tally& kills(Round round) const;
  /// T2: there is evidence for a KILL of the round; latched.
  bool killable(Round round) const { return in_range(round) && at(round).killable; }
  /// Latches it because of headers that are not placed. Pre: they prove it (kill_evidence.hpp).
  void prove_kill(Round round);
  /// True once for each killable round: its evidence is to be made durable.
  bool keep_kill(Round round);
  /// Null when no held block votes for it or claims it.
  Candidate* candidate_for(Round slot, const Digest& leader);
  /// Whether accepted blocks alone certify a candidate of `slot` by their votes.
  bool certified_by_accepted(Round slot, const Candidate& c) const;
  /// The held block of a round with this digest, or null.
  const Entry* by_digest(Round round, const Digest& digest) const;
  /// Every held block of a round, in order of arrival.
  const std::vector<Entry>& round(Round round) const;
  std::vector<Entry>& round(Round round);
  /// First accepted block of the slot's leader, or null.
  const Entry* accepted_leader(Round slot, NodeId leader) const;
  /// The highest round of a block of the author that was accepted, forgotten or not; 0: none was.
  Round highest_accepted(NodeId author) const { return highest_accepted_[author.value]; }
  /// An edge to it; empty when there is none.
  std::optional<Edge> accepted_edge(Round round, NodeId author) const;

  /// Drops rounds up to and including `floor`; calls `dropped` for each block.
  template <class F>
  void raise_floor(Round floor, F dropped) {
    ++version_;
    while (floor_.value < floor.value) {
      if (rounds_.empty()) {
        floor_ = top_ = floor;
        return;
      }
      for (const Entry& e : rounds_.front().entries) dropped(e);
      rounds_.pop_front();
      ++floor_.value;
    }
  }

 private:
  static constexpr std::size_t kWarm = 2;
  static constexpr std::size_t kAhead = 8;  // entries that a walk asks memory for
  struct RoundInfo {
    std::vector<Entry> entries;
    std::vector<std::uint32_t> first;  // by author: 1 + index of its first entry; 0: none
    std::shared_ptr<NamesOf> names;
    // Named blocks, by author: held, accepted, ...
    Row held_named;
    Row accepted_named;
    Row delivered_named;
    Row own_named;
    Row passed_named;
    Tally held;
    Tally accepted;
    std::vector<Candidate> candidates;  // of the slot of this round
    Tally kills;                        // by blocks two rounds up
    bool killable = false;
    bool kill_kept = false;  // its evidence is durable
  };
  // A mark that spreads from a block to its ancestors: on named blocks also a bit.
  struct Mark {
    bool Entry::*entry;
    Row RoundInfo::*row;
  };
  static constexpr Mark kDelivered{&Entry::delivered, &RoundInfo::delivered_named};
  static constexpr Mark kOwn{&Entry::in_own_history, &RoundInfo::own_named};
  static constexpr Mark kPassed{&Entry::passed, &RoundInfo::passed_named};
  // What a walk down has still to visit in one round.
  struct Front {
    Row named;
    std::vector<std::uint32_t> others;  // indexes of entries
    bool any = false;
  };

  RoundInfo& at(Round round) { return rounds_[round.value - floor_.value - 1]; }
  const RoundInfo& at(Round round) const { return rounds_[round.value - floor_.value - 1]; }
  void grow(Round round);
  static Edge named_edge(const Line& line, NodeId author) {
    return {author, line.round, line.names->of[author.value].digest};
  }
  // Null when nobody has the round.
  std::shared_ptr<NamesOf> names_of(Round round) const {
    return in_range(round) ? at(round).names : names_->find(round);
  }
  ShapePtr shape(const BlockPtr& block);
  std::uint32_t named_index(const RoundInfo& info, NodeId author) const;
  void list_named(const RoundInfo& info, const Row& authors);
  void mark(Entry& entry, const Mark& mark);
  void reach(const Edge& edge, Round lowest, const Mark& mark);
  void spread(const Entry& entry, Round lowest, const Mark& mark);
  // Marks what can be reached; calls `visit(Place)` for each, by descending rounds.
  template <class F>
  void walk(std::span<const Edge> from, Round lowest, const Mark& how, F visit);

  std::uint32_t candidate(const Edge& leader, bool& fresh);
  void count_voters(Round slot, std::uint32_t number);
  const Edge* candidate_of(const Entry& entry, std::uint32_t index, std::uint64_t back) const;
  void set_vote(Entry& entry, const std::optional<Edge>& vote);
  bool count_claim(Entry& entry, const Edge& leader);
  bool count_vote(const Entry& entry);
  void count_vote(const Entry& entry, Candidate& candidate, std::uint32_t number) const;
  template <class C>
  void count_claims(Round r, C claim) {
    for (Entry& e : round(r)) {
      if (!e.accepted) continue;
      e.claim = 0;
      if (const auto claimed = claim(std::as_const(e))) count_claim(e, *claimed);
    }
  }
  void forget_votes(Round slot);
  bool latch(Candidate& candidate) const;
  bool count_kill(const Entry& entry);
  bool latch_kill(Round round);

  Judge judge_;
  std::uint32_t certify_;
  std::uint32_t amplify_;
  std::shared_ptr<Names> names_;
  bool shares_names_;
  Round floor_{0};
  Round top_{0};  // floor_ + rounds_.size()
  Round full_top_{0};
  std::vector<Round> highest_accepted_;  // by author
  std::uint64_t version_ = 1;
  std::deque<RoundInfo> rounds_;
  std::vector<std::uint32_t> marking_;  // indexes of entries in the round that a walk is at
  std::vector<Front> fronts_;           // by round above the floor; empty but for a walk
  RoundInfo none_;
};

}  // namespace thresher::dag
