// Which round trips a wide area has: the tables of public clouds that ship with the program, by the
// name that `network.wan` of an experiment file uses, and the links that a network makes of its
// own or a shipped one.
//
//   const WanTable* table = wan_table("aws");
//   Ticks one_way = table->one_way(*table->index_of("ireland"), *table->index_of("tokyo"));
//
// Guarantees: shipped figures are symmetric and fixed, with their source in wan.cpp; the same on
// every machine. Those of published measurements are means without jitter or loss: what such a
// network does besides, an experiment's own table or `links` may say.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "thresher/sim/experiment.hpp"
#include "thresher/sim/wan_table.hpp"

namespace thresher::sim {

/// Every table, sorted by name.
std::span<const WanTable> wan_tables();
/// The table of that name, or none.
const WanTable* wan_table(std::string_view name);

/// The table of a network: its own, or the shipped one that it names; none without either.
const WanTable* table_of(const Network& network);

/// The links of `network` with those of its table in front, so that its own come last and count;
/// just its own without a table. Pre: `regions` names a region of the table for each node.
std::vector<LinkRule> links_with_wan(const Network& network);

}  // namespace thresher::sim
