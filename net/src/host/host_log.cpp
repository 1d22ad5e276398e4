#include "host/host_log.hpp"

#include <cstdio>

namespace thresher::net {

void say(const NodeOptions& options, Level level, const std::string& line) {
  if (options.log) return options.log(level, line);
  if (level < Level::kWarning) return;
  std::fprintf(stderr, "%s: %s\n", level == Level::kError ? "error" : "warning", line.c_str());
}

}  // namespace thresher::net
