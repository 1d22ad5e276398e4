#include "engines/pbft_engine.hpp"

#include "engines/engine_of.hpp"
#include "engines/slot_adapter.hpp"
#include "thresher/protocols/order/pbft_wire.hpp"

namespace thresher::net {
namespace {

struct PbftAdapter : SlotAdapterOf<Pbft, thresher::encode, decode_pbft> {
  using SlotAdapterOf::SlotAdapterOf;

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

std::unique_ptr<OrderEngine> make_pbft(const EngineSettings& s, EngineHost& host) {
  Pbft::Config config;
  config.committee = s.committee;
  config.self = s.self;
  config.value_bytes = SlotAdapter::kValueBytes;
  return std::make_unique<EngineOf<PbftAdapter>>(PbftAdapter(s), Pbft(config), host);
}

}  // namespace thresher::net
