#include "thresher/crypto/sha256.hpp"

#include <openssl/evp.h>

#include <cstdlib>
#include <memory>

namespace thresher::crypto {

Digest sha256(ByteView bytes) {
  struct Free {
    void operator()(EVP_MD_CTX* c) const { EVP_MD_CTX_free(c); }
    void operator()(EVP_MD* m) const { EVP_MD_free(m); }
  };
  thread_local const std::unique_ptr<EVP_MD, Free> algorithm(
      EVP_MD_fetch(nullptr, "SHA256", nullptr));
  thread_local const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  Digest out;
  unsigned size = 0;
  const bool ok =
      EVP_DigestInit_ex2(context.get(), algorithm.get(), nullptr) == 1 &&
      EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
      EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(out.bytes.data()),
                         &size) == 1;
  if (!ok) std::abort();  // only when the library itself is broken: a wrong digest would be worse
  return out;
}

}  // namespace thresher::crypto
