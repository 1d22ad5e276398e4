// Key generation over real links: nodes that are missing, that come late, that are killed and go on
// from disk; a key that is kept for another committee; bad input.
#include "thresher/net/key_generation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "thresher/crypto/key_file.hpp"
#include "thresher/net/ports.hpp"

namespace thresher::net {
namespace {

using crypto::GeneratedKey;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kPatience(100);

class KeyGenerations : public ::testing::Test {
 protected:
  KeyGenerations() : folder_(std::filesystem::temp_directory_path() / name()) {
    std::filesystem::create_directories(folder_);
  }
  ~KeyGenerations() override { std::filesystem::remove_all(folder_); }

  void found(std::uint32_t n, std::uint32_t f) {
    genesis_ = {};
    genesis_.chain = "dkg-test";
    genesis_.protocol = "mahi-mahi";
    genesis_.f = f;
    for (const std::uint16_t port : free_ports(n)) {
      if (keys_.size() < genesis_.nodes.size() + 1) keys_.push_back(crypto::SigningKey::generate());
      genesis_.nodes.push_back({keys_[genesis_.nodes.size()].public_key(), "127.0.0.1", port});
    }
  }
  KeyGenerationOptions options(std::size_t i, const std::string& kept = {}) const {
    return {.genesis = genesis_,
            .key = keys_[i],
            .folder = kept.empty() ? kept : (folder_ / kept).string(),
            .log = [](const std::string&) {}};
  }
  std::unique_ptr<KeyGeneration> begin(std::size_t i, const std::string& kept = {}) {
    auto run = KeyGeneration::begin(options(i, kept));
    EXPECT_TRUE(run) << run.error();
    return run ? std::move(*run) : nullptr;
  }
  static GeneratedKey key_of(KeyGeneration& run) {
    const auto made = run.wait(kPatience);
    EXPECT_TRUE(made) << made.error();
    return made ? *made : GeneratedKey{};
  }
  /// They have one key, and every share is the one that its public key says.
  static void expect_one_key(const std::vector<GeneratedKey>& keys, std::size_t first = 0) {
    EXPECT_TRUE(crypto::coin_keys_agree(keys[0].keys));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(keys[i].keys.nodes, keys[0].keys.nodes);
      EXPECT_EQ(keys[i].group, keys[0].group);
      EXPECT_EQ(crypto::ristretto_base(*keys[i].share), keys[0].keys.nodes[first + i]);
    }
  }

  Genesis genesis_;
  std::vector<crypto::SigningKey> keys_;
  std::filesystem::path folder_;

 private:
  static std::string name() {
    return "thresher-dkg-" + std::to_string(::getpid()) + "-" +
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }
};

TEST_F(KeyGenerations, GiveAllNodesOneKey) {
  found(4, 1);
  std::vector<std::unique_ptr<KeyGeneration>> runs;
  for (std::size_t i = 0; i < 4; ++i) runs.push_back(begin(i, "node" + std::to_string(i)));
  std::vector<GeneratedKey> keys;
  for (auto& run : runs) keys.push_back(key_of(*run));
  expect_one_key(keys);
  EXPECT_EQ(keys[0].keys.threshold, 3u);
  EXPECT_FALSE(runs[0]->linger(std::chrono::milliseconds(50))) << "no key is safe yet";
  for (auto& run : runs) run->kept();
  for (auto& run : runs) EXPECT_TRUE(run->linger(kPatience));
}

TEST_F(KeyGenerations, DoNotWaitForWhoIsMissingAndServeWhoComesLate) {
  found(4, 1);
  std::vector<std::unique_ptr<KeyGeneration>> runs;
  for (std::size_t i = 0; i < 3; ++i) runs.push_back(begin(i));
  std::vector<GeneratedKey> keys;
  for (auto& run : runs) keys.push_back(key_of(*run));
  EXPECT_FALSE(runs[0]->linger(std::chrono::milliseconds(50)));
  runs.push_back(begin(3));
  keys.push_back(key_of(*runs[3]));
  expect_one_key(keys);
  EXPECT_FALSE(runs[0]->linger(std::chrono::milliseconds(50))) << "no key is safe yet";
  for (auto& run : runs) run->kept();
  for (auto& run : runs) EXPECT_TRUE(run->linger(kPatience));
}

// Again and again it ends in the middle, somewhere else each time, and finds its records on disk.
TEST_F(KeyGenerations, GoOnWhereTheyWereAfterAKill) {
  found(4, 1);
  std::vector<std::unique_ptr<KeyGeneration>> runs;
  for (std::size_t i = 1; i < 4; ++i) runs.push_back(begin(i));
  for (int kill = 0; kill < 12; ++kill) {
    auto run = begin(0, "node0");
    std::this_thread::sleep_for(std::chrono::milliseconds(7 * kill));
  }
  std::vector<GeneratedKey> keys;
  auto last = begin(0, "node0");
  keys.push_back(key_of(*last));
  for (auto& run : runs) keys.push_back(key_of(*run));
  expect_one_key(keys);
}

// Two have their keys, and two were killed before theirs were safe: they never got any, and the
// network could not run.
TEST_F(KeyGenerations, ServeThoseWhoLackTheirKeysFromTheirRecords) {
  found(4, 1);
  std::vector<GeneratedKey> keys;
  {
    std::vector<std::unique_ptr<KeyGeneration>> runs;
    for (std::size_t i = 0; i < 4; ++i) runs.push_back(begin(i, "node" + std::to_string(i)));
    for (std::size_t i = 0; i < 2; ++i) {
      keys.push_back(key_of(*runs[i]));
      runs[i]->kept();
    }
    EXPECT_FALSE(runs[0]->linger(std::chrono::milliseconds(100)))
        << "keys that may be lost at a kill are no reason to leave";
  }
  std::vector<std::unique_ptr<KeyGeneration>> again;
  for (std::size_t i = 0; i < 4; ++i) {
    KeyGenerationOptions o = options(i, "node" + std::to_string(i));
    o.has_key = i < 2;
    auto run = KeyGeneration::begin(o);
    ASSERT_TRUE(run) << run.error();
    again.push_back(std::move(*run));
  }
  for (std::size_t i = 2; i < 4; ++i) {
    keys.push_back(key_of(*again[i]));
    again[i]->kept();
  }
  expect_one_key(keys);
  for (auto& run : again) EXPECT_TRUE(run->linger(kPatience));
}

TEST_F(KeyGenerations, DealsFromNoOtherSeedThanItBeganWith) {
  found(4, 1);
  { auto run = begin(0, "node0"); }
  const std::filesystem::path seed = folder_ / "node0" / "seed.key";
  std::filesystem::remove(seed);
  ASSERT_TRUE(crypto::save_key(crypto::SigningKey::generate(), seed.string()));
  const auto run = KeyGeneration::begin(options(0, "node0"));
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().text().find("is not the seed"), std::string::npos) << run.error();
}

// Nodes 1 to 3 go on, two join, and node 0 leaves: its share of the old key is of no use any more.
TEST_F(KeyGenerations, KeepTheKeyWhenTheCommitteeChanges) {
  found(4, 1);
  std::vector<std::unique_ptr<KeyGeneration>> runs;
  for (std::size_t i = 0; i < 4; ++i) runs.push_back(begin(i));
  std::vector<GeneratedKey> old;
  for (auto& run : runs) old.push_back(key_of(*run));
  runs.clear();

  const auto before = keys_;
  keys_ = {before[1], before[2], before[3], before[0], crypto::SigningKey::generate()};
  found(5, 1);
  genesis_.epoch = 1;
  const crypto::Reshared reshares{old[0].keys,
                                  {NodeId{1}, NodeId{2}, NodeId{3}, NodeId{0}, std::nullopt}};
  for (std::size_t i = 0; i < 5; ++i) {
    KeyGenerationOptions o = options(i);
    o.reshares = reshares;
    if (reshares.before[i]) o.old_share = old[reshares.before[i]->value].share;
    auto run = KeyGeneration::begin(std::move(o));
    ASSERT_TRUE(run) << run.error();
    runs.push_back(std::move(*run));
  }
  std::vector<GeneratedKey> fresh;
  for (auto& run : runs) fresh.push_back(key_of(*run));
  expect_one_key(fresh);
  EXPECT_EQ(fresh[0].group, old[0].group);
  EXPECT_EQ(fresh[0].keys.threshold, 4u);
  EXPECT_NE(fresh[0].keys.nodes[0], old[0].keys.nodes[1]);
}

TEST_F(KeyGenerations, SayWhatIsWrongWithWhatTheyAreGiven) {
  found(4, 1);
  KeyGenerationOptions o = options(0);
  o.key = crypto::SigningKey::generate();
  EXPECT_THAT(KeyGeneration::begin(o).error().text(), HasSubstr("no member"));
  o = options(0);
  o.threshold = 4;
  EXPECT_THAT(KeyGeneration::begin(o).error().text(), HasSubstr("threshold is 4"));
  o = options(0);
  o.genesis.f = 2;
  EXPECT_THAT(KeyGeneration::begin(o).error().text(), HasSubstr("do not tolerate f=2"));
  std::filesystem::create_directories(folder_ / "node0");
  { std::ofstream(folder_ / "node0" / "seed.key") << "garbage"; }
  EXPECT_THAT(KeyGeneration::begin(options(0, "node0")).error().text(), HasSubstr("seed.key"));
  auto alone = begin(1);
  EXPECT_THAT(alone->wait(std::chrono::milliseconds(20)).error().text(),
              HasSubstr("links to 0 of 3 other nodes"));
}

}  // namespace
}  // namespace thresher::net
