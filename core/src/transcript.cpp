#include "thresher/core/transcript.hpp"

#include <algorithm>

namespace thresher {

Writer& Writer::put(std::uint64_t v, int width) {
  for (int i = 0; i < width; ++i) out_.push_back(static_cast<std::byte>(v >> (8 * i)));
  return *this;
}

ByteView Reader::bytes(std::size_t size) {
  if (!ok_ || size > in_.size()) {
    ok_ = false;
    return {};
  }
  const ByteView out = in_.first(size);
  in_ = in_.subspan(size);
  return out;
}

Digest Reader::digest() {
  Digest out;
  const ByteView view = bytes(out.bytes.size());
  std::copy(view.begin(), view.end(), out.bytes.begin());
  return out;
}

std::uint64_t Reader::get(std::size_t width) {
  const ByteView view = bytes(width);
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < view.size(); ++i) {
    out |= std::to_integer<std::uint64_t>(view[i]) << (8 * i);
  }
  return out;
}

Transcript::Transcript(std::string_view domain, const ChainContext& context) {
  u16(static_cast<std::uint16_t>(domain.size())).bytes(as_view(domain));
  bytes(context.chain.bytes).u64(context.epoch);
}

}  // namespace thresher
