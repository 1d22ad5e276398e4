// The delays of a wide area for a cluster of real processes, from the same tables as the
// simulator's.
//
//   auto area = wan_delays("bluestreak", 4);            // or a file with a table: "mine.json"
//   area->way_us[0][3];                                 // from node 0 to node 3
//
// Guarantees: node i is in region i modulo the number of regions, as in a simulation of that many
// nodes, and each way is the mean that the table says. Jitter and loss of the table are left out:
// TCP would turn a lost frame into a late one, whatever the protocol does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thresher/core/error.hpp"

namespace thresher::cli {

struct WanDelays {
  /// By the node that sends, then by the one that receives. Unit: microseconds.
  std::vector<std::vector<std::uint64_t>> way_us{};
  std::uint64_t delta_us = 0;  ///< what the simulator takes for Delta: twice the longest way
};

/// The error says what is wrong with the name or the file. Pre: 1 <= nodes <= 64.
Result<WanDelays, Error> wan_delays(const std::string& name_or_file, std::uint64_t nodes);

}  // namespace thresher::cli
