// The quick look at a write-ahead log: what it sees, what it leaves out, and where it ends.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "store/wal.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;
constexpr std::uint32_t kExact = 9;

Bytes bytes(const std::string& text) {
  return Bytes::copy_of(as_view(text));
}
std::string text(ByteView v) {
  return {reinterpret_cast<const char*>(v.data()), v.size()};
}

class Skim : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("thresher-skim-" + std::to_string(::getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    ASSERT_TRUE(wal_.open(path()));
    ASSERT_TRUE(wal_.recover({}, [](const WalFrame&) { return true; }));
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path() const { return (folder_ / "wal").string(); }

  /// One frame; where the bodies lie.
  std::vector<BodyPlace> add(const std::vector<Persist>& batch) {
    std::vector<BodyPlace> places;
    wal_.append(batch, places);
    EXPECT_TRUE(wal_.flush(Sync::kYes)) << wal_.problem();
    return places;
  }
  void damage(std::uint64_t at) const {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put('#');
    ASSERT_TRUE(file.good());
  }
  std::vector<std::string> skimmed() const {
    WalScan scan;
    EXPECT_TRUE(scan.open(path()));
    std::vector<std::string> out;
    const auto note = [&](const WalRecord& r) {
      out.push_back(std::to_string(r.table) + ":" + text(r.key) +
                    (r.table == kExact ? "=" + text(r.value) : ""));
    };
    scan.skim(kExact, note);
    // It is as it was: it can be read from the beginning.
    EXPECT_EQ(scan.end().offset, scan.begin().offset);
    return out;
  }

  WriteAheadLog wal_;
  fs::path folder_;
};

TEST_F(Skim, SeesEveryKeyAndTheValuesThatWereAskedFor) {
  std::vector<std::string> expected;
  const std::size_t sizes[] = {0, 1, 4096, 70'000, 1'300'000, 3, 0};
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    const std::string key = "k" + std::to_string(i);
    add({{1, bytes(key), bytes("v"), bytes(std::string(sizes[i], 'b'))},
         {2, {}, bytes(std::string(sizes[6 - i], 'v')), {}}});
    expected.insert(expected.end(), {"1:" + key, "2:"});
    if (i % 2 == 1) continue;
    add({{1, bytes("with"), bytes("v"), bytes("b")}, {kExact, bytes(key), bytes("exactly"), {}}});
    expected.insert(expected.end(), {"1:with", "9:" + key + "=exactly"});
  }
  EXPECT_EQ(skimmed(), expected);
}

// It does not check whether a body is what it was; in the exact table, nothing is taken that read()
// would not take.
TEST_F(Skim, ChecksOnlyWhatItWasAskedFor) {
  const auto bodies = add({{1, bytes("a"), bytes("v"), bytes(std::string(5000, 'b'))}});
  const auto exact = add({{kExact, bytes("b"), bytes("w"), bytes(std::string(5000, 'b'))}});
  add({{1, bytes("c"), bytes("v"), {}}});
  damage(bodies[0].offset + 2500);
  EXPECT_EQ(skimmed(), (std::vector<std::string>{"1:a", "9:b=w", "1:c"}));
  damage(exact[0].offset + 2500);
  EXPECT_EQ(skimmed(), (std::vector<std::string>{"1:a"}));
}

TEST_F(Skim, OfALogWithNothingInItIsNothing) {
  EXPECT_TRUE(skimmed().empty());
}

// Whatever byte is damaged: it ends, and gives no key that was never written.
TEST_F(Skim, ADamagedLogEndsIt) {
  for (int i = 0; i < 3; ++i)
    add({{1, bytes("key"), bytes("v"), bytes(std::string(40, 'b'))}, {2, bytes("k"), {}, {}}});
  std::vector<std::byte> whole(wal_.written());
  std::ifstream(path(), std::ios::binary)
      .read(reinterpret_cast<char*>(whole.data()), static_cast<std::streamsize>(whole.size()));
  for (std::uint64_t at = kFileHead; at < whole.size(); ++at) {
    damage(at);
    EXPECT_LE(skimmed().size(), 6u) << at;
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(whole[at]));
  }
  EXPECT_EQ(skimmed().size(), 6u);
}

}  // namespace
}  // namespace thresher::net
