// What a node's next block names: its own block before, the leader's, what it has evidence for, and
// the blocks of the last round. Rules N1 to N4 of docs/protocols/thresher.md, T3 of two-delay.md
// and U1 of mahi-mahi.md.
//
//   Composer composer(config, store, culprits, rounds);
//   Header h = composer.header(round, own, payload, leads);      // to be signed
//
// Guarantees: the header is well formed if the round before is complete, and names accepted blocks
// alone, none of a culprit but in a claim. What a dense header lists is in the own history
// afterwards, so no later one lists it again. Refers to what it is made of, and lasts no longer.
#pragma once

#include "rounds.hpp"

namespace thresher::dag {

class Composer {
 public:
  Composer(const Config& config, Store& store, const Culprits& culprits, const Rounds& rounds)
      : config_(config), store_(store), culprits_(culprits), rounds_(rounds) {}

  /// `before`: the last own block, or null; `leads`: this node leads the round, as far as it knows.
  Header header(Round round, const BlockPtr& before, const Payload& payload, bool leads);

 private:
  void add_vote(Header& header) const;
  void add_claim(Header& header) const;
  void add_kill(Header& header) const;
  void add_references(Header& header);

  const Config& config_;
  Store& store_;
  const Culprits& culprits_;
  const Rounds& rounds_;
};

}  // namespace thresher::dag
