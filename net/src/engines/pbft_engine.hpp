// PBFT as an OrderEngine: every decided value is one block of the log. Private to net/.
#pragma once

#include "engines/order_engine.hpp"

namespace thresher::net {

std::unique_ptr<OrderEngine> make_pbft(const EngineSettings& settings, EngineHost& host);

}  // namespace thresher::net
