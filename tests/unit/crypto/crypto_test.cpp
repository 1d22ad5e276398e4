#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "thresher/crypto/key_file.hpp"
#include "thresher/crypto/sha256.hpp"
#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto {
namespace {

std::string hex(ByteView bytes) {
  std::string out;
  for (const std::byte b : bytes) {
    out += "0123456789abcdef"[std::to_integer<int>(b) >> 4];
    out += "0123456789abcdef"[std::to_integer<int>(b) & 15];
  }
  return out;
}

TEST(Sha256, KnownAnswer) {  // FIPS 180-4, example "abc"
  EXPECT_EQ(hex(sha256(as_view("abc")).bytes),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Verifier, AcceptsWhatWasSignedAndNothingElse) {
  const SigningKey key = SigningKey::generate();
  const Signature good = key.sign(as_view("message"));
  Signature bad = good;
  bad[5] ^= std::byte{1};
  const SignatureJob jobs[] = {{key.public_key(), as_view("message"), good},
                               {key.public_key(), as_view("message"), bad},
                               {key.public_key(), as_view("other"), good}};
  Verdict verdicts[3];
  make_verifier("sodium")->verify(jobs, verdicts);
  EXPECT_EQ(verdicts[0], Verdict::kValid);
  EXPECT_EQ(verdicts[1], Verdict::kBadSignature);
  EXPECT_EQ(verdicts[2], Verdict::kBadSignature);
  EXPECT_EQ(make_verifier("nonsense"), nullptr);
}

class KeyFile : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() /
           ("thresher-key-" + std::to_string(::getpid()) + "-" +
            testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(dir_);
    path_ = dir_ / "node.key";
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::filesystem::path dir_;
  std::string path_;
};

TEST_F(KeyFile, RoundTripsWithOwnerOnlyMode) {
  const SigningKey key = SigningKey::generate();
  ASSERT_TRUE(save_key(key, path_));
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const auto loaded = load_key(path_);
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(loaded->public_key(), key.public_key());
}

TEST_F(KeyFile, IsNeverOverwritten) {
  const SigningKey key = SigningKey::generate();
  ASSERT_TRUE(save_key(key, path_));
  EXPECT_FALSE(save_key(SigningKey::generate(), path_));
  EXPECT_EQ(load_key(path_)->public_key(), key.public_key());
}

TEST_F(KeyFile, RefusesWorldReadableTruncatedAndMissing) {
  ASSERT_TRUE(save_key(SigningKey::generate(), path_));
  ::chmod(path_.c_str(), 0644);
  EXPECT_NE(load_key(path_).error().find("chmod 600"), std::string::npos);
  ::chmod(path_.c_str(), 0600);
  std::filesystem::resize_file(path_, 40);
  EXPECT_NE(load_key(path_).error().find("truncated"), std::string::npos);
  std::filesystem::remove(path_);
  EXPECT_NE(load_key(path_).error().find("thresher keys new"), std::string::npos);
}

}  // namespace
}  // namespace thresher::crypto
