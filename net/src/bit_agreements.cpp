#include "bit_agreements.hpp"

#include <utility>

#include "thresher/core/transcript.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/protocols/agreement/bca_agreement.hpp"
#include "thresher/protocols/agreement/ben_or.hpp"
#include "thresher/protocols/agreement/cobalt.hpp"
#include "thresher/protocols/agreement/graded_bca.hpp"
#include "thresher/protocols/agreement/mmr14.hpp"
#include "thresher/protocols/agreement/rounds_wire.hpp"

namespace thresher::net {
namespace {

template <class P>
struct Codec {
  using Message = typename P::Message;
  std::uint8_t head = 0;

  Frame frame_of(const Message& m) const {
    const WireParts parts = agreement::encode_rounds(m);
    Writer w;
    w.u8(head).bytes(parts.control.view());
    return {kProtocol, Bytes::from(w.take()), {}};
  }
  // Pre: the frame's first byte was looked at.
  std::optional<Message> read(const Frame& frame) const {
    return agreement::decode_rounds<Message>(
        {frame.control.slice(1, frame.control.size() - 1), frame.payload});
  }
  static std::uint32_t stored(std::uint32_t table) { return table; }
  static std::uint32_t restored(std::uint32_t table) { return table; }
};

template <class P>
class Hosted final : public BitAgreements {
 public:
  Hosted(const BitConfig& config, std::uint8_t head, HostLinks<agreement::Decision> links)
      : host_(Questions<P>(P(config_of(config))), Codec<P>{head}, std::move(links)) {}

  std::string restore() override {
    return host_.restore([] { return true; });
  }
  bool receive(NodeId from, const Frame& frame) override { return host_.receive(from, frame); }
  void request(const agreement::Propose& proposal) override { host_.request(proposal); }
  void request(const ForgetBelow& forget) override { host_.request(forget); }
  void drain() override { host_.drain(); }
  std::uint64_t base() const override { return host_.protocol().inner().base(); }
  std::uint64_t refused() const override { return host_.protocol().inner().refused(); }

 private:
  static typename P::Config config_of(const BitConfig& c) {
    typename P::Config out;
    out.committee = c.committee;
    out.self = c.self;
    out.window = c.window;
    out.coin = c.coin;
    return out;
  }
  ProtocolHost<Questions<P>, Codec<P>> host_;
};

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
    if (name == P::kName) out = std::make_unique<Hosted<P>>(config, head, links);
  });
  return out;
}

}  // namespace thresher::net
