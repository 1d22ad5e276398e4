#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "../log_app.hpp"
#include "../logging.hpp"
#include "../stop_signals.hpp"
#include "../text.hpp"
#include "thresher/net/config.hpp"
#include "thresher/net/transport.hpp"

namespace thresher::cli {
namespace {

using Log = std::function<void(net::Level, const std::string&)>;

/// Counts the lines on their way, so that one that nobody takes is noticed.
struct Lines {
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> done{0};

  Log counted(Log log) {
    return [this, log = std::move(log)](net::Level level, const std::string& line) {
      ++begun;
      log(level, line);
      ++done;
    };
  }
};

/// SIGINT and SIGTERM end the node, also one that still reads its log, and the process, also when
/// its own lines go to a pipe that is full and that nobody reads.
class StopSignals {
 public:
  explicit StopSignals(const Lines& lines) : lines_(lines), signals_(hold_back_stop_signals()) {
    waiter_ = std::thread([this] { wait(); });
  }
  ~StopSignals() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    // It waits for this signal, which is blocked everywhere: nothing is killed.
    pthread_kill(waiter_.native_handle(), SIGTERM);  // NOLINT(bugprone-bad-signal-to-kill-thread)
    waiter_.join();
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  /// From now on a signal stops this node too, also one that came before.
  void stops(net::Node& node) {
    node_ = &node;
    if (source_.stop_requested()) node.stop();
  }

 private:
  void wait() {
    int signal = 0;
    sigwait(&signals_, &signal);
    source_.request_stop();
    if (net::Node* const node = node_) node->stop();
    std::unique_lock lock(mutex_);
    while (!over_) {
      const std::uint64_t line = lines_.begun;
      changed_.wait_for(lock, std::chrono::milliseconds(700), [this] { return over_; });
      // Nothing is lost by it: what was acknowledged is durable.
      if (!over_ && lines_.begun == line && lines_.done < line) std::_Exit(kFailed);
    }
  }
  const Lines& lines_;
  sigset_t signals_{};
  std::stop_source source_;
  std::atomic<net::Node*> node_{nullptr};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread waiter_;
};

/// Of a journal that nobody gave a size. Unit: bytes.
constexpr std::uint64_t kJournalBytes = std::uint64_t{1} << 30;

struct Args {
  std::string home;
  bool observe = false;
  bool journal = false;
  std::string trace;
};

int run_node(const Args& a) {
  hold_back_stop_signals();  // first of all: a node may be stopped as soon as it starts
  auto config = net::load_config(a.home);
  if (!config) return fail_all(kUsage, config.error());
  config->options.observe = a.observe;
  config->options.commit_trace = a.trace;
  if (a.journal && config->options.journal_bytes == 0)
    config->options.journal_bytes = kJournalBytes;
  Lines lines;
  const Log log = lines.counted(make_log(config->log_level, config->log_format));
  config->options.log = log;
  LogApp app;
  std::unique_ptr<net::Node> running;
  StopSignals signals(lines);
  config->options.stop = signals.token();
  auto node = net::Node::open(config->options, app);
  if (!node && node.error().what == net::kStoppedAtStart) return kDone;
  if (!node) return fail(kUsage, node.error());
  running = std::move(*node);
  signals.stops(*running);
  log(net::Level::kInfo, "the node in '" + config->options.home + "' runs; stop it with SIGTERM");
  const auto ended = running->run();
  if (ended) return kDone;
  // The node's thread is left in the log; the end of a process with such a thread is a short one.
  if (ended.error().what == net::kHostBlocks) std::_Exit(kFailed);
  const std::string problem = ended.error().text();
  log(net::Level::kError, problem);
  const bool elsewhere = ended.error().what.ends_with(net::kNotHere);
  return status_of(elsewhere ? kUsage : kFailed, problem);
}

}  // namespace

Verb make_node_run() {
  auto a = std::make_shared<Args>();
  return {
      {"node", "run"},
      "Run one node until SIGTERM. Example: thresher node run --home mynet/node0",
      {{"--home", "the node's folder, or its node.toml", &a->home, true},
       {"--observe", "follow the log of the others and sign nothing", &a->observe},
       {"--journal",
        "record what the protocol is told, for thresher node replay: 1 GiB, or journal.bytes",
        &a->journal},
       {"--trace-commits",
        "a file that gets the time of each stage of each commit, for thresher cluster", &a->trace}},
      [a] { return run_node(*a); }};
}

}  // namespace thresher::cli
