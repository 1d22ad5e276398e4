// What others published of their systems over ten regions of AWS: median latency of a transaction
// in milliseconds. Facts with their source, to stand beside what `thresher bench wan` measures;
// real machines there, a simulation here.
//
//   for (const PublishedPoint& p : published_sizes()) ...
//
// Sources. A: the abstract of Bluestreak (ePrint 2026/898). S: the scripts that draw that paper's
// figures (github.com/iotaledger/starfish, scripts/plot_committee_scaling.py and
// plot_tps_vs_latency.py, commit 1fd2ecb1), where these points are written down as such, in place
// of measured ones that were noisy; the measured ones are not in the repository.
#pragma once

#include <cstdint>
#include <span>

namespace thresher::cli {

struct PublishedPoint {
  const char* system;
  std::uint32_t n = 0;
  std::uint64_t load = 0;  ///< transactions of 512 bytes a second
  double p50_ms = 0;
  char source = 'A';
};

/// Under 4,000 transactions a second, by size.
inline std::span<const PublishedPoint> published_sizes() {
  static constexpr PublishedPoint kPoints[] = {
      {"Bluestreak, published", 10, 4000, 470, 'A'},
      {"Bluestreak, published", 150, 4000, 488, 'S'},
      {"Bluestreak, published", 200, 4000, 498, 'S'},
      {"Bluestreak, published", 300, 4000, 595, 'S'},
      {"Bluestreak, published", 400, 4000, 720, 'A'},
      {"Mysticeti, published", 350, 4000, 1250, 'S'},
      {"Sailfish++, published", 50, 4000, 740, 'S'},
  };
  return kPoints;
}

/// Of 120 nodes, by load.
inline std::span<const PublishedPoint> published_loads() {
  static constexpr PublishedPoint kPoints[] = {
      {"Bluestreak, published", 120, 19'200, 486, 'S'},
      {"Sailfish++, published", 120, 1'200, 775, 'S'},
  };
  return kPoints;
}

}  // namespace thresher::cli
