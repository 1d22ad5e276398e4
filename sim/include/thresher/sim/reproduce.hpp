// Published results as experiments: each model makes the runs, and says of each claim what was
// expected, what came out, and how far off it may be.
//
//   for (const std::string& name : reproductions()) {
//     const Reproduction r = reproduce(name, {.runs = 400, .seed = 1});
//     for (const CheckedClaim& c : r.claims) print(c.what, c.measured, c.holds());
//     std::string page = reproduction_html({r}, version, command);   // claims and pictures
//   }
//
// Guarantees: a function of its options. A claim that is true fails by chance less than once in
// 10,000 times: `why` says why. The models are in sim/models; what they mean, and the figures, in
// docs/simulator/results.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thresher/sim/report.hpp"

namespace thresher::sim {

struct CheckedClaim {
  std::string what;
  double least = 0;  ///< what may come out
  double most = 0;
  double measured = 0;
  std::string why;  ///< where the tolerance comes from

  bool holds() const { return least <= measured && measured <= most; }
};

struct Reproduction {
  std::string name;
  std::string source;
  std::vector<CheckedClaim> claims;
  std::vector<Chart> charts;  ///< what the claims are about, over sizes or ages
};

struct ReproduceOptions {
  std::uint64_t runs = 400;  ///< of each experiment that draws; at least 100
  std::uint64_t seed = 1;
};

/// By name, sorted.
std::vector<std::string> reproductions();
/// Pre: `name` is one of them, runs >= 100.
Reproduction reproduce(const std::string& name, const ReproduceOptions& options);
/// One page as report.hpp promises it: a section with pictures and a table of claims for each.
std::string reproduction_html(const std::vector<Reproduction>& results, const std::string& version,
                              const std::string& command);

}  // namespace thresher::sim
