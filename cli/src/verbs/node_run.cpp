#include <csignal>
#include <memory>
#include <thread>

#include "../log_app.hpp"
#include "../text.hpp"

namespace thresher::cli {
namespace {

int run_node(const std::string& home) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  LogApp app;
  auto node = net::Node::open({.home = home}, app);
  if (!node) return fail(kUsage, node.error());
  std::jthread waiter([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    (*node)->stop();
  });
  const std::string problem = (*node)->run();
  pthread_kill(waiter.native_handle(), SIGTERM);
  return problem.empty() ? static_cast<int>(kDone) : fail(kFailed, problem);
}

}  // namespace

Verb make_node_run() {
  auto home = std::make_shared<std::string>();
  return {{"node", "run"},
          "Run one node until SIGTERM.",
          {{"--home", "the node's folder", home.get(), true}},
          [home] { return run_node(*home); }};
}

}  // namespace thresher::cli
