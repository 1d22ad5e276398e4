#include "thresher/net/config.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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

TEST_F(Config, AFolderWithoutAFileGetsTheDefaults) {
  const auto read = load_config(dir_.string());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->options.home, dir_.string());
  EXPECT_EQ(read->options.gc_rounds, NodeOptions{}.gc_rounds);
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
                        "level = \"loud\"\n"));
  ASSERT_FALSE(read);
  const auto& p = read.error();
  ASSERT_EQ(p.size(), 6u);
  const auto has = [&](const std::string& line, const std::string& what) {
    return testing::Contains(AllOf(HasSubstr("node.toml:" + line + ": "), HasSubstr(what)));
  };
  EXPECT_THAT(p, has("2", "did you mean 'genesis'"));
  EXPECT_THAT(p, has("3", "\"rocksdb\" or \"memory\""));
  EXPECT_THAT(p, has("5", "did you mean 'limits.block_bytes'"));
  EXPECT_THAT(p, has("6", "whole number"));
  EXPECT_THAT(p, has("7", "from 8 to"));
  EXPECT_THAT(p, has("9", "'loud'"));
}

TEST_F(Config, BrokenTomlNamesTheLine) {
  const auto read = load_config(write("schema = 1\n[limits\n"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().front(), HasSubstr("node.toml:2: "));
}

TEST_F(Config, AMissingSchemaIsAProblem) {
  const auto read = load_config(write("storage = \"rocksdb\"\n"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().front(), HasSubstr("schema = 1"));
}

TEST_F(Config, AFileThatIsNotThereSaysHowToMakeOne) {
  const auto read = load_config((dir_ / "none" / "node.toml").string());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().front(), HasSubstr("thresher testnet init"));
}

}  // namespace
}  // namespace thresher::net
