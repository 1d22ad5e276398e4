// The node processes of a local cluster: start, kill, restart, CPU time; and what interrupts it.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace thresher::cli {

/// While one lives, the first SIGINT or SIGTERM is only noted; a second ends the process as ever.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  static bool came();

 private:
  struct sigaction on_int_ {};
  struct sigaction on_term_ {};
};

class Processes {
 public:
  explicit Processes(std::string home, std::size_t n) : home_(std::move(home)), pids_(n, -1) {}
  ~Processes();

  /// Starts `thresher VERB --home HOME/node<i>`; the child dies with this process.
  void start(std::size_t node, const std::vector<std::string>& verb = {"node", "run"});
  /// SIGKILL, and waits.
  void kill(std::size_t node);
  bool running(std::size_t node) const { return pids_[node] > 0; }
  /// True when a child ended by itself; its log says why.
  bool died(std::size_t node);
  /// SIGTERM, and waits: what a process that is done is told.
  void end(std::size_t node);
  /// User and system time of all nodes so far. Unit: microseconds.
  std::uint64_t cpu_us() const;
  std::string log_of(std::size_t node) const;

 private:
  void reap(std::size_t node);
  std::string home_;
  std::vector<pid_t> pids_;
  std::uint64_t gone_us_ = 0;
};

}  // namespace thresher::cli
