// How far this node is, and how far the others are. Rules M4 and H3 of docs/protocols/thresher.md.
//
//   Whereabouts where(config, store, culprits, slots);
//   where.made(block);                             // the own block of a later round
//   where.frontier().note(peer, round);            // a peer sent a block of its own
//   if (where.lagging()) ask_for_rounds();
//   if (where.is_far(block->round())) ...          // its payload can wait
//
// Guarantees: where the others are is what kValidity of them say, of whom one is correct; one peer
// may say anything. Answers from what is held now, and changes none of that. Does not say what is
// to be done about it.
#pragma once

#include <algorithm>

#include "../chassis/frontier.hpp"
#include "rounds.hpp"

namespace thresher::dag {

class Whereabouts {
 public:
  /// `like`: of the node of which this one is a copy.
  Whereabouts(const Config& config, const Store& store, const Culprits& culprits,
              const Slots& slots, const Whereabouts* like = nullptr)
      : rounds_(config, store, culprits, slots),
        own_(like != nullptr ? like->own_ : nullptr),
        frontier_(like != nullptr ? like->frontier_
                                  : chassis::Frontier(config.committee, config.self)) {}
  Whereabouts(const Whereabouts&) = delete;

  /// The last own block; null before the first.
  const BlockPtr& own() const { return own_; }
  void made(BlockPtr own) { own_ = std::move(own); }
  /// Its round; 0 before the first.
  Round round() const { return own_ ? own_->round() : Round{0}; }
  /// The round of the next own block.
  Round next() const { return rounds_.after(round()); }
  const Rounds& rounds() const { return rounds_; }

  chassis::Frontier& frontier() { return frontier_; }
  const chassis::Frontier& frontier() const { return frontier_; }

  /// A peer has written a block, of this round, that this node cannot follow with what it holds.
  bool ahead(Round seen) const;
  /// Some correct peer has.
  bool lagging() const { return ahead(frontier_.reached()); }
  /// Beyond the next round, and beyond what a correct node may have written by now.
  bool is_far(Round round) const;

 private:
  Rounds rounds_;
  BlockPtr own_;
  chassis::Frontier frontier_;
};

}  // namespace thresher::dag
