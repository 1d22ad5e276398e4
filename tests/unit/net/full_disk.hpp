// A disk that is full, for the files of this process.
//
//   const Full full(100'000);        // until the end of the scope
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace thresher::net {

/// Files of this process end at so many bytes, as on a disk that is full.
class Full {
 public:
  explicit Full(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~Full() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  Full(const Full&) = delete;
  Full& operator=(const Full&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace thresher::net
