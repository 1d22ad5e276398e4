// Round trips between the regions of a wide area: a table that ships with the program, or one that
// an experiment file brings.
//
//   WanTable table{"pair", "two cities", {"here", "there"}, {500, 80'000, 80'000, 500}};
//   std::uint64_t way = table.one_way(0, 1);          // 40,000 microseconds
//
// Guarantees: plain data; nothing is drawn here. What jitter and loss do to a message is decided
// where messages travel (network.hpp), from the links that wan.hpp makes of a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thresher::sim {

struct WanTable {
  std::string name{};  ///< empty: one that came with an experiment
  std::string help{};  ///< what it is; of an experiment's own, where the figures come from
  std::vector<std::string> regions{};
  /// Microseconds there and back, row by row of `regions`; inside one region on the diagonal.
  std::vector<std::uint32_t> rtt_us{};
  /// How much longer or shorter than half a round trip a message may take, in parts per million of
  /// it; every message draws anew, evenly.
  std::uint64_t jitter_ppm = 0;
  /// Share of the messages from one region to another that vanish.
  std::uint64_t loss_ppm = 0;

  /// Whether there is a table at all.
  bool empty() const { return regions.empty(); }
  std::optional<std::size_t> index_of(std::string_view region) const;
  /// Half the round trip, in microseconds. Pre: both are below regions.size().
  std::uint64_t one_way(std::size_t from, std::size_t to) const {
    return rtt_us[from * regions.size() + to] / 2;
  }
};

}  // namespace thresher::sim
