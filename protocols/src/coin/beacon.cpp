#include "thresher/protocols/coin/beacon.hpp"

#include "basic_beacon.hpp"

namespace thresher::coin {

template class BasicBeacon<ThresholdCoin>;
template class BasicBeacon<VrfCoin>;

}  // namespace thresher::coin
