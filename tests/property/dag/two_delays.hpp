// The committees in which tests play the two-delay path, and each of its rules taken away in turn.
//
//   for (const TwoDelayMutant& mutant : two_delay_mutants()) ...   // mutant.rules(size)
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mutants.hpp"
#include "thresher/protocols/dag/legal.hpp"
#include "thresher/protocols/dag/two_delay.hpp"

namespace thresher {

/// n nodes of which f lie, p of which may be down without slowing the path.
struct TwoDelaySize {
  std::uint32_t n;
  std::uint32_t f;
  std::uint32_t p;

  Committee committee() const { return *Committee::make(n, f); }
  dag::Rules rules(const dag::Rules& base = dag::Rules::thresher()) const {
    dag::Rules rules = *dag::with_two_delays(base, committee(), p);
    rules.name = "two_delays";
    return rules;
  }
  std::string text() const {
    return std::to_string(n) + "," + std::to_string(f) + "," + std::to_string(p);
  }
};

inline constexpr TwoDelaySize kTwoDelaySizes[] = {{4, 1, 0},  {5, 1, 0}, {6, 1, 1},
                                                  {7, 2, 0},  {7, 1, 1}, {8, 2, 0},
                                                  {10, 3, 0}, {9, 2, 1}, {10, 2, 1}};

inline const TwoDelaySize& two_delay_size(std::uint64_t seed) {
  return kTwoDelaySizes[seed % std::size(kTwoDelaySizes)];
}

struct TwoDelayMutant {
  const char* name;
  std::function<void(dag::Rules&)> change;
  std::uint64_t from = 1;  ///< the seed with which a search begins: lower ones find nothing

  dag::Rules rules(const TwoDelaySize& size) const {
    dag::Rules rules = size.rules(in_turn(dag::Rules::thresher(), "thresher"));
    change(rules);
    return rules;
  }
  /// Where it breaks a hypothesis of the proof; elsewhere it may be harmless.
  std::vector<TwoDelaySize> sizes() const {
    std::vector<TwoDelaySize> out;
    for (const TwoDelaySize& size : kTwoDelaySizes) {
      dag::Rules judged = rules(size);
      // Safety does not rest on what others are told of liars.
      if (judged.policy == &dag::kOne<dag::LiarsLeftAlone>) judged.policy = &dag::kSound;
      if (!dag::broken_hypothesis(judged, size.committee()).empty()) out.push_back(size);
    }
    return out;
  }
};

inline std::vector<TwoDelayMutant> two_delay_mutants() {
  const auto lower = [](Threshold& t) { t.c -= t.d; };
  return {
      {"FastByOneLess", [=](dag::Rules& r) { lower(r.fast); }, 660},
      {"SeenByOneMore", [](dag::Rules& r) { r.seen.c += r.seen.d; }},
      {"SeenByOneLess", [=](dag::Rules& r) { lower(r.seen); }},
      {"VotesNotSeen", without<dag::VotesNotSeen>},
      {"SkipByAQuorumOfBlames", [](dag::Rules& r) { r.blames = kQuorum; }},
      {"BlamesByOneLess", [=](dag::Rules& r) { lower(r.blames); }},
      {"KillsNotChecked", without<dag::KillsNotChecked>},
      {"KillEvidenceByF",
       [](dag::Rules& r) {
         r.amplify = {0, 1, 0, 1};
       }},
      {"SkipByOneKillLess", [=](dag::Rules& r) { lower(r.kills); }, 2060},
      {"CommitByOneClaimLess", [=](dag::Rules& r) { lower(r.commit); }, 290},
      {"CertifyByOneLess", [=](dag::Rules& r) { lower(r.certify); }},
      {"DeadByOneLess", [=](dag::Rules& r) { lower(r.skip); }},
      {"DenseByOneLess", [=](dag::Rules& r) { lower(r.dense); }},
      {"VotesBeforeKills", without<dag::VotesBeforeKills>},
      {"AnchorTooNear", [](dag::Rules& r) { r.anchor_distance = 2; }, 68},
      {"UndecidedIgnored", without<dag::UndecidedIgnored>, 1525},
      {"ClaimsNotChecked", without<dag::ClaimsNotChecked>},
      {"NoSelfEdge", without<dag::NoSelfEdge>},
      {"ParentsNotDistinct", without<dag::ParentsNotDistinct>},
      {"TwoVotes", without<dag::TwoVotes>, 86},
  };
}

}  // namespace thresher
