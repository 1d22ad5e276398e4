// Signature verification: one virtual call per batch, a verdict per signature.
//
//   auto verifier = crypto::make_verifier("portable");
//   verifier->verify(jobs, verdicts);
//
// Guarantees: verdicts[i] answers jobs[i]; kUnavailable never blames a signer. "portable" applies
// ZIP-215 (docs/signatures.md). "sodium" is a yardstick with libsodium's narrower rule: the two
// disagree on small-order and non-canonical points, so all nodes of a cluster use the same one.
// Variable time, for public data. Not audited.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

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

/// The names make_verifier() knows on this machine.
std::vector<std::string_view> available_verifiers();

}  // namespace thresher::crypto
