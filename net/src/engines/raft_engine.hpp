// Raft as an OrderEngine: every entry with a value is one block of the log. Private to net/.
#pragma once

#include "engines/order_engine.hpp"

namespace thresher::net {

std::unique_ptr<OrderEngine> make_raft(const EngineSettings& settings, EngineHost& host);

}  // namespace thresher::net
