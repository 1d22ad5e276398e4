// Every rule of the DAG protocol taken away in turn: what the adversaries of tests have to find.
//
//   for (const Mutant& mutant : mutants()) simulate_dag(experiment, mutant.rules, {});
#pragma once

#include <string_view>
#include <vector>

#include "thresher/protocols/dag/rules.hpp"

namespace thresher {

// The same rules with every node in turn as the leader, and liars left alone: only the node that
// finds an equivocator knows of it. Safety rests on neither, and an adversary that goes on for
// longer finds more.
inline dag::Rules in_turn(dag::Rules rules, std::string_view name) {
  rules.leaders = dag::Leaders::kInTurn;
  rules.equivocations_told = false;
  rules.brings_late = false;
  rules.name = name;
  return rules;
}

struct Mutant {
  const char* name;
  dag::Rules rules;
  std::vector<std::uint32_t> sizes = {4, 5, 6, 7, 10};
  std::uint64_t first = 1;  ///< the seed to begin with: those before show nothing
};

inline std::vector<Mutant> mutants() {
  std::vector<Mutant> all;
  const auto add = [&](const char* name, auto change) {
    // Leaders in turn: what each rule is for does not depend on who leads.
    dag::Rules rules = in_turn(dag::Rules::thresher(), "thresher");
    change(rules);
    all.push_back({name, rules});
  };
  constexpr Threshold kTwiceFaults{0, 2, 0, 1};
  add("CommitByFewClaims", [](auto& r) { r.commit = kValidity; });
  add("CertifyByTwiceF", [&](auto& r) { r.certify = kTwiceFaults; });
  add("ClaimsNotChecked", [](auto& r) { r.check_claims = false; });
  add("LeaderNotDense", [](auto& r) { r.dense = kAny; });
  add("SkipByFew", [](auto& r) { r.skip = kValidity; });
  add("SkipByTwiceF", [&](auto& r) { r.skip = kTwiceFaults; });
  add("AnchorTooNear", [](auto& r) { r.anchor_distance = 2; });
  all.back().first = 104;
  add("UndecidedIgnored", [](auto& r) { r.stop_at_undecided = false; });
  add("AmplifyByF", [](auto& r) { r.amplify = Threshold{0, 1, 0, 1}; });
  add("AnchorCommitsAnything", [](auto& r) { r.indirect_needs_claim = false; });
  all.back().first = 47;
  add("CommitByTwiceF", [&](auto& r) { r.commit = kTwiceFaults; });
  add("DenseByTwiceF", [&](auto& r) { r.dense = kTwiceFaults; });
  add("NoSelfEdge", [](auto& r) { r.self_edge = false; });
  add("TwoVotes", [](auto& r) { r.one_vote = false; });
  all.back().first = 51;
  add("SkipUnseen", [](auto& r) { r.skip_needs_authors = false; });
  add("CarriedClaims", [](auto& r) { r.claims_in_time = false; });
  all.back().first = 97;
  add("ParentsNotDistinct", [](auto& r) { r.distinct_parents = false; });
  add("ClaimsByBlock", [](auto& r) { r.claims_by_author = false; });
  all.back().first = 1700;
  // 2f+1 is a quorum only where n = 3f+1.
  for (const std::uint32_t n : {5u, 6u}) {
    add(n == 5 ? "QuorumsOfThreeOfFive" : "QuorumsOfThreeOfSix",
        [](auto& r) { r.certify = r.skip = r.commit = r.dense = r.complete = kStrong; });
    all.back().sizes = {n};
  }
  return all;
}

}  // namespace thresher
