#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "thresher/core/hex.hpp"
#include "thresher/crypto/coin_file.hpp"
#include "thresher/crypto/crc32c.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/crypto/sha256.hpp"
#include "thresher/crypto/sha512.hpp"
#include "thresher/crypto/verifier.hpp"

namespace thresher::crypto {
namespace {

TEST(Sha256, KnownAnswer) {  // FIPS 180-4, example "abc"
  EXPECT_EQ(to_hex(sha256(as_view("abc")).bytes),
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
  SignatureStatus verdicts[3];
  make_verifier("sodium")->verify(jobs, verdicts);
  EXPECT_EQ(verdicts[0], SignatureStatus::kValid);
  EXPECT_EQ(verdicts[1], SignatureStatus::kBadSignature);
  EXPECT_EQ(verdicts[2], SignatureStatus::kBadSignature);
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
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(loaded->public_key(), key.public_key());
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  std::filesystem::permissions(path, std::filesystem::perms(0600));
}

/// The outside key files (RFC 8410): the version with the public half and the one without.
std::optional<std::string> outside(const std::string& name) {
  const char* folder = std::getenv("THRESHER_VECTORS");
  const std::string path =
      std::string(folder != nullptr ? folder : THRESHER_VECTORS_DEFAULT) + "/pkcs8-rfc8410/" + name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return text_of(path);
}

TEST_F(KeyFile, OutsideOnesAreReadWithAndWithoutThePublicHalf) {
  const auto v1 = outside("pkcs8-v1.pem"), v2 = outside("pkcs8-v2.pem");
  if (!v1 || !v2) GTEST_SKIP() << "no vectors: set THRESHER_VECTORS to their folder";
  write(path_, *v1);
  const auto alone = load_key(path_);
  ASSERT_TRUE(alone) << alone.error().text();
  EXPECT_EQ(alone->public_key()[0], std::byte{0x19});
  EXPECT_EQ(alone->public_key()[31], std::byte{0xe1});
  write(path_, *v2);
  const auto pair = load_key(path_);
  ASSERT_TRUE(pair) << pair.error().text();
  EXPECT_EQ(pair->public_key(), alone->public_key());
}

// The last letters before the padding are the last bytes of the public half.
TEST_F(KeyFile, APublicHalfOfAnotherKeyIsRefused) {
  auto v2 = outside("pkcs8-v2.pem");
  if (!v2) GTEST_SKIP() << "no vectors: set THRESHER_VECTORS to their folder";
  const auto last = v2->find("ZuE=");
  ASSERT_NE(last, std::string::npos);
  v2->replace(last, 4, "ZuI=");
  write(path_, *v2);
  const auto refused = load_key(path_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("public half"), std::string::npos)
      << refused.error().text();
  EXPECT_NE(refused.error().text().find(path_), std::string::npos);
  v2->erase(last - 20, 4);  // no longer a key of this form
  write(path_, *v2);
  EXPECT_FALSE(load_key(path_));
}

// Made by `openssl genpkey -algorithm ed25519 -aes256 -pass pass:x`.
TEST_F(KeyFile, AnEncryptedOneIsRefusedAndNobodyIsAsked) {
  write(path_,
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
        "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiSrbksvG19DwICCAAw\n"
        "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEECNRnG9oiu4FkdhsQzr3+FAEQHbR\n"
        "1FwqN/E4mUIwSCrUtSnZEPwNl+iRem40rSNpgacPNi+VVXTf6nc1SRX8dW3SNe6s\n"
        "qJEFzGWSz5JHJWdfGac=\n"
        "-----END ENCRYPTED PRIVATE KEY-----\n");
  const auto refused = load_key(path_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("is encrypted"), std::string::npos)
      << refused.error().text();
  EXPECT_NE(refused.error().text().find("openssl pkey -in"), std::string::npos)
      << refused.error().text();
}

TEST_F(KeyFile, OneOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_TRUE(save_key(SigningKey::generate(), path_));
  ASSERT_EQ(::chown(path_.c_str(), 4321, 4321), 0);
  const auto refused = load_key(path_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("belongs to user 4321"), std::string::npos)
      << refused.error().text();
  EXPECT_NE(refused.error().text().find("chown 0 " + path_), std::string::npos)
      << refused.error().text();
}

TEST_F(KeyFile, OtherBlocksAreRefused) {
  for (const char* name : {"PUBLIC KEY", "CERTIFICATE"}) {
    write(path_, std::string("-----BEGIN ") + name +
                     "-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"
                     "-----END " +
                     name + "-----\n");
    EXPECT_NE(load_key(path_).error().text().find("not a PKCS#8"), std::string::npos) << name;
  }
}

// FIPS 180-2: "abc", and nothing.
TEST(Hashes, KnownAnswers) {
  const auto start = [](const auto& bytes) {
    return std::to_integer<unsigned>(bytes[0]) << 8 | std::to_integer<unsigned>(bytes[1]);
  };
  EXPECT_EQ(start(sha256(as_view("abc")).bytes), 0xba78u);
  EXPECT_EQ(start(sha256({}).bytes), 0xe3b0u);
  EXPECT_EQ(start(sha512(as_view("abc"))), 0xddafu);
  EXPECT_EQ(start(sha512({})), 0xcf83u);
  EXPECT_EQ(sha512(as_view("abc"))[63], std::byte{0x9f});
}

TEST(Hashes, FromManyThreadsAtOnce) {
  const Digest small = sha256(as_view("small"));
  const Sha512 large = sha512(as_view("large"));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        wrong += sha256(as_view("small")) == small ? 0 : 1;
        wrong += sha512(as_view("large")) == large ? 0 : 1;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

// RFC 3720, appendix B.4, and the check value of the CRC catalogues.
TEST(Crc32c, PublishedValues) {
  EXPECT_EQ(crc32c(as_view("123456789")), 0xe3069283u);
  EXPECT_EQ(crc32c({}), 0u);
  EXPECT_EQ(crc32c(as_view(std::string(32, '\0'))), 0x8a9136aau);
  EXPECT_EQ(crc32c(as_view(std::string(32, '\xff'))), 0x62a8ab43u);
}

TEST_F(KeyFile, IsNeverOverwritten) {
  const SigningKey key = SigningKey::generate();
  ASSERT_TRUE(save_key(key, path_));
  EXPECT_FALSE(save_key(SigningKey::generate(), path_));
  EXPECT_EQ(load_key(path_)->public_key(), key.public_key());
}

// A part of a key stood in the way of the key: what is there is never overwritten.
TEST_F(KeyFile, IsWrittenWholeOrNotAtAll) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const RistrettoScalar share{};
  for (const rlim_t bytes : {0u, 1u, 60u}) {
    const rlimit full{bytes, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
    errno = 0;
    const auto key = save_key(SigningKey::generate(), path_);
    errno = 0;
    const auto coin = save_coin_share(share, path_ + ".coin");
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ASSERT_FALSE(key);
    ASSERT_FALSE(coin);
    // A write of a part is no error of the system's: it said `Success`.
    EXPECT_NE(key.error().what.find("too large"), std::string::npos) << key.error();
    EXPECT_NE(coin.error().what.find("too large"), std::string::npos) << coin.error();
    EXPECT_TRUE(std::filesystem::is_empty(dir_)) << bytes;
  }
  (void)std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(save_key(SigningKey::generate(), path_));
  EXPECT_TRUE(save_coin_share(share, path_ + ".coin"));
}

// A child that is killed by its first write: nothing stands under the name, which is the next
// one's. A part of a share that a kill left there ended every later run of the nodes that make
// keys.
TEST_F(KeyFile, AKillBetweenCreatingAndWritingLeavesNothingUnderItsName) {
  const std::string coin = path_ + ".coin";
  const RistrettoScalar share{std::byte{1}};
  for (const bool of_coin : {false, true}) {
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit nothing{0, 0};
      (void)::setrlimit(RLIMIT_CORE, &nothing);
      (void)::setrlimit(RLIMIT_FSIZE, &nothing);
      if (of_coin) (void)save_coin_share(share, coin);
      if (!of_coin) (void)save_key(SigningKey::generate(), path_);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_FALSE(std::filesystem::exists(coin));
  EXPECT_TRUE(save_key(SigningKey::generate(), path_));
  EXPECT_TRUE(save_coin_share(share, coin));
  EXPECT_TRUE(load_key(path_));
  EXPECT_TRUE(load_coin_share(coin));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_), {}), 2) << "and no parts";
}

// Versions before left one where they were killed; and what is somebody else's is no such part.
TEST_F(KeyFile, APartOfACoinShareIsToldFromAWholeOne) {
  const std::string coin = path_ + ".coin";
  const RistrettoScalar share{std::byte{0x1a}, std::byte{2}};
  ASSERT_TRUE(save_coin_share(share, coin));
  EXPECT_FALSE(is_part_of_coin_share(coin));
  EXPECT_FALSE(is_part_of_coin_share(coin, &share));
  for (std::uintmax_t length = std::filesystem::file_size(coin); length-- > 0;) {
    std::filesystem::resize_file(coin, length);
    EXPECT_TRUE(is_part_of_coin_share(coin)) << length;
    EXPECT_TRUE(is_part_of_coin_share(coin, &share)) << length;
    EXPECT_EQ(load_coin_share(coin).error().code, ErrorCode::kMalformed);
  }
  for (const char* text : {"thresher-coin-share 2", "thresher-coin-share 1\n0g", "key"}) {
    write(coin, text);
    EXPECT_FALSE(is_part_of_coin_share(coin)) << text;
    EXPECT_FALSE(is_part_of_coin_share(coin, &share)) << text;
  }
  write(coin, "thresher-coin-share 1\n1b");
  EXPECT_TRUE(is_part_of_coin_share(coin));
  EXPECT_FALSE(is_part_of_coin_share(coin, &share));
  EXPECT_FALSE(is_part_of_coin_share(dir_.string()));
  EXPECT_FALSE(is_part_of_coin_share(path_ + ".none"));
}

TEST_F(KeyFile, AFolderIsNone) {
  const auto key = load_key("/");
  ASSERT_FALSE(key);
  EXPECT_NE(key.error().text().find("'/' is no file"), std::string::npos) << key.error().text();
}

TEST_F(KeyFile, RefusesWorldReadableTruncatedAndMissing) {
  ASSERT_TRUE(save_key(SigningKey::generate(), path_));
  ::chmod(path_.c_str(), 0644);
  EXPECT_NE(load_key(path_).error().text().find("chmod 600"), std::string::npos);
  ::chmod(path_.c_str(), 0600);
  std::filesystem::resize_file(path_, 40);
  EXPECT_NE(load_key(path_).error().text().find("truncated"), std::string::npos);
  std::filesystem::remove(path_);
  EXPECT_NE(load_key(path_).error().text().find("thresher keys new"), std::string::npos);
}

TEST_F(KeyFile, AnErrorHasACodeAndItsPlaceApartFromTheWords) {
  const auto missing = load_key(path_).error();
  EXPECT_EQ(missing.code, ErrorCode::kMissing);
  EXPECT_EQ(missing.where, path_);
  EXPECT_EQ(missing.text(), missing.what + "; " + missing.remedy);
  ASSERT_TRUE(save_key(SigningKey::generate(), path_));
  EXPECT_EQ(save_key(SigningKey::generate(), path_).error().code, ErrorCode::kExists);
  ::chmod(path_.c_str(), 0644);
  EXPECT_EQ(load_key(path_).error().code, ErrorCode::kForbidden);
  write(path_, "nothing");
  EXPECT_EQ(load_key(path_).error().code, ErrorCode::kMalformed);
}

}  // namespace
}  // namespace thresher::crypto
