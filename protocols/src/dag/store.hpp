// The blocks a node holds, by round and author, with the tallies that decisions read.
//
//   store.insert(block, vote);                    // held: counted for votes and (sparse) claims
//   Entry* e = store.find(edge);
//   store.accept(*e, claim);                      // all ancestors are here and its claim is proved
//
// Guarantees: a value (copyable), no unordered container, lookup by reference in constant time.
// Does not judge blocks: admission does. Rounds at or below floor() are gone and count as accepted.
#pragma once

#include <deque>
#include <vector>

#include "thresher/protocols/dag/dag.hpp"

namespace thresher::dag {

/// A held block. `vote` and `claim` are its fields (sparse) or follow from its references (dense).
struct Entry {
  BlockPtr block;
  std::optional<Edge> vote;
  std::optional<Edge> claim;
  bool accepted = false;
  bool delivered = false;
  bool in_own_history = false;
  std::uint32_t settled_edges = 0;   ///< of its edges so many, from the first on, are settled
  std::uint32_t next_of_author = 0;  ///< 1 + index in the round of the author's next; 0: none

  Edge edge() const { return {block->author(), block->round(), block->digest}; }
};

/// What is known of one block of a leader slot.
struct Candidate {
  Edge leader;
  Tally votes;
  Tally dead;
  Tally claims;
  bool evidence = false;  ///< latched: certified by votes or by amplified claims
};

class Store {
 public:
  Store(const Committee& committee, const Rules& rules);

  Round floor() const { return floor_; }
  /// Highest round with a held block.
  Round top() const { return top_; }
  /// No round above this one has accepted blocks of enough authors to be complete.
  Round full_top() const { return full_top_; }
  bool in_range(Round r) const { return r > floor_ && r <= top_; }
  /// Changes whenever what `decide` reads changed.
  std::uint64_t version() const { return version_; }

  Entry* find(const Edge& edge);
  const Entry* find(const Edge& edge) const;
  /// The first held block of an author in a round.
  const Entry* first(Round round, NodeId author) const;
  /// Held, accepted, or below the floor (genesis included).
  bool settled(const Edge& edge) const {
    if (edge.round <= floor_) return true;
    if (edge.round > top_ || !committee_.contains(edge.author)) return false;
    const Slot& slot = at(edge.round).first[edge.author.value];
    if (slot.index == 0) return false;
    if (slot.digest == edge.digest) return slot.accepted;
    const Entry* entry = find(edge);
    return entry != nullptr && entry->accepted;
  }
  /// Neither held nor at or below the floor.
  bool missing(const Edge& edge) const { return edge.round > floor_ && find(edge) == nullptr; }

  /// Adds a held block. Pre: round > floor, not held yet. True when some slot latched evidence.
  bool insert(BlockPtr block, std::optional<Edge> vote);
  /// Marks as accepted and, for dense rules, counts its derived claim. True when evidence latched.
  bool accept(Entry& entry, std::optional<Edge> claim);
  /// Counts what an accepted block votes for, where that is read off its history. True when
  /// evidence latched.
  bool vote(Entry& entry, std::optional<Edge> vote);
  /// A coin named the leader of `slot`: what the accepted blocks of its wave vote for and claim is
  /// derived by `vote(block)`, then `claim(header)`. Pre: slot > floor.
  template <class V, class C>
  void derive(Round slot, V vote, C claim) {
    ++version_;
    for (Entry& e : round(Round{slot.value + rules_.votes_after()})) {
      if (e.accepted) e.vote = vote(*e.block);
    }
    for (const Entry& e : round(Round{slot.value + rules_.votes_after()})) {
      if (e.accepted) count_vote(e);
    }
    for (Entry& e : round(Round{slot.value + rules_.claims_after()})) {
      if (!e.accepted) continue;
      e.claim = claim(e.block->header);
      if (e.claim) count_claim(*e.claim, e.block->author());
    }
  }
  /// Other leaders from `slot` on: what later blocks vote for and (accepted ones) claim is derived
  /// again by `vote(header)` and `claim(header)`. For dense rules. Pre: slot > floor.
  template <class V, class C>
  void derive_again(Round slot, V vote, C claim) {
    forget_votes(slot, vote);
    for (Round r{slot.value + 2}; r <= top_; ++r.value) {
      for (Entry& e : at(r).entries) {
        if (!e.accepted) continue;
        e.claim = claim(e.block->header);
        if (e.claim) count_claim(*e.claim, e.block->author());
      }
    }
  }
  /// Marks as delivered. Pre: not delivered yet.
  void deliver(Entry& entry);
  /// Marks as part of the history of the own last block.
  void enter_own_history(Entry& entry);
  /// No held block that `edge` could name is left to deliver. Looks at no digest: false also of a
  /// delivered block whose author has another that is not.
  bool surely_delivered(const Edge& edge) const {
    return !in_range(edge.round) || at(edge.round).all_delivered.contains(edge.author);
  }
  /// As surely_delivered, of the own history.
  bool surely_in_own_history(const Edge& edge) const {
    return !in_range(edge.round) || at(edge.round).all_in_own_history.contains(edge.author);
  }
  /// No author has two held blocks in the round.
  bool without_twins(Round round) const {
    return !in_range(round) || at(round).entries.size() == at(round).held.count();
  }

  /// Changes nothing: brings near what is known of an author in the newest rounds.
  void warm(NodeId author) const {
    for (std::size_t i = rounds_.size(); i-- > 0 && i + kWarm >= rounds_.size();)
      __builtin_prefetch(&rounds_[i].first[author.value]);
  }

  const Tally& held_authors(Round round) const;
  const Tally& accepted_authors(Round round) const;
  const std::vector<Candidate>& candidates(Round slot) const;
  bool has_evidence(Round slot, const Digest& leader) const;
  /// The held block of a round with this digest, or null.
  const Entry* by_digest(Round round, const Digest& digest) const;
  /// Every held block of a round, in order of arrival.
  const std::vector<Entry>& round(Round round) const;
  std::vector<Entry>& round(Round round);
  /// First accepted block of the slot's leader, or null.
  const Entry* accepted_leader(Round slot, NodeId leader) const;

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
  /// The first block of an author in a round, apart from the entries: most lookups end here and
  /// touch one cache line instead of the slot, the entry and the block.
  struct Slot {
    Digest digest{};
    std::uint32_t index = 0;  ///< 1 + index of the entry; 0: none
    bool accepted = false;
  };
  static constexpr std::size_t kWarm = 2;
  struct RoundInfo {
    std::vector<Entry> entries;
    std::vector<Slot> first;     // by author
    NodeSet all_delivered;       // authors whose held blocks are all delivered
    NodeSet all_in_own_history;  // likewise
    Tally held;
    Tally accepted;
    std::vector<Candidate> candidates;  // of the slot of this round
  };

  /// Adds the author to `marked` when each of its held blocks of the round has the mark.
  static void note_marked(const RoundInfo& info, NodeId author, bool Entry::*mark, NodeSet& marked);
  RoundInfo& at(Round round) { return rounds_[round.value - floor_.value - 1]; }
  const RoundInfo& at(Round round) const { return rounds_[round.value - floor_.value - 1]; }
  void grow(Round round);
  Candidate& candidate(const Edge& leader);
  bool count_claim(const Edge& leader, NodeId author);
  bool count_vote(const Entry& entry);
  template <class V>
  void forget_votes(Round slot, V vote) {
    ++version_;
    for (Round r = slot; r <= top_; ++r.value) {
      at(r).candidates.clear();
      if (r == slot) continue;
      for (Entry& e : at(r).entries) {
        e.vote = vote(e.block->header);
        if (r.value > slot.value + 1) e.claim.reset();
      }
    }
    for (Round r = slot; r < top_; ++r.value) {
      for (const Entry& e : at(Round{r.value + 1}).entries) {
        if (e.vote) latch(candidate(*e.vote));
      }
    }
  }
  bool latch(Candidate& candidate);
  bool votes_for(const std::optional<Edge>& vote, const Edge& leader) const;

  Committee committee_;
  Rules rules_;
  Round floor_{0};
  Round top_{0};  // floor_ + rounds_.size()
  Round full_top_{0};
  std::uint64_t version_ = 1;
  std::deque<RoundInfo> rounds_;
  RoundInfo none_;
};

}  // namespace thresher::dag
