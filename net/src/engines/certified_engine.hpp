// The certified DAG family as an OrderEngine. Private to net/.
#pragma once

#include "engines/order_engine.hpp"

namespace thresher::net {

std::unique_ptr<OrderEngine> make_bullshark(const EngineSettings& settings, EngineHost& host);
std::unique_ptr<OrderEngine> make_anchored_bullshark(const EngineSettings& settings,
                                                     EngineHost& host);
std::unique_ptr<OrderEngine> make_sparse_bullshark(const EngineSettings& settings,
                                                   EngineHost& host);
std::unique_ptr<OrderEngine> make_bullshark_async(const EngineSettings& settings, EngineHost& host);

}  // namespace thresher::net
