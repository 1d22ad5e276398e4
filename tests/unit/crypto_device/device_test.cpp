// The module of the GPU backend: found, refused, lost. A fake module (fake_module.cpp) shows what a
// machine without a card cannot.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "thresher/core/prng.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto {
namespace {

struct Signed {
  std::vector<std::vector<std::byte>> messages;
  std::vector<SignatureJob> jobs;
  std::vector<PublicKey> keys;
};

/// Honest signatures by four keys over messages around the ends of SHA-512's blocks and beyond what
/// is hashed on the device; unless `honest`, every fifth is damaged and every eleventh has a key
/// that is not a point.
Signed make(std::size_t count, bool honest = false) {
  constexpr std::size_t kSizes[] = {0,  1,  7,  8,  32,  46,  47,  48,   63,
                                    64, 65, 72, 80, 175, 176, 500, 2048, 2049};
  Signed out;
  Prng random(5);
  std::vector<SigningKey> keys;
  for (unsigned i = 0; i < 4; ++i) {
    SigningKey::Seed seed{};
    seed[0] = static_cast<std::byte>(i);
    keys.push_back(SigningKey::from_seed(seed));
    out.keys.push_back(keys.back().public_key());
  }
  for (std::size_t i = 0; i < count; ++i) {
    auto& message = out.messages.emplace_back(kSizes[i % std::size(kSizes)]);
    for (std::byte& b : message) b = static_cast<std::byte>(random.below(256));
    const SigningKey& key = keys[random.below(4)];
    out.jobs.push_back({key.public_key(), {}, key.sign(message)});
    if (!honest && i % 5 == 4) out.jobs.back().signature[random.below(64)] ^= std::byte{16};
    if (!honest && i % 11 == 10) {
      out.jobs.back().key = {};
      out.jobs.back().key[0] = std::byte{2};
    }
  }
  for (std::size_t i = 0; i < count; ++i) out.jobs[i].message = out.messages[i];
  return out;
}

std::vector<SignatureStatus> verdicts(BatchVerifier& backend, const Signed& work) {
  std::vector<SignatureStatus> out(work.jobs.size(), SignatureStatus::kValid);
  backend.verify(work.jobs, out);
  return out;
}

std::vector<SignatureStatus> portable(const Signed& work) {
  return verdicts(*make_verifier("portable"), work);
}

class Fake : public testing::Test {
 protected:
  void SetUp() override { ::setenv("THRESHER_CUDA_MODULE", THRESHER_FAKE_MODULE, 1); }
  void TearDown() override {
    ::unsetenv("THRESHER_CUDA_MODULE");
    ::unsetenv("THRESHER_FAKE_DEVICE");
  }
  static std::unique_ptr<BatchVerifier> verifier(const char* mode) {
    ::setenv("THRESHER_FAKE_DEVICE", mode, 1);
    return make_verifier("cuda");
  }
};

TEST(Emulator, IsThereByNameAndNeverChosen) {
  const auto emulator = make_verifier("emulator");
  ASSERT_NE(emulator, nullptr);
  EXPECT_EQ(emulator->name(), "emulator");
  EXPECT_EQ(emulator->accelerator(), "");
  EXPECT_FALSE(emulator->problem());
  EXPECT_NE(best_verifier(), "emulator");
  EXPECT_NE(best_verifier(), "cuda");
}

TEST(Emulator, AgreesWithPortableInBadKeysTooThroughManySlots) {
  const Signed work = make(400);
  const auto emulator = make_verifier("emulator");
  EXPECT_EQ(verdicts(*emulator, work), portable(work));
  emulator->register_keys(std::span(work.keys).first(2));
  EXPECT_EQ(verdicts(*emulator, work), portable(work));
  emulator->register_keys(work.keys);
  EXPECT_EQ(verdicts(*emulator, work), portable(work));
}

/// Honest signatures with few bad ones, so many that they are combined: only the bad ones are
/// found.
void expect_combinations(BatchVerifier& backend, std::size_t count) {
  const Signed work = make(1000, true);
  std::vector<SignatureJob> jobs;
  for (std::size_t i = 0; i < count; ++i) jobs.push_back(work.jobs[i % work.jobs.size()]);
  std::vector<SignatureStatus> wanted(count, SignatureStatus::kValid), got(count);
  backend.verify(jobs, got);
  EXPECT_EQ(got, wanted);
  for (const std::size_t i : {count / 3, count - 1}) {
    jobs[i].signature[33] ^= std::byte{1};
    wanted[i] = SignatureStatus::kBadSignature;
  }
  backend.verify(jobs, got);
  EXPECT_EQ(got, wanted);
}

TEST(Emulator, CombinesManyAndFindsTheBadOnes) {
  expect_combinations(*make_verifier("emulator"), 130);
}

std::string why_no_card() {
  const auto opened = open_verifier("cuda");
  return opened ? std::string() : opened.error().text();
}

// Where a card is, this is the test of the card; elsewhere the module must say that there is none.
TEST(CudaModule, AgreesWithPortableOrSaysNoDevice) {
  const std::string why = why_no_card();
  if (why.rfind("no module", 0) == 0) GTEST_SKIP() << why;
  const auto cuda = make_verifier("cuda");
  if (cuda == nullptr) {
    EXPECT_EQ(why, "no device");
    return;
  }
  EXPECT_EQ(why, "");
  EXPECT_NE(cuda->accelerator(), "");
  expect_combinations(*cuda, cuda->accelerator() == "PTX, interpreted" ? 1300 : 140'000);
  const Signed work = make(3000);
  EXPECT_EQ(verdicts(*cuda, work), portable(work));
  cuda->register_keys(std::span(work.keys).first(2));
  EXPECT_EQ(verdicts(*cuda, work), portable(work));
}

// Run by ctest with old_driver.cpp in the place of the driver.
TEST(CudaModule, ADriverThatIsTooOldIsNamed) {
  if (std::getenv("THRESHER_OLD_DRIVER") == nullptr) GTEST_SKIP() << "the old driver is not loaded";
  const std::string why = why_no_card();
  EXPECT_EQ(why.rfind("the NVIDIA driver is for CUDA 11.4, the module was built with ", 0), 0u)
      << why;
  EXPECT_EQ(make_verifier("cuda"), nullptr);
}

TEST(CudaModule, AFileThatIsNotThereIsNamed) {
  ::setenv("THRESHER_CUDA_MODULE", "/nonexistent/module.so", 1);
  EXPECT_EQ(make_verifier("cuda"), nullptr);
  EXPECT_NE(why_no_card().find("/nonexistent/module.so"), std::string::npos);
  ::setenv("THRESHER_CUDA_MODULE", "libm.so.6", 1);
  EXPECT_EQ(make_verifier("cuda"), nullptr);
  EXPECT_NE(why_no_card().find("is no module of Thresher"), std::string::npos);
  ::unsetenv("THRESHER_CUDA_MODULE");
}

TEST_F(Fake, WorksThroughTheLoader) {
  const auto fake = verifier("works");
  ASSERT_NE(fake, nullptr) << why_no_card();
  EXPECT_EQ(why_no_card(), "");
  EXPECT_EQ(fake->accelerator(), "Fake Card");
  const Signed work = make(300);
  fake->register_keys(std::span(work.keys).first(2));
  EXPECT_EQ(verdicts(*fake, work), portable(work));
  EXPECT_FALSE(fake->problem());
}

// It has room for three keys.
TEST_F(Fake, ForgetsTheKeysThatWereNotNamedForLongest) {
  const auto fake = verifier("works");
  const Signed work = make(120);
  const auto& k = work.keys;
  const auto named = [&] {
    std::vector<bool> out;
    for (const PublicKey& key : k) out.push_back(fake->registered(key));
    return out;
  };
  fake->register_keys(std::array{k[0], k[1], PublicKey{std::byte{2}}});
  EXPECT_EQ(named(), (std::vector<bool>{true, true, false, false}));
  fake->register_keys(std::array{k[0], k[2]});
  EXPECT_EQ(named(), (std::vector<bool>{true, true, true, false}));
  fake->register_keys(std::array{k[3], k[3]});
  EXPECT_EQ(named(), (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ(verdicts(*fake, work), portable(work));
  fake->register_keys(k);
  EXPECT_EQ(named(), (std::vector<bool>{true, true, true, false}));
  EXPECT_EQ(verdicts(*fake, work), portable(work));
}

TEST_F(Fake, OfAnotherAbiIsRefused) {
  EXPECT_EQ(verifier("old_abi"), nullptr);
  EXPECT_NE(why_no_card().find("has module ABI 8, this program needs 1"), std::string::npos)
      << why_no_card();
}

TEST_F(Fake, WithoutADeviceSaysSo) {
  EXPECT_EQ(verifier("no_device"), nullptr);
  EXPECT_EQ(why_no_card(), "no device");
  EXPECT_EQ(open_verifier("cuda").error().code, ErrorCode::kUnsupported);
}

TEST(Backends, OneThatIsNotKnownIsAnsweredWithTheNearest) {
  const auto opened = open_verifier("portabel");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kMissing);
  EXPECT_EQ(opened.error().where, "portabel");
  EXPECT_EQ(opened.error().text(), "unknown backend `portabel`; did you mean `portable`?");
}

/// Every verdict that is there is right, some are missing, and so it stays. Gives how many.
std::size_t expect_half_done(BatchVerifier& backend, const Signed& work, const char* reason) {
  const auto wanted = portable(work);
  const auto got = verdicts(backend, work);
  std::size_t missing = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == SignatureStatus::kUnavailable) {
      ++missing;
    } else {
      EXPECT_EQ(got[i], wanted[i]) << i;
    }
  }
  EXPECT_GT(missing, 0u);
  const auto problem = backend.problem();
  EXPECT_TRUE(problem && problem->what.find(reason) != std::string::npos)
      << problem.value_or(Error{});
  for (const SignatureStatus v : verdicts(backend, work))
    EXPECT_EQ(v, SignatureStatus::kUnavailable);
  return missing;
}

TEST_F(Fake, LostInTheMiddleOfABatchAccusesNobody) {
  const auto fake = verifier("lost");
  const Signed work = make(400);
  EXPECT_LT(expect_half_done(*fake, work, "fell off the bus"), work.jobs.size());
}

TEST_F(Fake, ThatNeverAnswersDoesNotHang) {
  expect_half_done(*verifier("silent"), make(100), "has not answered for 20 ms");
}

TEST_F(Fake, ThatRefusesWorkOrKeysIsUnavailable) {
  expect_half_done(*verifier("refuses_work"), make(100), "launch failed");
  const auto fake = verifier("refuses_keys");
  const Signed work = make(20);
  fake->register_keys(work.keys);
  expect_half_done(*fake, work, "out of memory");
}

}  // namespace
}  // namespace thresher::crypto
