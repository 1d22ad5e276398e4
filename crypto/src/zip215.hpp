// The one verification rule of the framework, ZIP-215, in portable code; docs/signatures.md says
// why.
//
//   SignatureStatus v = ed25519::verify_zip215(job);
//
// Guarantees: the same verdict for the same bytes on every machine; no allocation. Variable time:
// signatures, keys and messages are public.
#pragma once

#include <span>

#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto::ed25519 {

/// s >= L and an R that does not decode are kBadSignature, else a key that does not decode is
/// kBadKey. Source: ZIP-215.
SignatureStatus verify_zip215(const SignatureJob& job) noexcept;

}  // namespace thresher::crypto::ed25519
