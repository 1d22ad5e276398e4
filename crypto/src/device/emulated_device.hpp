// A device that is not there: the stages of stages.hpp, thread after thread, on the processor.
//
//   const ThresherDeviceApi& api = emulated_device();
//
// Guarantees: the same records, tables, stages and bitmaps as the CUDA module. Slow: it is made for
// tests, not for nodes. Private to crypto/device/.
#pragma once

#include "module_abi.hpp"

namespace thresher::crypto::device {

const ThresherDeviceApi& emulated_device();

}  // namespace thresher::crypto::device
