#include "thresher/net/config.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "thresher/crypto/coin_file.hpp"
#include "thresher/crypto/key_file.hpp"
#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/genesis.hpp"
#include "thresher/net/two_delays.hpp"

namespace thresher::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Config : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    dir_ = std::filesystem::temp_directory_path() /
           ("thresher-config-" + std::to_string(::getpid()) + "-" + test->name());
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::string write(const std::string& text) {
    std::ofstream(dir_ / "node.toml") << text;
    return dir_.string();
  }
  std::filesystem::path dir_;
};

TEST_F(Config, WhatIsWrittenIsRead) {
  NodeConfig config;
  config.options.genesis = "../genesis.json";
  config.options.gc_rounds = 77;
  config.options.store = StoreKind::kMemory;
  config.log_format = "json";
  const auto read = load_config(write(config_text(config)));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->options.gc_rounds, 77u);
  EXPECT_EQ(read->options.store, StoreKind::kMemory);
  EXPECT_EQ(read->log_format, "json");
  EXPECT_EQ(read->options.genesis, (dir_.parent_path() / "genesis.json").string());
}

// A node whose file was lost, or whose link to it hangs, ran with other limits and without its
// metrics, and said nothing.
TEST_F(Config, AFolderWithoutAFileIsNoNodes) {
  const auto missing = load_config(dir_.string());
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().front().text(),
              AllOf(HasSubstr("node.toml' is missing"), HasSubstr("schema = 1")));
  std::filesystem::create_symlink(dir_ / "gone", dir_ / "node.toml");
  EXPECT_FALSE(load_config(dir_.string()));
  std::filesystem::remove(dir_ / "node.toml");
  const auto least = load_config(write("schema = 1\n"));
  ASSERT_TRUE(least);
  EXPECT_EQ(least->options.home, dir_.string());
  EXPECT_EQ(least->options.gc_rounds, NodeOptions{}.gc_rounds);
}

// A folder was "no JSON" or lacked a schema; a pipe held the program up for ever.
TEST_F(Config, WhatIsNoFileIsSaidToBeNone) {
  const std::string folder = (dir_ / "folder").string();
  const std::string pipe = (dir_ / "pipe").string();
  std::filesystem::create_directory(folder);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& [path, what] : {std::pair(folder, "a folder"), std::pair(pipe, "a pipe")}) {
    const auto genesis = load_genesis(path);
    ASSERT_FALSE(genesis);
    EXPECT_EQ(genesis.error().code, ErrorCode::kMalformed);
    EXPECT_EQ(genesis.error().where, path);
    EXPECT_THAT(genesis.error().text(), AllOf(HasSubstr(path), HasSubstr(what)));
    const auto key = crypto::load_key(path);
    ASSERT_FALSE(key);
    EXPECT_THAT(key.error().text(), AllOf(HasSubstr(path), HasSubstr("no file")));
    const auto share = crypto::load_coin_share(path);
    ASSERT_FALSE(share);
    EXPECT_THAT(share.error().text(), AllOf(HasSubstr(path), HasSubstr("no file")));
  }
  const auto config = load_config(pipe);
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().front().text(), AllOf(HasSubstr(pipe), HasSubstr("a pipe")));
}

// A program tells a network that is not there yet from a file that is wrong, and where it is.
TEST_F(Config, AGenesisFileThatCannotBeReadHasACodeAndAPlace) {
  const std::string file = (dir_ / "genesis.json").string();
  const Error missing = load_genesis(file).error();
  EXPECT_EQ(missing.code, ErrorCode::kMissing);
  EXPECT_EQ(missing.where, file);
  EXPECT_EQ(missing.remedy, "make one with: thresher testnet init");
  std::ofstream(file) << "{\n  \"schema\": }";
  const Error malformed = load_genesis(file).error();
  EXPECT_EQ(malformed.code, ErrorCode::kMalformed);
  EXPECT_EQ(malformed.where, file + ":2:13");
  EXPECT_THAT(malformed.text(), HasSubstr(", line 2, column 13: "));
  std::ofstream(file) << "{\"schema\": 2}";
  EXPECT_EQ(load_genesis(file).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(save_genesis({}, (dir_ / "none" / "genesis.json").string()).error().code,
            ErrorCode::kMissing);
}

TEST_F(Config, AllProblemsComeAtOnceWithLineAndNearestName) {
  const auto read =
      load_config(write("schema = 1\n"
                        "genisis = \"x\"\n"
                        "storage = \"paper\"\n"
                        "[limits]\n"
                        "block_byts = 3\n"
                        "gc_rounds = \"many\"\n"
                        "sync_rounds = -4\n"
                        "[log]\n"
                        "level = \"loud\"\n"
                        "[network]\n"
                        "delta_us = 99_999_999_999_999_999_999 # beyond 64 bits\n"
                        "pace_us = -99999999999999999999\n"
                        "threads = 2\n"
                        "[metrics]\n"
                        "pool_bytes = 1\n"
                        "listen = \"junk\"\n"));
  ASSERT_FALSE(read);
  const auto p = texts_of(read.error());
  ASSERT_EQ(p.size(), 11u);
  EXPECT_THAT(p, testing::Contains(HasSubstr("`threads` stands in front of all tables")));
  EXPECT_THAT(p, testing::Contains(HasSubstr("`pool_bytes` stands in [limits]")));
  const auto has = [&](const std::string& line, const std::string& what) {
    return testing::Contains(AllOf(HasSubstr("node.toml:" + line + ":"), HasSubstr(what)));
  };
  EXPECT_THAT(p, has("2", "did you mean `genesis`"));
  EXPECT_THAT(p, has("3", "unknown storage `paper`; known: disk, memory"));
  EXPECT_THAT(p, has("5", "did you mean `limits.block_bytes`"));
  EXPECT_THAT(p, has("6", "whole number"));
  EXPECT_THAT(p, has("7", "from 8 to"));
  EXPECT_THAT(p, has("9", "unknown log.level `loud`; known: debug, info, warning, error"));
  EXPECT_THAT(p, has("11", "network.delta_us must be a whole number from 1000 to"));
  EXPECT_THAT(p, has("12", "network.pace_us must be a whole number"));
  EXPECT_THAT(p, has("16", "'junk', which is no address on loopback"));
}

TEST_F(Config, WhatDoesNotGoTogetherIsNamed) {
  const auto read = load_config(
      write("schema = true\ndata = \"a\\u0000b\"\n"
            "[metrics]\nlisten = \"127.0.0.1:9464\"\n[gateway]\naddress = \"127.0.0.1:9464\"\n"
            "[retention]\nsegment_bytes = 67_108_865\n"));
  ASSERT_FALSE(read);
  const auto has = [](const std::string& what) { return testing::Contains(HasSubstr(what)); };
  EXPECT_THAT(texts_of(read.error()), has("node.toml:1:10: schema must be 1"));
  EXPECT_THAT(texts_of(read.error()), has("node.toml:2:8: data has a zero byte in it"));
  EXPECT_THAT(texts_of(read.error()), has("not in whole MiB; write 67108864 or 68157440"));
  EXPECT_THAT(texts_of(read.error()),
              has("metrics.listen and gateway.address are both '127.0.0.1:9464'"));
  for (const char* address :
       {"127.0.0.1:0", "127.0.0.1:99999", "10.0.0.1:80", "127.999.1.1:80", "127.1:80"}) {
    const auto other =
        load_config(write("schema = 1\n[metrics]\nlisten = \"" + std::string(address) + "\"\n"));
    ASSERT_FALSE(other) << address;
    EXPECT_THAT(texts_of(other.error()), has("no address on loopback with a port from 1 to 65535"));
  }
}

TEST_F(Config, ATableIsNoValue) {
  const auto read = load_config(write("schema = 1\ngenesis = \"x\"\ngateway = 5\n"));
  ASSERT_FALSE(read);
  EXPECT_THAT(texts_of(read.error()),
              testing::Contains(HasSubstr("`gateway` is a table: write [gateway]")));
}

TEST_F(Config, DelaysOfLinksAreAListThatReadsBack) {
  const auto read = load_config(write("schema = 1\n[network]\nlink_delays_us = [0, 35_000, 7]\n"));
  ASSERT_TRUE(read) << read.error().front();
  EXPECT_EQ(read->options.link_delays_us, (std::vector<std::uint64_t>{0, 35'000, 7}));
  const auto again = load_config(write(config_text(*read)));
  ASSERT_TRUE(again) << again.error().front();
  EXPECT_EQ(again->options.link_delays_us, read->options.link_delays_us);
}

TEST_F(Config, DelaysOfLinksThatAreNoneAreNamed) {
  const auto list = load_config(write("schema = 1\n[network]\nlink_delays_us = 5\n"));
  ASSERT_FALSE(list);
  EXPECT_THAT(list.error().front().text(),
              AllOf(HasSubstr("node.toml:3:18: "), HasSubstr("must be a list, like")));
  const auto negative = load_config(write("schema = 1\n[network]\nlink_delays_us = [1, -2]\n"));
  ASSERT_FALSE(negative);
  EXPECT_THAT(negative.error().front().text(),
              HasSubstr("each of network.link_delays_us must be a whole number from 0 to"));
  NodeOptions options;
  EXPECT_TRUE(check_delays(options, 4));
  options.link_delays_us = {1, 2, 3};
  EXPECT_THAT(check_delays(options, 4).error().text(),
              HasSubstr("has 3 numbers and the genesis file 4 nodes; give one for each node"));
}

TEST_F(Config, BrokenTomlNamesTheLine) {
  const auto read = load_config(write("schema = 1\n[limits\n"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().front().text(), HasSubstr("node.toml:2:"));
}

// Files of before a store of one's own could be given say "rocksdb".
TEST_F(Config, ADiskHasAnOlderName) {
  for (const char* word : {"disk", "rocksdb"}) {
    const auto read = load_config(write("schema = 1\nstorage = \"" + std::string(word) + "\"\n"));
    ASSERT_TRUE(read) << word;
    EXPECT_EQ(read->options.store, StoreKind::kDisk) << word;
  }
  EXPECT_THAT(config_text({}), HasSubstr("storage = \"disk\""));
}

TEST_F(Config, AMissingSchemaIsAProblem) {
  const auto read = load_config(write("storage = \"disk\"\n"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().front().text(), HasSubstr("schema = 1"));
}

// A program decides by the code, and shows its user the place.
TEST_F(Config, EveryProblemHasACodeAndAPlace) {
  const std::string file = (dir_ / "node.toml").string();
  const auto missing = load_config(dir_.string());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().front().code, ErrorCode::kMissing);
  EXPECT_EQ(missing.error().front().where, file);
  const std::string none = (dir_ / "none").string();
  EXPECT_EQ(load_config(none).error().front().code, ErrorCode::kMissing);
  EXPECT_EQ(load_config(none).error().front().where, none);

  const auto newer = load_config(write("\nschema = 2\nwhat_is_this = 5\n"));
  ASSERT_FALSE(newer);
  ASSERT_EQ(newer.error().size(), 1U);
  EXPECT_EQ(newer.error().front().code, ErrorCode::kUnsupported);
  EXPECT_EQ(newer.error().front().where, file + ":2:10");
  EXPECT_EQ(newer.error().front().remedy, "use a newer thresher, or write the file for schema 1");

  const auto wrong = load_config(write("genisis = \"x\"\n[limits]\ngc_rounds = -1\n"));
  ASSERT_FALSE(wrong);
  ASSERT_EQ(wrong.error().size(), 3U);
  for (const auto& [at, where] : {std::pair(0, ":1:11"), {1, ":3:13"}, {2, ""}}) {
    const Error& error = wrong.error()[static_cast<std::size_t>(at)];
    EXPECT_EQ(error.code, ErrorCode::kMalformed) << error;
    EXPECT_EQ(error.where, file + where) << error;
  }
  EXPECT_EQ(wrong.error().front().remedy, "did you mean `genesis`?");

  const auto broken = load_config(write("schema = 1\n[limits\n"));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().front().code, ErrorCode::kMalformed);
  EXPECT_EQ(broken.error().front().where.find(file + ":2:"), 0U) << broken.error().front().where;
}

TEST_F(Config, AFileThatIsNotThereSaysHowToMakeOne) {
  const auto read = load_config((dir_ / "none" / "node.toml").string());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().front().text(), HasSubstr("thresher testnet init"));
}

Genesis with_parameters(Parameters parameters) {
  Genesis g;
  g.protocol = "sparse-bullshark";
  g.f = 1;
  for (std::uint8_t i = 0; i < 4; ++i) {
    PeerAddress node;
    crypto::SigningKey::Seed seed{};
    seed[0] = std::byte{i};
    node.key = crypto::SigningKey::from_seed(seed).public_key();
    node.host = "127.0.0.1";
    node.port = static_cast<std::uint16_t>(1000 + i);
    g.nodes.push_back(node);
  }
  g.parameters = std::move(parameters);
  return g;
}

TEST_F(Config, MembersShareNeitherKeyNorAddress) {
  const std::string file = (dir_ / "genesis.json").string();
  const auto why = [&](const std::function<void(Genesis&)>& change) {
    Genesis g = with_parameters({});
    change(g);
    EXPECT_TRUE(save_genesis(g, file));
    const auto read = load_genesis(file);
    return read ? std::string() : read.error().text();
  };
  EXPECT_EQ(why([](Genesis&) {}), "");
  EXPECT_THAT(why([](Genesis& g) { g.nodes[3].key = g.nodes[1].key; }),
              HasSubstr("nodes 1 and 3 have the same key"));
  EXPECT_THAT(why([](Genesis& g) { g.nodes[2].port = g.nodes[0].port; }),
              HasSubstr("nodes 0 and 2 have the same address 127.0.0.1:1000"));
  EXPECT_THAT(why([](Genesis& g) { g.nodes[2].port = 0; }), HasSubstr("node 2 has no address"));
  EXPECT_THAT(why([](Genesis& g) { g.nodes[2].host.clear(); }), HasSubstr("node 2 has no address"));
}

// The check of the files approved a name, and every node ended when it was to listen there.
TEST_F(Config, AMembersAddressIsOneInNumbers) {
  const std::string file = (dir_ / "genesis.json").string();
  for (const char* host : {"127.0.0.2", "::1", "fe80::1%1", "10.0.0.7"}) {
    Genesis g = with_parameters({});
    g.nodes[2].host = host;
    EXPECT_TRUE(save_genesis(g, file));
    EXPECT_TRUE(load_genesis(file)) << host;
  }
  for (const char* host : {"localhost", "node2.example.org", "a b", "127.1", "1.2.3.4:5", "[::1]",
                           "\x1b[31m", "256.0.0.1", " 10.0.0.7"}) {
    Genesis g = with_parameters({});
    g.nodes[2].host = host;
    EXPECT_TRUE(save_genesis(g, file));
    const auto read = load_genesis(file);
    ASSERT_FALSE(read) << host;
    EXPECT_THAT(read.error().text(),
                AllOf(HasSubstr("the `host` of node 2, \""), HasSubstr("is no IP address"),
                      HasSubstr("nodes look up no names")));
    EXPECT_EQ(read.error().text().find('\x1b'), std::string::npos);
  }
}

// With points of small order, and such as are none, anybody or nobody can sign.
TEST_F(Config, AMembersKeyIsOneThatSomebodyHasTheSecretFor) {
  const std::string file = (dir_ / "genesis.json").string();
  PublicKey zeros{};
  PublicKey one{};
  one[0] = std::byte{1};
  PublicKey no_point{};
  no_point.fill(std::byte{0xff});
  for (const PublicKey& key : {zeros, one, no_point}) {
    Genesis g = with_parameters({});
    g.nodes[2].key = key;
    EXPECT_TRUE(save_genesis(g, file));
    const auto read = load_genesis(file);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().text(), HasSubstr("the key of node 2 is no Ed25519 key"));
  }
}

TEST_F(Config, AFolderThatCannotBeIsNoPlaceForData) {
  NodeOptions options;
  options.data = (dir_ / std::string(5000, 'x')).string();
  EXPECT_THAT(check_data(options).error().text(),
              HasSubstr("cannot be a folder: File name too long"));
}

// A key that is not read would pass for something that the members agreed on.
TEST_F(Config, AGenesisFileHasNoKeysThatAreNotRead) {
  const std::string file = (dir_ / "genesis.json").string();
  Genesis g = with_parameters({{"wave", "4"}});
  g.protocol = "mahi-mahi";
  const auto deal = crypto::deal_coin(4, 3, crypto::SigningKey::generate().seed());
  g.coin = deal->keys;
  ASSERT_TRUE(save_genesis(g, file));
  std::stringstream read;
  read << std::ifstream(file).rdbuf();
  const auto why = [&](const std::string& old, const std::string& fresh) {
    std::string content = read.str();
    content.replace(content.find(old), old.size(), fresh);
    std::ofstream(file) << content;
    const auto loaded = load_genesis(file);
    return loaded ? std::string() : loaded.error().text();
  };
  EXPECT_EQ(why("chain", "chain"), "");
  for (const auto& [old, fresh, said] :
       std::initializer_list<std::tuple<std::string, std::string, std::string>>{
           {"\"epoch\"", "\"epoc\": 7, \"epoch\"", "`epoc`; did you mean `epoch`?"},
           {"\"protocol\"", "\"protocl\"", "`protocl`; did you mean `protocol`?"},
           {"\"chain\"", "\"at\": 1, \"chain\"", "`at`; known: chain, coin, epoch, f, nodes, "},
           {"\"coin\"", "\"\\u001b[2J\": 1, \"coin\"", "`\\u001b[2J`; known: "},
           {"\"threshold\"", "\"keis\": [], \"threshold\"",
            "`keis` in `coin`; did you mean `keys`?"},
           {"\"threshold\"", "\"dealer\": 1, \"threshold\"", "`dealer` in `coin`; known: keys, "},
           {"\"port\": 1002", "\"prt\": 1, \"port\": 1002",
            "`prt` in `nodes[2]`; did you mean `port`?"},
           {"\"wave\"", "\"wav\"", "no parameter 'wav'; did you mean 'wave'?"}}) {
    const std::string told = why(old, fresh);
    EXPECT_THAT(told, HasSubstr(said)) << fresh;
    EXPECT_THAT(told, HasSubstr(", line ")) << told;
    EXPECT_EQ(told.find('\x1b'), std::string::npos);
  }
  EXPECT_THAT(why("\"schema\": 1", "\"schema\": 2, \"news\": 1"),
              HasSubstr("schema 2 is newer than 1"));
  EXPECT_THAT(why("}\n", std::string("}\0 }\n", 5)), HasSubstr("a byte 0"));
}

TEST_F(Config, DataThatCannotBeAFolderIsToldBeforeItIsNeeded) {
  NodeOptions options;
  options.home = dir_.string();
  EXPECT_TRUE(check_data(options));
  for (const char* odd : {"/dev/null", "/none/data"}) {
    options.data = odd;
    EXPECT_THAT(check_data(options).error().text(),
                AllOf(HasSubstr(odd), HasSubstr("is no folder")));
  }
  options.store = StoreKind::kMemory;
  EXPECT_TRUE(check_data(options));
}

TEST_F(Config, AGenesisFileFixesTheProtocolsParameters) {
  const std::string file = (dir_ / "genesis.json").string();
  const Genesis g = with_parameters({{"D", "9"}, {"sampling", "verifiable"}});
  ASSERT_TRUE(save_genesis(g, file));
  const auto read = load_genesis(file);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->parameters, g.parameters);
  EXPECT_EQ(parameter_number(read->parameters, g.protocol, "D"), 9u);
  EXPECT_EQ(read->context().chain, g.context().chain);
  // Nodes that disagree about them never connect.
  EXPECT_NE(with_parameters({{"D", "8"}, {"sampling", "verifiable"}}).context().chain,
            g.context().chain);
  EXPECT_NE(with_parameters({}).context().chain, g.context().chain);
  EXPECT_EQ(parameter_number({}, "sparse-bullshark", "D"), 50u);
  EXPECT_EQ(parameter_text({}, "sparse-bullshark", "sampling"), "local");
}

TEST_F(Config, ParametersInAGenesisFileThatDoNotFitAreRefused) {
  const std::string file = (dir_ / "genesis.json").string();
  const auto why = [&](Parameters parameters) {
    EXPECT_TRUE(save_genesis(with_parameters(std::move(parameters)), file));
    const auto read = load_genesis(file);
    return read ? std::string() : read.error().text();
  };
  EXPECT_THAT(why({{"D", "-1"}}), AllOf(HasSubstr("`parameters`"), HasSubstr("0 to 4096")));
  EXPECT_THAT(why({{"D", "4097"}}), HasSubstr("0 to 4096"));
  EXPECT_THAT(why({{"wave", "5"}}), HasSubstr("no parameter 'wave'"));
  EXPECT_THAT(why({{"sampling", "public"}}), HasSubstr("local or verifiable"));
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::string whole = text.str();
  const auto at = whole.find("\"parameters\": {");
  ASSERT_NE(at, std::string::npos);
  whole.replace(at, whole.find('}', at) + 1 - at, "\"parameters\": 5");
  std::ofstream(file) << whole;
  EXPECT_THAT(load_genesis(file).error().text(), HasSubstr("must be an object"));
  whole.replace(whole.find("\"parameters\": 5"), 15, "\"parameters\": {\"D\": 50}");
  std::ofstream(file) << whole;
  EXPECT_TRUE(load_genesis(file));
}

TEST_F(Config, ALedgerSaysHowManyNodesMayBeAbsentFromAFastCommit) {
  EXPECT_EQ(fast_of({}, "thresher"), std::nullopt);
  EXPECT_EQ(fast_of({{"fast", "off"}}, "thresher"), std::nullopt);
  EXPECT_EQ(fast_of({{"fast", "0"}}, "thresher"), 0u);
  EXPECT_EQ(fast_of({{"fast", "2"}}, "thresher"), 2u);
  EXPECT_EQ(fast_of({{"fast", "2"}}, "mysticeti"), std::nullopt);
  EXPECT_TRUE(check_parameter("thresher", "fast", "off"));
  EXPECT_TRUE(check_parameter("thresher", "fast", "3"));
  EXPECT_EQ(check_parameter("thresher", "fast", "on").error().code, ErrorCode::kMalformed);
  EXPECT_EQ(check_parameter("mysticeti", "fast", "0").error().code, ErrorCode::kMissing);
  EXPECT_EQ(check_parameter("mysticeti", "fast", "0").error().where, "fast");
  EXPECT_THAT(check_parameter("thresher", "fast", "on").error().text(),
              HasSubstr("off, or a whole number from 0"));
  EXPECT_THAT(check_parameter("mysticeti", "fast", "0").error().text(),
              HasSubstr("no parameter 'fast'"));
  EXPECT_TRUE(check_fast({{"fast", "1"}}, "thresher", *Committee::make(6, 1)));
  EXPECT_THAT(check_fast({{"fast", "1"}}, "thresher", *Committee::make(4, 1)).error().text(),
              HasSubstr("p is at most 0"));
  EXPECT_TRUE(check_fast({}, "thresher", *Committee::make(4, 1)));
}

}  // namespace
}  // namespace thresher::net
