// A node's Ed25519 key: signs votes and blocks, and is the node's TLS identity.
//
//   auto key = crypto::SigningKey::generate();
//   Signature s = key.sign(digest.bytes);
//
// Guarantees: the secret lies in memory that no core dump holds (secret.hpp), which copies share;
// it is wiped when the last of them goes. Not audited.
#pragma once

#include <array>

#include "thresher/core/hash.hpp"
#include "thresher/crypto/secret.hpp"

namespace thresher::crypto {

class SigningKey {
 public:
  using Seed = std::array<std::byte, 32>;

  static SigningKey generate();
  static SigningKey from_seed(const Seed& seed);
  // Moved from, a key is still the key.
  SigningKey(const SigningKey&) = default;
  SigningKey& operator=(const SigningKey&) = default;
  ~SigningKey() = default;

  Signature sign(ByteView message) const;
  const PublicKey& public_key() const { return public_; }
  /// In guarded memory: a copy of it is not.
  const Seed& seed() const { return secret_->seed; }

 private:
  struct Parts {
    Seed seed;
    std::array<unsigned char, 64> expanded;  // seed and public half, as libsodium wants them
  };
  SigningKey() = default;
  Secret<Parts> secret_;
  PublicKey public_{};
};

/// Whether somebody may have a secret for it: a point of the large prime order. With one of small
/// order, such as all zeros, anybody makes signatures that hold.
bool may_sign(const PublicKey& key);

}  // namespace thresher::crypto
