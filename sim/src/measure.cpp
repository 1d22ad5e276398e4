#include "thresher/sim/measure.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace thresher::sim {
namespace {

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

std::uint64_t resident() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long long size = 0;
  unsigned long long pages = 0;
  const int got = std::fscanf(file, "%llu %llu", &size, &pages);
  std::fclose(file);
  return got == 2 ? pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

CpuClock::CpuClock() : begin_(thread_seconds()) {}
double CpuClock::seconds() const {
  return thread_seconds() - begin_;
}

MemoryMeter::MemoryMeter() : begin_(resident()), most_(begin_) {}
void MemoryMeter::sample() {
  if (++calls_ > 64 && calls_ % 64 != 0) return;
  most_ = std::max(most_, resident());
}

}  // namespace thresher::sim
