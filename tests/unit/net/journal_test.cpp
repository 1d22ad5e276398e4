// Journals of protocols: recorded, read back, replayed, damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engines/engine_of.hpp"
#include "full_disk.hpp"
#include "journal/file.hpp"
#include "journal/recording_engine.hpp"
#include "journal/replay_run.hpp"
#include "thresher/net/replay.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;
using journal::EntryKind;
using journal::JournalReader;
using journal::JournalWriter;
using ::testing::HasSubstr;

/// Sums what it is sent: asks for everything that a protocol may ask for, and breaks at a sum.
struct Sum {
  using Message = int;
  using Output = int;
  using Request = int;
  using Fx = Effects<Message, Output>;
  int sum = 0;
  int breaks_at = 1000;
  int differs_at = 1000;  // a protocol that reads what is no input

  void on(const Restored& r, Fx&) { sum += static_cast<int>(r.value.size()); }
  void on(const Start& s, Fx& fx) {
    fx.push(ArmTimer{TimerId{1}, Delay{s.seed}});
    fx.push(CancelTimer{TimerId{2}});
  }
  void on(const Received<Message>& event, Fx& fx) {
    sum += event.message;
    THRESHER_ASSERT(sum < breaks_at, "the sum stays small");
    const Bytes key = Bytes::from(Writer().u64(static_cast<std::uint64_t>(sum)).take());
    fx.push(Persist{1, key, key, {}, true});
    fx.send(event.from, sum >= differs_at ? -sum : sum);
    fx.broadcast(sum);
    fx.deliver(sum);
    fx.push(Verify{Ticket{1}, NodeId{2}, hash(key.view()), {}});
    fx.push(Endorse{Ticket{2}, hash(key.view())});
    fx.push(Accuse{NodeId{3}, key});
  }
  void on(const Requested<Request>& r, Fx& fx) {
    sum += r.request;
    SignatureList list;
    list.signers = NodeSet(4);
    list.signers.insert(NodeId{1});
    list.signatures.push_back({});
    fx.push(VerifyAll{Ticket{3}, {}, std::make_shared<const SignatureList>(list)});
  }
  void on(const Expired& e, Fx& fx) { fx.broadcast(static_cast<int>(e.id.local)); }
  void on(const Verified& v, Fx& fx) { fx.broadcast(v.ok ? 1 : 0); }
  void on(const Endorsed& e, Fx& fx) {
    fx.broadcast(static_cast<int>(std::to_integer<int>(e.signature[0])));
  }
};

struct SumAdapter {
  using Protocol = Sum;
  static std::optional<Frame> encode(int m) {
    Writer w;
    w.u32(static_cast<std::uint32_t>(m));
    return Frame{9, Bytes::from(w.take()), {}};
  }
  static std::optional<int> decode(const Frame& f) {
    Reader in(f.control.view());
    const auto m = static_cast<int>(in.u32());
    return in.done() ? std::optional(m) : std::nullopt;
  }
  static int request(const Bytes& payload, const Digest&) {
    return static_cast<int>(payload.size());
  }
  static void deliver(int sum, EngineHost& host) {
    const auto slot = static_cast<std::uint64_t>(sum);
    const RecordName name{1, Bytes::copy_of(as_view("k"))};
    const auto read = host.payload_of(name, {});
    host.deliver({Round{slot}, {}, {unsigned_block(Round{slot}, read.value_or(Bytes{}), {}, {})}});
  }
  static bool adopts() { return true; }
  static void adopt(const Commit& c, std::deque<InputOf<Sum>>& inputs, std::vector<Persist>& out) {
    inputs.push_back(Received<int>{NodeId{1}, static_cast<int>(c.slot.value)});
    out.push_back({2, Bytes::copy_of(as_view("a")), Bytes::copy_of(as_view("b"))});
  }
  static std::optional<Round> progress_of(const Persist& r) {
    return r.table == 1 ? std::optional(Round{Reader(r.key.view()).u64()}) : std::nullopt;
  }
  static Bytes beyond_log(const Persist&) { return {}; }
  static RecordName record_of(const OrderedBlock&) { return {}; }
  static Pledge pledge(const Sum&) { return {}; }
  static std::uint32_t quorum() { return 1; }
  static std::uint32_t clock_witnesses() { return 0; }
  static std::size_t payload_limit() { return 1; }
  static std::uint64_t window() { return 0; }
  static EngineSample sample(const Sum&) { return {}; }
  static std::size_t pending_submits(const Sum&) { return 0; }
  static constexpr bool kExtends = false;
  static constexpr bool kHashesPayloads = false;
};

MakeEngine make(Sum sum = {}) {
  return [sum](EngineHost& host) -> std::unique_ptr<OrderEngine> {
    return std::make_unique<EngineOf<SumAdapter>>(SumAdapter{}, sum, host);
  };
}

/// Calls the engine back, as a node does that takes what belongs to a commit while it is delivered.
struct Host : EngineHost {
  OrderEngine* engine = nullptr;
  std::uint64_t barrier = 0;
  std::vector<std::string> broke;
  void send(NodeId, const Frame&) override {}
  void broadcast(const Frame&) override {}
  void deliver(Commit c) override { EXPECT_EQ(engine->take_progress(c.slot).size(), 1u); }
  void arm(TimerId, Delay) override {}
  void cancel(TimerId) override {}
  void persist(std::vector<Persist>, std::uint64_t b) override { barrier = std::max(barrier, b); }
  void verify(const Verify&, std::optional<NodeId>) override {}
  void verify(const VerifyAll&, std::optional<NodeId>) override {}
  void endorse(const Endorse&) override {}
  void accuse(const Accuse&) override {}
  void broken(const std::string& what) override { broke.push_back(what); }
  std::optional<Bytes> payload_of(const RecordName&, const Digest&) const override {
    return Bytes::copy_of(as_view("from the disk"));
  }
};

class Journals : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() /
               ("thresher-journal-" + std::to_string(::getpid()) + "-" +
                ::testing::UnitTest::GetInstance()->current_test_info()->name()))
                  .string();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<JournalWriter> writer(std::uint64_t most = 1u << 20) {
    auto made = JournalWriter::create(folder_, {"0.0", "sum", {}, NodeId{2}, {}}, most,
                                      [this](const std::string& line) { told_.push_back(line); });
    EXPECT_TRUE(made);
    path_ = (*made)->path();
    return std::move(*made);
  }

  /// Every kind of call.
  void record(const Sum& sum = {}, std::uint64_t most = 1u << 20) {
    Host host;
    const auto engine = make_recorded(make(sum), host, writer(most));
    host.engine = engine.get();
    (void)engine->push(Restored{7, Bytes::copy_of(as_view("key")), Bytes::copy_of(as_view("v"))});
    (void)engine->push(Start{5});
    (void)engine->run();
    engine->remember(NodeId{1}, {3, 4});
    for (int i = 1; i <= 4; ++i) {
      EXPECT_TRUE(engine->receive(NodeId{1}, *SumAdapter::encode(i)));
      (void)engine->run();
      engine->persisted(host.barrier);
    }
    EXPECT_FALSE(engine->receive(NodeId{1}, Frame{9, {}, {}}));
    engine->submit(Bytes::copy_of(as_view("abc")), hash({}), hash(as_view("x")));
    (void)engine->push(Expired{TimerId{8, Route{{1, 2}, 2}}});
    (void)engine->push(Verified{Ticket{1}, true});
    (void)engine->push(Endorsed{Ticket{2}, Signature{std::byte{7}}});
    (void)engine->run();
    const Commit commit{Round{30}, hash(as_view("c")), {unsigned_block(Round{30}, {}, {}, {})}};
    engine->adopt(commit, Stored::kNo);
    (void)engine->run();
    engine->persisted(host.barrier);
    EXPECT_EQ(engine->records_of(commit).size(), 1u);
    EXPECT_EQ(engine->entry_of(commit, {}).size(), 1u);
    broke_ = host.broke;
    path_ = journal::journals_in(folder_).back();
  }

  Replayed again(const Sum& sum = {}) {
    auto reader = JournalReader::open(path_);
    EXPECT_TRUE(reader);
    Replayed out;
    if (reader->peek() != nullptr) (void)reader->take();
    lines_.clear();
    replay(
        make(sum), *reader,
        [&](std::uint64_t entry, unsigned depth, const std::string& words) {
          lines_.push_back(std::to_string(entry) + std::string(depth, ' ') + words);
        },
        out);
    return out;
  }

  std::string content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void set_content(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }

  std::string folder_, path_;
  std::vector<std::string> told_, lines_, broke_;
};

TEST_F(Journals, EveryKindOfCallIsMadeAgainWithTheSameEffects) {
  record();
  const Replayed r = again();
  ASSERT_FALSE(r.difference) << r.difference->recorded << " | " << r.difference->now;
  EXPECT_EQ(r.end, Replayed::End::kClosed);
  EXPECT_EQ(r.commits, 5u);
  EXPECT_FALSE(r.broken);
  EXPECT_THAT(lines_, ::testing::Contains(HasSubstr("receive from 1: frame of kind 9, 4 bytes")));
  EXPECT_THAT(lines_, ::testing::Contains(HasSubstr("timer expired 8/1/2")));
  // What a host called while it was asked lies inside of the call that led to it.
  EXPECT_THAT(lines_, ::testing::Contains(HasSubstr(" take progress up to slot")));
  EXPECT_TRUE(told_.empty());
  for (const EntryKind k : {EntryKind::kReceive,   EntryKind::kRestored,     EntryKind::kStart,
                            EntryKind::kExpired,   EntryKind::kVerified,     EntryKind::kEndorsed,
                            EntryKind::kSubmit,    EntryKind::kRun,          EntryKind::kPersisted,
                            EntryKind::kAdopt,     EntryKind::kTakeProgress, EntryKind::kEntryOf,
                            EntryKind::kRecordsOf, EntryKind::kRemember,     EntryKind::kSend,
                            EntryKind::kBroadcast, EntryKind::kDeliver,      EntryKind::kArm,
                            EntryKind::kCancel,    EntryKind::kPersist,      EntryKind::kVerify,
                            EntryKind::kVerifyAll, EntryKind::kEndorse,      EntryKind::kAccuse,
                            EntryKind::kRead}) {
    EXPECT_THAT(lines_, ::testing::Contains(HasSubstr(journal::describe(k, {}).substr(0, 5))));
  }
}

TEST_F(Journals, ABrokenInvariantIsOnTheDiskBeforeTheHostIsToldAndComesAgain) {
  Sum sum;
  sum.breaks_at = 6;
  Host host;
  const auto engine = make_recorded(make(sum), host, writer());
  host.engine = engine.get();
  for (int i = 1; i <= 4; ++i) (void)engine->receive(NodeId{1}, *SumAdapter::encode(i));
  (void)engine->run();
  ASSERT_EQ(host.broke.size(), 1u);
  EXPECT_THAT(host.broke[0], HasSubstr("the sum stays small"));
  path_ = journal::journals_in(folder_).back();
  EXPECT_THAT(host.broke[0], HasSubstr(path_));
  // The engine still lives: what follows was read from the file as a dead process leaves it.
  const Replayed r = again(sum);
  EXPECT_FALSE(r.difference);
  ASSERT_TRUE(r.broken);
  EXPECT_THAT(r.broken->what, HasSubstr("the sum stays small"));
  EXPECT_THAT(lines_[r.broken->entry - 2], HasSubstr("broken"));
}

TEST_F(Journals, AProtocolThatDoesSomethingElseIsTold) {
  record();
  Sum other;
  other.differs_at = 3;
  const Replayed r = again(other);
  ASSERT_TRUE(r.difference);
  EXPECT_EQ(r.difference->recorded, "send to 1: frame of kind 9, 4 bytes");
  EXPECT_EQ(r.difference->now, r.difference->recorded);  // the bytes differ, not the words
  EXPECT_EQ(r.commits, 1u);
  other = {};
  other.breaks_at = 3;
  EXPECT_THAT(again(other).difference->now, HasSubstr("broken"));
}

TEST_F(Journals, AFileThatEndsAnywhereIsReadUpToThere) {
  record();
  const std::string whole = content();
  const Replayed all = again();
  std::uint64_t before = 0;
  for (std::size_t size = std::string("thresher journal 1\n").size(); size < whole.size();
       size += 11) {
    set_content(whole.substr(0, size));
    const Replayed r = again();
    EXPECT_FALSE(r.difference) << size << ": " << r.difference->recorded;
    EXPECT_EQ(r.end, Replayed::End::kCut) << size;
    EXPECT_GE(r.calls, before);
    EXPECT_LE(r.calls, all.calls);
    before = r.calls;
  }
  EXPECT_EQ(before, all.calls);
}

TEST_F(Journals, AByteThatChangedIsNamedAndNeverBelieved) {
  record();
  const std::string whole = content();
  for (std::size_t at = std::string("thresher journal 1\n").size(); at < whole.size(); at += 7) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 0x41);
    set_content(bad);
    const Replayed r = again();
    EXPECT_FALSE(r.difference) << at << ": " << r.difference->recorded << " | "
                               << r.difference->now;
    EXPECT_TRUE(r.end == Replayed::End::kDamaged || r.end == Replayed::End::kCut) << at;
    EXPECT_EQ(r.end == Replayed::End::kDamaged, !r.damage.empty()) << at;
  }
}

TEST_F(Journals, OneThatIsFullEndsAndTheProtocolGoesOn) {
  record({}, 600);
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_THAT(told_[0], HasSubstr("has reached 600 bytes"));
  const Replayed r = again();
  EXPECT_EQ(r.end, Replayed::End::kFull);
  EXPECT_FALSE(r.difference);
  EXPECT_LT(fs::file_size(path_), 800u);
}

// It had no end mark, and its node was said to have been killed.
TEST_F(Journals, OneThatAFullDiskEndsSaysSo) {
  record();
  const std::uint64_t whole = fs::file_size(path_);
  std::uint64_t before = 0;
  for (std::uint64_t size = 220; size < whole; size += 17) {
    told_.clear();
    {
      const Full full(size);
      record();
    }
    ASSERT_EQ(told_.size(), 1u) << size;
    EXPECT_THAT(told_[0], HasSubstr("ends, the node goes on without it: File too large"));
    const Replayed r = again();
    EXPECT_EQ(r.end, Replayed::End::kDisk) << size;
    EXPECT_EQ(r.disk, "File too large");
    EXPECT_FALSE(r.difference) << size << ": " << r.difference->recorded;
    // All that fits is there, but where not even the mark does: the calls of the last flush go.
    EXPECT_GE(r.calls + 5, before);
    before = std::max(before, r.calls);
  }
  EXPECT_GT(before, 10u);
}

TEST_F(Journals, AFullDiskMayLeaveTheMarkAlone) {
  const std::size_t head = std::string("thresher journal 1\n").size();
  {
    const Full full(head + 40);
    record();
  }
  EXPECT_EQ(content().size(), head + 13);
  const Error why = replay_journal(path_, {"genesis.json"}).error();
  EXPECT_THAT(why.text(), HasSubstr("its disk took no more (File too large)"));
}

// It was lost without a word, and what came after a cut was written behind a hole.
TEST_F(Journals, WhoeverTouchesTheFileMeanwhileEndsItAndThatIsTold) {
  using Touch = std::function<void(const std::string&)>;
  const std::vector<std::pair<Touch, const char*>> touches{
      {[](const std::string& path) { fs::remove(path); }, "was deleted or moved"},
      {[](const std::string& path) { fs::rename(path, path + "-away"); }, "was deleted or moved"},
      {[](const std::string& path) {
         fs::remove(path);
         std::ofstream(path) << "another";
       },
       "was deleted or moved"},
      {[](const std::string& path) { fs::resize_file(path, 0); }, "it has 0 bytes"},
      {[](const std::string& path) { std::ofstream(path, std::ios::app) << "more"; },
       "somebody else changed it"}};
  for (const auto& [touch, said] : touches) {
    told_.clear();
    Host host;
    const auto engine = make_recorded(make(), host, writer());
    host.engine = engine.get();
    (void)engine->push(Start{5});
    (void)engine->run();
    EXPECT_TRUE(told_.empty());
    path_ = journal::journals_in(folder_).back();
    touch(path_);
    const std::string left = content();
    for (int i = 1; i <= 4; ++i) {
      EXPECT_TRUE(engine->receive(NodeId{1}, *SumAdapter::encode(i)));
      EXPECT_TRUE(engine->run());
    }
    ASSERT_EQ(told_.size(), 1u) << said;
    EXPECT_THAT(told_[0], HasSubstr(said));
    EXPECT_EQ(content(), left);
    fs::remove_all(folder_);
  }
}

TEST_F(Journals, ABrokenInvariantIsNotSaidToStandInAJournalThatHasEnded) {
  Sum sum;
  sum.breaks_at = 6;
  Host host;
  const auto engine = make_recorded(make(sum), host, writer());
  host.engine = engine.get();
  (void)engine->push(Start{5});
  (void)engine->run();
  fs::remove(journal::journals_in(folder_).back());
  for (int i = 1; i <= 4; ++i) (void)engine->receive(NodeId{1}, *SumAdapter::encode(i));
  (void)engine->run();
  ASSERT_EQ(host.broke.size(), 1u);
  EXPECT_THAT(host.broke[0], ::testing::Not(HasSubstr("replay")));
}

TEST_F(Journals, WhatFollowsTheEndMarkIsNamed) {
  for (const std::uint64_t most : {std::uint64_t{600}, std::uint64_t{1} << 20}) {
    record({}, most);
    const std::string whole = content();
    for (const std::string& more : {std::string(1, '\0'), std::string("x"), whole}) {
      set_content(whole + more);
      const Replayed r = again();
      EXPECT_EQ(r.end, Replayed::End::kDamaged);
      EXPECT_THAT(r.damage, HasSubstr("follow its end mark, from byte " +
                                      std::to_string(whole.size()) + " of the file"));
    }
  }
}

// Its node was said to have been killed.
TEST_F(Journals, ADamagedBeginningIsSaidToBeDamaged) {
  record();
  const std::string whole = content();
  const std::size_t head = std::string("thresher journal 1\n").size();
  for (const std::size_t at : {head + 2, head + 5, head + 8, head + 9, head + 40}) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    set_content(bad);
    const Error why = replay_journal(path_, {"genesis.json"}).error();
    EXPECT_THAT(why.what, HasSubstr("is damaged: entry 1, at byte " + std::to_string(head))) << at;
  }
  set_content(whole.substr(0, head + 50));
  EXPECT_THAT(replay_journal(path_, {"genesis.json"}).error().text(),
              HasSubstr("was killed when it had just begun to write, or the file was cut since"));
  set_content("t" + whole);
  EXPECT_THAT(replay_journal(path_, {"genesis.json"}).error().what,
              HasSubstr("is no journal of a node, or its first bytes are damaged"));
}

// A folder with such a name was the newest journal, and the largest number was followed by 0.
TEST_F(Journals, WhatHasTheNameOfAJournalOnlyIsLeftAlone) {
  fs::create_directories(folder_ + "/journal-9");
  ASSERT_EQ(::mkfifo((folder_ + "/journal-10").c_str(), 0600), 0);
  std::ofstream(folder_ + "/mine") << "precious";
  fs::create_symlink(folder_ + "/mine", folder_ + "/journal-11");
  for (const char* name : {"journal-18446744073709551615", "journal-007", "journal-x", "journal-"})
    std::ofstream(folder_ + "/" + name) << "precious";
  EXPECT_TRUE(journal::journals_in(folder_).empty());
  for (int i = 0; i < 3; ++i) record();
  EXPECT_TRUE(told_.empty());
  EXPECT_THAT(journal::journals_in(folder_),
              ::testing::ElementsAre(folder_ + "/journal-13", folder_ + "/journal-14"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}), 10);
  std::ofstream(folder_ + "/journal-1000000000000") << "precious";
  record();
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_THAT(told_[0], HasSubstr("no number is left for it"));
}

TEST_F(Journals, AFolderKeepsThoseOfTheLastTwoStarts) {
  for (int i = 0; i < 5; ++i) record();
  EXPECT_THAT(journal::journals_in(folder_),
              ::testing::ElementsAre(folder_ + "/journal-4", folder_ + "/journal-5"));
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Journals, StartsThatAreRefusedPushNothingOut) {
  record();
  record();
  for (int i = 0; i < 3; ++i) {
    const auto refused = writer();
    EXPECT_TRUE(fs::exists(path_));
  }
  EXPECT_FALSE(fs::exists(path_)) << "it goes with its writer";
  EXPECT_THAT(journal::journals_in(folder_),
              ::testing::ElementsAre(folder_ + "/journal-1", folder_ + "/journal-2"));
}

TEST_F(Journals, AProtocolThatBreaksBeforeItsStartLeavesItsJournal) {
  Host host;
  {
    const auto engine = make_recorded(make({.breaks_at = 1}), host, writer());
    (void)engine->receive(NodeId{1}, *SumAdapter::encode(3));
    (void)engine->run();
  }
  ASSERT_EQ(host.broke.size(), 1u);
  ASSERT_EQ(journal::journals_in(folder_).size(), 1u);
  EXPECT_THAT(host.broke[0], HasSubstr(journal::journals_in(folder_)[0]));
}

TEST_F(Journals, WhatIsNoJournalIsRefusedByWhatItIs) {
  EXPECT_EQ(JournalReader::open(folder_ + "/none").error().code, ErrorCode::kMissing);
  record();
  EXPECT_EQ(JournalReader::open(folder_).error().code, ErrorCode::kMalformed);
  set_content("");
  EXPECT_EQ(JournalReader::open(path_).error().code, ErrorCode::kMalformed);
  set_content("something else that is long enough");
  EXPECT_EQ(JournalReader::open(path_).error().code, ErrorCode::kMalformed);
  set_content("thresher journal 2\n");
  EXPECT_EQ(JournalReader::open(path_).error().code, ErrorCode::kUnsupported);
  set_content("thresher journal 1\n");
  EXPECT_EQ(replay_journal(path_, {"genesis.json"}).error().code, ErrorCode::kMalformed);
}

}  // namespace
}  // namespace thresher::net
