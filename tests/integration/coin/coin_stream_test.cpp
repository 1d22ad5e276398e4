// Coins without a key over real links: nodes that are missing, that come late, that are killed and
// go on from disk, all of them at once too; bad input.
#include "thresher/net/coin_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "../../how_many.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/net/ports.hpp"

namespace thresher::net {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::seconds kPatience(100);
constexpr std::size_t kNodes = 4;

class CoinStreams : public ::testing::TestWithParam<std::string> {
 protected:
  CoinStreams() : folder_(std::filesystem::temp_directory_path() / name()) {
    std::filesystem::create_directories(folder_);
    genesis_.f = 1;
    for (const std::uint16_t port : free_ports(kNodes)) {
      keys_.push_back(crypto::SigningKey::generate());
      genesis_.nodes.push_back({keys_.back().public_key(), "127.0.0.1", port});
      seeds_.push_back(crypto::SigningKey::generate().seed());
      vrf_keys_.push_back(crypto::vrf_public_key(seeds_.back()));
    }
  }
  ~CoinStreams() override { std::filesystem::remove_all(folder_); }

  CoinStreamOptions options(std::size_t i, bool on_disk) const {
    CoinStreamOptions out;
    out.genesis = genesis_;
    out.key = keys_[i];
    out.coin = GetParam();
    out.rounds = 6;
    if (on_disk) out.folder = (folder_ / ("node" + std::to_string(i))).string();
    out.vrf_keys = vrf_keys_;
    out.vrf_seed = seeds_[i];
    out.pause_us = 2000;
    out.log = [](const std::string&) {};
    return out;
  }
  std::unique_ptr<CoinStream> begin(std::size_t i, bool on_disk) {
    auto run = CoinStream::begin(options(i, on_disk), [this, i](const CoinToss& t) {
      const std::lock_guard lock(mutex_);
      const auto [it, fresh] = sides_[i].emplace(t.instance, t.side);
      EXPECT_TRUE(fresh || it->second == t.side) << "a restarted node has another value";
    });
    EXPECT_TRUE(run) << run.error();
    return run ? std::move(*run) : nullptr;
  }
  /// Whether these nodes toss `more` beyond what the first of them has now.
  bool go_on(const std::set<std::size_t>& nodes, std::uint64_t more) {
    const std::uint64_t goal = newest(*nodes.begin()) + more;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < end) {
      bool all = true;
      for (const std::size_t i : nodes) all = all && newest(i) >= goal;
      if (all) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  std::uint64_t newest(std::size_t i) {
    const std::lock_guard lock(mutex_);
    return sides_[i].empty() ? 0 : sides_[i].rbegin()->first;
  }
  /// Tosses that two nodes know, and those in which they differ.
  std::pair<int, int> compared() {
    const std::lock_guard lock(mutex_);
    std::pair<int, int> out;
    for (const auto& [instance, side] : sides_[0]) {
      for (std::size_t i = 1; i < kNodes; ++i) {
        const auto other = sides_[i].find(instance);
        if (other == sides_[i].end()) continue;
        ++out.first;
        out.second += other->second != side ? 1 : 0;
      }
    }
    return out;
  }
  void expect_alike() {
    if (may_differ()) return;
    EXPECT_EQ(compared().second, 0);
  }
  bool may_differ() const { return GetParam() != "setup-free-coin"; }

  Genesis genesis_;
  std::vector<crypto::SigningKey> keys_;
  std::vector<crypto::VrfSeed> seeds_;
  std::vector<PublicKey> vrf_keys_;
  std::filesystem::path folder_;
  std::mutex mutex_;
  std::map<std::size_t, std::map<std::uint64_t, std::uint64_t>> sides_;

 private:
  static std::string name() {
    std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    for (char& c : test) c = c == '/' ? '-' : c;
    return "thresher-coin-" + std::to_string(::getpid()) + "-" + test;
  }
};

TEST_P(CoinStreams, GiveAllNodesTheSameTosses) {
  std::vector<std::unique_ptr<CoinStream>> runs;
  for (std::size_t i = 0; i < kNodes; ++i) runs.push_back(begin(i, false));
  // Those of the committee coin take longest.
  const int tosses = GetParam() == "committee-coin" ? static_cast<int>(how_many(10, 30)) : 30;
  ASSERT_TRUE(go_on({0, 1, 2, 3}, static_cast<std::uint64_t>(tosses)));
  const auto [known, differ] = compared();
  EXPECT_GE(known, tosses * 8 / 3);
  EXPECT_LE(differ, may_differ() ? known / 2 : 0);
  EXPECT_GT(runs[0]->status().bytes_sent, 1000u);
  EXPECT_FALSE(runs[0]->problem());
}

TEST_P(CoinStreams, SayWhatToCompareWithAPeerOfAnotherCoin) {
  std::mutex mutex;
  std::condition_variable said;
  bool told = false;
  CoinStreamOptions mine = options(0, false);
  mine.rounds = 7;
  mine.log = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    told = told || line.find("the peer tosses another coin") != std::string::npos;
    said.notify_all();
  };
  const auto first = CoinStream::begin(std::move(mine), [](const CoinToss&) {});
  ASSERT_TRUE(first) << first.error();
  const auto second = begin(1, false);
  std::unique_lock lock(mutex);
  EXPECT_TRUE(said.wait_for(lock, kPatience, [&] { return told; }));
}

TEST_P(CoinStreams, DoNotWaitForWhoIsMissingAndTakeAlongWhoComesLate) {
  std::vector<std::unique_ptr<CoinStream>> runs;
  for (std::size_t i = 0; i < 3; ++i) runs.push_back(begin(i, false));
  ASSERT_TRUE(go_on({0, 1, 2}, 10));
  runs.push_back(begin(3, false));
  ASSERT_TRUE(go_on({0, 1, 2}, 10));
  ASSERT_TRUE(go_on({3}, 5));
  expect_alike();
}

// Again and again node 0 ends in the middle, somewhere else each time, and finds its records.
TEST_P(CoinStreams, GoOnWhereTheyWereAfterAKill) {
  std::vector<std::unique_ptr<CoinStream>> runs;
  for (std::size_t i = 1; i < kNodes; ++i) runs.push_back(begin(i, true));
  for (std::uint64_t kill = 0; kill < 10; kill += how_many(2, 1)) {
    auto run = begin(0, true);
    std::this_thread::sleep_for(std::chrono::milliseconds(13 * kill));
  }
  auto last = begin(0, true);
  ASSERT_TRUE(go_on({1, 2, 3}, 5));
  ASSERT_TRUE(go_on({0}, 5));
  expect_alike();
}

TEST_P(CoinStreams, GoOnWhenAllWereDown) {
  for (std::uint64_t life = 0; life < how_many(3, 5); ++life) {
    std::vector<std::unique_ptr<CoinStream>> runs;
    for (std::size_t i = 0; i < kNodes; ++i) runs.push_back(begin(i, true));
    ASSERT_TRUE(go_on({0, 1, 2, 3}, 3)) << "life " << life;
  }
  expect_alike();
}

// A fresh seed in place of a lost one deals other rows than the node committed to.
TEST_P(CoinStreams, DoNotGoOnWithAnotherSeed) {
  if (GetParam() == "vrf-coin") GTEST_SKIP() << "its seed is the caller's";
  {
    std::vector<std::unique_ptr<CoinStream>> runs;
    for (std::size_t i = 0; i < kNodes; ++i) runs.push_back(begin(i, true));
    ASSERT_TRUE(go_on({0, 1, 2, 3}, 2));
  }
  const std::filesystem::path folder = folder_ / "node0";
  const auto refused = [&] {
    const auto run = CoinStream::begin(options(0, true), [](const CoinToss&) {});
    return run ? Error{} : run.error();
  };
  const std::filesystem::path seed = folder / "seed.key";
  const std::filesystem::path away = folder / "away";
  std::filesystem::rename(seed, away);
  EXPECT_EQ(refused().code, ErrorCode::kMissing);
  EXPECT_THAT(refused().text(), HasSubstr("seed.key' is gone"));
  EXPECT_FALSE(std::filesystem::exists(seed));
  // So it is without the mark, which folders of before have not; and another seed is refused by it.
  std::filesystem::rename(folder / "seed.key.pub", folder / "mark");
  EXPECT_EQ(refused().code, ErrorCode::kMissing);
  std::filesystem::rename(folder / "mark", folder / "seed.key.pub");
  ASSERT_TRUE(crypto::save_key(crypto::SigningKey::generate(), seed.string()));
  EXPECT_EQ(refused().code, ErrorCode::kMismatch);
  std::filesystem::rename(away, seed);
  std::filesystem::remove(folder / "seed.key.pub");
  EXPECT_TRUE(begin(0, true)) << "a folder of before";
  EXPECT_TRUE(std::filesystem::exists(folder / "seed.key.pub"));
}

TEST_P(CoinStreams, RefuseInWordsWhatCannotBe) {
  const auto problem = [&](auto change) {
    CoinStreamOptions o = options(0, false);
    change(o);
    const auto run = CoinStream::begin(std::move(o), [](const CoinToss&) {});
    return run ? std::string() : run.error().text();
  };
  EXPECT_THAT(problem([](auto& o) { o.key = crypto::SigningKey::generate(); }),
              HasSubstr("no member"));
  EXPECT_THAT(problem([](auto& o) { o.genesis.f = 2; }), HasSubstr("do not tolerate f=2"));
  EXPECT_THAT(problem([](auto& o) { o.coin = "penny"; }), HasSubstr("setup-free-coin"));
  EXPECT_THAT(problem([](auto& o) { o.folder = "/proc/none"; }), HasSubstr("/proc/none"));
  if (GetParam() == "vrf-coin") {
    EXPECT_THAT(problem([](auto& o) { o.vrf_keys.pop_back(); }), HasSubstr("3 keys are given"));
    EXPECT_THAT(problem([](auto& o) { o.vrf_seed.reset(); }), HasSubstr("seed"));
    EXPECT_THAT(problem([this](auto& o) { o.vrf_seed = seeds_[1]; }), HasSubstr("not that of"));
    EXPECT_THAT(problem([this](auto& o) {
                  o.vrf_seed = keys_[0].seed();
                  o.vrf_keys[0] = keys_[0].public_key();
                }),
                HasSubstr("signs with"));
  } else {
    EXPECT_THAT(problem([](auto& o) {
                  o.sides = 0;
                  o.coin = "setup-free-coin";
                }),
                HasSubstr("one side"));
    EXPECT_THAT(problem([](auto& o) { o.rounds = 49; }), HasSubstr("at most 48"));
  }
}

INSTANTIATE_TEST_SUITE_P(Coins, CoinStreams,
                         ::testing::Values("setup-free-coin", "committee-coin", "vrf-coin"),
                         [](const auto& test) {
                           return test.param == "vrf-coin"         ? "Vrf"
                                  : test.param == "committee-coin" ? "Committee"
                                                                   : "SetupFree";
                         });

}  // namespace
}  // namespace thresher::net
