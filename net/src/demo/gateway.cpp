// No node of `./dev demo` has a gateway, whose HTTP takes longer to compile than any other file.
#include "http/gateway.hpp"

namespace thresher::net {

struct Gateway::Impl {};

// NOLINTNEXTLINE(performance-unnecessary-value-param): as the gateway that keeps them
Gateway::Gateway(GatewayHooks /*hooks*/, const GatewayLimits& /*limits*/) {}

Gateway::~Gateway() = default;

Result<Unit, Error> Gateway::listen(const LoopbackAddress& at) {
  return Error{ErrorCode::kUnsupported,
               "this program, which is for `./dev demo` alone, has no gateway",
               at.host + ":" + std::to_string(at.port),
               "build the whole one with `./dev build`, or leave gateway.address out"};
}

void Gateway::length(std::uint64_t /*transactions*/) {}

}  // namespace thresher::net
