// The agreements that a channel's members run, on links, disk and clock. Private to net/.
//
//   auto bits = host_bits("cobalt", config, head, links);     // null: there is none of that name
//   auto numbers = host_numbers({.committee = c, .self = self, .rounds = 10}, head, links);
//
// Guarantees: those of hosted_agreement.hpp. One file for each, because each takes long to compile.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "channels/hosted_agreement.hpp"
#include "thresher/protocols/agreement/agreement.hpp"
#include "thresher/protocols/agreement/approximate_wire.hpp"
#include "thresher/protocols/agreement/common_subset_wire.hpp"
#include "thresher/protocols/agreement/mvba_wire.hpp"

namespace thresher::net {

using BitAgreements = HostedAgreement<agreement::Propose>;
using ValueAgreements = HostedAgreement<mvba::Propose>;
using SubsetAgreements = HostedAgreement<subset::Submit>;
using NumberAgreements = HostedAgreement<approximate::Approach>;

struct BitConfig {
  Committee committee = *Committee::make(4, 1);
  NodeId self{};
  std::uint64_t window = 32;
  std::shared_ptr<const crypto::CoinScheme> coin;
};

/// n > this * f for the agreement of that name; 0: there is none.
std::uint32_t bit_nodes_per_fault(const std::string& name);
/// The names that there are.
std::vector<std::string> bit_agreement_names();

/// Null when there is none of that name.
std::unique_ptr<BitAgreements> host_bits(const std::string& name, const BitConfig& config,
                                         std::uint8_t head, HostLinks<agreement::Decision> links);
std::unique_ptr<ValueAgreements> host_values(const payload_votes::Config& config, std::uint8_t head,
                                             HostLinks<mvba::Decision> links);
std::unique_ptr<SubsetAgreements> host_subsets(const payload_votes::Config& config,
                                               std::uint8_t head, HostLinks<subset::Output> links);
std::unique_ptr<NumberAgreements> host_numbers(const NumberAgreement::Config& config,
                                               std::uint8_t head,
                                               HostLinks<approximate::Estimate> links);

}  // namespace thresher::net
