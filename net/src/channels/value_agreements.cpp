#include <utility>

#include "channels/agreements.hpp"

namespace thresher::net {
namespace {

struct Wire {
  static WireParts encode(const ValueAgreement::Message& m, const Committee& committee) {
    return thresher::encode(m, committee);
  }
  static std::optional<ValueAgreement::Message> decode(const WireParts& parts,
                                                       const Committee& committee) {
    return decode_mvba(parts, committee);
  }
};

}  // namespace

std::unique_ptr<ValueAgreements> host_values(const payload_votes::Config& config, std::uint8_t head,
                                             HostLinks<mvba::Decision> links) {
  return std::make_unique<HostedBy<ValueAgreement, Wire>>(ValueAgreement(config), head,
                                                          std::move(links));
}

}  // namespace thresher::net
