#include "honey_badger_engine.hpp"

#include "engine_of.hpp"
#include "slot_adapter.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/protocols/order/honey_badger_wire.hpp"

namespace thresher::net {
namespace {

struct HoneyBadgerAdapter : SlotAdapter {
  using Protocol = HoneyBadger;
  using SlotAdapter::SlotAdapter;

  std::optional<Frame> encode(const HoneyBadger::Message& m) const {
    WireParts parts = thresher::encode(m);
    return Frame{kProtocol, std::move(parts.control), std::move(parts.payload)};
  }
  std::optional<HoneyBadger::Message> decode(const Frame& frame) const {
    if (frame.kind != kProtocol) return std::nullopt;
    return decode_honey_badger({frame.control, frame.payload}, settings.committee);
  }
  honey_badger::Submit request(dag::Payload payload) { return {submitted(std::move(payload))}; }
  void deliver(const honey_badger::Delivery& d, EngineHost& node) {
    deliver_slot(d.slot, d.value, node);
  }
  static Round spoke_of(const HoneyBadger::Message& m, NodeId) {
    const auto* status = std::get_if<honey_badger::Status>(&m);
    return status == nullptr ? Round{0} : round_of(status->delivered);
  }
  static Pledge pledge(const HoneyBadger& p) { return {p.entered(), 0}; }
  // A batch travels in fragments that others tell, so no message shows what its origin is bound to.
  static Pledge pledged(const HoneyBadger::Message&) { return {}; }
  static EngineSample sample(const HoneyBadger& p) {
    EngineSample out;
    out.round = Round{p.epoch()};
    out.next_slot = round_of(p.delivered());
    out.frontier = round_of(p.frontier());
    out.stats.refused = p.refused();
    out.stats.direct_commits = p.delivered();
    return out;
  }
};

}  // namespace

std::unique_ptr<OrderEngine> make_honey_badger_engine(const EngineSettings& s, EngineHost& host) {
  HoneyBadger::Config config;
  config.committee = s.committee;
  config.self = s.self;
  config.coin = s.coin;
  config.value_bytes = SlotAdapter::kValueBytes;
  // Room for two payloads of the largest size, with their lengths.
  config.batch_bytes = 2 * SlotAdapter::kValueBytes + 16;
  return std::make_unique<EngineOf<HoneyBadgerAdapter>>(HoneyBadgerAdapter(s), HoneyBadger(config),
                                                        host);
}

}  // namespace thresher::net
