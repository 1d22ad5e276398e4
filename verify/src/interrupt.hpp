// Ends a Z3 call when its budget is over. Private to verify/.
//
//   z3::context context;
//   const Interrupter guard(context, budget);   // its thread lives as long as it does
//   solver.check();                             // unknown, soon after the budget's end
//
// Z3's own timeout is no more than advice to some of its procedures; the interrupt is repeated,
// because one that comes between two calls is lost.
#pragma once

#include <z3++.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "budget.hpp"

namespace thresher::verify {

class Interrupter {
 public:
  Interrupter(z3::context& context, const Budget& budget)
      : thread_([this, &context, &budget](const std::stop_token& end) {
          std::unique_lock lock(mutex_);
          while (!end.stop_requested()) {
            wake_.wait_for(lock, end, std::chrono::milliseconds(10),
                           [&end] { return end.stop_requested(); });
            if (!end.stop_requested() && budget.over()) context.interrupt();
          }
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace thresher::verify
