#include "wire/signed_digest.hpp"

#include "thresher/crypto/verifier.hpp"

namespace thresher::net {

bool signs_digest(const PublicKey& key, const Digest& digest, const Signature& signature) {
  const crypto::SignatureJob job{key, digest.bytes, signature};
  crypto::Verdict verdict = crypto::Verdict::kUnavailable;
  crypto::make_verifier("portable")->verify({&job, 1}, {&verdict, 1});
  return verdict == crypto::Verdict::kValid;
}

}  // namespace thresher::net
