#include <cstdio>
#include <memory>
#include <optional>

#include "../input_file.hpp"
#include "../text.hpp"
#include "thresher/core/hex.hpp"
#include "thresher/net/log_proof.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string proof;
  std::string genesis;
  OptionalText data;
  OptionalText file;
};

int check(const Args& args) {
  if (args.data && args.file) return fail(kUsage, "give either --data or --file");
  const auto genesis = net::load_genesis(args.genesis);
  if (!genesis) return fail(kUsage, genesis.error());
  const auto text = read_input(args.proof, "a file that thresher log prove wrote");
  if (!text) return fail(kUsage, text.error());
  const auto proof = net::parse_log_proof(*text);
  if (!proof) return fail(kFailed, "'" + args.proof + "' is no proof: " + proof.error().text());
  if (const auto held = net::check_log_proof(*genesis, *proof); !held) {
    return fail(kFailed, "'" + args.proof + "' proves nothing: " + held.error().text());
  }
  std::optional<std::string> meant = args.data;
  if (args.file) {
    auto bytes = read_input(*args.file, "the file that holds the transaction and nothing else");
    if (!bytes) return fail(kUsage, bytes.error());
    meant = std::move(*bytes);
  }
  if (meant && net::payload_hash(as_view(*meant)) != proof->content.payload) {
    return fail(kFailed, "the proof holds, but for another transaction than the one given: hash " +
                             to_hex(proof->content.payload.bytes) + " instead of " +
                             to_hex(net::payload_hash(as_view(*meant)).bytes));
  }
  const net::Checkpoint& c = proof->certificate.checkpoint;
  std::printf(
      "holds: position %llu of %llu, client %s, sequence %llu, payload %s, result %s\n",
      static_cast<unsigned long long>(proof->position), static_cast<unsigned long long>(c.length),
      to_hex(proof->content.client.bytes).c_str(),
      static_cast<unsigned long long>(proof->content.sequence),
      to_hex(proof->content.payload.bytes).c_str(), to_hex(proof->content.result.bytes).c_str());
  std::printf("certified at slot %llu by %u of %zu members\n",
              static_cast<unsigned long long>(c.slot.value),
              proof->certificate.signatures.signers.size(), genesis->nodes.size());
  return kDone;
}

}  // namespace

Verb make_verify_proof() {
  auto args = std::make_shared<Args>();
  return {{"verify-proof"},
          "Check a proof of `thresher log prove` with nothing but the genesis file. Example: "
          "thresher verify-proof proof.json --genesis mynet/genesis.json --data hello",
          {{"proof", "the proof's file; - is the standard input", &args->proof, true},
           {"--genesis", "the network's genesis file", &args->genesis, true},
           {"--data", "the transaction that is meant, to be compared", &args->data},
           {"--file", "the same, as the content of a file", &args->file}},
          [args] { return check(*args); }};
}

}  // namespace thresher::cli
