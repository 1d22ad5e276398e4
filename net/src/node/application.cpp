// What the application is given, and what it answers.
#include <utility>

#include "node/impl.hpp"
#include "thresher/net/codec.hpp"
#include "thresher/net/wire.hpp"

namespace thresher::net {

// `author`: of its block. `payload`: payload_hash() of its data where it is known. Empty when the
// application threw, now or before.
std::optional<ApplyResult> Node::Impl::apply(const Transaction& t, NodeId author,
                                             const Digest* payload) {
  auto result = t.client == kEvidenceClient
                    ? app_calls.apply(t, [&] { return apply_evidence(t, author); })
                    : app_calls.apply(t);
  if (!result) return std::nullopt;
  checkpointing.applied(t, *result, payload);
  clients.applied(t.position, *result);
  return result;
}

}  // namespace thresher::net
