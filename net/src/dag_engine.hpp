// The uncertified DAG family as an OrderEngine. Private to net/.
#pragma once

#include "order_engine.hpp"

namespace thresher::net {

std::unique_ptr<OrderEngine> make_dag_engine(const EngineSettings& settings,
                                             const dag::Rules& rules, EngineHost& host);

}  // namespace thresher::net
