// In a file of its own: the program of `./dev demo` links fewer engines.
#include "engines/ordering_protocols.hpp"

namespace thresher::net {

std::span<const OrderingProtocol> ordering_protocols() {
  return kOrderingProtocols;
}

}  // namespace thresher::net
