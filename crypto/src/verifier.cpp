#include "thresher/crypto/verifier.hpp"

#include <sodium.h>

#include "device/device_verifier.hpp"
#include "lanes/combining.hpp"
#include "thresher/core/names.hpp"
#include "zip215.hpp"

namespace thresher::crypto {
namespace {

class SodiumVerifier final : public BatchVerifier {
 public:
  std::string_view name() const override { return "sodium"; }
  void verify(std::span<const SignatureJob> jobs,
              std::span<SignatureStatus> verdicts) noexcept override {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const SignatureJob& job = jobs[i];
      const int rc = crypto_sign_verify_detached(
          reinterpret_cast<const unsigned char*>(job.signature.data()),
          reinterpret_cast<const unsigned char*>(job.message.data()), job.message.size(),
          reinterpret_cast<const unsigned char*>(job.key.data()));
      verdicts[i] = rc == 0 ? SignatureStatus::kValid : SignatureStatus::kBadSignature;
    }
  }
};

class PortableVerifier final : public BatchVerifier {
 public:
  std::string_view name() const override { return "portable"; }
  void verify(std::span<const SignatureJob> jobs,
              std::span<SignatureStatus> verdicts) noexcept override {
    for (std::size_t i = 0; i < jobs.size(); ++i) verdicts[i] = ed25519::verify_zip215(jobs[i]);
  }
};

using Made = std::unique_ptr<BatchVerifier>;

const lanes::Engine* widest() {
  const lanes::Engine* wide = lanes::avx512_engine();
  return wide != nullptr ? wide : lanes::avx2_engine();
}

template <lanes::SumMethod kMethod>
Made combining(std::string_view name, const lanes::Engine* engine) {
  return engine == nullptr ? nullptr : lanes::make_combining(name, *engine, kMethod);
}
Made individual(std::string_view name, const lanes::Engine* engine) {
  return engine == nullptr ? nullptr : std::make_unique<lanes::Individual>(name, *engine);
}

std::string nothing_lacks() {
  return {};
}
std::string lacks(const lanes::Engine* engine) {
  return engine == nullptr ? "this processor lacks it" : "";
}
std::string lacks_avx2() {
  return lacks(lanes::avx2_engine());
}
std::string lacks_avx512() {
  return lacks(lanes::avx512_engine());
}
std::string lacks_lanes() {
  return lacks(widest());
}

struct Backend {
  VerifierInfo info;
  Made (*make)();  ///< null where `why` is not empty
  std::string (*why)();
};

using Use = VerifierUse;
using Sum = lanes::SumMethod;

// Every backend, one row each, and nowhere else.
constexpr Backend kBackends[] = {
    {{"portable", "one at a time, on any processor", Use::kWhole},
     []() -> Made { return std::make_unique<PortableVerifier>(); },
     nothing_lacks},
    {{"avx2", "four at a time", Use::kWhole},
     [] { return individual("avx2", lanes::avx2_engine()); },
     lacks_avx2},
    {{"avx512", "eight at a time", Use::kWhole},
     [] { return individual("avx512", lanes::avx512_engine()); },
     lacks_avx512},
    {{"rlc", "random linear combinations of up to 4,096", Use::kWhole},
     [] { return combining<Sum::kAuto>("rlc", widest()); },
     lacks_lanes},
    {{"rlc-straus", "the same by Straus's sums alone", Use::kPart},
     [] { return combining<Sum::kStraus>("rlc-straus", widest()); },
     lacks_lanes},
    {{"rlc-pippenger", "the same by Pippenger's sums alone", Use::kPart},
     [] { return combining<Sum::kPippenger>("rlc-pippenger", widest()); },
     lacks_lanes},
    {{"rlc-avx2", "the same, four at a time", Use::kPart},
     [] { return combining<Sum::kAuto>("rlc-avx2", lanes::avx2_engine()); },
     lacks_avx2},
    {{"emulator", "the GPU's arithmetic on the processor, for tests", Use::kWhole},
     []() -> Made { return device::make_emulator(); },
     nothing_lacks},
    {{"cuda", "a GPU", Use::kWhole, true},
     []() -> Made {
       std::string why;
       return device::make_cuda(why);
     },
     device::cuda_problem},
    {{"sodium", "libsodium's narrower rule", Use::kYardstick},
     []() -> Made { return std::make_unique<SodiumVerifier>(); },
     nothing_lacks},
};

const Backend* backend_of(std::string_view name) {
  for (const Backend& backend : kBackends) {
    if (backend.info.name == name) return &backend;
  }
  return nullptr;
}

}  // namespace

std::vector<VerifierInfo> known_verifiers() {
  std::vector<VerifierInfo> out;
  for (const Backend& backend : kBackends) out.push_back(backend.info);
  return out;
}

Result<std::unique_ptr<BatchVerifier>, Error> open_verifier(std::string_view name) {
  const Backend* backend = backend_of(name);
  if (backend == nullptr) {
    const auto all = verifier_names([](const VerifierInfo&) { return true; });
    return Error{ErrorCode::kMissing, unknown_name("backend", name, all), std::string(name)};
  }
  if (sodium_init() < 0)
    return Error{ErrorCode::kUnsupported, "libsodium does not start", std::string(name)};
  if (auto made = backend->make()) return made;
  return Error{ErrorCode::kUnsupported, backend->why(), std::string(name)};
}

std::unique_ptr<BatchVerifier> make_verifier(std::string_view name) {
  auto opened = open_verifier(name);
  return opened ? std::move(*opened) : nullptr;
}

std::string_view best_verifier() {
  if (lanes::avx512_engine() != nullptr) return "avx512";
  return lanes::avx2_engine() != nullptr ? "avx2" : "portable";
}

std::vector<std::string_view> available_verifiers() {
  std::vector<std::string_view> names;
  for (const Backend& backend : kBackends) {
    if (backend.why().empty()) names.push_back(backend.info.name);
  }
  return names;
}

}  // namespace thresher::crypto
