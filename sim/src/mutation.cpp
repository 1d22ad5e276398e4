#include "mutation.hpp"

namespace thresher::sim {

bool another_payload(Bytes& value) {
  if (value.empty()) return false;
  if (auto id = read_payload(value.view())) {
    id->number ^= PayloadId::kSecondFace;
    value = make_payload(*id, static_cast<std::uint32_t>(value.size()));
    return true;
  }
  Writer w;
  w.bytes(value.view().first(value.size() - 1));
  w.u8(static_cast<std::uint8_t>(value.view().back()) ^ 1);
  value = Bytes::from(w.take());
  return true;
}

}  // namespace thresher::sim
