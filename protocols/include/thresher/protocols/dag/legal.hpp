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

/// Of rules with another policy than kSound: the remaining hypotheses (Hdense, Hself, Hcheck,
/// Hstop, one_block, dskip, d_commit, d_icommit; Hkills and Horder) are what its functions do.
inline constexpr std::string_view kNotTheProtocol =
    "policy: a rule of the protocol is replaced by another, as only tests do";

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
  if (rules.two_delays) {
    const std::string_view broken = broken_two_delay_hypothesis(rules, committee);
    if (!broken.empty()) return broken;
  }
  if (rules.policy != &kSound) return kNotTheProtocol;
  return {};
}

}  // namespace thresher::dag
