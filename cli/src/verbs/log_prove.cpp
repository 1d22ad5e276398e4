#include <cstdio>
#include <memory>

#include "../client_of.hpp"
#include "../text.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::cli {
namespace {

/// The id of the folder's node among the members; the error says what to do.
Result<NodeId, Error> id_of(const net::NodeOptions& options, const net::Genesis& genesis) {
  const auto key = crypto::load_key(options.key);
  if (!key) return key.error();
  for (std::size_t i = 0; i < genesis.nodes.size(); ++i) {
    if (genesis.nodes[i].key == key->public_key()) return NodeId{static_cast<std::uint16_t>(i)};
  }
  return Error{ErrorCode::kMismatch,
               "the key '" + options.key + "' is not a member of '" + options.genesis + "'",
               options.key, "check which belongs"};
}

int prove(const std::string& home, std::uint64_t position) {
  const auto config = net::load_config(home);
  if (!config) return fail_all(kUsage, config.error());
  const net::NodeOptions options = net::with_paths(config->options);
  const auto genesis = net::load_genesis(options.genesis);
  if (!genesis) return fail(kUsage, genesis.error());
  auto proof = net::read_log_proof(options, position);
  if (!proof && proof.error().code == ErrorCode::kBusy) {
    const auto id = id_of(options, *genesis);
    if (!id) return fail(kUsage, id.error());
    auto fetched = net::fetch_log_proof(*genesis, *id, position);
    if (!fetched)
      return fail(kFailed,
                  "the node of '" + home + "' runs and gives no proof: " + fetched.error().text());
    proof = std::move(*fetched);
  }
  if (!proof) return fail(kFailed, proof.error().text());
  std::puts(net::write_log_proof(*proof).c_str());
  return kDone;
}

}  // namespace

Verb make_log_prove() {
  struct Args {
    std::string home;
    OptionalNumber position;
  };
  auto args = std::make_shared<Args>();
  return {{"log", "prove"},
          "Print a proof of what stands at a position of the log, against the newest certificate, "
          "from a node that runs or not. Example: thresher log prove --home mynet/node0 --position "
          "7 > proof.json",
          {{"--home", "the node's folder", &args->home, true},
           {"--position", "in the log, from 0", &args->position, true}},
          [args] { return prove(args->home, *args->position); }};
}

}  // namespace thresher::cli
