#include <memory>

#include "../text.hpp"
#include "thresher/net/evidence.hpp"

namespace thresher::cli {
namespace {

int verify(const std::string& file, const std::string& genesis_file) {
  const auto genesis = net::load_genesis(genesis_file);
  if (!genesis) return fail(kUsage, genesis.error());
  const auto found = net::load_evidence(file, *genesis);
  if (!found) return fail(kFailed, found.error());
  std::printf("node %u signed two statements for round %llu\n", found->author.value,
              static_cast<unsigned long long>(found->round.value));
  return kDone;
}

}  // namespace

Verb make_evidence_verify() {
  struct Args {
    std::string file;
    std::string genesis;
  };
  auto args = std::make_shared<Args>();
  return {{"evidence", "verify"},
          "Check evidence against a member with the genesis file alone; status 1 when it proves "
          "nothing. Example: thresher evidence verify node3-round17.json --genesis "
          "mynet/genesis.json",
          {{"FILE", "what a node kept in data/evidence", &args->file, true},
           {"--genesis", "the network's genesis file", &args->genesis, true}},
          [args] { return verify(args->file, args->genesis); }};
}

}  // namespace thresher::cli
