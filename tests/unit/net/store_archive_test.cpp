// The archive of a broadcast on a store: what was erased is found, also after a restart, and after
// one that lost what the killed process had not written yet.
#include "store/store_archive.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "thresher/core/transcript.hpp"
#include "thresher/net/disk_store.hpp"

namespace thresher::net {
namespace {

constexpr std::uint32_t kTable = 1;

Bytes text(std::string_view s) {
  return Bytes::copy_of(as_view(s));
}

class StoreArchiveTest : public ::testing::Test {
 protected:
  StoreArchiveTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    open();
  }
  ~StoreArchiveTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  void open() {
    store_.reset();
    auto opened = DiskStore::open(folder_);
    ASSERT_TRUE(opened) << opened.error();
    store_ = std::move(*opened);
    archive_.emplace(*store_, kTable);
  }
  void write(std::vector<Persist> batch, bool noted = true) {
    if (noted) archive_->note(batch);
    ASSERT_TRUE(store_->write(batch, Sync::kYes));
  }
  void expect(std::string_view key, std::string_view value, std::string_view body) const {
    EXPECT_EQ(archive_->value(text(key)), text(value)) << key;
    EXPECT_EQ(archive_->body(text(key)), text(body)) << key;
  }

  std::string folder_ = ::testing::TempDir() + "store-archive-" + std::to_string(::getpid());
  std::unique_ptr<DiskStore> store_;
  std::optional<StoreArchive> archive_;
};

TEST_F(StoreArchiveTest, WhatWasErasedIsFound) {
  write({{kTable, text("a"), text("one"), text("first body"), false},
         {kTable + 1, text("a"), text("other"), text("of another table"), false},
         {kTable, text("b"), text("two"), text(""), true},
         {kTable, text("c"), text("three"), text(std::string(5000, 'c')), true}});
  expect("a", "one", "first body");
  write({{kTable, text("a"), {}, {}, false}, {kTable, text("c"), {}, {}, false}});
  open();
  expect("a", "one", "first body");
  expect("b", "two", "");
  expect("c", "three", std::string(5000, 'c'));
  EXPECT_FALSE(archive_->value(text("d")));
  EXPECT_FALSE(archive_->body(text("")));
}

TEST_F(StoreArchiveTest, WhatWasWrittenAgainIsWhatCounts) {
  write({{kTable, text("a"), text("one"), text("first body"), false}});
  write({{kTable, text("a"), text("another"), text("second body"), false}});
  expect("a", "another", "second body");
}

TEST_F(StoreArchiveTest, WhatAKilledProcessDidNotNoteIsNotedAtTheNextStart) {
  write({{kTable, text("a"), text("one"), text("first body"), false}}, false);
  EXPECT_FALSE(archive_->value(text("a")));
  open();
  ASSERT_TRUE(archive_->mend());
  write({{kTable, text("a"), {}, {}, false}});
  expect("a", "one", "first body");
}

// Erased records of the protocol are not replayed, nor are those of the host.
TEST_F(StoreArchiveTest, TheProtocolSeesNothingOfIt) {
  write({{kTable, text("a"), text("one"), text("first body"), false}});
  write({{kTable, text("a"), {}, {}, false}});
  std::size_t seen = 0;
  ASSERT_TRUE(store_->replay([&](const Restored&) { ++seen; }));
  EXPECT_EQ(seen, 0u);
}

}  // namespace
}  // namespace thresher::net
