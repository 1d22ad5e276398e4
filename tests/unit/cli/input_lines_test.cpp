#include "input_lines.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace thresher::cli {
namespace {

using testing::HasSubstr;

class Lines : public testing::Test {
 protected:
  Lines()
      : path_(std::filesystem::temp_directory_path() /
              ("thresher-lines-" + std::to_string(::getpid()))) {}
  ~Lines() override { std::filesystem::remove(path_); }

  /// All lines that come, and why no more do.
  static std::pair<std::vector<std::string>, std::string> read(const std::string& path,
                                                               std::size_t most) {
    InputLines in(path, "a file of lines", most);
    std::vector<std::string> out;
    for (std::string line; in.next(line);) out.push_back(line);
    EXPECT_EQ(in.count(), out.size());
    return {out, in.problem()};
  }
  std::pair<std::vector<std::string>, std::string> read_content(const std::string& content,
                                                                std::size_t most) const {
    std::ofstream(path_) << content;
    return read(path_, most);
  }

  std::string path_;
};

TEST_F(Lines, AreWhatStandsBetweenLineEnds) {
  using All = std::vector<std::string>;
  EXPECT_EQ(read_content("", 9).first, All{});
  EXPECT_EQ(read_content("\n", 9).first, All{""});
  EXPECT_EQ(read_content("a", 9).first, All{"a"});
  EXPECT_EQ(read_content("a\n\nb\r\nc", 9).first, (All{"a", "", "b\r", "c"}));
  EXPECT_EQ(read_content("a\nb\n", 9).first, (All{"a", "b"}));
  EXPECT_EQ(read_content(std::string("a\0b\nc\n", 6), 9).first, (All{std::string("a\0b", 3), "c"}));
}

// Parts of a file are read at a time: a line ends in one of them or goes over several.
TEST_F(Lines, OfEveryLengthComeWhole) {
  std::vector<std::string> lines;
  std::string content;
  for (const std::size_t size : {65535UL, 65536UL, 65537UL, 0UL, 1UL, 200'000UL, 131'072UL}) {
    lines.emplace_back(size, static_cast<char>('a' + lines.size()));
    content += lines.back() + "\n";
  }
  const auto [all, problem] = read_content(content, 200'000);
  EXPECT_EQ(all, lines);
  EXPECT_EQ(problem, "");
  const auto [some, why] = read_content(content, 199'999);
  EXPECT_EQ(some.size(), 5U);
  EXPECT_THAT(why, HasSubstr("line 6 of '" + path_ + "' is longer than 195 KiB; give a file of"));
  EXPECT_THAT(read_content("ab\nabcd", 3).second, HasSubstr("line 2"));
}

TEST_F(Lines, WhatIsNoFileIsToldAtOnce) {
  EXPECT_THAT(read("/dev/zero", 1 << 20).second, HasSubstr("line 1 of '/dev/zero' is longer"));
  EXPECT_THAT(read("/", 9).second, HasSubstr("is a folder"));
  EXPECT_THAT(read(path_ + "-none", 9).second, HasSubstr("cannot read"));
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(read(path_, 9).second, HasSubstr("a pipe that nobody writes to"));
}

TEST_F(Lines, ComeOutOfAPipeAsTheyAreWritten) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  std::ofstream keeps(path_, std::ios::in | std::ios::out);
  keeps << "one\ntw" << std::flush;
  InputLines in(path_, "lines", 9);
  std::string line;
  ASSERT_TRUE(in.next(line));
  EXPECT_EQ(line, "one");
  std::jthread later([&] { keeps << "o\n" << std::flush; });
  ASSERT_TRUE(in.next(line));
  EXPECT_EQ(line, "two");
  later.join();
  keeps.close();
  EXPECT_FALSE(in.next(line));
  EXPECT_EQ(in.problem(), "");
}

}  // namespace
}  // namespace thresher::cli
