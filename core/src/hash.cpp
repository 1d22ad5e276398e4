#include "thresher/core/hash.hpp"

#include <sodium/crypto_generichash.h>

namespace thresher {

Digest hash(ByteView bytes) {
  Digest out;
  crypto_generichash(reinterpret_cast<unsigned char*>(out.bytes.data()), out.bytes.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr,
                     0);
  return out;
}

}  // namespace thresher
