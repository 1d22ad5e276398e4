#include "memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "predict.hpp"

namespace thresher::cli {
namespace {

constexpr std::uint32_t kSmall = 64;
constexpr double kMargin = 2;

std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream in(path);
  std::uint64_t out = 0;
  if (in >> out) return out;
  return std::nullopt;  // "max", or no such file
}

// "MemAvailable:   12345 kB"
std::optional<std::uint64_t> left_on_machine() {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kilobytes = 0;
    if (words >> name >> kilobytes && name == "MemAvailable:") return kilobytes * 1024;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> left_in_group() {
  const auto most = number_in("/sys/fs/cgroup/memory.max");
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (!most || !used) return std::nullopt;
  return *most - std::min(*most, *used);
}

std::optional<std::uint64_t> left_to_process() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const auto pages = number_in("/proc/self/statm").value_or(0);  // the first figure: of all memory
  const std::uint64_t used = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::uint64_t available_memory() {
  std::uint64_t out = std::numeric_limits<std::uint64_t>::max();
  for (const auto& left : {left_on_machine(), left_in_group(), left_to_process()})
    out = std::min(out, left.value_or(out));
  return out;
}

namespace {

// The payloads that clients hand over at the start lie in memory all at once.
double requests_at_once(const sim::Experiment& e) {
  const sim::Workload& w = e.workload;
  const bool all_at_once = w.kind == sim::Workload::Kind::kClosed && !w.one_at_a_time;
  if (!all_at_once || w.block_bytes != 0) return 0;  // pools hold numbers, and pack a few
  double requests = static_cast<double>(w.clients) * e.n;
  if (w.requests != 0) requests = std::min(requests, static_cast<double>(w.requests));
  return requests * w.bytes;
}

}  // namespace

std::string memory_problem(const sim::Experiment& e) {
  double need = requests_at_once(e);
  if (e.n > kSmall) need = std::max(need, predict(e, kUnasked).memory_bytes);
  const auto there = static_cast<double>(available_memory());
  if (need < kMargin * there) return {};
  char figures[96];
  (void)std::snprintf(figures, sizeof figures, "about %.1f GB of memory, and there is %.1f GB",
                      need / 1e9, there / 1e9);
  return "the run needs " + std::string(figures) +
         "; ask for fewer nodes or rounds, or take a larger machine";
}

}  // namespace thresher::cli
