// The simulator's engine: Machine, whose guarantees machine.hpp states, and the larger of its
// members.
//
//   Machine<Mine> machine(Mine{...}, experiment, /*trace=*/nullptr);
//   machine.start();
//
// Does not judge: run.hpp does.
#pragma once

#include "thresher/sim/engine_faults.hpp"
#include "thresher/sim/engine_inputs.hpp"
#include "thresher/sim/engine_messages.hpp"
#include "thresher/sim/engine_traces.hpp"
#include "thresher/sim/engine_windows.hpp"
#include "thresher/sim/machine.hpp"
