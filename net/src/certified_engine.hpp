// The certified DAG family as an OrderEngine. Private to net/.
#pragma once

#include "order_engine.hpp"
#include "thresher/protocols/certified/rules.hpp"

namespace thresher::net {

std::unique_ptr<OrderEngine> make_certified_engine(const EngineSettings& settings,
                                                   const certified::Rules& rules, EngineHost& host);

}  // namespace thresher::net
