#include "engines/honey_badger_engine.hpp"

#include "engines/engine_of.hpp"
#include "engines/slot_adapter.hpp"
#include "thresher/protocols/order/honey_badger_wire.hpp"
#include "wire/transactions.hpp"

namespace thresher::net {
namespace {

// Five epochs order a payload that its node has. The others are for what comes before that: a
// client whose slot is old, and a pool that hands over few payloads at a time.
static_assert(kLongestLife >= 16 * honey_badger::kEpochSlots,
              "liars who fill their batches make no transaction expire");

struct HoneyBadgerAdapter : SlotAdapterOf<HoneyBadger, thresher::encode, decode_honey_badger> {
  using SlotAdapterOf::SlotAdapterOf;

  static Round spoke_of(const HoneyBadger::Message& m, NodeId) {
    const auto* status = std::get_if<honey_badger::Status>(&m);
    return status == nullptr ? Round{0} : round_of(status->delivered);
  }
  static Pledge pledge(const HoneyBadger& p) { return {p.entered(), 0}; }
  // A batch travels in fragments that others tell, so no message shows what its origin is bound to.
  static Pledge pledged(const HoneyBadger::Message&) { return {}; }
  static EngineSample sample(const HoneyBadger& p) { return sample_in(Round{p.epoch()}, p); }
};

}  // namespace

std::unique_ptr<OrderEngine> make_honey_badger(const EngineSettings& s, EngineHost& host) {
  HoneyBadger::Config config;
  config.committee = s.committee;
  config.self = s.self;
  config.coin = s.shared.coin;
  config.encryption = s.shared.encryption;
  config.value_bytes = SlotAdapter::kValueBytes;
  // Room for two payloads of the largest size, with their lengths.
  config.batch_bytes = 2 * SlotAdapter::kValueBytes + 16;
  return std::make_unique<EngineOf<HoneyBadgerAdapter>>(HoneyBadgerAdapter(s), HoneyBadger(config),
                                                        host);
}

}  // namespace thresher::net
