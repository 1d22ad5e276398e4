#include "engines/leader_chain_engine.hpp"

#include "engines/engine_of.hpp"
#include "engines/slot_adapter.hpp"
#include "thresher/protocols/order/leader_chain_wire.hpp"

namespace thresher::net {
namespace {

struct LeaderChainAdapter : SlotAdapterOf<LeaderChain, thresher::encode, decode_leader_chain> {
  using SlotAdapterOf::SlotAdapterOf;

  static Round spoke_of(const LeaderChain::Message& m, NodeId) {
    const auto* status = std::get_if<leader_chain::Status>(&m);
    return status == nullptr ? Round{0} : round_of(status->delivered);
  }
  // All that may be said in a view is on disk together: what was said last is enough.
  static Pledge pledge(const LeaderChain& p) { return {p.spoke(), 0}; }
  static Pledge pledged(const LeaderChain::Message& m) {
    if (const auto* vote = std::get_if<leader_chain::Vote>(&m)) return {vote->view, 0};
    const auto* first = std::get_if<leader_chain::Propose>(&m);
    return {first == nullptr ? 0 : first->block.view, 0};
  }
};

std::unique_ptr<OrderEngine> make(const EngineSettings& s, const leader_chain::Rules& rules,
                                  EngineHost& host) {
  LeaderChain::Config config;
  config.committee = s.committee;
  config.self = s.self;
  config.chain = s.chain;
  config.value_bytes = SlotAdapter::kValueBytes;
  return std::make_unique<EngineOf<LeaderChainAdapter>>(LeaderChainAdapter(s),
                                                        LeaderChain(rules, config), host);
}

}  // namespace

std::unique_ptr<OrderEngine> make_simplex(const EngineSettings& s, EngineHost& host) {
  return make(s, leader_chain::Rules::simplex(), host);
}

std::unique_ptr<OrderEngine> make_hotstuff2(const EngineSettings& s, EngineHost& host) {
  return make(s, leader_chain::Rules::hotstuff2(), host);
}

}  // namespace thresher::net
