#include "thresher/crypto/verifier.hpp"

#include <sodium.h>

#include "zip215.hpp"

namespace thresher::crypto {
namespace {

class SodiumVerifier final : public BatchVerifier {
 public:
  std::string_view name() const override { return "sodium"; }
  void verify(std::span<const SignatureJob> jobs, std::span<Verdict> verdicts) noexcept override {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const SignatureJob& job = jobs[i];
      const int rc = crypto_sign_verify_detached(
          reinterpret_cast<const unsigned char*>(job.signature.data()),
          reinterpret_cast<const unsigned char*>(job.message.data()), job.message.size(),
          reinterpret_cast<const unsigned char*>(job.key.data()));
      verdicts[i] = rc == 0 ? Verdict::kValid : Verdict::kBadSignature;
    }
  }
};

class PortableVerifier final : public BatchVerifier {
 public:
  std::string_view name() const override { return "portable"; }
  void verify(std::span<const SignatureJob> jobs, std::span<Verdict> verdicts) noexcept override {
    for (std::size_t i = 0; i < jobs.size(); ++i) verdicts[i] = ed25519::verify_zip215(jobs[i]);
  }
};

}  // namespace

std::unique_ptr<BatchVerifier> make_verifier(std::string_view name) {
  if (sodium_init() < 0) return nullptr;
  if (name == "portable") return std::make_unique<PortableVerifier>();
  if (name == "sodium") return std::make_unique<SodiumVerifier>();
  return nullptr;
}

std::vector<std::string_view> available_verifiers() {
  return {"portable", "sodium"};
}

}  // namespace thresher::crypto
