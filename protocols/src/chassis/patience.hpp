// How long a leader is waited for, as the waits so far teach. Rules W1 to W3 of
// docs/protocols/thresher.md, section "Moving on".
//
//   Patience patience(committee, timeout, limits.window);
//   patience.waited(leader, so_long);            // what its round was waited for is there
//   patience.without_block(round, leader, timed_out);   // or the round was left without it
//   patience.block_came(round, author);          // which was too early, as it came after all
//   if (so_long >= patience.wait_for(leader)) ...   // time to leave
//
// Guarantees: only how long to wait depends on it, never what is safe. A wait is between a third of
// T and T; T itself doubles up to 64 times when waits turn out too short while nothing is committed
// directly, and falls back with the next direct commit. At most f of the waits are liars' doing: a
// wait follows the longest of n-f. Memory: a few numbers for each member, the latest slots left.
// Reads no clock: the caller says how long it waited. Unit of waits: 1/1000 Delta.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/core/ids.hpp"

namespace thresher::chassis {

class Patience {
 public:
  /// `timeout`: T. `window`: a leader's silence never counts for more rounds than this.
  Patience(const Committee& committee, std::uint64_t timeout, std::uint64_t window);

  std::uint64_t timeout() const { return timeout_; }
  /// How finely waits are measured.
  std::uint64_t step() const;
  std::uint64_t wait_for(NodeId leader) const;
  /// A leader of whom no block of so many rounds is held is not waited for.
  std::uint64_t silence(NodeId leader) const { return leaders_[leader.value].silence; }

  /// Round `round` begins to be waited for. Measured waits are not trusted where nothing was
  /// committed directly for long.
  void watch(Round round);
  void waited(NodeId leader, std::uint64_t so_long);
  /// A round was left without its leader's block, or without a proof of its leader's certificate;
  /// `patiently`: after the whole time-out.
  void without_block(Round round, NodeId leader, bool patiently);
  void without_proof(Round slot, NodeId leader, bool patiently);
  /// W1. It came; nothing happens when it was not given up before.
  void block_came(Round round, NodeId author);
  void proof_came(Round slot);
  void committed_directly(Round slot);
  /// Rounds up to the floor are decided.
  void forget(Round floor);

 private:
  static constexpr std::uint64_t kSilence = 3;
  struct Leader {
    std::uint64_t silence = kSilence;
    /// How long its rounds were waited for lately; 0: it did not lead yet.
    std::uint64_t gap = 0;
  };
  struct Missed {
    NodeId leader;
    bool block = false;
    bool proof = false;
    bool patiently = false;
  };
  void too_early(const Missed& missed, Round slot);
  void came(std::map<Round, Missed>::iterator at, bool Missed::*what);
  void trim();

  std::uint32_t members_;
  std::uint32_t faults_;
  std::uint32_t correct_;  // at least this many of the waits are correct nodes'
  std::uint32_t one_is_correct_;
  std::uint64_t shortest_timeout_;
  std::uint64_t window_;
  std::uint64_t timeout_;
  bool wary_ = false;  // measured waits are not trusted till a direct commit
  std::vector<Leader> leaders_;
  std::map<Round, Missed> missed_;  // by slot, the latest
  NodeSet late_;  // leaders of them for whose slots something came in after all, since T changed
  Round commits_since_{0};  // the last slot that was committed directly, or after which T grew
};

}  // namespace thresher::chassis
