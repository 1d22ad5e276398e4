// Which consistency a recorded history has: the levels of light-cone consistency that have a name.
//
//   const Report report = history::judge(*history, {});
//   std::cout << name_of(report.level);                       // "sequential"
//   std::cout << report.of(Level::kLinearizable).why;         // the operation that breaks it
//
// A level says what a get may return. Its closure is which operations an observer must have seen
// before it may read another one (its light cone), its order is how it chooses between puts of one
// key that do not know of each other:
//
//   level                closure            order
//   linearizable         causal             one order of all, in real time
//   sequential           causal             one order of all
//   causal-convergent    causal             one order of puts for all clients
//   causal               causal             each client its own
//   pipelined            clients' orders    each client its own
//   session              its own past       each client and key its own
//   read-your-writes, monotonic-reads       half of `session` each
//   written              none               none
//
// Guarantees: yes and no are exact, but for states that are told apart by 128-bit fingerprints;
// a question beyond its bounds is `kUnknown`, with the reason. A level that holds implies
// those below it. Does not: look at transactions of several operations, or at failures that were
// not recorded. Sources: light cones: arXiv 2605.09114. Search: Wing and Gong, "Testing and
// Verifying Concurrent Objects" (JPDC 1993), with the memory of Lowe, "Testing for Linearizability"
// (CPE 2017). Causal levels by bad patterns: Bouajjani, Enea, Guerraoui, Hamza, "On Verifying
// Causal Consistency" (POPL 2017), Tables 1 and 2. Pipelined: Wei, De Biasi, Huang, Cao, Lu,
// "Verifying Pipelined-RAM Consistency over Read/Write Traces of Data Replicas" (TPDS 2016).
// Sessions: Terry et al. (PDIS 1994).
#pragma once

#include <array>

#include "thresher/verify/history/history.hpp"

namespace thresher::history {

/// From the strongest. kNothing: a get returned what nobody put.
enum class Level : std::uint8_t {
  kLinearizable,
  kSequential,
  kCausalConvergent,
  kCausal,
  kPipelined,
  kSession,
  kReadYourWrites,
  kMonotonicReads,
  kWritten,
  kNothing,
};
inline constexpr std::size_t kLevels = 9;  ///< those that can fail: all but kNothing

std::string_view name_of(Level level);
/// The level of that name; kNothing for none.
Level level_called(std::string_view name);

enum class Holds : std::uint8_t { kYes, kNo, kUnknown };

struct Finding {
  Holds holds = Holds::kUnknown;
  std::string why{};  ///< of kNo and kUnknown: with lines of the file
};

struct Bounds {
  std::uint64_t states = 5'000'000;  ///< of each search for an order, about 40 bytes each
  std::uint64_t closure = 4'000;     ///< operations up to which causal levels are decided
};

struct Report {
  Level level = Level::kNothing;  ///< the strongest that certainly holds
  std::array<Finding, kLevels> findings{};

  const Finding& of(Level l) const { return findings[static_cast<std::size_t>(l)]; }
  /// No stronger level is undecided.
  bool certain() const;
};

Report judge(const History& history, const Bounds& bounds);

}  // namespace thresher::history
