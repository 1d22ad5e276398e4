// The signals that stop a program that runs until it is told to.
//
//   const sigset_t signals = hold_back_stop_signals();   // first of all
//   if (sigtimedwait(&signals, nullptr, &look) > 0) return kDone;
#pragma once

#include <signal.h>

namespace thresher::cli {

/// SIGINT and SIGTERM wait from here on, in this thread and all that it starts, for whoever asks
/// for them. Before the first thread: one that is there already would still be ended by them.
inline sigset_t hold_back_stop_signals() {
  sigset_t signals{};
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

}  // namespace thresher::cli
