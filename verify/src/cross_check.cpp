#include "thresher/verify/cross_check.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "budget.hpp"

extern char** environ;

namespace thresher::verify {
namespace {

using Kind = SecondOpinion::Kind;

constexpr std::size_t kMostOutput = 1 << 14;

/// Files left behind when the process ends in the middle: abandon_cross_check() removes them. The
/// lock is held while either changes, and for ever once everything is abandoned.
struct Leftovers {
  std::mutex mutex;
  pid_t pid = -1;
  std::string path;
};
Leftovers& leftovers() {
  static Leftovers one;
  return one;
}

/// A file for one formula, gone with its owner.
class Script {
 public:
  explicit Script(const std::string& text) {
    std::error_code none;
    path_ = (std::filesystem::temp_directory_path(none) / "thresher-XXXXXX").string();
    std::unique_lock lock(leftovers().mutex);
    const int file = ::mkstemp(path_.data());
    if (file < 0) return;
    leftovers().path = path_;
    lock.unlock();
    std::size_t written = 0;
    while (written < text.size()) {
      const ssize_t now = ::write(file, text.data() + written, text.size() - written);
      if (now <= 0) break;
      written += static_cast<std::size_t>(now);
    }
    good_ = written == text.size();
    ::close(file);
  }
  ~Script() {
    const std::lock_guard lock(leftovers().mutex);
    ::unlink(path_.c_str());
    leftovers().path.clear();
  }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  bool good() const { return good_; }
  std::string& path() { return path_; }

 private:
  std::string path_;
  bool good_ = false;
};

/// What one run of the program printed; nothing when there is no such program.
struct Printed {
  bool started = false;
  std::string error;  ///< why it did not start
  std::string text;
  bool ended = false;  ///< it closed its output in time
};

class Process {
 public:
  Process(const std::string& program, std::string& file) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      error_ = errno;
      return;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    // A group of its own, so that what it starts can be ended with it.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t nothing_blocked;
    sigemptyset(&nothing_blocked);
    posix_spawnattr_setsigmask(&attributes, &nothing_blocked);
    std::string name = program;
    std::string language = "--lang=smt2";
    std::array<char*, 4> arguments{name.data(), language.data(), file.data(), nullptr};
    {
      const std::lock_guard lock(leftovers().mutex);
      error_ =
          ::posix_spawnp(&pid_, name.c_str(), &actions, &attributes, arguments.data(), environ);
      if (error_ == 0) leftovers().pid = pid_;
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~Process() {
    if (output_ >= 0) ::close(output_);
    if (error_ != 0) return;
    const std::lock_guard lock(leftovers().mutex);
    leftovers().pid = -1;
    (void)::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  Printed read(const Budget& budget) {
    Printed out;
    out.started = error_ == 0;
    if (!out.started) {
      out.error = std::strerror(error_);
      return out;
    }
    std::array<char, 4096> buffer{};
    while (!budget.over() && out.text.size() < kMostOutput) {
      pollfd waiting{output_, POLLIN, 0};
      const int left = static_cast<int>(std::clamp(budget.left() * 1000, 0.0, 100.0)) + 1;
      if (::poll(&waiting, 1, left) <= 0) continue;
      const ssize_t size = ::read(output_, buffer.data(), buffer.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) {
        out.ended = size == 0;
        break;
      }
      out.text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return out;
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  int error_ = 0;
};

std::string first_line(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  std::string line = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.pop_back();
  return line.substr(0, 200);
}

}  // namespace

SecondOpinion cross_check(const CheckResult& outcome, double seconds, const std::string& program) {
  const Budget budget(seconds, nullptr);
  SecondOpinion out;
  out.formulas = outcome.proofs.size();
  if (outcome.proofs.empty()) {
    out.said = "the checker kept no formula";
    return out;
  }
  for (out.formula = 1; out.formula <= out.formulas; ++out.formula) {
    if (budget.over()) {
      out.said = "the time for the whole call was over";
      return out;
    }
    Script script(outcome.proofs[out.formula - 1]);
    if (!script.good()) {
      out.said = "the formula could not be written to '" + script.path() + "'";
      return out;
    }
    const Printed printed = Process(program, script.path()).read(budget);
    if (!printed.started) {
      out.kind = Kind::kUnavailable;
      out.said = printed.error;
      return out;
    }
    const std::string answer = first_line(printed.text);
    if (answer == "unsat") continue;
    const bool contradicts = answer == "sat" && !outcome.coarse_proofs;
    out.kind = contradicts ? Kind::kDisagreed : Kind::kUnknown;
    out.said = answer.empty() && !printed.ended ? "no answer in time" : answer;
    return out;
  }
  out.kind = Kind::kAgreed;
  out.formula = 0;
  return out;
}

void abandon_cross_check() {
  leftovers().mutex.lock();
  if (leftovers().pid > 0) (void)::kill(-leftovers().pid, SIGKILL);
  if (!leftovers().path.empty()) ::unlink(leftovers().path.c_str());
}

std::string to_string(Kind kind) {
  static constexpr std::array<const char*, 4> kNames{"agreed", "disagreed", "unknown",
                                                     "unavailable"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace thresher::verify
