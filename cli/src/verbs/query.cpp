#include <memory>

#include "../client_of.hpp"
#include "../text.hpp"

namespace thresher::cli {
namespace {

struct Args {
  std::string home;
  std::string genesis;
  std::string data;
  std::string timeout = "30s";
  std::uint64_t length = 0;
  bool quorum = false;
};

int query(const Args& a) {
  if (a.home.empty() == a.genesis.empty()) {
    return fail(kUsage, "give either a node's folder with --home or the network with --genesis");
  }
  if (a.quorum && !a.home.empty()) {
    return fail(kUsage, "--quorum asks several nodes: give the network with --genesis");
  }
  const auto patience = parse_duration(a.timeout);
  if (!patience || *patience == 0) {
    return fail(kUsage, "--timeout '" + a.timeout + "' is no time; write it as 30s or 500ms");
  }
  auto client = a.home.empty() ? net::Client::open(a.genesis) : client_of(a.home);
  if (!client) return fail(kUsage, client.error());
  const net::Answer answer =
      (*client)
          ->query(as_view(a.data), {.patience_us = *patience,
                                    .words = a.quorum ? net::Words::kQuorum : net::Words::kOne,
                                    .length = a.length})
          .get();
  const std::string_view text = as_text(answer.bytes.view());
  if (answer.failed) return fail(kFailed, escaped(text));
  (void)std::fwrite(text.data(), 1, text.size(), stdout);
  std::puts("");
  return kDone;
}

}  // namespace

Verb make_query() {
  auto a = std::make_shared<Args>();
  return {{"query"},
          "Ask the application of a node, or of f+1 that say the same. Example: thresher query "
          "--home mynet/node0 --data length",
          {{"--home", "the folder of the node to ask", &a->home},
           {"--genesis", "the network's genesis file: any node that answers", &a->genesis},
           {"--data", "the question", &a->data, true},
           {"--length", "transactions that the state must have", &a->length},
           {"--quorum", "f+1 nodes have to say the same", &a->quorum},
           {"--timeout", "how long to wait, like 30s", &a->timeout}},
          [a] { return query(*a); }};
}

}  // namespace thresher::cli
