// Round-trip times between regions of public clouds, as named tables: what `network.wan` of an
// experiment file names.
//
//   const WanTable* table = wan_table("aws");
//   Ticks one_way = table->one_way(*table->index_of("ireland"), *table->index_of("tokyo"));
//
// Guarantees: symmetric, fixed figures with their source in wan.cpp; the same on every machine.
// Means only, without jitter: an experiment's own `links` may say more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/sim/experiment.hpp"

namespace thresher::sim {

struct WanTable {
  std::string name;
  std::string help;
  std::vector<std::string> regions;
  /// Microseconds there and back, row by row of `regions`; inside one region on the diagonal.
  std::vector<std::uint32_t> rtt_us;

  std::optional<std::size_t> index_of(std::string_view region) const;
  /// Half the round trip. Pre: both are below regions.size().
  Ticks one_way(std::size_t from, std::size_t to) const;
};

/// Every table, sorted by name.
std::span<const WanTable> wan_tables();
/// The table of that name, or none.
const WanTable* wan_table(std::string_view name);

/// The links of `network` with those of its table in front, so that its own come last and count;
/// just its own without a table. Pre: `regions` names a region of the table for each node.
std::vector<LinkRule> links_with_wan(const Network& network);

}  // namespace thresher::sim
