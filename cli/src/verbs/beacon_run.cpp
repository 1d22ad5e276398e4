#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "../durations.hpp"
#include "../stop_signals.hpp"
#include "../text.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/beacon.hpp"
#include "thresher/net/config.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string home;
  std::string listen;
  std::uint64_t pause_ms = 1000;
  std::uint64_t rounds = 0;
  std::uint64_t first = 0;
};

/// Between two looks at what there is. Unit: nanoseconds.
constexpr long kLook = 20'000'000;

/// The beacon ends with a whole line; where nobody takes its lines, it ends all the same.
int stopped() {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    std::_Exit(kFailed);
  }).detach();
  return kDone;
}

int run(const Args& a) {
  const sigset_t signals =
      hold_back_stop_signals();  // first of all: a beacon may be stopped as soon as it starts
  if (const std::string why = too_long("--pause", a.pause_ms, 1000); !why.empty())
    return fail(kUsage, why);
  const auto config = net::load_config(a.home);
  if (!config) return fail(kUsage, config.error().front());
  const net::NodeOptions o = net::with_paths(config->options);
  const auto genesis = net::load_genesis(o.genesis);
  if (!genesis) return fail(kUsage, genesis.error());
  const auto key = crypto::load_key(o.key);
  if (!key) return fail(kUsage, key.error().text());
  std::atomic<std::uint64_t> told = 0;
  auto beacon = net::Beacon::begin({.genesis = *genesis,
                                    .key = *key,
                                    .coin = o.coin,
                                    .pause_us = a.pause_ms * 1000,
                                    .first = a.first,
                                    .delta_us = o.delta_us,
                                    .listen = a.listen},
                                   [&](const net::BeaconValue& value) {
                                     if (a.rounds != 0 && told >= a.rounds) return;
                                     std::puts(net::json_of(value).c_str());
                                     (void)std::fflush(stdout);
                                     ++told;
                                   });
  if (!beacon) return fail(kUsage, beacon.error());
  while (a.rounds == 0 || told < a.rounds) {
    if (const auto problem = (*beacon)->problem()) return fail(kResourceMissing, *problem);
    const timespec look{0, kLook};
    if (sigtimedwait(&signals, nullptr, &look) > 0) return stopped();
  }
  // The others may need this node's last share.
  std::this_thread::sleep_for(std::chrono::microseconds(10 * o.delta_us));
  return kDone;
}

}  // namespace

Verb make_beacon_run() {
  auto a = std::make_shared<Args>();
  return {{"beacon", "run"},
          "Publish a value that nobody could know or choose, round after round, with a proof, one "
          "JSON object a line. Runs in place of the node, on its address, with the coin that "
          "thresher dkg made. Example: thresher beacon run --home mynet/node0",
          {{"--home", "the node's folder", &a->home, true},
           {"--listen", "loopback address of /latest, /recent and /group, like 127.0.0.1:9465",
            &a->listen},
           {"--pause", "milliseconds between a value and the next toss", &a->pause_ms},
           {"--rounds",
            "values after which it ends, though slower members may still need it; 0: until SIGTERM",
            &a->rounds},
           {"--first", "the round to begin with, at nodes that published none as high", &a->first}},
          [a] { return run(*a); }};
}

}  // namespace thresher::cli
