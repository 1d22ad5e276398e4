// HoneyBadger as an OrderEngine: every payload is one block of the log. Private to net/.
#pragma once

#include "engines/order_engine.hpp"

namespace thresher::net {

/// Pre: settings.coin is not null.
std::unique_ptr<OrderEngine> make_honey_badger(const EngineSettings& settings, EngineHost& host);

}  // namespace thresher::net
