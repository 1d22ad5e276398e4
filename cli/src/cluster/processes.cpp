#include "processes.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace thresher::cli {
namespace {

std::uint64_t micros(const timeval& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(t.tv_usec);
}

// Fields 14 and 15 of /proc/PID/stat, counted after the command's closing bracket (proc(5)).
std::uint64_t cpu_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string all;
  std::getline(in, all, '\0');  // of a process that ended meanwhile the system gives an error
  const auto bracket = all.rfind(')');
  if (bracket == std::string::npos) return 0;
  std::istringstream fields(all.substr(bracket + 1));
  std::string skip;
  for (int i = 0; i < 11; ++i) fields >> skip;
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  fields >> user >> system;
  return (user + system) * 1'000'000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
}

volatile sig_atomic_t interrupted = 0;

}  // namespace

Interrupts::Interrupts() {
  interrupted = 0;
  struct sigaction noted {};
  noted.sa_handler = [](int) { interrupted = 1; };
  noted.sa_flags = SA_RESETHAND | SA_RESTART;
  ::sigaction(SIGINT, &noted, &on_int_);
  ::sigaction(SIGTERM, &noted, &on_term_);
  if (on_int_.sa_handler == SIG_IGN) ::sigaction(SIGINT, &on_int_, nullptr);  // a job of a script
}

Interrupts::~Interrupts() {
  ::sigaction(SIGINT, &on_int_, nullptr);
  ::sigaction(SIGTERM, &on_term_, nullptr);
}

bool Interrupts::came() {
  return interrupted != 0;
}

Processes::~Processes() {
  for (std::size_t i = 0; i < pids_.size(); ++i) {
    if (pids_[i] > 0) ::kill(pids_[i], SIGTERM);
  }
  for (std::size_t i = 0; i < pids_.size(); ++i) {
    if (pids_[i] > 0) reap(i);
  }
}

std::string Processes::log_of(std::size_t node) const {
  return home_ + "/node" + std::to_string(node) + "/log";
}

void Processes::start(std::size_t node, const std::vector<std::string>& verb) {
  const std::string node_home = home_ + "/node" + std::to_string(node);
  const std::string log = log_of(node);
  std::vector<const char*> words{"thresher"};
  for (const std::string& word : verb) words.push_back(word.c_str());
  for (const char* word : {"--home", node_home.c_str()}) words.push_back(word);
  words.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(fd, 1);
    ::dup2(fd, 2);
    ::execv("/proc/self/exe", const_cast<char* const*>(words.data()));
    ::_exit(127);
  }
  pids_[node] = pid;
}

void Processes::reap(std::size_t node) {
  rusage usage{};
  int status = 0;
  ::wait4(pids_[node], &status, 0, &usage);
  gone_us_ += micros(usage.ru_utime) + micros(usage.ru_stime);
  pids_[node] = -1;
}

void Processes::kill(std::size_t node) {
  if (pids_[node] <= 0) return;
  ::kill(pids_[node], SIGKILL);
  reap(node);
}

void Processes::end(std::size_t node) {
  if (pids_[node] <= 0) return;
  ::kill(pids_[node], SIGTERM);
  reap(node);
}

bool Processes::died(std::size_t node) {
  if (pids_[node] <= 0) return false;
  siginfo_t info{};
  const bool ended =
      ::waitid(P_PID, static_cast<id_t>(pids_[node]), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid == pids_[node];
  if (ended) reap(node);
  return ended;
}

std::uint64_t Processes::cpu_us() const {
  std::uint64_t sum = gone_us_;
  for (const pid_t pid : pids_) {
    if (pid > 0) sum += cpu_of(pid);
  }
  return sum;
}

}  // namespace thresher::cli
