#include "thresher/core/transcript.hpp"

namespace thresher {

Transcript::Transcript(std::string_view domain, const ChainContext& context) {
  u16(static_cast<std::uint16_t>(domain.size())).bytes(as_view(domain));
  bytes(context.chain.bytes).u64(context.epoch);
}

}  // namespace thresher
