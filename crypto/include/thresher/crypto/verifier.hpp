// Signature verification: one virtual call per batch, a verdict per signature.
//
//   auto verifier = crypto::make_verifier("portable");
//   verifier->verify(jobs, verdicts);
//
// Guarantees: verdicts[i] answers jobs[i]; kUnavailable never blames a signer. All backends but
// "sodium" apply ZIP-215 (docs/signatures.md) and give the same verdict on every input: "portable",
// "avx2" (four at a time), "avx512" (eight), "rlc" (random linear combinations of up to 4,096; its
// parts "rlc-straus", "rlc-pippenger" and "rlc-avx2" are there to be measured and compared), "cuda"
// (a GPU), "emulator" (the GPU's arithmetic on the processor, for tests). They are rows of one
// table (crypto/src/verifier.cpp); whoever lists them asks known_verifiers(). "sodium" is a
// yardstick with libsodium's narrower rule: the two disagree on small-order and non-canonical
// points, so all nodes of a cluster use the same one. Variable time, for public data. Not audited.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thresher/core/error.hpp"
#include "thresher/core/hash.hpp"

namespace thresher::crypto {

enum class SignatureStatus : std::uint8_t { kValid, kBadSignature, kBadKey, kUnavailable };

struct SignatureJob {
  PublicKey key;
  ByteView message;
  Signature signature;
};

class BatchVerifier {
 public:
  virtual ~BatchVerifier() = default;
  virtual std::string_view name() const = 0;
  /// Prepares for many signatures of these keys (a committee's, once an epoch): a table of 18 KiB
  /// each makes them several times cheaper. Verdicts do not change. There is room for 1,024: keys
  /// that were not named for longest go first, and those of one call beyond its first 1,024 get
  /// none; nor does any with a backend without tables.
  virtual void register_keys(std::span<const PublicKey> keys) { (void)keys; }
  virtual bool registered(const PublicKey& key) const {
    (void)key;
    return false;
  }
  /// Pre: equal sizes.
  virtual void verify(std::span<const SignatureJob> jobs,
                      std::span<SignatureStatus> verdicts) noexcept = 0;
  /// The name of the card that it runs on; empty for the processor.
  virtual std::string accelerator() const { return {}; }
  /// Why verdicts are kUnavailable; empty as long as none was. `where`: the backend's name. Does
  /// not go away: make another verifier, and verify on the processor what this one left open.
  virtual std::optional<Error> problem() const { return std::nullopt; }
};

/// The purpose of a backend. Parts are measured by name only, and a yardstick applies another
/// rule.
enum class VerifierUse : std::uint8_t { kWhole, kPart, kYardstick };

struct VerifierInfo {
  std::string_view name;
  std::string_view help;  ///< how it verifies, as a phrase
  VerifierUse use;
  bool accelerator = false;  ///< a node may hand it what the processor does not get done
};

/// All backends, whether this machine has what they need or not.
std::vector<VerifierInfo> known_verifiers();
/// The names of those that `wanted(info)` picks, for help and messages.
template <class F>
std::vector<std::string> verifier_names(F wanted) {
  std::vector<std::string> out;
  for (const VerifierInfo& info : known_verifiers()) {
    if (wanted(info)) out.emplace_back(info.name);
  }
  return out;
}

/// kMissing, with the nearest name, when there is no backend of that name; kUnsupported when this
/// machine lacks what it needs.
Result<std::unique_ptr<BatchVerifier>, Error> open_verifier(std::string_view name);
/// The same for a name that is known; null in place of an error.
std::unique_ptr<BatchVerifier> make_verifier(std::string_view name);

/// The fastest one on the processor with a verdict of its own for each signature.
std::string_view best_verifier();

/// The names make_verifier() knows on this machine.
std::vector<std::string_view> available_verifiers();

}  // namespace thresher::crypto
