// The names that experiment files use for the contract's enumerations, and one sentence on each.
//
//   std::string_view name = name_of(FaultKind::kTwins);    // "twins"
//
// Guarantees: one row for every enumerator, in its order.
#pragma once

#include <span>
#include <string_view>

#include "thresher/sim/experiment.hpp"

namespace thresher::sim {

struct Name {
  std::string_view name;
  std::string_view help;
};

template <class Enum>
std::span<const Name> names_of();
template <>
std::span<const Name> names_of<Engine>();
template <>
std::span<const Name> names_of<DelayLaw::Kind>();
template <>
std::span<const Name> names_of<Topology>();
template <>
std::span<const Name> names_of<Network::Scheduler>();
template <>
std::span<const Name> names_of<Workload::Kind>();
template <>
std::span<const Name> names_of<Signatures>();
template <>
std::span<const Name> names_of<FaultKind>();

/// The name of one enumerator.
template <class Enum>
std::string_view name_of(Enum e) {
  return names_of<Enum>()[static_cast<std::size_t>(e)].name;
}

}  // namespace thresher::sim
