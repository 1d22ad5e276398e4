#include <utility>

#include "channels/agreements.hpp"

namespace thresher::net {
namespace {

struct Wire {
  static WireParts encode(const PayloadSubset::Message& m, const Committee&) {
    return thresher::encode(m);
  }
  static std::optional<PayloadSubset::Message> decode(const WireParts& parts,
                                                      const Committee& committee) {
    return decode_common_subset(parts, committee);
  }
};

}  // namespace

std::unique_ptr<SubsetAgreements> host_subsets(const payload_votes::Config& config,
                                               std::uint8_t head, HostLinks<subset::Output> links) {
  return std::make_unique<HostedBy<PayloadSubset, Wire>>(PayloadSubset(config), head,
                                                         std::move(links));
}

}  // namespace thresher::net
