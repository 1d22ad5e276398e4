#include "thresher/crypto/sha512.hpp"

#include "evp_digest.hpp"

namespace thresher::crypto {
namespace {

struct Name {
  static constexpr const char* kName = "SHA512";
};

}  // namespace

Sha512 sha512(ByteView bytes) {
  return evp_digest<Name, 64>(bytes);
}

}  // namespace thresher::crypto
