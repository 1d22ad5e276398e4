// Names of threads, as top -H and a debugger show them.
#pragma once

#include <pthread.h>

namespace thresher::net {

/// Pre: at most 15 characters.
inline void name_this_thread(const char* name) {
  (void)::pthread_setname_np(::pthread_self(), name);
}

}  // namespace thresher::net
