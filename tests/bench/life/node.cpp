// One node of bench_life.py: bench_life_node HOME [--state-mib M] [--wrong-at POSITION]. It runs
// until it is killed. Its log goes to stderr, each line with the microseconds since 1970.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "page_state.hpp"
#include "thresher/net/config.hpp"

using namespace thresher;

namespace {

void log_line(net::Level level, const std::string& line) {
  static const char* const kNames[] = {"debug", "info", "warning", "error"};
  if (level == net::Level::kDebug) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::fprintf(
      stderr, "%lld %s: %s\n",
      static_cast<long long>(std::chrono::duration_cast<std::chrono::microseconds>(now).count()),
      kNames[static_cast<int>(level)], line.c_str());
}

int fail(const std::string& why) {
  return log_line(net::Level::kError, why), 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fail("usage: bench_life_node HOME [--state-mib M] [--wrong-at POSITION]");
  bench::PageStateOptions state;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::uint64_t value = std::strtoull(argv[i + 1], nullptr, 10);
    const std::string name = argv[i];
    if (name == "--state-mib") state.bytes = value << 20;
    if (name == "--wrong-at") state.wrong_at = value;
  }
  auto config = net::load_config(argv[1]);
  if (!config) return fail(config.error().front().text());
  config->options.log = log_line;
  bench::PageState app(state);
  auto node = net::Node::open(config->options, app);
  if (!node) return fail(node.error().text());
  const auto ended = (*node)->run();
  return ended ? 0 : fail(ended.error().text());
}
