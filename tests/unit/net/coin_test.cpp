// Coin keys from the dealer to the node, and everything that may be wrong with them on the way.
#include "thresher/net/coin.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "thresher/crypto/coin_file.hpp"
#include "thresher/crypto/signing_key.hpp"

namespace thresher::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Coin : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    dir_ = std::filesystem::temp_directory_path() /
           ("thresher-coin-" + std::to_string(::getpid()) + "-" + test->name());
    genesis_ = dealt("net", 4);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  // A network with a coin of its own under `name`.
  Genesis dealt(const std::string& name, std::uint32_t n) const {
    Genesis g;
    g.protocol = "bullshark-async";
    g.f = (n - 1) / 3;
    std::vector<std::string> homes;
    for (std::uint32_t i = 0; i < n; ++i) {
      homes.push_back(path(name + "/node" + std::to_string(i)));
      std::filesystem::create_directories(homes.back());
      const auto port = static_cast<std::uint16_t>(1 + i);
      g.nodes.push_back({crypto::SigningKey::generate().public_key(), "127.0.0.1", port});
    }
    const auto made = deal_coin(g, homes);
    EXPECT_TRUE(made);
    return g;
  }
  std::string share(std::uint32_t node) const {
    return path("net/node" + std::to_string(node) + "/coin.key");
  }
  static std::string why(const Genesis& g, const std::string& file, std::uint16_t self = 0) {
    const auto coin = open_coin(g, file, NodeId{self});
    return coin ? std::string() : coin.error().text();
  }
  // What load_genesis says about the file of `g`.
  std::string read_back(const Genesis& g) const {
    const std::string file = path("genesis.json");
    EXPECT_TRUE(save_genesis(g, file));
    const auto read = load_genesis(file);
    return read ? std::string() : read.error().text();
  }
  static std::string text_of(const std::string& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  }
  static void rewrite(const std::string& file, const std::string& text) {
    std::ofstream(file, std::ios::trunc) << text;
  }

  std::filesystem::path dir_;
  Genesis genesis_;
};

TEST_F(Coin, EveryNodeOpensItsShareAndTheyMakeOneValue) {
  std::vector<std::shared_ptr<const crypto::CoinScheme>> coins;
  for (std::uint16_t i = 0; i < 4; ++i) {
    const auto coin = open_coin(genesis_, share(i), NodeId{i});
    ASSERT_TRUE(coin) << coin.error();
    coins.push_back(*coin);
  }
  EXPECT_EQ(coins[0]->threshold(), 3u);
  const auto claim = [&](std::uint16_t i) {
    return crypto::CoinClaim{NodeId{i}, *coins[i]->share(5)};
  };
  const std::vector<crypto::CoinClaim> low{claim(0), claim(1), claim(2)};
  const std::vector<crypto::CoinClaim> high{claim(3), claim(2), claim(1)};
  std::vector<std::uint8_t> verdicts(3);
  coins[3]->verify(5, low, verdicts);
  EXPECT_THAT(verdicts, testing::Each(1));
  ASSERT_TRUE(coins[0]->combine(5, low));
  EXPECT_EQ(coins[0]->combine(5, low), coins[1]->combine(5, high));
}

TEST_F(Coin, OtherProtocolsNeedNone) {
  Genesis g = genesis_;
  g.protocol = "anchored-bullshark";
  const auto coin = open_coin(g, path("nowhere"), NodeId{0});
  ASSERT_TRUE(coin);
  EXPECT_EQ(*coin, nullptr);
}

TEST_F(Coin, SharesArePrivateFromTheStartAndNeverOverwritten) {
  struct stat info {};
  ASSERT_EQ(::stat(share(0).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const std::string before = text_of(share(0));
  std::vector<std::string> homes;
  for (int i = 0; i < 4; ++i) homes.push_back(path("net/node" + std::to_string(i)));
  Genesis again = genesis_;
  const auto made = deal_coin(again, homes);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kExists);
  EXPECT_EQ(made.error().where, share(0));
  EXPECT_THAT(made.error().text(), AllOf(HasSubstr(share(0)), HasSubstr("never overwritten")));
  EXPECT_EQ(text_of(share(0)), before);
  EXPECT_EQ(again.context().chain, genesis_.context().chain);
}

TEST_F(Coin, AMissingShareSaysWhereItComesFrom) {
  std::filesystem::remove(share(0));
  EXPECT_THAT(why(genesis_, share(0)), AllOf(HasSubstr(share(0)), HasSubstr("testnet init")));
}

TEST_F(Coin, AShareThatOthersCanReadIsRefused) {
  for (const unsigned mode : {0640u, 0604u, 0620u}) {
    ::chmod(share(0).c_str(), mode);
    EXPECT_THAT(why(genesis_, share(0)), HasSubstr("chmod 600")) << mode;
  }
  ::chmod(share(0).c_str(), 0600);
  EXPECT_EQ(why(genesis_, share(0)), "");
}

TEST_F(Coin, AMalformedShareIsRefused) {
  const std::string good = text_of(share(0));
  const std::size_t number = good.size() - 65;
  std::vector<std::string> bad{"", "x", good + "x", good.substr(0, good.size() - 1)};
  bad.push_back(good);
  bad.back()[number + 3] = 'g';
  bad.push_back(good);
  bad.back()[0] = 'T';
  bad.push_back(good.substr(0, number) + std::string(64, '0') + "\n");  // zero
  bad.push_back(good.substr(0, number) + std::string(64, 'f') + "\n");  // beyond the order
  for (const std::string& text : bad) {
    rewrite(share(0), text);
    EXPECT_THAT(why(genesis_, share(0)), AllOf(HasSubstr(share(0)), HasSubstr("malformed")))
        << text;
  }
  rewrite(share(0), good);
  EXPECT_EQ(why(genesis_, share(0)), "");
}

TEST_F(Coin, TheShareOfAnotherNodeOrOfAnotherDealIsRefused) {
  EXPECT_THAT(why(genesis_, share(1)), HasSubstr("not that of node 0"));
  const Genesis other = dealt("other", 4);
  EXPECT_THAT(why(other, share(0)), HasSubstr("another deal"));
  EXPECT_EQ(why(other, path("other/node0/coin.key")), "");
}

TEST_F(Coin, KeysThatDoNotBelongTogetherAreRefused) {
  crypto::CoinKeys keys = genesis_.coin.value();
  keys.nodes[3] = dealt("other", 4).coin.value().nodes[3];
  Genesis g = genesis_;
  g.coin = keys;
  EXPECT_EQ(read_back(g), "");
  EXPECT_THAT(why(g, share(0)), HasSubstr("do not belong together"));
}

TEST_F(Coin, TheGenesisFileCarriesTheKeysAndTheChainIdDependsOnThem) {
  ASSERT_EQ(read_back(genesis_), "");
  const auto read = load_genesis(path("genesis.json"));
  EXPECT_EQ(read->coin->nodes, genesis_.coin->nodes);
  EXPECT_EQ(read->coin->threshold, 3u);
  EXPECT_EQ(read->context().chain, genesis_.context().chain);
  Genesis g = genesis_;
  g.coin = dealt("other", 4).coin;
  EXPECT_NE(g.context().chain, genesis_.context().chain);
}

TEST_F(Coin, BadKeysInTheGenesisFileAreRefused) {
  Genesis g = genesis_;
  g.coin.reset();
  EXPECT_THAT(read_back(g), AllOf(HasSubstr("`coin` is missing"), HasSubstr("testnet init")));
  g = genesis_;
  g.protocol = "bullshark";
  EXPECT_THAT(read_back(g), HasSubstr("tosses none"));
  g = genesis_;
  g.coin = dealt("larger", 7).coin;
  EXPECT_THAT(read_back(g), AllOf(HasSubstr("7 keys for 4 nodes"), HasSubstr("another committee")));
  crypto::CoinKeys keys = genesis_.coin.value();
  keys.threshold = 2;
  g.coin = keys;
  EXPECT_THAT(read_back(g), HasSubstr("need 3"));
  keys = genesis_.coin.value();
  keys.nodes[2] = {};  // the identity
  g.coin = keys;
  EXPECT_THAT(read_back(g), HasSubstr("no element"));
}

}  // namespace
}  // namespace thresher::net
