#include "valid.hpp"

#include "thresher/sim/results.hpp"

namespace thresher::testing {

std::string invalid(const sim::Experiment& e, std::span<const sim::ProtocolInfo> known) {
  if (e.engine == sim::Engine::kSockets)
    return "engine: a protocol in a test runs in the simulator; use rounds or events, not sockets";
  const auto cells = sim::read_experiments(sim::write_experiment(e), {"", {}, known});
  if (cells) return {};
  std::string all;
  for (const Error& problem : cells.error()) {
    // Of a text that nobody sees, the line and column (":8:10: ") help nobody.
    const std::size_t place = problem.what.starts_with(":") ? problem.what.find(": ") + 2 : 0;
    all += (all.empty() ? "" : "; ") + problem.what.substr(place);
  }
  return all;
}

}  // namespace thresher::testing
