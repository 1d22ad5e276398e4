#include <utility>

#include "channels/agreements.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/agreement/ben_or.hpp"
#include "thresher/protocols/agreement/cobalt.hpp"
#include "thresher/protocols/agreement/graded_bca.hpp"
#include "thresher/protocols/agreement/mmr14.hpp"
#include "thresher/protocols/agreement/rounds_wire.hpp"

namespace thresher::net {
namespace {

template <class P>
struct Wire {
  static WireParts encode(const typename P::Message& m, const Committee&) {
    return agreement::encode_rounds(m);
  }
  static std::optional<typename P::Message> decode(const WireParts& parts, const Committee&) {
    return agreement::decode_rounds<typename P::Message>(parts);
  }
};

template <class P>
typename P::Config config_of(const BitConfig& c) {
  typename P::Config out;
  out.committee = c.committee;
  out.self = c.self;
  out.window = c.window;
  out.coin = c.coin;
  out.entropy = fresh_entropy();
  return out;
}

/// Calls `visit` with each agreement that there is, as a std::type_identity.
template <class Visit>
void for_each_agreement(Visit visit) {
  visit(std::type_identity<BcaAgreement>{});
  visit(std::type_identity<GradedBca>{});
  visit(std::type_identity<Cobalt>{});
  visit(std::type_identity<BenOr>{});
  visit(std::type_identity<Mmr14>{});
}

}  // namespace

std::uint32_t bit_nodes_per_fault(const std::string& name) {
  std::uint32_t out = 0;
  for_each_agreement([&]<class P>(std::type_identity<P>) {
    if (name == P::kName) out = P::kNodesPerFault;
  });
  return out;
}

std::vector<std::string> bit_agreement_names() {
  std::vector<std::string> out;
  for_each_agreement([&]<class P>(std::type_identity<P>) { out.emplace_back(P::kName); });
  return out;
}

std::unique_ptr<BitAgreements> host_bits(const std::string& name, const BitConfig& config,
                                         std::uint8_t head, HostLinks<agreement::Decision> links) {
  std::unique_ptr<BitAgreements> out;
  for_each_agreement([&]<class P>(std::type_identity<P>) {
    if (name == P::kName)
      out = std::make_unique<HostedBy<P, Wire<P>>>(P(config_of<P>(config)), head, links);
  });
  return out;
}

}  // namespace thresher::net
