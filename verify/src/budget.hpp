// How long a checker may still run. Private to verify/.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>

namespace thresher::verify {

/// Thrown where a deadline passes while something is built: there is nothing to return then.
struct OutOfTime {};

/// A deadline and a flag that ends the work before it.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  Budget(double seconds, const std::atomic<bool>* stop)
      : start_(Clock::now()),
        deadline_(start_ + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e8)))),
        stop_(stop) {}

  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }
  bool over() const { return stopped() || Clock::now() >= deadline_; }
  /// Throws OutOfTime when it is over. For loops over an automaton: a large one takes seconds.
  void demand() const {
    if (over()) throw OutOfTime{};
  }
  double left() const { return std::chrono::duration<double>(deadline_ - Clock::now()).count(); }
  double used() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Why a solver ended without an answer: its own doing, or this budget's.
  std::string reason(const std::string& otherwise) const {
    return over() ? "no answer within the time" : otherwise;
  }
  Clock::time_point deadline() const { return deadline_; }

 private:
  Clock::time_point start_;
  Clock::time_point deadline_;
  const std::atomic<bool>* stop_;
};

}  // namespace thresher::verify
