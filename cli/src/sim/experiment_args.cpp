#include "experiment_args.hpp"

#include <sstream>

#include "../input_file.hpp"
#include "thresher/core/names.hpp"
#include "thresher/sim/faults.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/text/json.hpp"

namespace thresher::cli {
namespace {

std::vector<std::string> behaviours() {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < sim::kFaultKinds; ++k)
    out.emplace_back(sim::to_string(static_cast<sim::FaultKind>(k)));
  return out;
}

std::vector<sim::Override> overrides_of(const ExperimentArgs& a, Errors& problems) {
  std::vector<sim::Override> out;
  if (!a.protocol.empty()) out.push_back({"protocol.name", text::quoted(a.protocol)});
  if (!a.engine.empty()) out.push_back({"engine", text::quoted(a.engine)});
  const std::pair<const char*, OptionalNumber> numbers[] = {
      {"committee.n", a.n}, {"stop.rounds", a.rounds}, {"seed", a.seed}};
  for (const auto& [key, value] : numbers) {
    if (value) out.push_back({key, std::to_string(*value)});
  }
  if (a.delay_max) {
    out.push_back({"network.delay", "{\"min\":1,\"max\":" + std::to_string(*a.delay_max) + "}"});
  }
  if (a.byzantine == std::uint64_t{0}) {
    // None at all, whatever the file says of others; the reader sees no name then.
    out.push_back({"faults", "[]"});
    if (!a.behaviour.empty() && !sim::fault_from_name(a.behaviour))
      problems.push_back(unknown("behaviour", a.behaviour, behaviours()));
  } else if (a.byzantine) {
    const std::string behaviour = a.behaviour.empty() ? "twins" : a.behaviour;
    out.push_back({"faults", "[{\"who\":{\"count\":" + std::to_string(*a.byzantine) +
                                 "},\"what\":" + text::quoted(behaviour) + "}]"});
  }
  if (!a.byzantine && !a.behaviour.empty())
    problems.push_back({ErrorCode::kMalformed,
                        "--behaviour " + a.behaviour + ": of how many? Add --byzantine NUMBER",
                        "--behaviour"});
  const auto more = read_overrides(a.set, problems);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

// A scenario that thresher::testing wrote says in its head how its test replays it.
void tell_own_test(const std::string& file, const std::string& content, Errors& problems) {
  constexpr std::string_view kReplay = "// replay: ";
  std::istringstream lines(content);
  for (std::string line; std::getline(lines, line) && line.rfind("//", 0) == 0;) {
    if (line.rfind(kReplay, 0) != 0 || line.rfind("thresher ", kReplay.size()) == kReplay.size())
      continue;
    problems.push_back(error_at(ErrorCode::kUnsupported, file,
                                "a scenario of a protocol that only its own test knows",
                                "see it by: " + line.substr(kReplay.size())));
  }
}

}  // namespace

std::vector<sim::Override> read_overrides(const std::vector<std::string>& set, Errors& problems) {
  std::vector<sim::Override> out;
  for (const std::string& one : set) {
    const auto at = one.find('=');
    if (at == std::string::npos || at == 0) {
      problems.push_back({ErrorCode::kMalformed,
                          "--set " + one + ": write --set KEY=VALUE, as in --set committee.n=7",
                          "--set"});
    } else {
      out.push_back({one.substr(0, at), one.substr(at + 1)});
    }
  }
  return out;
}

std::vector<Option> experiment_options(ExperimentArgs& a) {
  return {
      {"experiment", "a file (see `thresher sim new`), - for standard input", &a.file},
      {"--set",
       "KEY=VALUE for any key of the file, or D=50 for a parameter of the protocol; repeatable",
       &a.set},
      {"--protocol", "what is run; `thresher sim list` names them", &a.protocol},
      {"--n", "how many nodes", &a.n},
      {"--rounds", "of the protocol (or units of time) until the end", &a.rounds},
      {"--seed", "everything random follows from it", &a.seed},
      {"--engine", "rounds, events or sockets", &a.engine},
      {"--byzantine", "how many nodes are faulty, spread over the committee; 0: no faults at all",
       &a.byzantine},
      {"--behaviour", "of those: silent, equivocate, ...; twins if absent", &a.behaviour},
      {"--delay-max", "longest delay of a link; the shortest is 1", &a.delay_max}};
}

Result<std::vector<sim::Cell>, Errors> cells_of(const ExperimentArgs& a) {
  Errors problems;
  const auto overrides = overrides_of(a, problems);
  std::string content = R"({"schema": 1, "protocol": {"name": "thresher"}})";
  if (!a.file.empty()) {
    auto read = read_input(a.file, "a file as thresher sim new pbft prints one");
    if (!read) return Errors{read.error()};
    content = std::move(*read);
  }
  if (!problems.empty()) return problems;
  const std::string name = a.file.empty() || a.file == "-" ? "experiment" : a.file;
  auto cells = sim::read_experiments(content, {name, overrides, sim::simulated_protocols()});
  if (cells) return cells;
  problems = cells.error();
  tell_own_test(name, content, problems);
  return problems;
}

}  // namespace thresher::cli
