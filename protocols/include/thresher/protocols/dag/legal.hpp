// The hypotheses under which the sparse DAG's safety is proved, checked of a set of rules and a
// committee.
//
//   static_assert(broken_hypothesis(Rules::thresher(), *Committee::of(4)).empty());
//
// Guarantees: the names and inequalities are those of `Legal` in verify/proofs/Model.v, and of the
// two-delay path those of `FLegal` and `Heavy` in TwoDelay.v and TwoDelayForms.v, with every
// stake 1. Does not cover rules whose leaders a coin draws: their proof is in
// docs/protocols/mahi-mahi.md.
#pragma once

#include <string_view>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/dag/rules.hpp"

namespace thresher::dag {

/// The first of the two-delay path's hypotheses that does not hold; empty when all do.
constexpr std::string_view broken_two_delay_hypothesis(const Rules& rules,
                                                       const Committee& committee) {
  const std::uint64_t n = committee.size();
  const std::uint64_t f = committee.faults();
  const std::uint64_t v = committee.at_least(rules.certify);
  const std::uint64_t d = committee.at_least(rules.dense);
  const std::uint64_t fast = committee.at_least(rules.fast);
  const std::uint64_t w = committee.at_least(rules.seen);
  const std::uint64_t bf = committee.at_least(rules.blames);
  if (fast < v) return "Fv: the votes that commit are a certificate";
  if (v + bf < n + f + 1) return "Fb: a certificate and a skip by blames share a correct voter";
  if (committee.at_least(rules.kills) + d < n + f + 1)
    return "A3: kills that skip and the parents of a later leader share a correct node";
  if (w < f + 1) return "Fc: a correct voter is among those that an anchor sees";
  if (w + n + f > d + fast) return "Fw: every anchor sees enough of the votes that commit";
  if (n + f + 1 > fast + w) return "Fo: and fewer for any other block";
  if (n + f + 1 > bf + w) return "Fs: what is skipped by blames has fewer votes";
  if (!rules.check_kills) return "Hkills: a KILL is accepted with evidence only";
  if (!rules.votes_last || !rules.votes_seen)
    return "Horder: an anchor's history is asked for claims, then KILLs, then votes";
  if (rules.edges != Edges::kSparse) return "Hsparse: votes and claims are fields";
  return {};
}

/// The first hypothesis of `Legal` that does not hold, by its name there; empty when all hold.
/// `byz_le`, at most f faulty nodes, is what the operator assumes and nobody can check. Pre: no
/// coin draws the leaders.
constexpr std::string_view broken_hypothesis(const Rules& rules, const Committee& committee) {
  const std::uint64_t n = committee.size();
  const std::uint64_t f = committee.faults();
  const std::uint64_t v = committee.at_least(rules.certify);
  const std::uint64_t b = committee.at_least(rules.skip);
  const std::uint64_t c = committee.at_least(rules.commit);
  const std::uint64_t d = committee.at_least(rules.dense);
  const std::uint64_t a = committee.at_least(rules.amplify);
  if (v + v < n + f + 1) return "A1: two certificates share a correct voter";
  if (v + b < n + f + 1) return "A2: a certificate and a skip share a correct voter";
  if (c + d < n + f + 1)
    return "A3: a commit and the parents of a later leader share a correct node";
  if (a < f + 1) return "Aa: amplified claims hold one of a correct node";
  if (d > n) return "Ad: a dense block has no more parents than there are nodes";
  if (rules.anchor_distance < 3) return "Hgap: anchors stand three rounds above the slot or more";
  if (!rules.distinct_parents) return "Hdense: parents are counted by author";
  if (!rules.self_edge) return "Hself: a block refers to its author's block before";
  if (!rules.check_claims) return "Hcheck: a claim is accepted with evidence only";
  if (!rules.stop_at_undecided) return "Hstop: an undecided slot ends the search for an anchor";
  if (!rules.one_vote) return "one_block: a vote counts for the block that it names";
  if (!rules.skip_needs_authors) return "dskip: a skip has seen enough authors";
  if (!rules.claims_in_time || !rules.claims_by_author)
    return "d_commit: claims count by author, in their round";
  if (!rules.indirect_needs_claim) return "d_icommit: an anchor commits what its history claims";
  if (rules.two_delays) return broken_two_delay_hypothesis(rules, committee);
  return {};
}

}  // namespace thresher::dag
