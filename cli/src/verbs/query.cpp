#include <memory>

#include "../asking.hpp"

namespace thresher::cli {
namespace {

struct Args {
  Asking whom;
  std::string data;
  std::uint64_t length = 0;
  bool raw = false;
};

int query(const Args& a) {
  if (std::string why = a.whom.problem(); !why.empty()) return fail(kUsage, why);
  auto client = a.whom.client();
  if (!client) return fail(kUsage, client.error());
  const net::Answer answer = (*client)
                                 ->query(as_view(a.data), {.patience_us = a.whom.patience_us(),
                                                           .words = a.whom.words(),
                                                           .length = a.length})
                                 .get();
  const std::string_view text = as_text(answer.bytes.view());
  if (answer.failed) {
    (void)fail(kFailed, escaped(text));  // of another machine, if it speaks of one
    return kFailed;
  }
  const std::string shown = a.raw ? std::string(text) : escaped_words(text);
  (void)std::fwrite(shown.data(), 1, shown.size(), stdout);
  std::puts("");
  return kDone;
}

}  // namespace

Verb make_query() {
  auto a = std::make_shared<Args>();
  return {{"query"},
          "Ask the application of a node, or of f+1 that say the same. Example: thresher query "
          "--home mynet/node0 --data length",
          {{"--home", "the folder of the node to ask", &a->whom.home},
           {"--genesis", "the network's genesis file: any node that answers", &a->whom.genesis},
           {"--data", "the question", &a->data, true},
           {"--length", "transactions that the state must have", &a->length},
           {"--quorum", "f+1 nodes have to say the same", &a->whom.quorum},
           {"--raw", "the answer as it is, for programs, not for a terminal", &a->raw},
           {"--timeout", "how long to wait, like 30s", &a->whom.timeout}},
          [a] { return query(*a); }};
}

}  // namespace thresher::cli
