// The sign-once record against crashes, old copies and damage: what it refuses, and what it must
// not refuse.
#include "store/sign_once.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "thresher/core/hex.hpp"
#include "thresher/core/prng.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

// A node's folder without the node: the record is a file, the data are what a store would hold.
class Home : public testing::Test {
 protected:
  Home() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    dir_ = fs::temp_directory_path() /
           ("thresher-sign-once-" + std::to_string(::getpid()) + "-" + test->name());
    fs::create_directories(dir_);
    chain_.bytes.fill(std::byte{7});
  }
  ~Home() override { fs::remove_all(dir_); }

  std::string key_path() const { return (dir_ / "node.key").string(); }
  std::string path() const { return sign_once_path(key_path(), chain_); }
  SignOnce record() const { return {key_path(), key_.public_key(), chain_, "thresher"}; }
  SignOnce::Data data() const { return data_; }

  enum Crash { kNever, kBeforeTheRecord, kBeforeTheData, kBeforeTheSigning };
  // One life of a node: empty, or why it did not start.
  std::string live(const Pledge& signs, Crash crash = kNever) {
    SignOnce r = record();
    std::string warning;
    std::string problem = r.open(data_, warning);
    warned_ = !warning.empty();
    if (!problem.empty()) return problem;
    if (crash == kBeforeTheRecord) return {};
    EXPECT_EQ(r.begin(), "");
    if (crash == kBeforeTheData) return {};
    data_.last = r.incarnation();
    data_.owned = true;
    if (crash == kBeforeTheSigning) return {};
    EXPECT_EQ(r.sign(), "");
    data_.pledge.raise(signs);
    r.note(data_.pledge);
    return {};
  }

  fs::path dir_;
  Digest chain_;
  crypto::SigningKey key_ = crypto::SigningKey::generate();
  SignOnce::Data data_{"data", {}, false, {}};
  bool warned_ = false;
};

TEST_F(Home, EveryStartCountsOneMore) {
  for (std::uint64_t k = 1; k <= 4; ++k) {
    ASSERT_EQ(live({k, 0}), "");
    EXPECT_EQ(data_.last->count, k);
  }
}

// Seeded: many lives with crashes at every point, and no false alarm.
TEST_F(Home, NoCrashMakesTheNewestDataLookOld) {
  Prng rng(0x51u, 0);
  std::uint64_t highest = 0;
  for (std::uint64_t k = 0; k < 400; ++k) {
    const auto crash = static_cast<Crash>(rng.below(4));
    const auto before = data_.last;
    ASSERT_EQ(live({k, k / 2}, crash), "") << "life " << k;
    EXPECT_FALSE(warned_);
    if (data_.last && (!before || !before->same_start(*data_.last))) {
      EXPECT_GT(data_.last->count, highest);
      highest = data_.last->count;
    }
  }
  EXPECT_GT(highest, 100u);
}

TEST_F(Home, DataOfAnEarlierStartThatSignedAreRefused) {
  ASSERT_EQ(live({5, 0}), "");
  const SignOnce::Data old = data();
  ASSERT_EQ(live({5, 0}), "");  // the later start signed nothing new: it could have
  data_ = old;
  EXPECT_NE(live({6, 0}).find("old copy"), std::string::npos);
  EXPECT_NE(live({6, 0}).find("One key must never sign twice"), std::string::npos);
}

TEST_F(Home, DataOfThisStartThatLostTheirEndAreRefused) {
  ASSERT_EQ(live({50, 40}), "");
  for (const Pledge lost : {Pledge{49, 40}, Pledge{50, 39}, Pledge{0, 0}}) {
    SignOnce::Data cut = data();
    cut.pledge = lost;
    std::string warning;
    EXPECT_NE(record().open(cut, warning).find("have lost their end"), std::string::npos);
  }
  EXPECT_EQ(live({50, 40}), "");
}

TEST_F(Home, LostDataAreRefusedOnceSomethingMayHaveBeenSigned) {
  for (const Crash crash : {kBeforeTheRecord, kBeforeTheData, kBeforeTheSigning}) {
    ASSERT_EQ(live({1, 0}, crash), "");
    data_ = {"data", {}, false, {}};  // wiped
  }
  ASSERT_EQ(live({1, 0}), "");
  data_ = {"data", {}, false, {}};
  EXPECT_NE(live({1, 0}).find("are gone"), std::string::npos);
}

TEST_F(Home, DataOfATwinAreRefused) {
  ASSERT_EQ(live({1, 0}), "");
  data_.last->nonce[0] ^= std::byte{1};
  EXPECT_NE(live({2, 0}).find("another copy of this node"), std::string::npos);
}

// A store in memory is empty at every start, so a key that signed beside one must not come back.
TEST_F(Home, AMemoryStoreStartsOnce) {
  data_ = {"", {}, false, {}};
  ASSERT_EQ(live({1, 0}, kBeforeTheSigning), "");
  data_ = {"", {}, false, {}};
  ASSERT_EQ(live({1, 0}), "");
  data_ = {"", {}, false, {}};
  EXPECT_NE(live({1, 0}).find("memory"), std::string::npos);
}

TEST_F(Home, AMissingRecordIsWarnedOf) {
  ASSERT_EQ(live({1, 0}), "");
  fs::remove(path());
  EXPECT_EQ(live({1, 0}), "");
  EXPECT_TRUE(warned_);
}

TEST_F(Home, EveryDamageOfTheRecordIsRefused) {
  ASSERT_EQ(live({1, 0}), "");
  std::ifstream in(path(), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x04);
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << bad;
    std::string warning;
    EXPECT_NE(record().open(data(), warning).find("is damaged"), std::string::npos) << at;
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << good.substr(0, at);
    EXPECT_NE(record().open(data(), warning).find("is damaged"), std::string::npos) << at;
  }
}

// Reading it ended the process with an exception of the standard library.
TEST_F(Home, AFolderInPlaceOfTheRecordIsRefused) {
  fs::create_directory(path());
  const std::string problem = live({});
  EXPECT_NE(problem.find(path()), std::string::npos) << problem;
  EXPECT_NE(problem.find("a folder"), std::string::npos) << problem;
}

TEST_F(Home, ARecordOfAnotherProtocolIsNotThisOnes) {
  ASSERT_EQ(live({1, 0}), "");
  SignOnce other(key_path(), key_.public_key(), chain_, "pbft");
  std::string warning;
  EXPECT_NE(other.open(data(), warning), "");
  Digest elsewhere = chain_;
  elsewhere.bytes[0] ^= std::byte{1};  // another ledger: nothing signed here counts there
  SignOnce fresh(key_path(), key_.public_key(), elsewhere, "thresher");
  EXPECT_EQ(fresh.open({"data", {}, false, {}}, warning), "");
}

// Peers may have heard of the last start that signed, however many were refused since.
TEST_F(Home, StartsThatSignNothingAreNotTheLastOneThatSigned) {
  const auto signed_last = [&] {
    SignOnce r = record();
    std::string warning;
    EXPECT_EQ(r.open(data_, warning), "");
    return r.signed_last();
  };
  EXPECT_EQ(signed_last().count, 0u);
  ASSERT_EQ(live({}, kBeforeTheSigning), "");
  EXPECT_EQ(signed_last().count, 0u);
  ASSERT_EQ(live({1, 0}), "");
  const Incarnation signs = *data_.last;
  for (const Crash crash : {kBeforeTheRecord, kBeforeTheData, kBeforeTheSigning}) {
    for (int k = 0; k < 3; ++k) {
      ASSERT_EQ(live({}, crash), "");
      EXPECT_TRUE(signed_last().same_start(signs));
    }
  }
  ASSERT_EQ(live({2, 0}), "");
  EXPECT_TRUE(signed_last().same_start(*data_.last));
  EXPECT_GT(data_.last->count, signs.count + 2);
}

// Programs before this one did not name it: there it is the last one, if anything was signed.
TEST_F(Home, ARecordOfAnOlderProgramIsRead) {
  ASSERT_EQ(live({1, 0}), "");
  std::ifstream in(path());
  std::string text((std::istreambuf_iterator<char>(in)), {});
  text.erase(text.find("check "));
  text.replace(text.find("record 2"), 8, "record 1");
  const auto at = text.find("\nsigned ");
  text.erase(at, text.find('\n', at + 1) - at);
  std::ofstream(path()) << text << "check " << to_hex(hash(as_view(text)).bytes) << "\n";
  SignOnce r = record();
  std::string warning;
  EXPECT_EQ(r.open(data_, warning), "");
  EXPECT_TRUE(r.signed_last().same_start(*data_.last));
}

// Left by programs that noted only that the key was used.
TEST_F(Home, TheNoteOfAnOlderProgramStillCounts) {
  std::ofstream(key_path() + ".used", std::ios::binary)
      .write(reinterpret_cast<const char*>(key_.public_key().data()),
             static_cast<std::streamsize>(key_.public_key().size()));
  EXPECT_NE(live({1, 0}).find("are gone"), std::string::npos);
  data_.owned = true;
  EXPECT_EQ(live({1, 0}), "");
}

}  // namespace
}  // namespace thresher::net
