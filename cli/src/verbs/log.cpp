#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <utility>

#include "../client_of.hpp"
#include "../text.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/config.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::cli {
namespace {

/// A running node that sends nothing for so long is given up.
constexpr std::chrono::seconds kPatience{10};

// A client's bytes could forge lines of this list and write to the terminal, so they are escaped.
void print_transaction(const net::Transaction& t, bool raw) {
  if (!raw) {
    std::printf("%llu %s:%llu ", static_cast<unsigned long long>(t.position),
                to_hex(t.client.bytes).c_str(), static_cast<unsigned long long>(t.sequence));
  }
  const std::string_view data = as_text(t.data);
  const std::string text = raw ? std::string(data) : escaped(data);
  (void)std::fwrite(text.data(), 1, text.size(), stdout);
  (void)std::fputc('\n', stdout);
}

// What the node had committed when it was asked.
int log_of_running(const std::string& home, std::uint64_t from, bool raw) {
  std::fprintf(stderr, "the node of '%s' is running: its log comes over its own port\n",
               home.c_str());
  std::promise<void> all;
  std::atomic<std::uint64_t> next{from};
  auto client = client_of(home);
  if (!client) return fail(kUsage, client.error());
  std::uint64_t end = 0;
  try {
    end = (*client)->status().get().length;
  } catch (const std::runtime_error& e) {
    return fail(kFailed, "the node of '" + home + "' gives " + e.what() +
                             "; stop it and read its folder, or ask again when it answers");
  }
  if (from >= end) return kDone;
  auto done = all.get_future();
  (*client)->subscribe(from, [&, raw, end](const net::Transaction& t) {
    if (t.position >= end) return;
    print_transaction(t, raw);
    next = t.position + 1;
    if (t.position + 1 == end) all.set_value();
  });
  std::uint64_t before = from;
  while (done.wait_for(kPatience) != std::future_status::ready) {
    if (std::exchange(before, next.load()) == next.load()) {
      client->reset();
      return fail(kFailed, "the node of '" + home + "' stopped sending at position " +
                               std::to_string(before) + " of " + std::to_string(end) +
                               "; go on with --from " + std::to_string(before));
    }
  }
  client->reset();
  return kDone;
}

}  // namespace

Verb make_log() {
  struct Args {
    std::string home;
    std::uint64_t from = 0;
    bool raw = false;
  };
  auto args = std::make_shared<Args>();
  return {
      {"log"},
      "Print the committed log of a node, running or not. Example: thresher log --home mynet/node0 "
      "--from 100",
      {{"--home", "the node's folder", &args->home, true},
       {"--from", "first position", &args->from},
       {"--raw",
        "the payloads' own bytes, a line break after each; for programs, not for a terminal",
        &args->raw}},
      [args] {
        const auto config = net::load_config(args->home);
        if (!config) return fail_all(kUsage, config.error());
        const auto genesis = net::load_genesis(net::with_paths(config->options).genesis);
        if (!genesis) return fail(kUsage, genesis.error());
        const auto done =
            net::read_log(config->options, args->from,
                          [&](const net::Transaction& t) { print_transaction(t, args->raw); });
        if (!done && done.error().find(net::kNodeRuns) != std::string::npos) {
          return log_of_running(args->home, args->from, args->raw);
        }
        return done ? static_cast<int>(kDone) : fail(kFailed, done.error());
      }};
}

}  // namespace thresher::cli
