#include <memory>

#include "../json.hpp"
#include "../text.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/config.hpp"
#include "thresher/net/evidence.hpp"

namespace thresher::cli {
namespace {

int list(const std::string& home, bool json) {
  const auto config = net::load_config(home);
  if (!config) return fail_all(kUsage, config.error());
  const net::NodeOptions o = net::with_paths(config->options);
  const auto genesis = net::load_genesis(o.genesis);
  if (!genesis) return fail(kUsage, genesis.error());
  int status = kDone;
  for (const std::string& path : net::evidence_files(net::evidence_folder(o.data))) {
    const auto found = net::load_evidence(path, *genesis);
    if (!found) {
      status = fail(kFailed, found.error());
    } else if (json) {
      Json row;
      row.set("file", path).set("author", std::uint64_t{found->author.value});
      row.set("round", found->round.value).set("first", to_hex(found->first.bytes));
      row.set("second", to_hex(found->second.bytes)).print();
    } else {
      std::printf("node %u signed two statements for round %llu: %s\n", found->author.value,
                  static_cast<unsigned long long>(found->round.value), path.c_str());
    }
  }
  return status;
}

}  // namespace

Verb make_evidence_list() {
  struct Args {
    std::string home;
    bool json = false;
  };
  auto args = std::make_shared<Args>();
  return {{"evidence", "list"},
          "List the evidence against other members that a node keeps, verified. Example: thresher "
          "evidence list --home mynet/node0",
          {{"--home", "the node's folder", &args->home, true},
           {"--json", "one object a line", &args->json}},
          [args] { return list(args->home, args->json); }};
}

}  // namespace thresher::cli
