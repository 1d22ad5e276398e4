// What f liars, f dead and a bad network do to the speed of a protocol, as experiments of the
// simulator, and what they gave: the table of `thresher bench attack`.
//
//   for (const Attack& attack : attacks(scale)) rows.push_back(measure(attack, "thresher", scale));
//
// Guarantees: every figure but the CPU time is a function of the attack, the protocol and the
// scale. A wide area of one of the tables that `network.wan` knows, cards of 1 Gbit/s, signatures
// that cost time. Does not say what an attack should cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thresher/core/result.hpp"
#include "thresher/sim/experiment.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {

struct AttackScale {
  std::uint32_t n = 31;
  std::uint64_t virtual_ms = 60'000;
  std::uint64_t seed = 5;
  std::string wan = "aws";
  std::vector<sim::Override> overrides{};  ///< of keys of each row's experiment
};

struct Attack {
  std::string name;
  text::Value faults = text::Value::list();  ///< as an experiment file has them
  text::Value network{};                     ///< members that the network has beside its own
  std::uint64_t ends_ms = 0;  ///< when it is over, of those that end; 0: it begins at once
};

struct AttackDone {
  std::string attack;
  std::string protocol;
  std::string verdict;
  std::uint64_t commits = 0;  ///< at the first correct node
  double mean_ms = 0;         ///< from submission to delivery
  double p50_ms = 0;
  double p99_ms = 0;
  double first_ms = 0;  ///< until its first commit, from the start or the attack's end
  double gap_ms = 0;    ///< the longest time between two of its commits
  std::uint64_t bytes = 0;
  double x_mean = 0;  ///< these over those of the same protocol without an attack; 0: not known
  double x_commits = 0;
  double x_bytes = 0;
};

/// The first is none.
std::vector<Attack> attacks(const AttackScale& scale);
/// The experiment file of one row; the error is the reader's.
text::Value attack_file(const Attack& attack, const std::string& protocol,
                        const AttackScale& scale);
/// Why a protocol cannot be attacked so; empty when it can.
std::string row_problem(const Attack& attack, const std::string& protocol,
                        const AttackScale& scale);
/// Why a protocol cannot be attacked so, or what came out.
Result<AttackDone, Error> measure(const Attack& attack, const std::string& protocol,
                                  const AttackScale& scale);
/// Fills in the ratios to `base`.
void compare(AttackDone& done, const AttackDone& base);

/// {"n", "virtual_s", "seed", "wan", "rows": [...]}
text::Value json_of(const AttackScale& scale, const std::vector<AttackDone>& all);
/// A row of a table in Markdown.
std::string line_of(const AttackDone& done);
/// A picture: the mean latency under each attack over that without one, a bar for each protocol.
std::string attack_chart(const std::vector<AttackDone>& all);

}  // namespace thresher::cli
