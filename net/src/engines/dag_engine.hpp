// The uncertified DAG family as an OrderEngine. Private to net/.
#pragma once

#include "engines/order_engine.hpp"

namespace thresher::net {

std::unique_ptr<OrderEngine> make_thresher(const EngineSettings& settings, EngineHost& host);
std::unique_ptr<OrderEngine> make_mysticeti(const EngineSettings& settings, EngineHost& host);
std::unique_ptr<OrderEngine> make_mahi_mahi(const EngineSettings& settings, EngineHost& host);

}  // namespace thresher::net
