// The BatchVerifier that gives each signature a lane of its own. Private to crypto/.
//
//   Individual verifier("avx512", *avx512_engine());
//   verifier.verify_challenged(jobs, k, verdicts);       // with k already computed
//
// Guarantees: a verdict never depends on the rest of the batch.
#pragma once

#include <array>
#include <cstring>
#include <map>
#include <memory>

#include "job.hpp"
#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto::lanes {

using Scalar = std::array<std::byte, 32>;

inline Scalar scalar_of(const SignatureJob& job) {
  Scalar s;
  std::memcpy(s.data(), job.signature.data() + 32, 32);
  return s;
}

class Individual final : public BatchVerifier {
 public:
  Individual(std::string_view name, const Engine& engine);

  std::string_view name() const override { return name_; }
  void register_keys(std::span<const PublicKey> keys) override;
  bool registered(const PublicKey& key) const override { return known_.contains(key); }
  void verify(std::span<const SignatureJob> jobs,
              std::span<SignatureStatus> verdicts) noexcept override;
  /// Pre: k[i] is the challenge of jobs[i]; equal sizes.
  void verify_challenged(std::span<const SignatureJob> jobs, std::span<const Scalar> k,
                         std::span<SignatureStatus> verdicts) const;

 private:
  struct Group;
  void run(Group& group, std::span<SignatureStatus> verdicts) const;

  std::string_view name_;
  const Engine& engine_;
  const BaseTable& base_;
  struct Known {
    std::unique_ptr<KeyTable> table;
    std::uint64_t registered;  // the number of the last register_keys() that named it
  };
  std::map<PublicKey, Known> known_;
  std::uint64_t registrations_ = 0;
};

}  // namespace thresher::crypto::lanes
