// A node that fetched the log from peers crashes at every durable frame of its store: whatever the
// crash leaves is a log without a hole, and the protocol goes on exactly behind its end.
#include <unistd.h>

#include <fstream>

#include "engines/order_engine.hpp"
#include "engines/ordering_protocols.hpp"
#include "ledger/log_reader.hpp"
#include "name_of_suite.hpp"
#include "network.hpp"
#include "store/wal_scan.hpp"
#include "thresher/core/prng.hpp"
#include "thresher/net/coin.hpp"
#include "thresher/net/disk_store.hpp"
#include "thresher/protocols/certified/bullshark.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::net {
namespace {

namespace fs = std::filesystem;

/// Small, so that a catch-up spans several depths of what is kept.
NodeOptions short_memory() {
  NodeOptions o;
  o.gc_rounds = 32;
  o.sync_rounds = 16;
  o.delta_us = 5'000;  // a silent leader costs its patience in every circle
  return o;
}

/// The log as it should be: hashes by slot, in order.
using History = std::vector<std::pair<Round, Digest>>;

/// Holds what an engine delivers against the history, behind the end of a log.
class Host final : public EngineHost {
 public:
  Host(const History& history, std::size_t next) : history_(history), next_(next) {}

  void deliver(Commit commit) override {
    if (next_ > 0 && commit.slot <= history_[next_ - 1].first) return;
    if (next_ == history_.size()) return;
    const Round before = next_ == 0 ? Round{0} : history_[next_ - 1].first;
    const Round expected = history_[next_].first;
    if (commit.slot != expected && problem.empty()) {
      problem = "after slot " + std::to_string(before.value) + " it delivers slot " +
                std::to_string(commit.slot.value) + " instead of " + std::to_string(expected.value);
    }
    if (commit.before != before && problem.empty()) problem = "it names another commit before it";
    ++next_;
  }
  void persist(std::vector<Persist>, std::uint64_t barrier) override { durable = barrier; }
  void send(NodeId, const Frame&) override {}
  void broadcast(const Frame&) override {}
  void arm(TimerId, Delay) override {}
  void cancel(TimerId) override {}
  void verify(const Verify&, std::optional<NodeId>) override {}
  void verify(const VerifyAll&, std::optional<NodeId>) override {}
  void endorse(const Endorse&) override {}
  void accuse(const Accuse&) override { problem = "it accuses itself"; }
  void broken(const std::string& what) override { problem = what; }
  std::optional<Bytes> payload_of(const RecordName&, const Digest&) const override { return {}; }

  std::string problem;
  std::uint64_t durable = 0;

 private:
  const History& history_;
  std::size_t next_;
};

class Crashes : public testing::TestWithParam<std::string> {
 protected:
  void TearDown() override { fs::remove_all(left_); }

  /// A node that came late and caught up by the log of its peers; then what its disk holds.
  void catch_up() {
    for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(net_.start(i, short_memory()), "");
    std::uint64_t sent = 0;
    while (net_.submit(0, "early " + std::to_string(sent++)).slot < 100) {
    }
    ASSERT_EQ(net_.start(3, short_memory()), "");
    ASSERT_TRUE(net_.reaches(3, sent));
    for (int k = 0; k < 10; ++k) net_.submit(3, "late " + std::to_string(k));
    ASSERT_TRUE(net_.reaches(3, sent + 10));
    net_.stop(3);
    fs::create_directories(left_);
    fs::copy(net_.home(3) + "/data/wal", wal());
    WalScan log;
    ASSERT_TRUE(log.open(wal()));
    const auto note = [&](const WalFrame& f) {
      frames_.push_back(f.end.offset);
      return true;
    };
    ASSERT_TRUE(log.read({}, note));
    const auto store = DiskStore::open(left_);
    ASSERT_TRUE(store) << store.error();
    const LogReader reader(**store, log_form_of(net_.genesis()));
    ASSERT_TRUE(reader.each(Round{0}, [&](const LogEntry& e) {
      history_.emplace_back(e.slot, e.log_hash);
      return true;
    }));
  }
  std::string wal() const { return left_ + "/wal"; }
  ChainContext chain() const { return net_.genesis().context(); }

  /// A crash after `frames` of them: what comes behind never reached the disk, and the index is
  /// made again from the log.
  void cut(std::size_t frames) const {
    const auto size = fs::file_size(wal());
    fs::resize_file(wal(), frames == 0 ? 0 : frames_[frames - 1]);
    fs::resize_file(wal(), frames == 0 ? 0 : size);
    fs::remove_all(left_ + "/index");
  }

  /// How many commits the log has; EXPECTs that they are those that it should begin with.
  std::size_t expect_prefix(const DiskStore& store) const {
    const LogReader reader(store, log_form_of(net_.genesis()));
    LogEnd end;
    std::size_t count = 0;
    EXPECT_TRUE(reader.each(Round{0}, [&](const LogEntry& e) {
      EXPECT_TRUE(end.precedes(e)) << missing_between(end, e.before, e.slot);
      end = end_of(e);
      const auto& [slot, hash] = history_.at(count++);
      EXPECT_EQ(e.slot, slot);
      EXPECT_EQ(e.log_hash, hash);
      EXPECT_TRUE(reader.whole(e)) << "a payload of slot " << e.slot.value << " is not there";
      return true;
    }));
    return count;
  }

  /// Commits that the protocol notes as delivered are in the log: the note goes to the disk with
  /// the entry.
  void expect_no_note_without_entry(const DiskStore& store, std::size_t length) const {
    // The others note what they decided, and hand it on again at the start.
    const bool notes_deliveries = GetParam() != "pbft" && GetParam() != "raft" &&
                                  GetParam() != "simplex" && GetParam() != "hotstuff2" &&
                                  GetParam() != "honeybadger";
    if (!notes_deliveries) return;
    static_assert(static_cast<int>(dag::kDelivered) == static_cast<int>(certified::kDelivered));
    const Round last = length == 0 ? Round{0} : history_[length - 1].first;
    ASSERT_TRUE(store.scan(dag::kDelivered, {}, [&](ByteView key, ByteView) {
      EXPECT_LE(Reader(key).u64(), last.value);
      return true;
    }));
  }

  void expect_it_goes_on(const DiskStore& store, std::size_t length) const {
    Host host(history_, length);
    EngineSettings settings{GetParam(), *Committee::of(4), NodeId{3}, chain(),
                            EngineTuning::of(short_memory())};
    if (needs_coin(GetParam())) {
      auto coin = open_coin(net_.genesis(), net_.home(3) + "/coin.key", NodeId{3});
      ASSERT_TRUE(coin) << coin.error();
      settings.shared.coin = *coin;
    }
    const auto engine = make_engine(settings, host);
    ASSERT_TRUE(store.replay([&](const Restored& r) {
      Restored record = r;
      const auto place = store.locate(r.table, r.key.view());
      ASSERT_TRUE(place);
      if (engine->wants_bodies()) record.body = *store.read_body(*place);
      EXPECT_TRUE(engine->push(std::move(record)));
    }));
    (void)engine->push(Start{1});
    (void)engine->run();
    engine->persisted(host.durable);
    EXPECT_EQ(host.problem, "");
  }

  Network net_{4, GetParam()};
  std::string left_ =
      (fs::temp_directory_path() / ("thresher-crashes-" + std::to_string(::getpid()))).string();
  std::vector<std::uint64_t> frames_;  // where each ends
  History history_;
};

TEST_P(Crashes, EveryFrameLeavesAWholeLogAndGoesOnBehindIt) {
  ASSERT_NO_FATAL_FAILURE(catch_up());
  ASSERT_GT(frames_.size(), 10u);
  ASSERT_GT(history_.size(), 12u);
  Prng random(11, 0);
  for (std::size_t frames = frames_.size(); frames-- > 0 && !HasFailure();) {
    // The first ones are those of the catch-up.
    if (frames > CUTS && random.below(frames_.size()) >= CUTS) continue;
    cut(frames);
    const auto store = DiskStore::open(left_);
    ASSERT_TRUE(store) << store.error();
    const std::size_t length = expect_prefix(**store);
    expect_no_note_without_entry(**store, length);
    expect_it_goes_on(**store, length);
    EXPECT_FALSE(HasFailure()) << "after a crash behind frame " << frames << " of "
                               << frames_.size();
  }
}

INSTANTIATE_TEST_SUITE_P(Store, Crashes, testing::ValuesIn(node_protocols()), name_of_suite);

}  // namespace
}  // namespace thresher::net
