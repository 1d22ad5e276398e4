#include <algorithm>
#include <memory>

#include "../text.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::cli {
namespace {

sim::Experiment standard(const sim::ProtocolInfo& info) {
  sim::Experiment e;
  e.protocol = info.name;
  for (const sim::ParameterInfo& p : info.parameters) e.parameters[p.name] = p.standard;
  e.n = std::max<std::uint32_t>(4, info.nodes_per_fault + 1);
  e.f = 1;
  e.stop.rounds = 100;
  if (info.name == "bitcoin" || info.name == "ethereum") {  // as in sim/experiments/parasite.json
    e.n = 12;
    e.f = 3;
    e.stop.rounds = 1000;
  }
  if (info.name == "pbft") {  // the setting that simulators are compared at
    e.n = 100;
    e.f = 33;
    e.workload.one_at_a_time = true;
    e.stop.rounds = 30;
  }
  return e;
}

int print_new(const std::string& name) {
  const auto found = sim::find_protocol(name);
  if (!found) return fail(kUsage, found.error());
  const std::string title = name + ": " + (*found)->help + ". Run it: thresher sim run FILE";
  const auto& known = sim::simulated_protocols();
  std::fputs(sim::annotate_experiment(standard(**found), title, known).c_str(), stdout);
  return kDone;
}

}  // namespace

Verb make_sim_new() {
  auto name = std::make_shared<std::string>();
  return {{"sim", "new"},
          "Print an annotated experiment file to start from. Example: thresher sim new pbft > "
          "exp.json",
          {{"protocol", "`thresher sim list` names them", name.get(), true}},
          [name] { return print_new(*name); }};
}

}  // namespace thresher::cli
