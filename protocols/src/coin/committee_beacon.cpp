#include "thresher/protocols/coin/committee_beacon.hpp"

#include "basic_beacon.hpp"

namespace thresher::coin {

template class BasicBeacon<SetupFreeCommittees>;
template class BasicBeacon<CommitteeCoin<ThresholdCoin>>;

}  // namespace thresher::coin
