// The record of a beacon's rounds against crashes in the middle of a write, damage and other keys.
#include "channels/round_record.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

class RoundFile : public testing::Test {
 protected:
  RoundFile() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    dir_ = fs::temp_directory_path() /
           ("thresher-rounds-" + std::to_string(::getpid()) + "-" + test->name());
    fs::create_directories(dir_);
    group_.fill(std::byte{5});
  }
  ~RoundFile() override { fs::remove_all(dir_); }

  std::string path() const { return round_record_path((dir_ / "coin.key").string(), group_); }
  std::string content() const {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& content) const {
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << content;
  }
  BeaconRounds found() const {
    RoundRecord record;
    EXPECT_TRUE(record.open(path(), group_));
    return record.rounds();
  }

  fs::path dir_;
  crypto::RistrettoPoint group_{};
};

TEST_F(RoundFile, HoldsWhatWasWrittenLast) {
  EXPECT_EQ(found(), BeaconRounds{});
  struct stat mode {};
  ASSERT_EQ(::stat(path().c_str(), &mode), 0);
  EXPECT_EQ(mode.st_mode & 0777, 0600u);
  for (std::uint64_t k = 1; k <= 5; ++k) {
    RoundRecord record;
    ASSERT_TRUE(record.open(path(), group_));
    ASSERT_TRUE(record.write({10 * k, 10 * k + 1}));
    ASSERT_TRUE(record.write({10 * k + 1, 10 * k + 2}));
    EXPECT_EQ(found(), (BeaconRounds{10 * k + 1, 10 * k + 2}));
  }
  const BeaconRounds most{~std::uint64_t{0}, ~std::uint64_t{0}};
  RoundRecord record;
  ASSERT_TRUE(record.open(path(), group_));
  ASSERT_TRUE(record.write(most));
  EXPECT_EQ(found(), most);
}

// Any number of a write's bytes may be on disk after a power cut; what stood before is found.
TEST_F(RoundFile, ATornWriteLeavesTheOneBefore) {
  std::string before;
  {
    RoundRecord record;
    ASSERT_TRUE(record.open(path(), group_));
    ASSERT_TRUE(record.write({7, 8}));
    before = content();
    ASSERT_TRUE(record.write({123456, 234567}));
  }
  const std::string after = content();
  ASSERT_EQ(before.size(), after.size());
  const auto differs = std::mismatch(before.begin(), before.end(), after.begin()).first;
  ASSERT_NE(differs, before.end());
  for (std::size_t k = 0; k <= after.size(); ++k) {
    put(after.substr(0, k) + before.substr(k));
    const BeaconRounds rounds = found();
    EXPECT_TRUE(rounds == (BeaconRounds{7, 8}) || rounds == (BeaconRounds{123456, 234567})) << k;
  }
}

TEST_F(RoundFile, RefusesWhatIsNoRecordOfTheKey) {
  (void)found();
  const std::string good = content();
  crypto::RistrettoPoint other = group_;
  other.back() ^= std::byte{1};
  RoundRecord of_other;
  EXPECT_NE(of_other.open(path(), other).error().text().find("under the group's key"),
            std::string::npos);
  for (const std::string& bad : {std::string(), std::string("x"), good + "\n", good.substr(1),
                                 std::string(good.size(), '0')}) {
    put(bad);
    RoundRecord record;
    const Error none = record.open(path(), group_).error();
    EXPECT_EQ(none.code, ErrorCode::kCorrupt);
    EXPECT_EQ(none.where, path());
    EXPECT_NE(none.remedy.find("--first"), std::string::npos) << bad;
  }
  fs::remove(path());
  fs::create_directory(path());
  RoundRecord folder;
  EXPECT_NE(folder.open(path(), group_).error().text().find("a folder"), std::string::npos);
}

}  // namespace
}  // namespace thresher::net
