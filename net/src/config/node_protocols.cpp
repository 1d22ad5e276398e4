// Apart from the engines: a client reads a genesis file, and runs none.
#include <algorithm>

#include "engines/ordering_protocols.hpp"

namespace thresher::net {

const std::vector<std::string>& node_protocols() {
  constexpr auto kNames = ordering_protocol_names();
  static_assert(std::is_sorted(kNames.begin(), kNames.end()));
  static const std::vector<std::string> names(kNames.begin(), kNames.end());
  return names;
}

}  // namespace thresher::net
