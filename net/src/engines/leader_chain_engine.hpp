// Simplex and HotStuff-2 as an OrderEngine: every payload is one block of the log. Private to net/.
#pragma once

#include "engines/order_engine.hpp"

namespace thresher::net {

std::unique_ptr<OrderEngine> make_simplex(const EngineSettings& settings, EngineHost& host);
std::unique_ptr<OrderEngine> make_hotstuff2(const EngineSettings& settings, EngineHost& host);

}  // namespace thresher::net
