#include "wan_delays.hpp"

#include <algorithm>

#include "thresher/sim/read.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/sim/wan.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

// The shortest experiment that names the wide area: its reader knows tables, files and what may be
// wrong with them.
text::Value experiment_with(const std::string& name_or_file, std::uint64_t nodes) {
  text::Value protocol, committee, network, stop, out;
  protocol.set("name", "thresher");
  committee.set("n", nodes);
  network.set("wan", name_or_file);
  stop.set("rounds", 1);
  out.set("schema", 1).set("protocol", std::move(protocol)).set("engine", "events");
  out.set("committee", std::move(committee)).set("network", std::move(network));
  return std::move(out.set("stop", std::move(stop)));
}

}  // namespace

Result<WanDelays, Error> wan_delays(const std::string& name_or_file, std::uint64_t nodes) {
  const auto cells = sim::read_experiments(
      text::write(experiment_with(name_or_file, nodes)),
      {.file = "--wan " + name_or_file, .overrides = {}, .protocols = sim::simulated_protocols()});
  if (!cells) return cells.error().front();
  const sim::Network& network = cells->front().experiment.network;
  const sim::WanTable* table = sim::table_of(network);
  if (table == nullptr)
    return Error{ErrorCode::kMissing, "--wan names no table", name_or_file,
                 "`thresher sim list` shows those that ship"};
  const auto region = [&](std::uint64_t node) { return *table->index_of(network.regions[node]); };
  WanDelays out;
  out.delta_us = network.delta;
  for (std::uint64_t from = 0; from < nodes; ++from) {
    auto& row = out.way_us.emplace_back();
    for (std::uint64_t to = 0; to < nodes; ++to)
      row.push_back(from == to ? 0 : table->one_way(region(from), region(to)));
  }
  return out;
}

}  // namespace thresher::cli
