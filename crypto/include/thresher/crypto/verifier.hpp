// Signature verification: one virtual call per batch, a verdict per signature.
//
//   auto verifier = crypto::make_verifier("sodium");
//   verifier->verify(jobs, verdicts);
//
// Guarantees: verdicts[i] answers jobs[i]; kUnavailable never blames a signer. The one backend so
// far is libsodium's rule; the ZIP-215 backends of docs/signatures.md replace it for all nodes at
// once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "thresher/core/hash.hpp"

namespace thresher::crypto {

enum class Verdict : std::uint8_t { kValid, kBadSignature, kBadKey, kUnavailable };

struct SignatureJob {
  PublicKey key;
  ByteView message;
  Signature signature;
};

class BatchVerifier {
 public:
  virtual ~BatchVerifier() = default;
  virtual std::string_view name() const = 0;
  /// Pre: equal sizes.
  virtual void verify(std::span<const SignatureJob> jobs, std::span<Verdict> verdicts) noexcept = 0;
};

/// Null when there is no backend of that name.
std::unique_ptr<BatchVerifier> make_verifier(std::string_view name);

}  // namespace thresher::crypto
