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
  Seed seed;
  randombytes_buf(seed.data(), seed.size());
  SigningKey key = from_seed(seed);
  sodium_memzero(seed.data(), seed.size());
  return key;
}

SigningKey SigningKey::from_seed(const Seed& seed) {
  if (sodium_init() < 0) std::abort();
  SigningKey key;
  key.seed_ = seed;
  crypto_sign_seed_keypair(raw(key.public_.data()), key.secret_.data(), raw(seed.data()));
  return key;
}

SigningKey::~SigningKey() {
  sodium_memzero(secret_.data(), secret_.size());
  sodium_memzero(seed_.data(), seed_.size());
}

Signature SigningKey::sign(ByteView message) const {
  Signature out;
  crypto_sign_detached(raw(out.data()), nullptr, raw(message.data()), message.size(),
                       secret_.data());
  return out;
}

}  // namespace thresher::crypto
