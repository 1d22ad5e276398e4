// Files that an operator writes or edits: what is wrong with one is told in words of this project,
// with the line and the column of what is to be changed.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "thresher/crypto/signing_key.hpp"
#include "thresher/net/config.hpp"
#include "thresher/net/genesis.hpp"

namespace thresher::net {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

class BadFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    dir_ = std::filesystem::temp_directory_path() /
           ("thresher-bad-files-" + std::to_string(::getpid()) + "-" + test->name());
    std::filesystem::create_directories(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::vector<std::string> told_of_config(const std::string& content) {
    std::ofstream(dir_ / "node.toml") << content;
    const auto read = load_config(dir_.string());
    return read ? std::vector<std::string>{} : texts_of(read.error());
  }
  std::filesystem::path dir_;
};

// The words of the TOML library came through: "Error while parsing key-value pair: ...".
TEST_F(BadFiles, AConfigurationThatIsNoTomlIsToldInOurWords) {
  for (const auto& [line, column, what] :
       {std::tuple{"= 5", "1", "a key has to stand here"},
        {"genesis \"x\"", "9", "a key, `=` and its value have to stand here"},
        {"genesis =", "10", "a key, `=` and its value have to stand here"},
        {"genesis = x", "11", "this is no value"},
        {"genesis = 0x", "13", "this is no value"},
        {"genesis = \"x", "13", "this text does not end"},
        {"genesis = \"\\x\"", "13", "a `\\` in it that must not be there"},
        {"genesis = 'x", "13", "this text does not end"},
        {"genesis = \"\\ud800\"", "18", "the digits after `\\u` are no character"},
        {"genesis = [1 2]", "14", "a comma is missing"},
        {"genesis = {a = 1", "17", "keys in braces stand in one line"},
        {"[network", "9", "the name of a table stands in brackets"},
        {"[network] x", "11", "the name of a table stands in brackets"},
        {"[network]\n[network]", "", "`network` stands there twice"},
        {"key = \"a\"\nkey = \"b\"", "", "`key` stands there twice"}}) {
    const auto told = told_of_config("schema = 1\n" + std::string(line) + "\n");
    const bool twice = std::string(column).empty();
    EXPECT_THAT(told,
                ElementsAre(AllOf(
                    HasSubstr(twice ? "node.toml:3:" : "node.toml:2:" + std::string(column) + ": "),
                    HasSubstr(what), EndsWith("; docs/operations.md has a whole file"),
                    Not(HasSubstr("parsing")), Not(HasSubstr("expected")), Not(HasSubstr("saw")))))
        << line;
  }
}

// "schema must be 1" left it open whether the file or the program is too old. What else a file of
// another schema says is not judged: it may be right there.
TEST_F(BadFiles, AFileOfALaterSchemaIsNewerThanTheProgram) {
  const std::string words =
      "schema 2 is newer than 1, which this program reads; use a newer thresher, or write the file "
      "for schema 1";
  EXPECT_THAT(told_of_config("colour = \"red\"\nschema = 2\n"),
              ElementsAre(EndsWith("node.toml:2:10: " + words)));
  EXPECT_THAT(told_of_config("schema = 0\n"), ElementsAre(HasSubstr(":1:10: schema must be 1")));
  const std::string file = (dir_ / "genesis.json").string();
  std::ofstream(file) << "{\"colour\": 5,\n \"schema\": 2}";
  const Error later = load_genesis(file).error();
  EXPECT_EQ(later.code, ErrorCode::kUnsupported);
  EXPECT_EQ(later.where, file + ":2:12");
  EXPECT_THAT(later.text(), HasSubstr("', line 2, column 12: " + words));
  std::ofstream(file) << "{\"schema\": 0}";
  EXPECT_THAT(load_genesis(file).error().text(), HasSubstr("column 12: `schema` must be 1"));
}

TEST_F(BadFiles, AConfigurationSaysTheColumn) {
  EXPECT_THAT(told_of_config("schema = 1\n  storage =  \"paper\"\n[limits]\nblock_bytes =   3\n"
                             "gc_rounds = 16\n[network]\nlink_delays_us = [1,  -2]\n"),
              UnorderedElementsAre(HasSubstr("node.toml:2:14: unknown storage"),
                                   HasSubstr("node.toml:4:17: limits.block_bytes must be"),
                                   HasSubstr("node.toml:7:23: each of network.link_delays_us")));
}

// Each key brought its section along.
TEST_F(BadFiles, WhatAConfigurationMayHoldIsListedOnce) {
  const auto told = told_of_config("schema = 1\nzzzzzzzzzzzzzzzz = 1\n");
  ASSERT_EQ(told.size(), 1U);
  const std::string list = told[0].substr(told[0].find("known: ") + 7) + ", ";
  std::vector<std::string> names;
  std::istringstream in(list);
  for (std::string name; std::getline(in >> std::ws, name, ',');) names.push_back(name);
  EXPECT_GT(names.size(), 20U);
  for (const std::string& name : names)
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
}

Genesis four_members() {
  Genesis g;
  g.chain = "c";
  g.protocol = "sparse-bullshark";
  g.f = 1;
  for (std::uint8_t i = 0; i < 4; ++i) {
    crypto::SigningKey::Seed seed{};
    seed[0] = std::byte{i};
    PeerAddress node;
    node.key = crypto::SigningKey::from_seed(seed).public_key();
    node.host = "127.0.0.1";
    node.port = static_cast<std::uint16_t>(1000 + i);
    g.nodes.push_back(node);
  }
  g.parameters = {{"D", "9"}};
  return g;
}

// Only text that is no JSON had a line; of a member that does not fit one had to look for it among
// a hundred nodes.
TEST_F(BadFiles, AGenesisFileSaysWhereTheMemberIsThatDoesNotFit) {
  const std::string file = (dir_ / "genesis.json").string();
  ASSERT_TRUE(save_genesis(four_members(), file));
  std::stringstream read;
  read << std::ifstream(file).rdbuf();
  for (const auto& [old, fresh, what] :
       {std::tuple{"\"f\": 1", "\"f\": @2", "4 nodes tolerate at most 1 faults, not f=2"},
        {"\"f\": 1", "\"f\": @\"1\"", "`f` must be a whole number, at most "},
        {"\"epoch\": 0,", "", "`epoch` must be there and be a whole number"},
        {"\"chain\": \"c\"", "\"chain\": @\"\\u0007\"", "`chain` has a control character"},
        {"\"sparse-bullshark\"", "@\"pbtf\"", "did you mean `pbft`?"},
        {"\"sparse-bullshark\"", "@\"honeybadger\"", "no parameter"},
        {"\"port\": 1002", "\"port\": @70000", "`port` must be a whole number, at most 65535"},
        {"\"port\": 1002", "\"port\": @0", "node 2 has no address"},
        {"\"D\": \"9\"", "\"D\": @\"-1\"", "0 to 4096"},
        {"\"nodes\": [", "\"coin\": @{},\n\"nodes\": [", "`threshold` must be there and be a"},
        {"\"nodes\": [", "\"coin\": {\"threshold\": 3, \"keys\": [@1]},\n\"nodes\": [",
         "a key in `coin` is not 64"}}) {
    std::string content = read.str();
    ASSERT_NE(content.find(old), std::string::npos) << old;
    content.replace(content.find(old), std::string(old).size(), fresh);
    const std::size_t mark = content.find('@');
    if (mark != std::string::npos) content.erase(mark, 1);
    // A member that is not there is missed where its object begins.
    const std::string before = content.substr(0, mark == std::string::npos ? 0 : mark);
    const auto line = std::to_string(std::count(before.begin(), before.end(), '\n') + 1);
    const auto column = std::to_string(before.size() - (before.rfind('\n') + 1) + 1);
    std::ofstream(file) << content;
    const auto loaded = load_genesis(file);
    ASSERT_FALSE(loaded) << fresh;
    EXPECT_THAT(loaded.error().text(), HasSubstr(what));
    if (std::string(what) == "no parameter") continue;  // the key's place, which is not marked
    EXPECT_THAT(loaded.error().text(), HasSubstr("', line " + line + ", column " + column + ": "));
    EXPECT_EQ(loaded.error().where, file + ":" + line + ":" + column);
  }
}

}  // namespace
}  // namespace thresher::net
