#include "thresher/core/transcript.hpp"

namespace thresher {

// Not inline: a vector that grows in every caller is much code, in which g++ 12 wrongly sees
// overflows.
Writer& Writer::bytes(ByteView v) {
  out_.insert(out_.end(), v.begin(), v.end());
  return *this;
}

Transcript::Transcript(std::string_view domain, const ChainContext& context) {
  u16(static_cast<std::uint16_t>(domain.size())).bytes(as_view(domain));
  bytes(context.chain.bytes).u64(context.epoch);
}

}  // namespace thresher
