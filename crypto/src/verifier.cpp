#include "thresher/crypto/verifier.hpp"

#include <sodium.h>

#include "device/device_verifier.hpp"
#include "lanes/combining.hpp"
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
  if (name == "emulator") return device::make_emulator();
  std::string why;
  if (name == "cuda") return device::make_cuda(why);
  const lanes::Engine* wide = lanes::avx512_engine();
  const lanes::Engine* narrow = lanes::avx2_engine();
  if (name == "avx512" && wide != nullptr) {
    return std::make_unique<lanes::Individual>("avx512", *wide);
  }
  if (name == "avx2" && narrow != nullptr) {
    return std::make_unique<lanes::Individual>("avx2", *narrow);
  }
  const lanes::Engine* best = wide != nullptr ? wide : narrow;
  if (best == nullptr) return nullptr;
  using lanes::SumMethod;
  if (name == "rlc") return lanes::make_combining("rlc", *best, SumMethod::kAuto);
  if (name == "rlc-straus") return lanes::make_combining("rlc-straus", *best, SumMethod::kStraus);
  if (name == "rlc-pippenger") {
    return lanes::make_combining("rlc-pippenger", *best, SumMethod::kPippenger);
  }
  if (name == "rlc-avx2" && narrow != nullptr) {
    return lanes::make_combining("rlc-avx2", *narrow, SumMethod::kAuto);
  }
  return nullptr;
}

std::string why_unavailable(std::string_view name) {
  if (name == "cuda") return device::cuda_problem();
  return make_verifier(name) != nullptr ? "" : "this processor lacks it";
}

std::string_view best_verifier() {
  if (lanes::avx512_engine() != nullptr) return "avx512";
  return lanes::avx2_engine() != nullptr ? "avx2" : "portable";
}

std::vector<std::string_view> available_verifiers() {
  std::vector<std::string_view> names{"portable"};
  if (lanes::avx2_engine() != nullptr) names.push_back("avx2");
  if (lanes::avx512_engine() != nullptr) names.push_back("avx512");
  if (best_verifier() != "portable") {
    names.insert(names.end(), {"rlc", "rlc-straus", "rlc-pippenger"});
  }
  if (lanes::avx2_engine() != nullptr) names.push_back("rlc-avx2");
  names.push_back("emulator");
  if (why_unavailable("cuda").empty()) names.push_back("cuda");
  names.push_back("sodium");
  return names;
}

}  // namespace thresher::crypto
