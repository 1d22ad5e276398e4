// Follows the committed log of a network and adds one line to it.
//
//   replicated_log mynet/genesis.json "a line"
//
// Prints the log from its beginning until the line that was submitted has come by.
#include <cstdio>
#include <future>

#include "thresher/net/client.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: replicated_log GENESIS LINE\n"), 2;
  auto client = thresher::net::Client::open(argv[1]);
  if (!client) return std::fprintf(stderr, "%s\n", client.error().text().c_str()), 2;
  const auto out = (*client)->submit(thresher::as_view(argv[2])).get();
  if (!out.committed()) return std::fprintf(stderr, "%s\n", out.why.c_str()), 1;
  std::promise<void> seen;
  (*client)->subscribe(0, [&](const thresher::net::Transaction& t) {
    const std::string_view text = thresher::as_text(t.data);
    std::printf("%llu %.*s\n", static_cast<unsigned long long>(t.position),
                static_cast<int>(text.size()), text.data());
    if (t.position == out.receipt.position) seen.set_value();
  });
  seen.get_future().wait();
}
