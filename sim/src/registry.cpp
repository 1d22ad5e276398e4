#include "registry.hpp"

#include <algorithm>

#include "thresher/core/assert.hpp"
#include "thresher/core/names.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

const std::vector<SubjectEntry>& entries() {
  static const std::vector<SubjectEntry> sorted = [] {
    auto all = all_subjects();
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.info.name < b.info.name; });
    return all;
  }();
  return sorted;
}

// Wherever the experiment comes from.
Outcome run_entry(const SubjectEntry& entry, Experiment e, const RunOptions& options) {
  leave_out_unjudged(entry.info, e);
  return entry.run(e, options);
}

}  // namespace

void leave_out_unjudged(const ProtocolInfo& info, Experiment& e) {
  const std::pair<const char*, bool*> oracles[] = {
      {"agreement", &e.oracles.agreement},
      {"prefix", &e.oracles.prefix},
      {"integrity", &e.oracles.integrity},
      {"validity", &e.oracles.validity},
      {"totality", &e.oracles.totality},
      {"liveness", &e.oracles.liveness_on},
      {"accountability", &e.oracles.accountability},
  };
  const auto off = [&](std::string_view name) {
    return std::find(info.unjudged.begin(), info.unjudged.end(), name) != info.unjudged.end();
  };
  for (const auto& [name, on] : oracles) {
    if (off(name)) *on = false;
  }
  if (off("included_within")) e.oracles.inclusion.reset();
}

std::int64_t parameter(const Experiment& e, std::string_view name, std::int64_t standard) {
  const auto it = e.parameters.find(std::string(name));
  if (it == e.parameters.end()) return standard;
  const auto* value = std::get_if<std::int64_t>(&it->second);
  return value == nullptr ? standard : *value;
}

std::string choice(const Experiment& e, std::string_view name, std::string standard) {
  const auto it = e.parameters.find(std::string(name));
  if (it == e.parameters.end()) return standard;
  const auto* value = std::get_if<std::string>(&it->second);
  return value == nullptr ? standard : *value;
}

const std::vector<ProtocolInfo>& simulated_protocols() {
  static const std::vector<ProtocolInfo> infos = [] {
    std::vector<ProtocolInfo> list;
    for (const SubjectEntry& entry : entries()) list.push_back(entry.info);
    return list;
  }();
  return infos;
}

const ProtocolInfo* simulated_protocol(std::string_view name) {
  const auto& all = simulated_protocols();
  const auto it = std::find_if(all.begin(), all.end(),
                               [name](const ProtocolInfo& info) { return info.name == name; });
  return it == all.end() ? nullptr : &*it;
}

Result<const ProtocolInfo*, Error> find_protocol(std::string_view name) {
  if (const ProtocolInfo* found = simulated_protocol(name)) return found;
  std::vector<std::string> known;
  for (const ProtocolInfo& info : simulated_protocols()) known.push_back(info.name);
  return unknown("protocol", name, known);
}

Outcome simulate(const Experiment& experiment, const RunOptions& options) {
  const auto& all = entries();
  const auto entry = std::find_if(all.begin(), all.end(), [&](const SubjectEntry& one) {
    return one.info.name == experiment.protocol;
  });
  THRESHER_ASSERT(entry != all.end(), "an experiment names a protocol that find_protocol() finds");
  return run_entry(*entry, experiment, options);
}

}  // namespace thresher::sim
