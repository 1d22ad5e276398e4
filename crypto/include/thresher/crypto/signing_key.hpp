// A node's Ed25519 key: signs votes and blocks, and is the node's TLS identity.
//
//   auto key = crypto::SigningKey::generate();
//   Signature s = key.sign(digest.bytes);
//
// Guarantees: the secret is wiped when the object goes. Not audited.
#pragma once

#include <array>

#include "thresher/core/hash.hpp"

namespace thresher::crypto {

class SigningKey {
 public:
  using Seed = std::array<std::byte, 32>;

  static SigningKey generate();
  static SigningKey from_seed(const Seed& seed);
  SigningKey(const SigningKey&) = default;
  SigningKey& operator=(const SigningKey&) = default;
  ~SigningKey();

  Signature sign(ByteView message) const;
  const PublicKey& public_key() const { return public_; }
  const Seed& seed() const { return seed_; }

 private:
  SigningKey() = default;
  Seed seed_{};
  PublicKey public_{};
  std::array<unsigned char, 64> secret_{};
};

}  // namespace thresher::crypto
