// Every rule of the DAG protocol taken away in turn: what the adversaries of tests have to find.
//
//   for (const Mutant& mutant : mutants()) simulate_dag(experiment, mutant.rules, {});
#pragma once

#include <string_view>
#include <vector>

#include "policies.hpp"
#include "thresher/protocols/dag/rules.hpp"

namespace thresher {

// The same rules with every node in turn as the leader, and liars left alone.
inline dag::Rules in_turn(dag::Rules rules, std::string_view name) {
  rules.leaders = dag::Leaders::kInTurn;
  rules.policy = &dag::kOne<dag::LiarsLeftAlone>;
  rules.name = name;
  return rules;
}

/// Rules of in_turn() without one rule.
template <template <class> class Taken>
void without(dag::Rules& rules) {
  rules.policy = &dag::kOne<Taken<dag::LiarsLeftAlone>>;
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
  add("ClaimsNotChecked", without<dag::ClaimsNotChecked>);
  add("LeaderNotDense", [](auto& r) { r.dense = kAny; });
  add("SkipByFew", [](auto& r) { r.skip = kValidity; });
  add("SkipByTwiceF", [&](auto& r) { r.skip = kTwiceFaults; });
  add("AnchorTooNear", [](auto& r) { r.anchor_distance = 2; });
  all.back().first = 104;
  add("UndecidedIgnored", without<dag::UndecidedIgnored>);
  add("AmplifyByF", [](auto& r) { r.amplify = Threshold{0, 1, 0, 1}; });
  add("AnchorCommitsAnything", without<dag::AnchorCommitsAnything>);
  all.back().first = 47;
  add("CommitByTwiceF", [&](auto& r) { r.commit = kTwiceFaults; });
  add("DenseByTwiceF", [&](auto& r) { r.dense = kTwiceFaults; });
  add("NoSelfEdge", without<dag::NoSelfEdge>);
  add("TwoVotes", without<dag::TwoVotes>);
  all.back().first = 51;
  add("SkipUnseen", without<dag::SkipUnseen>);
  add("CarriedClaims", without<dag::CarriedClaims>);
  all.back().first = 97;
  add("ParentsNotDistinct", without<dag::ParentsNotDistinct>);
  add("ClaimsByBlock", without<dag::ClaimsByBlock>);
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
