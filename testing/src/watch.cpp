#include "watch.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <iostream>
#include <set>
#include <system_error>

namespace thresher::testing {
namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
struct sigaction g_before[kCrashes.size()];
std::mutex g_mutex;
unsigned g_watches = 0;              // guarded by g_mutex
std::atomic<const char*> g_again{};  // of the latest campaign, outlives it
thread_local volatile bool t_running = false;
thread_local volatile std::uint64_t t_seed = 0;

void put(const char* text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

void put(std::uint64_t number) {
  char digits[21];
  char* at = digits + sizeof digits - 1;
  *at = '\0';
  do {
    *--at = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  put(at);
}

// Nothing here allocates or locks: the crash may have happened in the midst of either.
void crashed(int signal) {
  const char* again = g_again.load();
  if (t_running && again != nullptr) {
    put("\nthresher: seed ");
    put(t_seed);
    put(" crashed the process (signal ");
    put(static_cast<std::uint64_t>(signal));
    put("); to run it alone: THRESHER_SEED=");
    put(t_seed);
    put(" ");
    put(again);
    put("\n");
  }
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    if (kCrashes[i] == signal) ::sigaction(signal, &g_before[i], nullptr);
  }
  ::raise(signal);  // waits until this handler is left, and goes where it would have gone
}

void begin_to_catch(const std::string& again) {
  const std::lock_guard lock(g_mutex);
  // Never freed: a handler on another thread may be reading it.
  static auto& kept = *new std::set<std::string>;
  g_again = kept.insert(again).first->c_str();
  if (g_watches++ > 0) return;
  struct sigaction action {};
  action.sa_handler = crashed;
  action.sa_flags = SA_ONSTACK;
  for (std::size_t i = 0; i < kCrashes.size(); ++i) ::sigaction(kCrashes[i], &action, &g_before[i]);
}

void end_catching() {
  const std::lock_guard lock(g_mutex);
  if (--g_watches > 0) return;
  for (std::size_t i = 0; i < kCrashes.size(); ++i) ::sigaction(kCrashes[i], &g_before[i], nullptr);
}

}  // namespace

std::string seed_again(std::uint64_t seed, const std::string& again) {
  return "THRESHER_SEED=" + std::to_string(seed) + " " + again;
}

Watch::Watch(std::string again, std::uint64_t seconds)
    : again_(std::move(again)), longest_(seconds) {
  begin_to_catch(again_);
  if (seconds == 0) return;
  try {
    thread_ = std::thread([this] { look(); });
  } catch (const std::system_error&) {  // no more threads: then nobody looks
  }
}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ends_.notify_all();
  if (thread_.joinable()) thread_.join();
  end_catching();
}

void Watch::look() {
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, std::chrono::milliseconds(200), [this] { return over_; })) {
    const auto now = std::chrono::steady_clock::now();
    for (auto& [number, run] : running_) {
      if (run.told || now - run.since < longest_) continue;
      run.told = true;
      std::cerr << "thresher: seed " << run.seed << " has been running for " << longest_.count()
                << " s; a callback that does not return, or messages without end? To run it alone: "
                << seed_again(run.seed, again_) << std::endl;
    }
  }
}

Watch::Seed::Seed(Watch& watch, std::uint64_t seed) : watch_(watch) {
  t_seed = seed;
  t_running = true;
  const std::lock_guard lock(watch_.mutex_);
  number_ = watch_.next_++;
  watch_.running_[number_] = {seed, std::chrono::steady_clock::now(), false};
}

Watch::Seed::~Seed() {
  t_running = false;
  const std::lock_guard lock(watch_.mutex_);
  watch_.running_.erase(number_);
}

}  // namespace thresher::testing
