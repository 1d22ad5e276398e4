#include <memory>
#include <stdexcept>

#include "../client_of.hpp"
#include "../json.hpp"
#include "../text.hpp"
#include "thresher/core/hex.hpp"

namespace thresher::cli {
namespace {

int print_status(const std::string& home, bool json) {
  auto client = client_of(home);
  if (!client) return fail(kUsage, client.error());
  net::NodeStatus s;
  try {
    s = (*client)->status().get();
  } catch (const std::runtime_error& e) {
    return fail(kFailed, "the node of '" + home + "' gives " + e.what() +
                             "; start it with: thresher node run --home " + home);
  }
  if (json) {
    Json out;
    out.set("length", s.length)
        .set("round", s.round)
        .set("slot", s.slot)
        .set("links", std::uint64_t{s.links});
    out.set("sent_bytes", s.node_bytes).set("syncs", s.syncs).set("payload_bytes", s.payload_bytes);
    out.set("signatures", s.signatures).set("verify_calls", s.verify_calls);
    out.set("certificate_calls", s.certificate_calls);
    out.set("log_hash", to_hex(s.log_hash.bytes)).set("state_hash", to_hex(s.state.bytes)).print();
    return kDone;
  }
  std::printf(
      "transactions in the log  %llu\nround of the last block  %llu\nlast slot in the log     "
      "%llu\nbytes sent to nodes      %llu\nlinks to other nodes     %u\nsignatures verified      "
      "%llu in %llu calls, %llu of them for certificates\nlog hash                 %s\n",
      static_cast<unsigned long long>(s.length), static_cast<unsigned long long>(s.round),
      static_cast<unsigned long long>(s.slot), static_cast<unsigned long long>(s.node_bytes),
      s.links, static_cast<unsigned long long>(s.signatures),
      static_cast<unsigned long long>(s.verify_calls),
      static_cast<unsigned long long>(s.certificate_calls), to_hex(s.log_hash.bytes).c_str());
  return kDone;
}

}  // namespace

Verb make_node_status() {
  struct Args {
    std::string home;
    bool json = false;
  };
  auto args = std::make_shared<Args>();
  return {{"node", "status"},
          "Ask a running node for its status. Example: thresher node status --home mynet/node0",
          {{"--home", "the node's folder", &args->home, true},
           {"--json", "one object on one line", &args->json}},
          [args] { return print_status(args->home, args->json); }};
}

}  // namespace thresher::cli
