// Snapshots on a disk: whole or nothing, and what a changed byte makes of them.
#include "life/snapshot_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>

#include "full_disk.hpp"
#include "ledger/snapshot.hpp"
#include "life/snapshot_service.hpp"
#include "life/snapshot_writer.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

class Snapshots : public testing::Test {
 protected:
  Snapshots()
      : data_(fs::temp_directory_path() / ("thresher-snapshots-" + std::to_string(::getpid()))),
        folder_(data_.string()) {
    fs::remove_all(data_);
    fs::create_directories(data_);
  }
  ~Snapshots() override { fs::remove_all(data_); }

  static Checkpoint at(std::uint64_t slot) {
    return {Round{slot}, slot * 10, hash({}), hash({}), hash({})};
  }
  void take(std::uint64_t slot, const std::string& state) {
    const auto file = folder_.begin(Round{slot});
    ASSERT_TRUE(file);
    // In parts that fit no chunk.
    for (std::size_t i = 0; i < state.size(); i += 700'001)
      ASSERT_TRUE(file->append(
          as_view(state).subspan(i, std::min<std::size_t>(700'001, state.size() - i))));
    ASSERT_TRUE(file->append_ledger(as_view("led")) && file->append_ledger(as_view("ger")));
    ASSERT_TRUE(file->finish(at(slot), {}));
  }
  void flip(const std::string& file, std::uint64_t at_byte) {
    std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
    f.seekg(static_cast<std::streamoff>(at_byte));
    const char c = static_cast<char>(f.get() ^ 1);
    f.seekp(static_cast<std::streamoff>(at_byte));
    f.put(c);
  }
  std::string state_of(std::size_t size) {
    std::string out(size, 'x');
    for (std::size_t i = 0; i < size; i += 97) out[i] = static_cast<char>(i);
    return out;
  }

  fs::path data_;
  SnapshotFolder folder_;
};

TEST_F(Snapshots, ComeBackWholeWhateverTheirSize) {
  std::uint64_t slot = 0;
  for (const std::size_t size : {0u, 1u, 1u << 20, (1u << 20) + 1, 3'500'000u, 8u << 20,
                                 (8u << 20) + 1, 16u << 20, 17'000'001u}) {
    const std::string state = state_of(size);
    take(++slot, state);
    const auto back = folder_.load(Round{slot});
    ASSERT_TRUE(back) << size;
    EXPECT_EQ(as_text(back->state.view()), state);
    ASSERT_TRUE(back->ledger);
    EXPECT_EQ(as_text(back->ledger->view()), "ledger");
    EXPECT_FALSE(back->own);
    EXPECT_EQ(back->manifest.checkpoint, at(slot));
    EXPECT_EQ(decode_manifest(encode(back->manifest).view()), back->manifest);
  }
  EXPECT_EQ(folder_.slots().front(), Round{9});
  EXPECT_TRUE(folder_.keep(2));
  EXPECT_EQ(folder_.slots(), (std::vector<Round>{Round{9}, Round{8}}));
}

// Written and read eight beside each other, each hash is still that of one MiB.
TEST_F(Snapshots, EachPartHasTheHashOfItsBytes) {
  const std::string state = state_of((19u << 20) + 5);
  take(1, state);
  const auto back = folder_.load(Round{1});
  ASSERT_TRUE(back);
  ASSERT_EQ(back->manifest.chunks.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_EQ(back->manifest.chunks[i], hash(chunk_of(as_view(state), i))) << i;
}

// In every place among the eight that are hashed together, and in a last group that is not full.
TEST_F(Snapshots, AFlippedBitIsFoundInEachPart) {
  constexpr std::size_t kParts = 19;
  take(1, state_of((kParts - 1) * Manifest::kChunk + 77));
  const std::string file = folder_.path_of(Round{1}) + "/state";
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::uint64_t byte =
        part * Manifest::kChunk + (part + 1 == kParts ? 76 : part * 40'000 + 3);
    flip(file, byte);
    EXPECT_FALSE(folder_.load(Round{1})) << part;
    flip(file, byte);
  }
  EXPECT_TRUE(folder_.load(Round{1}));
}

// Each part is right for some snapshot or some place, and not for this one.
TEST_F(Snapshots, APartOfAnotherSnapshotOrPlaceIsFound) {
  const auto filled = [](char c) { return std::string(9 * Manifest::kChunk, c); };
  take(1, filled('a'));
  std::string mixed = filled('b');
  for (std::size_t i = 0; i < mixed.size(); i += Manifest::kChunk)
    mixed[i] = static_cast<char>(i >> 20);
  take(2, mixed);
  const std::string file = folder_.path_of(Round{2}) + "/state";
  const auto put = [&](std::size_t part, const std::string& bytes) {
    std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
    f.seekp(static_cast<std::streamoff>(part * Manifest::kChunk));
    f.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  for (const std::size_t part : {0u, 7u, 8u}) {
    const std::string own = mixed.substr(part * Manifest::kChunk, Manifest::kChunk);
    put(part, filled('a').substr(0, Manifest::kChunk));
    EXPECT_FALSE(folder_.load(Round{2})) << "of another snapshot, at " << part;
    put(part, mixed.substr((part + 1) % 9 * Manifest::kChunk, Manifest::kChunk));
    EXPECT_FALSE(folder_.load(Round{2})) << "of another place, at " << part;
    put(part, own);
    EXPECT_TRUE(folder_.load(Round{2}));
  }
  fs::resize_file(file, 8 * Manifest::kChunk);
  EXPECT_FALSE(folder_.load(Round{2})) << "a part is missing";
  fs::resize_file(file, 9 * Manifest::kChunk);
  EXPECT_FALSE(folder_.load(Round{2})) << "a hole is in its place";
  fs::resize_file(file, 10 * Manifest::kChunk);
  EXPECT_FALSE(folder_.load(Round{2})) << "one too many";
}

// Nothing else says what the ledger was.
TEST_F(Snapshots, WithADamagedLedgerIsNotLoaded) {
  take(1, "state");
  const std::string file = folder_.path_of(Round{1}) + "/ledger";
  ASSERT_TRUE(folder_.load(Round{1}));
  EXPECT_TRUE(folder_.load(Round{1})->ledger);
  flip(file, 3);
  EXPECT_FALSE(folder_.load(Round{1}));
  flip(file, 3);
  ASSERT_TRUE(folder_.load(Round{1}));
  fs::resize_file(file, 7);
  EXPECT_FALSE(folder_.load(Round{1}));
  fs::remove(file);
  EXPECT_FALSE(folder_.load(Round{1}));
}

// A held one of the rest stays too, and displaces nothing.
TEST_F(Snapshots, WhatIsHeldStays) {
  for (std::uint64_t slot = 1; slot <= 5; ++slot) take(slot, "state");
  const auto all = [](Round) { return true; };
  EXPECT_TRUE(folder_.keep(2, all, [](Round slot) { return slot == Round{2}; }));
  EXPECT_EQ(folder_.slots(), (std::vector<Round>{Round{5}, Round{4}, Round{2}}));
  EXPECT_TRUE(folder_.keep(2));
  EXPECT_EQ(folder_.slots(), (std::vector<Round>{Round{5}, Round{4}}));
}

TEST_F(Snapshots, AFlippedBitAnywhereIsFound) {
  take(7, state_of(2'100'000));
  const std::string path = folder_.path_of(Round{7});
  for (const char* name : {"/state", "/manifest", "/ledger"}) {
    const std::uint64_t size = fs::file_size(path + name);
    for (const std::uint64_t byte : {std::uint64_t{0}, size / 2, size - 1}) {
      flip(path + name, byte);
      EXPECT_FALSE(folder_.load(Round{7})) << name << ' ' << byte;
      flip(path + name, byte);
    }
    fs::resize_file(path + name, size - 1);
    EXPECT_FALSE(folder_.load(Round{7})) << name << " is shorter";
    fs::resize_file(path + name, 0);
    EXPECT_FALSE(folder_.load(Round{7})) << name << " is empty";
    fs::remove_all(path);
    take(7, state_of(2'100'000));
  }
  EXPECT_TRUE(folder_.load(Round{7}));
  // Under another slot's name it is not a snapshot of that slot.
  fs::rename(path, folder_.path_of(Round{8}));
  EXPECT_FALSE(folder_.load(Round{8}));
}

// One whose ledger is not known is for its node alone, and has a file of that node.
TEST_F(Snapshots, WithoutALedgerTheOwnFileIsNeeded) {
  const auto file = folder_.begin(Round{7});
  ASSERT_TRUE(file && file->append(as_view("state")) && file->finish(at(7), as_view("mine")));
  const auto back = folder_.load(Round{7});
  ASSERT_TRUE(back && back->own && !back->ledger);
  EXPECT_EQ(as_text(back->own->view()), "mine");
  EXPECT_FALSE(folder_.stored(Round{7})) << "nobody can take it over";
  flip(folder_.path_of(Round{7}) + "/own", 2);
  EXPECT_FALSE(folder_.load(Round{7}));
  fs::remove(folder_.path_of(Round{7}) + "/own");
  EXPECT_FALSE(folder_.load(Round{7}));
}

TEST_F(Snapshots, WhatWasNotFinishedIsNothingAndGoesAway) {
  {
    const auto file = folder_.begin(Round{3});
    ASSERT_TRUE(file && file->append(as_view(state_of(1'500'000))));
  }
  EXPECT_TRUE(folder_.slots().empty());
  take(4, "four");
  EXPECT_EQ(folder_.slots(), (std::vector<Round>{Round{4}}));
  EXPECT_EQ(std::distance(fs::directory_iterator(data_ / "snapshots"), fs::directory_iterator()),
            1);
}

TEST_F(Snapshots, AManifestThatLiesAboutItsSizeIsNone) {
  take(1, state_of(1'200'000));
  Manifest m = folder_.load(Round{1})->manifest;
  for (const std::uint64_t bytes :
       {std::uint64_t{0}, std::uint64_t{1} << 20, std::uint64_t{1} << 63}) {
    Manifest lie = m;
    lie.bytes = bytes;
    EXPECT_FALSE(decode_manifest(encode(lie).view())) << bytes;
  }
  const Bytes good = encode(m);
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(decode_manifest(good.view().first(size)));
}

// Certificates may come late: those that nobody certified yet do not displace the last that were.
TEST_F(Snapshots, OnesThatAreNotCertifiedDoNotDisplaceThoseThatAre) {
  for (std::uint64_t slot = 1; slot <= 8; ++slot) {
    auto file = folder_.begin(Round{slot});
    ASSERT_TRUE(file && file->append(as_view("state")) && file->finish(at(slot), as_view("own")));
  }
  ASSERT_TRUE(folder_.keep(2, [](Round slot) { return slot.value <= 4; }));
  EXPECT_EQ(folder_.slots(), (std::vector<Round>{Round{8}, Round{7}, Round{4}, Round{3}}));
  ASSERT_TRUE(folder_.keep(2, [](Round slot) { return slot.value != 3; }));
  EXPECT_EQ(folder_.slots(), (std::vector<Round>{Round{8}, Round{7}}));
}

class Given final : public Frozen {
 public:
  explicit Given(std::function<bool(const std::function<bool(ByteView)>&)> f) : f_(std::move(f)) {}
  bool write(const std::function<bool(ByteView)>& sink) const override { return f_(sink); }

 private:
  std::function<bool(const std::function<bool(ByteView)>&)> f_;
};

TEST_F(Snapshots, TheWriterKeepsTwoAndSaysWhyOneFails) {
  std::mutex mutex;
  std::condition_variable came;
  std::vector<std::uint64_t> done;
  std::vector<std::string> failed;
  SnapshotWriter writer(folder_, {.verify = true},
                        {[&](const Checkpoint& of, std::uint64_t) {
                           const std::lock_guard lock(mutex);
                           done.push_back(of.slot.value);
                           came.notify_one();
                         },
                         [&](const Checkpoint&, const std::string& why) {
                           const std::lock_guard lock(mutex);
                           failed.push_back(why);
                           came.notify_one();
                         }});
  const auto run = [&](std::uint64_t slot,
                       std::function<bool(const std::function<bool(ByteView)>&)> f) {
    std::unique_lock lock(mutex);
    const std::size_t before = done.size() + failed.size();
    writer.take({at(slot), std::make_unique<Given>(std::move(f)), {}});
    EXPECT_TRUE(came.wait_for(lock, std::chrono::seconds(20),
                              [&] { return done.size() + failed.size() > before; }));
  };
  for (std::uint64_t slot = 1; slot <= 4; ++slot)
    run(slot, [](const auto& sink) { return sink(as_view("state")); });
  EXPECT_EQ(folder_.slots(), (std::vector<Round>{Round{4}, Round{3}}));
  run(5, [](const auto&) -> bool { throw std::runtime_error("no memory"); });
  run(6, [](const auto&) { return false; });
  run(4, [](const auto& sink) { return sink(as_view("again")); });
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_NE(failed[0].find("no memory"), std::string::npos);
  EXPECT_NE(failed[1].find("gave up"), std::string::npos);
  EXPECT_EQ(folder_.slots(), (std::vector<Round>{Round{4}, Round{3}})) << "what there was stays";
  EXPECT_EQ(as_text(folder_.load(Round{4})->state.view()), "again") << "or is replaced";
}

// A hook came under the writer's own lock, and ThreadSanitizer found the order of locks above to be
// a cycle.
TEST_F(Snapshots, AHookMayAskTheWriter) {
  std::promise<bool> busy;
  SnapshotWriter* asked = nullptr;
  SnapshotWriter writer(folder_, {},
                        {[&](const Checkpoint&, std::uint64_t) { busy.set_value(asked->busy()); },
                         [&](const Checkpoint&, const std::string&) { busy.set_value(false); }});
  asked = &writer;
  writer.take(
      {at(1), std::make_unique<Given>([](const auto& sink) { return sink(as_view("s")); }), {}});
  EXPECT_TRUE(busy.get_future().get());
}

// The log needs that space now, and the next snapshot may be due in hours.
TEST_F(Snapshots, WhatCouldNotBeWrittenTakesNoSpace) {
  std::promise<std::string> failed;
  SnapshotWriter writer(
      folder_, {},
      {[](const Checkpoint&, std::uint64_t) {},
       [&](const Checkpoint&, const std::string& why) { failed.set_value(why); }});
  const std::string state = state_of(3'000'000);
  const Full full(1'500'000);
  writer.take(
      {at(1), std::make_unique<Given>([&](const auto& sink) { return sink(as_view(state)); }), {}});
  auto why = failed.get_future();
  ASSERT_EQ(why.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_FALSE(why.get().empty());
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

// As where the disk does not read a place any more: the kernel has no page for it.
TEST_F(Snapshots, AFileThatCannotBeReadAnyMoreIsDamagedAndEndsNobody) {
  take(1, state_of(3'000'000));
  const auto loaded = folder_.load(Round{1});
  ASSERT_TRUE(loaded);
  const auto file = ReadFile::open(folder_.path_of(Round{1}) + "/state");
  ASSERT_TRUE(file);
  SnapshotService service(
      folder_, 4, {[](NodeId, const Frame&) { return true; }, [] { return std::uint64_t{1}; }});
  ASSERT_TRUE(service.stored(Round{1}));
  fs::resize_file(folder_.path_of(Round{1}) + "/state", 1'000'000);
  EXPECT_FALSE(consists_of(*file, loaded->manifest.chunks));
  service.want(NodeId{2}, {Round{1}, SnapshotFileName::kState, 2});
  (void)service.step();
  EXPECT_EQ(service.served(NodeId{2}), 0u);
}

// A page may leave the memory after it was checked, and come back from the disk as something else,
// or not at all.
TEST_F(Snapshots, WhatWasCheckedIsWhatIsGiven) {
  const std::string state = state_of(3'000'000);
  take(1, state);
  const std::string path = folder_.path_of(Round{1});
  const auto loaded = folder_.load(Round{1});
  ASSERT_TRUE(loaded);
  flip(path + "/state", 2'000'000);
  flip(path + "/ledger", 1);
  EXPECT_EQ(as_text(loaded->state.view()), state);
  EXPECT_EQ(as_text(loaded->ledger->view()), "ledger");
  for (const char* file : {"/state", "/ledger"}) fs::resize_file(path + file, 0);
  EXPECT_EQ(as_text(loaded->state.view()), state);
  EXPECT_EQ(as_text(loaded->ledger->view()), "ledger");
  ASSERT_EQ(save_snapshot(data_.string(), {Bytes::copy_of(as_view("mine")),
                                           Bytes::copy_of(as_view("of the application")),
                                           hash(as_view("its state"))}),
            "");
  const auto at_stop = load_snapshot(data_.string());
  ASSERT_TRUE(at_stop);
  fs::resize_file(data_ / "snapshot", 0);
  EXPECT_EQ(as_text(at_stop->own), "mine");
  EXPECT_EQ(as_text(at_stop->app), "of the application");
  EXPECT_EQ(at_stop->state, hash(as_view("its state")));
}

// A node that was killed while it took its state from peers, and got level by their logs, kept what
// it had of that state for ever.
TEST_F(Snapshots, WhatWasBegunToBeTakenFromPeersGoesWhenTheOwnLogHasItsSlot) {
  take(3, "state");
  for (const char* slot : {"/5", "/7", "/9"}) {
    fs::create_directory(folder_.path() + slot + SnapshotFolder::kIncoming);
    std::ofstream(folder_.path() + slot + SnapshotFolder::kIncoming + "/state") << "a part";
  }
  folder_.remove_unfinished(Round{5});
  EXPECT_FALSE(fs::exists(folder_.path() + "/5.incoming"));
  EXPECT_TRUE(fs::exists(folder_.path() + "/7.incoming/state")) << "it may go on";
  take(8, "state");
  EXPECT_FALSE(fs::exists(folder_.path() + "/7.incoming"));
  EXPECT_TRUE(fs::exists(folder_.path() + "/9.incoming/state"));
  EXPECT_EQ(folder_.slots(), (std::vector<Round>{Round{8}, Round{3}}));
}

// Its data were moved away while it runs: a new folder at the old place would not be the node's.
TEST_F(Snapshots, NoFolderIsMadeWhereTheDataWere) {
  fs::rename(data_, data_.string() + "-moved");
  EXPECT_FALSE(folder_.begin(Round{1}));
  EXPECT_FALSE(fs::exists(data_));
  fs::rename(data_.string() + "-moved", data_);
  take(1, "state");
}

TEST_F(Snapshots, ADiskThatIsFullInTheMiddleCostsThatSnapshotAlone) {
  take(1, state_of(3'000'000));
  {
    const Full full(1'500'000);
    const auto file = folder_.begin(Round{2});
    ASSERT_TRUE(file);
    EXPECT_FALSE(file->append(as_view(state_of(3'000'000))));
  }
  EXPECT_EQ(folder_.slots(), (std::vector<Round>{Round{1}}));
  EXPECT_TRUE(folder_.load(Round{1}));
  {
    const Full full(100);  // the state fits, what is beside it does not
    const auto file = folder_.begin(Round{3});
    ASSERT_TRUE(file && file->append(as_view("small")));
    EXPECT_FALSE(file->finish(at(3), as_view(std::string(500, 'o'))));
  }
  EXPECT_EQ(folder_.slots(), (std::vector<Round>{Round{1}}));
  take(4, "room again");
  EXPECT_TRUE(folder_.load(Round{4}));
}

// The disk changed the newest one; the start took an older one, and the log came to that slot
// again.
TEST_F(Snapshots, OneOfASlotThatIsThereReplacesIt) {
  take(5, state_of(3'000'000));
  flip(folder_.path_of(Round{5}) + "/state", 1'000'000);
  ASSERT_FALSE(folder_.load(Round{5}));
  take(5, state_of(3'000'000));
  EXPECT_TRUE(folder_.load(Round{5}));
  EXPECT_EQ(folder_.slots(), (std::vector<Round>{Round{5}}));
  folder_.remove_unfinished();
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_.path())) ++entries;
  EXPECT_EQ(entries, 1u) << "nothing is left of the damaged one";
}

}  // namespace
}  // namespace thresher::net
