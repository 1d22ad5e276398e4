// What the program of `./dev demo` says in place of what it leaves out.
#include "../cluster/broadcast_cluster.hpp"
#include "../coin_making.hpp"
#include "../protocol_table.hpp"

namespace thresher::cli {
namespace {

std::string left_out(const std::string& what) {
  return "this program, which is for `./dev demo` alone, has no " + what +
         "; `./dev build` makes the whole one, build/release/bin/thresher";
}

}  // namespace

Result<Unit, Error> make_coins(const std::vector<std::string>& /*homes*/,
                               const CoinMaking& /*how*/) {
  return Error{ErrorCode::kUnsupported, left_out("coins")};
}

std::string no_broadcast(const std::string& /*name*/) {
  return left_out("broadcasts");
}

BroadcastReport run_broadcasts(const BroadcastOptions& /*options*/) {
  BroadcastReport report;
  report.problem = left_out("broadcasts");
  return report;
}

}  // namespace thresher::cli
