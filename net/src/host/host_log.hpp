// Lines for the log of the process around a node. Private to net/.
//
//   say(options, Level::kWarning, "the disk is slow");
//
// Guarantees: NodeOptions::log gets the line; where there is none, it goes to stderr from warnings
// on. What the host's own log throws goes to the caller.
#pragma once

#include <string>

#include "thresher/net/node.hpp"

namespace thresher::net {

void say(const NodeOptions& options, Level level, const std::string& line);

}  // namespace thresher::net
