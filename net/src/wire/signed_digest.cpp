#include "wire/signed_digest.hpp"

#include "thresher/crypto/verifier.hpp"

namespace thresher::net {

bool signs_digest(const PublicKey& key, const Digest& digest, const Signature& signature) {
  const crypto::SignatureJob job{key, digest.bytes, signature};
  crypto::SignatureStatus verdict = crypto::SignatureStatus::kUnavailable;
  crypto::make_verifier("portable")->verify({&job, 1}, {&verdict, 1});
  return verdict == crypto::SignatureStatus::kValid;
}

}  // namespace thresher::net
