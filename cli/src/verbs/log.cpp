#include <memory>

#include "../text.hpp"
#include "thresher/net/config.hpp"

namespace thresher::cli {

Verb make_log() {
  struct Args {
    std::string home;
    std::uint64_t from = 0;
    bool raw = false;
  };
  auto args = std::make_shared<Args>();
  return {{"log"},
          "Print the committed log of a node that is not running. Example: thresher log --home "
          "net/node0 --from 100",
          {{"--home", "the node's folder", &args->home, true},
           {"--from", "first position", &args->from},
           {"--raw", "one payload a line, nothing else", &args->raw}},
          [args] {
            const auto config = net::load_config(args->home);
            if (!config) return fail_all(kUsage, config.error());
            const auto done =
                net::read_log(config->options, args->from, [&](const net::Transaction& t) {
                  if (!args->raw) {
                    std::printf("%llu %016llx:%llu ", static_cast<unsigned long long>(t.position),
                                static_cast<unsigned long long>(t.client),
                                static_cast<unsigned long long>(t.sequence));
                  }
                  const std::string_view text = as_text(t.data);
                  std::printf("%.*s\n", static_cast<int>(text.size()), text.data());
                });
            return done ? static_cast<int>(kDone) : fail(kFailed, done.error());
          }};
}

}  // namespace thresher::cli
