// One signature on one digest, judged at once: for the few that belong to no protocol.
// Private to net/.
#pragma once

#include "thresher/core/hash.hpp"

namespace thresher::net {

bool signs_digest(const PublicKey& key, const Digest& digest, const Signature& signature);

}  // namespace thresher::net
