// The own blocks: what goes into one, its signature, and how others get it. Rules N1 and M3 of
// docs/protocols/thresher.md; what a block names: composer.hpp.
//
//   OwnBlocks own(config, store, culprits, slots, where, work, backlog, attachments, stats);
//   if (!own.composing()) own.compose(round, fx);     // its signature is asked for
//   if (auto along = own.sign(endorsed)) {            // where.own() is a new one
//     records.put(kOwn, *where.own(), fx);
//     own.send(std::move(*along), fx);
//   }
//   own.begin(fx);                                    // a start
//   own.repeat(fx);                                   // kPushTimer ran off
//
// Guarantees: one block is on the way at a time, one for a round. The last one is repeated byte for
// byte while nothing new leaves, so lost messages are repaired. That it is durable before it is
// sent is the caller's, between sign() and send().
#pragma once

#include <optional>
#include <vector>

#include "attachments.hpp"
#include "work.hpp"

namespace thresher::dag {

class OwnBlocks {
 public:
  using Fx = Dag::Fx;

  /// `like`: of the node of which this one is a copy. Changes marks in `store`, `where`, `backlog`,
  /// `attachments` and `stats`.
  OwnBlocks(const Config& config, Store& store, const Culprits& culprits, const Slots& slots,
            Whereabouts& where, const Work& work, Backlog& backlog, Attachments& attachments,
            Stats& stats, const OwnBlocks* like = nullptr);
  OwnBlocks(const OwnBlocks&) = delete;

  /// A block waits for its signature.
  bool composing() const { return draft_.has_value(); }
  /// N1. Pre: !composing().
  void compose(Round round, Fx& fx);
  /// N1. What is to go along with it; empty: the signature is not of the block that waits for one.
  std::optional<std::vector<BlockPtr>> sign(const Endorsed& event);
  void send(std::vector<BlockPtr> along, Fx& fx);

  void begin(Fx& fx);
  /// M3
  void repeat(Fx& fx);
  /// The last one as others get it. Pre: there is one.
  BlockPtr outgoing() const;

 private:
  struct Draft {
    Header header;
    Payload payload;
    std::vector<BlockPtr> attached;  // that will go along with it
  };

  const Config& config_;
  Store& store_;
  const Culprits& culprits_;
  const Slots& slots_;
  Whereabouts& where_;
  const Work& work_;
  Backlog& backlog_;
  Attachments& attachments_;
  Stats& stats_;
  std::optional<Draft> draft_;  // waiting for the signature
  bool pushed_recently_ = false;
};

}  // namespace thresher::dag
