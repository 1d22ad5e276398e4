#include <utility>

#include "channels/agreements.hpp"

namespace thresher::net {
namespace {

struct Wire {
  static WireParts encode(const NumberAgreement::Message& m, const Committee& committee) {
    return thresher::encode(m, committee);
  }
  static std::optional<NumberAgreement::Message> decode(const WireParts& parts,
                                                        const Committee& committee) {
    return decode_approximate(parts, committee);
  }
};

}  // namespace

std::unique_ptr<NumberAgreements> host_numbers(const NumberAgreement::Config& config,
                                               std::uint8_t head,
                                               HostLinks<approximate::Estimate> links) {
  return std::make_unique<HostedBy<NumberAgreement, Wire>>(NumberAgreement(config), head,
                                                           std::move(links));
}

}  // namespace thresher::net
