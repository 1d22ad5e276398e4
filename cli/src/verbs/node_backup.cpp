#include <memory>

#include "../text.hpp"
#include "../verb.hpp"
#include "thresher/net/backup.hpp"
#include "thresher/net/config.hpp"

namespace thresher::cli {
namespace {

unsigned long long number(std::uint64_t n) {
  return static_cast<unsigned long long>(n);
}

/// Which positions a copy holds, the first and the last.
std::string range_of(const net::Backup& copy) {
  if (copy.length == copy.begins) return "no positions of the log yet";
  return "positions " + std::to_string(copy.begins) + " to " + std::to_string(copy.length - 1) +
         " of the log";
}

int back_up(const std::string& home, const std::string& destination) {
  const auto config = net::load_config(home);
  if (!config) return fail_all(kUsage, config.error());
  const auto copy = net::back_up(config->options, destination);
  if (!copy) return fail(kFailed, copy.error());
  std::printf("%s (slot %llu) are in '%s', %llu bytes\n", range_of(*copy).c_str(),
              number(copy->slot), destination.c_str(), number(copy->bytes));
  std::printf(
      "to restore: put '%s/data' in the place of the node's 'data'. %s\n", destination.c_str(),
      copy->running ? "The node runs and signs on, so from this copy it may only be run with "
                      "--observe"
                    : "Once the node has run again, from this copy it may only be run with "
                      "--observe");
  return kDone;
}

}  // namespace

Verb make_node_backup() {
  struct Args {
    std::string home;
    std::string destination;
  };
  auto args = std::make_shared<Args>();
  return {{"node", "backup"},
          "Copy what a node has on its disk, running or not; the secret key stays where it is. "
          "Example: thresher node backup mynet/node0 backup/node0",
          {{"home", "the node's folder", &args->home, true},
           {"destination", "a folder that is not there yet", &args->destination, true}},
          [args] { return back_up(args->home, args->destination); }};
}

}  // namespace thresher::cli
