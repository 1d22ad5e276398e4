#include "crashes.hpp"

#include "thresher/sim/outcome.hpp"

namespace thresher::cli {
namespace {

// What is said of the protocol if its nodes crash only; null if they may lie.
const sim::ProtocolInfo* crash_only(const net::Genesis& genesis) {
  const sim::ProtocolInfo* info = sim::simulated_protocol(genesis.protocol);
  return info == nullptr || info->byzantine() ? nullptr : info;
}

}  // namespace

std::uint32_t crashes_of(const net::Genesis& genesis) {
  const sim::ProtocolInfo* info = crash_only(genesis);
  return info == nullptr ? genesis.f
                         : info->faults_of(static_cast<std::uint32_t>(genesis.nodes.size()));
}

std::string faults_in_words(const net::Genesis& genesis) {
  if (crash_only(genesis) == nullptr) return "f = " + std::to_string(genesis.f);
  return std::to_string(crashes_of(genesis)) + " may crash, none may lie";
}

}  // namespace thresher::cli
