// The points at which a node of the uncertified family decides, each a function that is a rule of
// its protocol. Tests replace one at a time, to see that they notice when a rule is gone.
//
//   struct ClaimsNotChecked : Policy {
//     bool claim_proved(const Store&, Round, const Digest&) const override { return true; }
//   };
//   const ClaimsNotChecked unchecked;
//   Rules rules = Rules::thresher();
//   rules.policy = &unchecked;             // which broken_hypothesis(rules, committee) tells
//
// Guarantees: kSound, an object of this class itself, follows the rules of
// docs/protocols/thresher.md and two-delay.md, and does what the hypotheses of the proof ask that
// stand in brackets (proof.md); a deployment has no other. A policy knows nothing but what it is
// asked about, so nodes may share one. What differs between protocols of the family (thresholds,
// distances, leaders) is not here: those are numbers in Rules.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "thresher/protocols/dag/message.hpp"
#include "thresher/protocols/dag/rules.hpp"

namespace thresher::chassis {
class Latecomers;
}

namespace thresher::dag {

class Store;
struct Candidate;
struct Decision;
struct Entry;
struct Slot;
struct Testimony;

class Policy {
 public:
  virtual ~Policy() = default;

  // --- what may be signed and accepted

  /// N1 (Hself): the edge of a new block to its author's block before, which is null before the
  /// first.
  virtual Edge self_edge(NodeId author, const BlockPtr& before) const;
  /// N4 (Hdense): a dense block refers to each author once, and by its dense list never to its own.
  virtual bool each_author_once(const Header& header) const;
  /// N6 (Hcheck): a claim is accepted only with evidence.
  virtual bool claim_proved(const Store& store, Round slot, const Digest& leader) const;
  /// T4 (Hkills): and so is a KILL.
  virtual bool kill_proved(const Store& store, Round round) const;

  // --- what is decided

  /// N5 (one_block): whether a block votes for a candidate, the `number`-th of its slot counted
  /// from 1. A twin of the candidate is another one.
  virtual bool votes_for(const Entry& voter, std::uint32_t number) const;
  /// D1 (d_commit): whether the claims for a candidate commit its slot.
  virtual bool claims_commit(const Store& store, const Committee& committee, const Rules& rules,
                             const Slot& slot, const Candidate& candidate) const;
  /// D2 (dskip); U6 with a coin: whether enough authors wrote blocks that could have voted for a
  /// slot before it is skipped.
  virtual bool voters_suffice(const Store& store, const Committee& committee, const Rules& rules,
                              const Slot& slot) const;
  /// D3 (Hstop): the first slot from `from` on that is not skipped; null: there is none. `above`:
  /// the decisions so far, from the top down.
  virtual const Decision* anchor(std::span<const Decision> above, Round from) const;
  /// D3 (d_icommit): the block that a committed anchor commits in an earlier slot; empty: it skips
  /// the slot.
  virtual std::optional<Edge> committed_by(const Edge& anchor, const Store& store,
                                           const Committee& committee, const Rules& rules,
                                           const Slot& slot) const;
  /// T7 (Horder): the same where votes alone may commit.
  virtual std::optional<Edge> committed_by(const Testimony& history, const Slot& slot) const;

  // --- what others get and are asked for

  /// Whether `peer` is asked for a missing block that blocks of `namers` refer to: in the end all
  /// are, since those who name it may be liars.
  virtual bool asks_for_block(NodeId peer, std::span<const Edge> namers) const;
  /// E2: the same for the evidence of a claim.
  virtual bool asks_for_evidence(NodeId peer, std::span<const Edge> claimers) const;
  /// E1: whether an answer of `bytes` has room for one header more, whose size is added. Evidence
  /// is sent whole, and payloads do not count.
  virtual bool fits_evidence(const Header& header, const Limits& limits,
                             std::uint64_t& bytes) const;
  /// E4: whether a header that is evidence gets a record, and is kept; `durable`: it has one, as an
  /// accepted block.
  virtual bool records_evidence(bool durable) const;
  /// Q3, Q4: whether others are told of a culprit.
  virtual bool tells_of(NodeId culprit) const;
  /// B2: whether blocks of late authors go along with a new one, if there are any.
  virtual bool brings(const chassis::Latecomers& latecomers, Round now) const;
  /// F2: for how many rounds below the floor accepted blocks are kept for peers (attic.hpp).
  virtual std::uint64_t kept_below_floor(std::uint64_t fetches_beyond,
                                         std::uint64_t gc_depth) const;
  /// Whether one more further block of an equivocator is held for a peer that has so many.
  virtual bool room_for_twin(std::uint32_t twins, const Limits& limits) const;
  /// X1: whether so many bytes of their payload are kept on one account.
  virtual bool room_for_twins_payload(std::uint64_t bytes, const Limits& limits) const;
};

}  // namespace thresher::dag
