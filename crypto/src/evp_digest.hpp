// A digest through OpenSSL: one algorithm and one context a thread, fetched once. Private to
// crypto/.
//
//   return {evp_digest<Sha256Name, 32>(bytes)};
#pragma once

#include <openssl/evp.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "thresher/core/bytes.hpp"

namespace thresher::crypto {

/// `Name::kName` is what OpenSSL calls the algorithm, `kSize` the bytes that it gives.
template <class Name, std::size_t kSize>
std::array<std::byte, kSize> evp_digest(ByteView bytes) {
  struct Free {
    void operator()(EVP_MD_CTX* c) const { EVP_MD_CTX_free(c); }
    void operator()(EVP_MD* m) const { EVP_MD_free(m); }
  };
  thread_local const std::unique_ptr<EVP_MD, Free> algorithm(
      EVP_MD_fetch(nullptr, Name::kName, nullptr));
  thread_local const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  std::array<std::byte, kSize> out;
  unsigned size = 0;
  const bool ok =
      EVP_DigestInit_ex2(context.get(), algorithm.get(), nullptr) == 1 &&
      EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
      EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size) == 1;
  // Only when the library itself is broken: a wrong digest would be worse.
  if (!ok || size != kSize) std::abort();
  return out;
}

}  // namespace thresher::crypto
