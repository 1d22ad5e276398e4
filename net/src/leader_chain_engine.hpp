// Simplex and HotStuff-2 as an OrderEngine: every payload is one block of the log. Private to net/.
#pragma once

#include "order_engine.hpp"
#include "thresher/protocols/order/leader_chain.hpp"

namespace thresher::net {

std::unique_ptr<OrderEngine> make_leader_chain_engine(const EngineSettings& settings,
                                                      const leader_chain::Rules& rules,
                                                      EngineHost& host);

}  // namespace thresher::net
