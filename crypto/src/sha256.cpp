#include "thresher/crypto/sha256.hpp"

#include "evp_digest.hpp"

namespace thresher::crypto {
namespace {

struct Name {
  static constexpr const char* kName = "SHA256";
};

}  // namespace

Digest sha256(ByteView bytes) {
  return {evp_digest<Name, 32>(bytes)};
}

}  // namespace thresher::crypto
