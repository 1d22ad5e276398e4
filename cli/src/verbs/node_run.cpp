#include <csignal>
#include <memory>
#include <thread>

#include "../log_app.hpp"
#include "../logging.hpp"
#include "../text.hpp"
#include "thresher/net/config.hpp"

namespace thresher::cli {
namespace {

int run_node(const std::string& home) {
  auto config = net::load_config(home);
  if (!config) return fail_all(kUsage, config.error());
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A file over the limit of this process is a failed write with a reason, not a silent death.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  const auto log = make_log(config->log_level, config->log_format);
  config->options.log = log;
  LogApp app;
  auto node = net::Node::open(config->options, app);
  if (!node) return fail(kUsage, node.error());
  log(net::Level::kInfo, "the node in '" + config->options.home + "' runs; stop it with SIGTERM");
  std::jthread waiter([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    (*node)->stop();
  });
  const std::string problem = (*node)->run();
  // It waits for this signal, which is blocked everywhere: nothing is killed.
  pthread_kill(waiter.native_handle(), SIGTERM);  // NOLINT(bugprone-bad-signal-to-kill-thread)
  if (problem.empty()) return kDone;
  log(net::Level::kError, problem);
  return kFailed;
}

}  // namespace

Verb make_node_run() {
  auto home = std::make_shared<std::string>();
  return {{"node", "run"},
          "Run one node until SIGTERM. Example: thresher node run --home mynet/node0",
          {{"--home", "the node's folder, or its node.toml", home.get(), true}},
          [home] { return run_node(*home); }};
}

}  // namespace thresher::cli
