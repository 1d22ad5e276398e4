// Whichever binary agreement a channel's members chose, on links, disk and clock. Private to net/.
//
//   auto bits = host_bits("cobalt", config, frame_head, links);       // null: there is none so
//   named bits->request(agreement::Propose{0, true});
//
// Guarantees: those of the agreement and of ProtocolHost. Frames begin with the byte `head`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "protocol_host.hpp"
#include "questions.hpp"
#include "thresher/protocols/agreement/agreement.hpp"

namespace thresher::net {

class BitAgreements {
 public:
  virtual ~BitAgreements() = default;
  /// As those of ProtocolHost.
  virtual std::string restore() = 0;
  virtual bool receive(NodeId from, const Frame& frame) = 0;
  virtual void request(const agreement::Propose& proposal) = 0;
  virtual void request(const ForgetBelow& forget) = 0;
  virtual void drain() = 0;
  /// As those of the agreement.
  virtual std::uint64_t base() const = 0;
  virtual std::uint64_t refused() const = 0;
};

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

}  // namespace thresher::net
