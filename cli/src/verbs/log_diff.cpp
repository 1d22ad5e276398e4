#include "thresher/net/log_diff.hpp"

#include <cstdio>
#include <memory>

#include "../text.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/config.hpp"

namespace thresher::cli {
namespace {

unsigned long long number(std::uint64_t value) {
  return value;
}

void print_two(const net::Differing& d) {
  std::printf("  %s in the first\n  %s in the second\n", to_hex(d.first.bytes).c_str(),
              to_hex(d.second.bytes).c_str());
}

int compare(const std::string& first, const std::string& second) {
  const auto a = net::load_config(first);
  if (!a) return fail_all(kUsage, a.error());
  const auto b = net::load_config(second);
  if (!b) return fail_all(kUsage, b.error());
  const auto diff = net::diff_logs(a->options, b->options);
  if (!diff) return fail(kFailed, diff.error());
  std::printf("the logs have %llu and %llu transactions; the first %llu are the same\n",
              number(diff->first_length), number(diff->second_length), number(diff->same_length));
  if (diff->log) {
    std::printf("the logs part at slot %llu, log hash\n", number(diff->log->slot.value));
    print_two(*diff->log);
  }
  if (diff->result) {
    std::printf("the first result that differs is at position %llu\n",
                number(diff->result->position));
    print_two(*diff->result);
  } else {
    std::printf("of these, %llu results are known to both, and the same\n",
                number(diff->results_compared));
  }
  if (diff->state) {
    std::printf("the first state that differs is at slot %llu, after %llu transactions\n",
                number(diff->state->slot.value), number(diff->state->length));
    print_two(*diff->state);
  } else {
    std::printf("the states are the same at %llu checkpoints\n", number(diff->states_compared));
  }
  return diff->log || diff->result || diff->state ? kFailed : kDone;
}

}  // namespace

Verb make_log_diff() {
  struct Args {
    std::string first;
    std::string second;
  };
  auto args = std::make_shared<Args>();
  return {{"log", "diff"},
          "Compare two nodes that do not run: where their logs, their results and their states "
          "part. Exit 1 when they do. Example: thresher log diff mynet/node0 mynet/node1",
          {{"first", "a node's folder", &args->first, true},
           {"second", "another node's folder", &args->second, true}},
          [args] { return compare(args->first, args->second); }};
}

}  // namespace thresher::cli
