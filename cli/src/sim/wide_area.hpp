// How fast a protocol is over a wide area, as experiments of the simulator, and what they gave: the
// tables of `thresher bench wan`.
//
//   for (const WanRun& run : wan_runs(plan)) rows.push_back(*measure(run, plan));
//
// Guarantees: every figure but the CPU time is a function of the run and the plan. Nodes pack
// requests of 512 bytes into blocks, have cards of 1 Gbit/s and signatures that cost time, and a
// wide area of one of the tables that `network.wan` knows. Does not know what others published
// (published_wan.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thresher/core/result.hpp"
#include "thresher/sim/read.hpp"
#include "thresher/sim/report.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {

/// Committees of several sizes under one load, one size under several loads, and f neighbours that
/// crash at once.
enum class WanPart : std::uint8_t { kSizes, kLoads, kCrash };
/// "sizes", "loads", "crash".
const char* name_of(WanPart part);

struct WanPlan {
  std::vector<std::string> protocols{};
  std::vector<WanPart> parts{};
  std::vector<std::uint32_t> sizes{};
  std::uint64_t load = 4000;           ///< requests a second in all, of sizes and crash
  std::vector<std::uint64_t> loads{};  ///< requests a second in all
  std::uint32_t load_n = 120;
  std::uint32_t crash_n = 100;
  std::uint64_t virtual_ms =
      20'000;  ///< of each run; of crash twice that, the second half without f
  std::uint64_t seed = 5;
  std::string wan{};
  std::vector<sim::Override> overrides{};  ///< of keys of each run's experiment
};

struct WanRun {
  WanPart part = WanPart::kSizes;
  std::string protocol;
  std::uint32_t n = 0;
  std::uint64_t load = 0;
};

struct WanRow {
  WanRun run;
  std::string verdict;
  double per_second = 0;  ///< requests delivered
  double mean_ms = 0;     ///< from submission to delivery
  double p50_ms = 0;
  double p99_ms = 0;
  double first_ms = 0;  ///< until every correct node has committed something
  double gap_ms = 0;    ///< the longest time in which a correct node committed nothing
  /// Bytes that a node sends for each byte of requests that is ordered; 1 is a copy of each payload
  /// from its author to everybody.
  double bytes_ratio = 0;
  double header_bytes = 0;  ///< of a block without its payload; 0: its messages do not say
  std::uint64_t backlog = 0;
  double cpu_s = 0;
};

/// Part by part.
std::vector<WanRun> wan_runs(const WanPlan& plan);
/// The experiment file of one run.
text::Value wan_file(const WanRun& run, const WanPlan& plan);
/// Why a protocol cannot be run so, or what came out.
Result<WanRow, Error> measure(const WanRun& run, const WanPlan& plan);

/// {"wan", "virtual_s", "seed", "rows": [...], "published": [...]}
text::Value json_of(const WanPlan& plan, const std::vector<WanRow>& rows);
/// The head of a table in Markdown, and a row of it.
std::string wan_head();
std::string line_of(const WanRow& row);
/// Latency against the size of the committee and against throughput, with published points beside.
sim::Chart sizes_chart(const std::vector<WanRow>& rows);
sim::Chart loads_chart(const std::vector<WanRow>& rows);

}  // namespace thresher::cli
