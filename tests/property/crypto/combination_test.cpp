// Random linear combinations: large batches, bad ones anywhere in them, errors made to cancel, and
// rapidcheck's batches against the portable verifier, for every backend.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sodium.h>

#include <cfenv>

#include "thresher/core/prng.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto {
namespace {

using Backend = std::unique_ptr<BatchVerifier>;

std::vector<Backend> backends(bool combining_only) {
  std::vector<Backend> out;
  for (const std::string_view name : available_verifiers()) {
    if (name == "portable" || name == "sodium") continue;
    if (combining_only && name.rfind("rlc", 0) != 0) continue;
    out.push_back(make_verifier(name));
  }
  return out;
}

std::vector<SignatureStatus> verdicts(BatchVerifier& backend,
                                      const std::vector<SignatureJob>& jobs) {
  std::vector<SignatureStatus> out(jobs.size(), SignatureStatus::kUnavailable);
  backend.verify(jobs, out);
  return out;
}

/// Honest signatures under so many keys.
struct Signed {
  std::vector<std::vector<std::byte>> messages;
  std::vector<SignatureJob> jobs;
  std::vector<PublicKey> keys;

  Signed(std::size_t count, std::size_t key_count) {
    Prng random(count + key_count);
    std::vector<SigningKey> signers;
    for (std::size_t i = 0; i < key_count; ++i) {
      SigningKey::Seed seed{};
      for (std::byte& b : seed) b = static_cast<std::byte>(random.below(256));
      signers.push_back(SigningKey::from_seed(seed));
      keys.push_back(signers.back().public_key());
    }
    for (std::size_t i = 0; i < count; ++i) {
      auto& message = messages.emplace_back(32);
      for (std::byte& b : message) b = static_cast<std::byte>(random.below(256));
      const SigningKey& key = signers[i % key_count];
      jobs.push_back({key.public_key(), message, key.sign(message)});
    }
    for (std::size_t i = 0; i < count; ++i) jobs[i].message = messages[i];
  }
};

enum class Damage { kS, kR, kMessageKey, kNoPoint, kNoKey, kLargeS };

SignatureJob damaged(SignatureJob job, Damage how) {
  switch (how) {
    case Damage::kS:
      job.signature[33] ^= std::byte{1};
      break;
    case Damage::kR:
      job.signature[2] ^= std::byte{8};
      break;
    case Damage::kMessageKey:
      job.message = {};
      break;
    case Damage::kNoPoint:
      job.signature[0] = std::byte{2};
      for (std::size_t i = 1; i < 32; ++i) job.signature[i] = std::byte{0};
      break;
    case Damage::kNoKey:
      job.key = {std::byte{2}};
      break;
    case Damage::kLargeS:
      job.signature[63] = std::byte{0xff};
      break;
  }
  return job;
}

SignatureStatus wanted(Damage how) {
  return how == Damage::kNoKey ? SignatureStatus::kBadKey : SignatureStatus::kBadSignature;
}

void find_all(const std::vector<SignatureJob>& honest, const std::vector<std::size_t>& bad) {
  std::vector<SignatureJob> jobs = honest;
  std::vector<SignatureStatus> expected(jobs.size(), SignatureStatus::kValid);
  for (std::size_t i = 0; i < bad.size(); ++i) {
    const auto how = static_cast<Damage>((i + bad[i]) % 6);
    jobs[bad[i]] = damaged(jobs[bad[i]], how);
    expected[bad[i]] = wanted(how);
  }
  for (const Backend& backend : backends(true)) {
    const auto got = verdicts(*backend, jobs);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      // A flipped R may or may not be a point; both are a bad signature.
      ASSERT_EQ(got[i], expected[i]) << backend->name() << " at " << i << " of " << jobs.size();
    }
  }
}

TEST(Combination, FindsBadOnesAnywhereInLargeBatches) {
  for (const std::size_t keys : {std::size_t{7}, std::size_t{1500}}) {
    const Signed made(1500, keys);
    std::vector<std::size_t> each_hundredth, first_half, all;
    for (std::size_t i = 0; i < 1500; ++i) {
      if (i % 100 == 50) each_hundredth.push_back(i);
      if (i < 750) first_half.push_back(i);
      all.push_back(i);
    }
    for (const auto& bad : std::vector<std::vector<std::size_t>>{{},
                                                                 {0},
                                                                 {1499},
                                                                 {750},
                                                                 {749, 750},
                                                                 {3, 400, 401, 1200},
                                                                 each_hundredth,
                                                                 first_half,
                                                                 all}) {
      find_all(made.jobs, bad);
    }
  }
}

TEST(Combination, TakesBatchesOfMoreThanOneCombination) {
  const Signed made(4100, 11);
  find_all(made.jobs, {4099});
  find_all(made.jobs, {0, 2049, 2050});
}

TEST(Combination, OddSizesAroundEveryThreshold) {
  const Signed made(600, 600);
  for (const std::size_t size :
       {31u, 32u, 33u, 63u, 64u, 65u, 127u, 128u, 129u, 130u, 255u, 256u, 257u, 511u, 513u}) {
    const std::vector<SignatureJob> jobs(made.jobs.begin(),
                                         made.jobs.begin() + static_cast<std::ptrdiff_t>(size));
    find_all(jobs, {});
    find_all(jobs, {size - 1});
  }
}

// Two errors in s that cancel in a sum without coefficients, and in one where both have the same.
TEST(Combination, ErrorsThatCancelAreFound) {
  Signed made(300, 300);
  const std::array<unsigned char, 32> one{1};
  const auto s_of = [&](std::size_t i) {
    return reinterpret_cast<unsigned char*>(made.jobs[i].signature.data() + 32);
  };
  crypto_core_ed25519_scalar_add(s_of(10), s_of(10), one.data());
  crypto_core_ed25519_scalar_sub(s_of(200), s_of(200), one.data());
  for (const Backend& backend : backends(true)) {
    const auto got = verdicts(*backend, made.jobs);
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i] == SignatureStatus::kValid, i != 10 && i != 200)
          << backend->name() << ' ' << i;
    }
  }
}

// The AVX2 field computes with doubles: what the application did to its rounding must not matter.
TEST(Combination, RoundingModesOfTheThreadDoNotMatter) {
  Signed made(70, 70);
  made.jobs[60] = damaged(made.jobs[60], Damage::kS);
  for (const Backend& backend : backends(false)) {
    backend->register_keys(std::span(made.keys).first(20));
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
      ASSERT_EQ(std::fesetround(mode), 0);
      const auto got = verdicts(*backend, made.jobs);
      const int after = std::fegetround();
      ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
      EXPECT_EQ(after, mode) << backend->name();
      for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i] == SignatureStatus::kValid, i != 60) << backend->name() << ' ' << i;
      }
    }
  }
}

// 1,024 tables: the committee of now stays, those of before make room.
TEST(RegisteredKeys, OldEpochsMakeRoom) {
  const Signed old_epoch(1000, 1000), new_epoch(300, 300);
  for (const Backend& backend : backends(false)) {
    backend->register_keys(old_epoch.keys);
    EXPECT_TRUE(backend->registered(old_epoch.keys[0]));
    backend->register_keys(std::span(old_epoch.keys).first(100));  // still in office
    backend->register_keys(new_epoch.keys);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < 1000; ++i) kept += backend->registered(old_epoch.keys[i]) ? 1 : 0;
    EXPECT_EQ(kept, 724u) << backend->name();
    for (std::size_t i = 0; i < 100; ++i) EXPECT_TRUE(backend->registered(old_epoch.keys[i]));
    for (const PublicKey& key : new_epoch.keys) EXPECT_TRUE(backend->registered(key));
    for (const auto* epoch : {&old_epoch, &new_epoch}) {
      for (const SignatureStatus v : verdicts(*backend, epoch->jobs))
        EXPECT_EQ(v, SignatureStatus::kValid);
    }
  }
}

TEST(RegisteredKeys, ACallWithTooManyKeepsItsFirst) {
  const Signed made(1030, 1030);
  const Backend backend = make_verifier(best_verifier());
  backend->register_keys(made.keys);
  if (best_verifier() == "portable") GTEST_SKIP() << "the portable verifier has no tables";
  EXPECT_TRUE(backend->registered(made.keys[1023]));
  EXPECT_FALSE(backend->registered(made.keys[1024]));
}

// One step of a batch that rapidcheck can shrink: which key, and what was done to the signature.
RC_GTEST_PROP(Combination, EveryBackendAgreesWithThePortableOne, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(0, 160);
  const auto plan = *rc::gen::container<std::vector<std::pair<unsigned, std::uint16_t>>>(
      count, rc::gen::pair(rc::gen::weightedElement<unsigned>({{8, 0}, {1, 1}, {1, 2}, {1, 3}}),
                           rc::gen::arbitrary<std::uint16_t>()));
  static const Signed made(64, 64);
  std::vector<SignatureJob> jobs;
  for (const auto& [what, where] : plan) {
    SignatureJob job = made.jobs[where % 64];
    if (what == 1) job.signature[where % 64] ^= static_cast<std::byte>(1 << (where >> 13));
    if (what == 2) job.key[where % 32] ^= static_cast<std::byte>(1 << (where >> 13));
    if (what == 3) job = damaged(job, static_cast<Damage>(where % 6));
    jobs.push_back(job);
  }
  const Backend portable = make_verifier("portable");
  const auto expected = verdicts(*portable, jobs);
  static const std::vector<Backend> all = backends(false);
  for (const Backend& backend : all) RC_ASSERT(verdicts(*backend, jobs) == expected);
}

}  // namespace
}  // namespace thresher::crypto
