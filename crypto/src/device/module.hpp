// Finds and loads the CUDA module. Private to crypto/device/.
#pragma once

#include <string>

#include "module_abi.hpp"

namespace thresher::crypto::device {

struct Module {
  const ThresherDeviceApi* api = nullptr;  ///< null when it cannot be used
  std::string problem;                     ///< and then this says why
};

/// The module stays loaded until the program ends: CUDA does not take well to being unloaded.
/// Never throws and prints nothing: no module is an ordinary state.
Module load_cuda_module();

}  // namespace thresher::crypto::device
