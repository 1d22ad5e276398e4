// The hypotheses under which the certified family's safety is proved, checked of a set of rules and
// a committee.
//
//   static_assert(broken_hypothesis(Rules::bullshark(), *Committee::of(4)).empty());
//
// Guarantees: the names and inequalities are those of `CLegal` in verify/proofs/Certified.v, with
// every stake 1. Its other hypotheses are not data but code: one vote for an author and round, a
// certificate before the next header, acceptance after references, the floor below the last anchor.
// Does not cover `bullshark_async`, whose leaders a coin draws.
#pragma once

#include <string_view>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/certified/rules.hpp"

namespace thresher::certified {

/// Of rules with another policy than kSound, whose functions do what Hself asks, among others.
inline constexpr std::string_view kNotTheProtocol =
    "policy: a rule of the protocol is replaced by another, as only tests do";

/// The first hypothesis of `CLegal` that does not hold, by its name there; empty when all hold.
/// `byz_le`, at most f faulty nodes, is what the operator assumes and nobody can check. Pre: no
/// coin draws the leaders.
constexpr std::string_view broken_hypothesis(const Rules& rules, const Committee& committee) {
  const std::uint64_t n = committee.size();
  const std::uint64_t f = committee.faults();
  const std::uint64_t certify = committee.at_least(rules.certify);
  const std::uint64_t commit = committee.at_least(rules.commit);
  const std::uint64_t dense = committee.at_least(rules.dense);
  const bool all_dense = rules.parents == Parents::kDense;
  if (certify + certify < n + f + 1) return "C1: two certificates share a correct voter";
  if (!all_dense && !rules.dense_anchor) return "must_be_dense: an anchor has `dense` parents";
  if (commit + dense < n + (all_dense ? 0 : f) + 1)
    return "C2: votes that commit and parents of an anchor share an author";
  if (rules.policy != &kSound) return kNotTheProtocol;
  return {};
}

}  // namespace thresher::certified
