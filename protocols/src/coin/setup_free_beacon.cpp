#include "thresher/protocols/coin/setup_free_beacon.hpp"

#include "basic_beacon.hpp"

namespace thresher::coin {

template class BasicBeacon<SetupFree>;

}  // namespace thresher::coin
