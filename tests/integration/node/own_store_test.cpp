// A store of the host's own in the place of the node's: injected, used for everything, read again.
#include <filesystem>

#include "network.hpp"
#include "thresher/net/backup.hpp"
#include "thresher/net/disk_store.hpp"

namespace thresher::net {
namespace {

/// The store of a host that wants to see, or change, what is written: passes everything on, and
/// keeps its records where the node would not look.
class Watched final : public NodeStore {
 public:
  Watched(std::unique_ptr<DiskStore> disk, std::shared_ptr<std::atomic<int>> synced,
          std::shared_ptr<std::atomic<bool>> full)
      : disk_(std::move(disk)), synced_(std::move(synced)), full_(std::move(full)) {}

  Result<Unit> write(std::span<const Persist> batch, Sync sync) override {
    if (*full_) return Errc::kIo;
    if (sync == Sync::kYes) ++*synced_;
    return disk_->write(batch, sync);
  }
  Result<Unit> replay(const std::function<void(const Restored&)>& visit) const override {
    return disk_->replay(visit);
  }
  Result<Unit> scan(std::uint32_t table, ByteView from,
                    const std::function<bool(ByteView, ByteView)>& visit) const override {
    return disk_->scan(table, from, visit);
  }
  std::optional<BodyPlace> locate(std::uint32_t table, ByteView key) const override {
    return disk_->locate(table, key);
  }
  Result<Bytes> read_body(const BodyPlace& place) const override { return disk_->read_body(place); }
  std::vector<BodyPlace> places_of(std::span<const Persist> batch) const override {
    return disk_->places_of(batch);
  }
  bool mend_body(const BodyPlace& place, ByteView body) override {
    return disk_->mend_body(place, body);
  }
  std::optional<Error> problem() const override { return disk_->problem(); }
  std::uint64_t syncs() const override { return disk_->syncs(); }
  // For a log that lies elsewhere than a node's own.
  std::uint64_t written() const override { return disk_->written(); }

 private:
  std::unique_ptr<DiskStore> disk_;
  std::shared_ptr<std::atomic<int>> synced_;
  std::shared_ptr<std::atomic<bool>> full_;
};

NodeOptions watched(
    const std::shared_ptr<std::atomic<int>>& synced,
    const std::shared_ptr<std::atomic<bool>>& full = std::make_shared<std::atomic<bool>>(false)) {
  NodeOptions out;
  out.log = [](Level level, const std::string& line) {
    if (level >= Level::kWarning) ADD_FAILURE() << line;
  };
  out.make_store = [synced, full](const NodeOptions& o) -> StoreOpened {
    auto disk = DiskStore::open(o.home + "/elsewhere");
    if (!disk) return disk.error();
    return std::unique_ptr<NodeStore>(new Watched(std::move(*disk), synced, full));
  };
  return out;
}

std::vector<std::string> lines_of(const NodeOptions& options, std::uint64_t from,
                                  std::string& why) {
  std::vector<std::string> out;
  const auto read = read_log(options, from, [&](const Transaction& t) {
    out.emplace_back(reinterpret_cast<const char*>(t.data.data()), t.data.size());
  });
  why = read ? std::string() : read.error().text();
  return out;
}

class OwnStores : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Start, OwnStores, testing::Values("thresher", "pbft"));

TEST_P(OwnStores, HoldsEverythingAndIsReadAgain) {
  Network net(4, GetParam());
  const auto synced = std::make_shared<std::atomic<int>>(0);
  ASSERT_EQ(net.start(0, watched(synced)), "");
  for (std::size_t i = 1; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  net.submit(0, "one");
  net.submit(1, "two");
  EXPECT_GT(*synced, 0);
  EXPECT_FALSE(std::filesystem::exists(net.home(0) + "/data/wal"));
  net.stop(0);
  const int before = *synced;
  // It comes back with what it had, and signs on.
  ASSERT_EQ(net.start(0, watched(synced)), "");
  EXPECT_EQ(net.submit(0, "three").position, 2u);
  EXPECT_GT(*synced, before);
  net.stop(0);
  NodeOptions options = watched(synced);
  options.home = net.home(0);
  std::string why;
  EXPECT_EQ(lines_of(options, 0, why), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(why, "");
  EXPECT_EQ(lines_of(options, 2, why), (std::vector<std::string>{"three"}));
  EXPECT_NE(back_up(options, net.home(0) + "/copy").error().text().find("a store of its own"),
            std::string::npos);
}

// The last write of a node that stops may be the one that fails: its record of what it signed must
// not say more than the disk has, or no later start could use its data.
TEST(OwnStore, AFailureOfTheLastWriteIsTold) {
  Network net(4);
  const auto synced = std::make_shared<std::atomic<int>>(0);
  const auto full = std::make_shared<std::atomic<bool>>(false);
  ASSERT_EQ(net.start(0, watched(synced, full)), "");
  for (std::size_t i = 1; i < 4; ++i) ASSERT_EQ(net.start(i), "");
  net.submit(0, "one");
  net.expect_same_state(1);
  *full = true;
  EXPECT_NE(net.stop(0).find("refused a write"), std::string::npos);
  ASSERT_EQ(net.start(0, watched(synced)), "");
  EXPECT_EQ(net.submit(0, "two").position, 1u);
}

TEST(OwnStore, WhatItSaysIsTold) {
  Network net(4);
  NodeOptions none;
  none.make_store = [](const NodeOptions&) -> StoreOpened { return std::unique_ptr<NodeStore>(); };
  EXPECT_EQ(net.start(0, none), "NodeOptions::make_store gave no store");
  NodeOptions broken;
  broken.make_store = [](const NodeOptions& o) -> StoreOpened {
    return Error{ErrorCode::kMissing, "no table '" + o.data + "' in the database", o.data};
  };
  EXPECT_EQ(net.start(0, broken), "no table '" + net.home(0) + "/data' in the database");
  broken.home = net.home(0);
  std::string why;
  EXPECT_TRUE(lines_of(broken, 0, why).empty());
  EXPECT_NE(why.find("no table '"), std::string::npos);
}

}  // namespace
}  // namespace thresher::net
