#include "pbft_engine.hpp"

#include "engine_of.hpp"
#include "slot_adapter.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/protocols/order/pbft_wire.hpp"

namespace thresher::net {
namespace {

struct PbftAdapter : SlotAdapter {
  using Protocol = Pbft;
  using SlotAdapter::SlotAdapter;

  std::optional<Frame> encode(const Pbft::Message& m) const {
    WireParts parts = thresher::encode(m);
    return Frame{kProtocol, std::move(parts.control), std::move(parts.payload)};
  }
  std::optional<Pbft::Message> decode(const Frame& frame) const {
    if (frame.kind != kProtocol) return std::nullopt;
    return decode_pbft({frame.control, frame.payload}, settings.committee);
  }
  pbft::Submit request(dag::Payload payload) { return {submitted(std::move(payload))}; }
  void deliver(const pbft::Delivery& d, EngineHost& node) { deliver_slot(d.slot, d.value, node); }
  static Round spoke_of(const Pbft::Message& m, NodeId) {
    if (const auto* c = std::get_if<pbft::Checkpoint>(&m)) return round_of(c->delivered);
    if (const auto* v = std::get_if<pbft::Vote>(&m)) return round_of(v->slot);
    return Round{0};
  }
  static Pledge pledge(const Pbft& p) { return {p.view(), p.voted()}; }
  static Pledge pledged(const Pbft::Message& m) {
    if (const auto* vote = std::get_if<pbft::Vote>(&m)) return {vote->view, vote->slot + 1};
    if (const auto* first = std::get_if<pbft::PrePrepare>(&m)) {
      return {first->view, first->slot + 1};
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<OrderEngine> make_pbft_engine(const EngineSettings& s, EngineHost& host) {
  Pbft::Config config;
  config.committee = s.committee;
  config.self = s.self;
  config.value_bytes = SlotAdapter::kValueBytes;
  return std::make_unique<EngineOf<PbftAdapter>>(PbftAdapter(s), Pbft(config), host);
}

}  // namespace thresher::net
