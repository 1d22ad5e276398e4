#include "thresher/crypto/signing_key.hpp"

#include <sodium.h>

#include <cstdlib>

namespace thresher::crypto {
namespace {

unsigned char* raw(std::byte* p) {
  return reinterpret_cast<unsigned char*>(p);
}
const unsigned char* raw(const std::byte* p) {
  return reinterpret_cast<const unsigned char*>(p);
}

}  // namespace

SigningKey SigningKey::generate() {
  if (sodium_init() < 0) std::abort();
  Secret<Seed> seed;
  randombytes_buf(seed->data(), seed->size());
  return from_seed(*seed);
}

SigningKey SigningKey::from_seed(const Seed& seed) {
  if (sodium_init() < 0) std::abort();
  SigningKey key;
  key.secret_->seed = seed;
  crypto_sign_seed_keypair(raw(key.public_.data()), key.secret_->expanded.data(), raw(seed.data()));
  return key;
}

Signature SigningKey::sign(ByteView message) const {
  Signature out;
  crypto_sign_detached(raw(out.data()), nullptr, raw(message.data()), message.size(),
                       secret_->expanded.data());
  return out;
}

bool may_sign(const PublicKey& key) {
  return crypto_core_ed25519_is_valid_point(reinterpret_cast<const unsigned char*>(key.data())) ==
         1;
}

}  // namespace thresher::crypto
