// Every backend that applies ZIP-215 must give the same verdict on every input: honest, damaged and
// crafted signatures, in batches of every size, at every position, with and without registered
// keys.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "../../how_many.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto {
namespace {

/// Encodings of small order and non-canonical ones; all of them decode but the last two.
constexpr std::array<std::array<unsigned char, 32>, 8> kOddPoints{{
    {1},  // the identity
    {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80},
    {0},  // order 4
    {0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
    {0xee, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
    {0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
     0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
     0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a},
    {2},  // no point
    {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
}};

struct Signed {
  std::vector<std::byte> message;
  SignatureJob job;
};

template <std::size_t N>
void put_point(const std::array<unsigned char, 32>& point, std::array<std::byte, N>& out) {
  for (std::size_t i = 0; i < 32; ++i) out[i] = static_cast<std::byte>(point[i]);
}

// A third each: honest, one bit flipped, a small-order or undecodable R or key.
std::vector<Signed> make(Prng& random, std::size_t count) {
  std::vector<SigningKey> keys;
  for (int i = 0; i < 5; ++i) {
    SigningKey::Seed seed{};
    for (std::byte& b : seed) b = static_cast<std::byte>(random.below(256));
    keys.push_back(SigningKey::from_seed(seed));
  }
  std::vector<Signed> out(count);
  for (Signed& s : out) {
    s.message.resize(random.below(200));
    for (std::byte& b : s.message) b = static_cast<std::byte>(random.below(256));
    const SigningKey& key = keys[random.below(keys.size())];
    s.job = {key.public_key(), s.message, key.sign(s.message)};
    const std::uint64_t what = random.below(6);
    if (what == 2)
      s.job.signature[random.below(64)] ^= std::byte{1} << static_cast<int>(random.below(8));
    if (what == 3) s.job.key[random.below(32)] ^= std::byte{1} << static_cast<int>(random.below(8));
    if (what == 4) put_point(kOddPoints[random.below(kOddPoints.size())], s.job.signature);
    if (what == 5) {
      put_point(kOddPoints[random.below(kOddPoints.size())], s.job.key);
      if (random.below(2) == 0) s.job.signature = {};
    }
  }
  for (Signed& s : out) s.job.message = s.message;
  return out;
}

std::vector<SignatureStatus> verdicts(BatchVerifier& backend,
                                      const std::vector<SignatureJob>& jobs) {
  std::vector<SignatureStatus> out(jobs.size(), SignatureStatus::kUnavailable);
  backend.verify(jobs, out);
  return out;
}

std::vector<std::unique_ptr<BatchVerifier>> others() {
  std::vector<std::unique_ptr<BatchVerifier>> out;
  for (const std::string_view name : available_verifiers()) {
    if (name != "portable" && name != "sodium") out.push_back(make_verifier(name));
  }
  return out;
}

TEST(Backends, AgreeOnRandomBatches) {
  const auto portable = make_verifier("portable");
  const auto all = others();
  std::map<SignatureStatus, int> seen;
  for (std::uint64_t seed = 1; seed <= how_many(20, 40); ++seed) {
    Prng random(seed);
    const auto made = make(random, 1 + random.below(150));
    std::vector<SignatureJob> jobs;
    std::vector<PublicKey> keys;
    for (const Signed& s : made) {
      jobs.push_back(s.job);
      if (random.below(3) == 0) keys.push_back(s.job.key);
    }
    const auto wanted = verdicts(*portable, jobs);
    for (const SignatureStatus v : wanted) ++seen[v];
    for (const auto& backend : all) {
      if (seed % 2 == 0) backend->register_keys(keys);
      const auto got = verdicts(*backend, jobs);
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        EXPECT_EQ(got[i] == SignatureStatus::kValid, wanted[i] == SignatureStatus::kValid)
            << backend->name() << " seed " << seed << " at " << i;
      }
    }
  }
  EXPECT_GT(seen[SignatureStatus::kValid], 500);
  EXPECT_GT(seen[SignatureStatus::kBadSignature], 500);
  EXPECT_GT(seen[SignatureStatus::kBadKey], 100);
}

// Where few signatures wait, known keys have a path of their own.
TEST(Backends, AgreeOnAFewOfKnownKeys) {
  const auto portable = make_verifier("portable");
  const auto all = others();
  Prng random(3);
  std::map<SignatureStatus, int> seen;
  for (std::uint64_t turn = 0; turn < how_many(200, 400); ++turn) {
    const auto made = make(random, 1 + random.below(5));
    std::vector<SignatureJob> jobs;
    std::vector<PublicKey> keys;
    for (const Signed& s : made) {
      jobs.push_back(s.job);
      keys.push_back(s.job.key);
    }
    const auto wanted = verdicts(*portable, jobs);
    for (const SignatureStatus v : wanted) ++seen[v];
    for (const auto& backend : all) {
      if (backend->name() == "emulator" && turn % 40 != 0) continue;  // slow
      backend->register_keys(keys);
      const auto got = verdicts(*backend, jobs);
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        EXPECT_EQ(got[i] == SignatureStatus::kValid, wanted[i] == SignatureStatus::kValid)
            << backend->name() << " turn " << turn << " at " << i;
      }
    }
  }
  EXPECT_GT(seen[SignatureStatus::kValid], 200);
  EXPECT_GT(seen[SignatureStatus::kBadSignature], 200);
}

// The odd one must be found, and only it, wherever it stands in a batch of any size.
TEST(Backends, FindTheOddOneAtEveryPosition) {
  Prng random(9);
  SigningKey::Seed seed{};
  const SigningKey key = SigningKey::from_seed(seed);
  const std::vector<std::byte> message(32, std::byte{7});
  const SignatureJob good{key.public_key(), message, key.sign(message)};
  SignatureJob bad = good;
  bad.signature[5] ^= std::byte{4};
  for (const auto& backend : others()) {
    // A fast test leaves out four of five between those that fill lanes and the largest.
    for (std::size_t size = 1; size <= 64; size += how_many(size < 17 || size > 61 ? 1 : 5, 1)) {
      const std::size_t step = backend->name() == "emulator" ? 29 : size < 20 ? 1 : 7;
      for (std::size_t at = size / 2 % step; at < size; at += step) {
        std::vector<SignatureJob> jobs(size, good);
        jobs[at] = bad;
        const auto got = verdicts(*backend, jobs);
        for (std::size_t i = 0; i < size; ++i) {
          ASSERT_EQ(got[i], i == at ? SignatureStatus::kBadSignature : SignatureStatus::kValid)
              << backend->name() << ": " << at << " of " << size << ", verdict " << i;
        }
      }
    }
  }
}

TEST(Backends, TakeEmptyBatchesAndRepeatedKeys) {
  for (const auto& backend : others()) {
    backend->verify({}, {});
    const PublicKey zero{};
    const std::array<PublicKey, 3> keys{zero, zero, zero};
    backend->register_keys(keys);
    backend->register_keys({});
  }
}

}  // namespace
}  // namespace thresher::crypto
