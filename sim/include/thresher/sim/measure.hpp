// What a run costs the machine it runs on. The only part of the simulator that looks at it; no run
// depends on what it sees.
//
//   CpuClock clock; ...; clock.seconds();         // of this thread, since then
//   MemoryMeter memory; ...; memory.sample(); ...; memory.added();
#pragma once

#include <cstdint>

namespace thresher::sim {

/// CPU time of the calling thread.
class CpuClock {
 public:
  CpuClock();
  double seconds() const;

 private:
  double begin_;
};

/// Resident memory that the process gained: the most that any sample saw. Other threads of the
/// process count too.
class MemoryMeter {
 public:
  MemoryMeter();
  /// Costs microseconds; only some of many calls look.
  void sample();
  std::uint64_t added() const { return most_ > begin_ ? most_ - begin_ : 0; }

 private:
  std::uint64_t begin_;
  std::uint64_t most_;
  std::uint64_t calls_ = 0;
};

}  // namespace thresher::sim
