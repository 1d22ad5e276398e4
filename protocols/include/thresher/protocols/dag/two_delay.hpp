// The two-delay path of the sparse DAG: its thresholds for a committee and for p, the nodes that
// may be down without slowing it.
//
//   const auto rules = with_two_delays(Rules::thresher(), *Committee::make(10, 2), 1);
//   if (!rules) refuse(check_two_delays(*Committee::make(10, 2), 1).error());
//   committee.at_least(rules->fast);              // n - p votes commit a slot: 9
//
// Guarantees: what with_two_delays() returns meets every hypothesis of the proof (legal.hpp), for
// every committee and p that it takes; and leaders never wait for faulty nodes. Does not judge
// whether p is worth it: every slot that is skipped takes a message delay more.
// Source: docs/protocols/two-delay.md, "Numbers"; `two_delay_numbers` in
// verify/proofs/TwoDelayForms.v.
#pragma once

#include <optional>
#include <string>

#include "thresher/core/committee.hpp"
#include "thresher/core/error.hpp"
#include "thresher/protocols/dag/rules.hpp"

namespace thresher::dag {

/// No committee allows a larger p.
inline constexpr std::uint32_t kMostAbsent = (Committee::kMaxSize - 1) / 5;

/// The most nodes that may be down without slowing the path.
constexpr std::uint32_t most_absent(const Committee& committee) {
  const std::uint32_t spare = committee.size() - 3 * committee.faults() - 1;
  return spare / 2 < committee.faults() ? spare / 2 : committee.faults();
}

/// `rules` with the path, n - `p` votes committing a slot. Empty unless n >= 3f+2p+1 and p <= f.
/// Pre: the rules are sparse, their quorums the smallest that share a correct node.
constexpr std::optional<Rules> with_two_delays(Rules rules, const Committee& committee,
                                               std::uint32_t p) {
  if (p > most_absent(committee)) return std::nullopt;
  const auto absent = static_cast<std::int32_t>(p);
  const Threshold all_but_absent{1, 0, -absent, 1};
  const Threshold listed{0, 2, 2 * absent + 1, 1};  // 2f+2p+1
  const bool by_quorum = committee.at_least(kQuorum) >= committee.at_least(listed);
  rules.two_delays = true;
  rules.fast = all_but_absent;
  rules.dense = rules.complete = by_quorum ? kQuorum : listed;
  // d-p-f, and n+2f+p+1-d, with d the one or the other.
  rules.seen = by_quorum ? Threshold{1, -1, 1 - 2 * absent, 2} : Threshold{0, 1, absent + 1, 1};
  rules.blames = by_quorum ? Threshold{1, 3, 2 * absent, 2} : all_but_absent;
  if (committee.at_least(rules.blames) < committee.at_least(kQuorum)) rules.blames = kQuorum;
  return rules;
}

/// The most faulty nodes that `n` nodes bear beside the path with `p`; empty: too few nodes.
constexpr std::optional<std::uint32_t> most_faults_beside(std::uint32_t n, std::uint32_t p) {
  if (p > kMostAbsent || n < 5 * p + 1) return std::nullopt;  // f >= p
  return (n - 2 * p - 1) / 3;
}

/// Whether a committee has a two-delay path with `p`. kRejected: it has none; `where` is "fast".
inline Result<Unit, Error> check_two_delays(const Committee& committee, std::uint32_t p) {
  const std::uint32_t most = most_absent(committee);
  if (p <= most) return Unit{};
  const std::string n = std::to_string(committee.size());
  const std::string f = std::to_string(committee.faults());
  return Error{ErrorCode::kRejected,
               "fast=" + std::to_string(p) + " needs n >= 3f+2p+1 and p <= f: with n=" + n +
                   " and f=" + f + " p is at most " + std::to_string(most),
               "fast", "set a smaller p or f, or take more nodes"};
}

}  // namespace thresher::dag
