// Peers that prune as fast as they can while a node takes its state from them: what it takes stays
// until it has it. And one that takes nothing, and only says so, does not hold it for ever.
#include <condition_variable>

#include "joins.hpp"
#include "life/snapshot_parts.hpp"
#include "raw_peer.hpp"
#include "thresher/crypto/key_file.hpp"

namespace thresher::net {
namespace {

constexpr char kChooses[] = "takes its state from the snapshot of slot";
constexpr char kEnters[] = "took its state from peers";

/// A thread that comes here waits until it is let go.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    const int mine = ++came_;
    wake_.notify_all();
    wake_.wait(lock, [&] { return open_ || let_ >= mine; });
  }
  /// Whether somebody waits, in the end.
  bool waits() {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, std::chrono::seconds(60), [&] { return came_ > let_; });
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    let_ = came_;
    wake_.notify_all();
  }
  void stay_open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    wake_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  int came_ = 0;
  int let_ = 0;
  bool open_ = false;
};

class Chase : public Joins {
 protected:
  ~Chase() override {
    gate.stay_open();
    for (std::size_t i = 0; i < 4; ++i) p.net.stop(i);  // what they say comes here
  }

  Gate gate;
  std::atomic<int> chosen{0};                   // snapshots that node 3 has chosen
  std::array<std::atomic<int>, 3> snapshots{};  // that the others took
  std::uint64_t hold_bytes = NodeOptions().hold_bytes;

  NodeOptions peer(std::size_t i) {
    NodeOptions out = p.options();
    out.hold_bytes = hold_bytes;
    out.log = [this, i, before = out.log](Level level, const std::string& line) {
      before(level, line);
      if (line.find("took a snapshot of slot") != std::string::npos) ++snapshots[i];
    };
    return out;
  }
  /// Node 3 stands still when it has chosen a snapshot, and when it has entered behind it.
  NodeOptions slow() {
    NodeOptions out = p.options();
    out.log = [this, before = out.log](Level level, const std::string& line) {
      before(level, line);
      const bool chooses = line.find(kChooses) != std::string::npos;
      if (chooses) ++chosen;
      if (chooses || line.find(kEnters) != std::string::npos) gate.pass();
    };
    return out;
  }
  void start_peers() {
    for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(p.net.start(i, peer(i)), "");
    prune_without_node_3(100);
  }
  /// Long enough that nothing of before would be left.
  void peers_go_on() {
    std::array<int, 3> before{};
    for (std::size_t i = 0; i < 3; ++i) before[i] = snapshots[i];
    EXPECT_TRUE(Network::eventually([&] {
      for (int k = 0; k < 4; ++k) p.submit("meanwhile");
      bool all = true;
      for (std::size_t i = 0; i < 3; ++i) all = all && snapshots[i] >= before[i] + 8;
      return all;
    }));
  }
};

// Each time that it has begun, its peers take so many snapshots that all of before would be gone.
TEST_F(Chase, OneSnapshotIsEnoughForANodeThatIsSlowerThanItsPeersPrune) {
  start_peers();
  ASSERT_EQ(p.net.start(3, slow()), "");
  ASSERT_TRUE(gate.waits()) << p.waits_for(3);
  peers_go_on();
  gate.let_go();
  ASSERT_TRUE(gate.waits()) << p.waits_for(3);
  ASSERT_EQ(chosen, 1) << "the one that it had begun was gone";
  peers_go_on();
  gate.stay_open();
  expect_joined();
  EXPECT_EQ(chosen, 1) << "the log behind it was gone";
  p.expect_no_warnings();
}

// So it was before peers kept anything for it, and so it is beyond the bounds: with this schedule
// the test above fails without them.
TEST_F(Chase, WhereNothingIsKeptItHasToBeginAgain) {
  hold_bytes = 0;
  start_peers();
  ASSERT_EQ(p.net.start(3, slow()), "");
  for (int turn = 1; turn <= 3; ++turn) {
    ASSERT_TRUE(gate.waits()) << p.waits_for(3);
    EXPECT_EQ(chosen, turn);
    peers_go_on();
    gate.let_go();
  }
  gate.stay_open();
  expect_joined();
}

// Node 2 never ends the snapshot that it writes, and whenever node 1 has written one, node 0 has no
// more what it was of: no two peers ever had one in common, though the log went on and on.
TEST_F(Chase, NoTwoPeersWriteTheirSnapshotsAtNearlyTheSameSpeed) {
  start_peers();
  p.net.app(2).hold_snapshots(true);
  std::atomic<bool> done{false};
  std::thread paces([&] {
    const auto reaches = [&](std::size_t node, int count) {
      while (snapshots[node] < count && !done)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    while (!done) {
      p.net.app(1).hold_snapshots(true);
      // For some of the questions that a newcomer asks, one a second.
      std::this_thread::sleep_for(std::chrono::seconds(3));
      reaches(0, snapshots[0] + 5);
      const int before = snapshots[1];
      p.net.app(1).hold_snapshots(false);
      reaches(1, before + 1);
    }
  });
  const auto goes_on = [&] {
    p.submit("the log goes on");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  p.payload = 5000;
  for (const int had = snapshots[1]; snapshots[1] < had + 3;) goes_on();  // nothing in common stays
  ASSERT_EQ(p.net.start(3, p.options()), "");
  EXPECT_TRUE(Network::eventually([&] {
    for (int k = 0; k < 10; ++k) goes_on();
    return p.net.app(3).count() + 10 >= p.length;
  })) << p.waits_for(3);
  EXPECT_LT(p.net.app(3).applied(), p.length) << "from a snapshot";
  done = true;
  paces.join();
  for (std::size_t i = 0; i < 3; ++i) p.net.app(i).hold_snapshots(false);
  expect_joined();
}

// A member that says that it takes a snapshot, asks for all of it again and again, and reads
// nothing: it has what it asked for until the log has grown by `hold_bytes`, and then no more.
TEST_F(Chase, AMemberThatAsksAndNeverReadsHoldsTheDiskWithinItsBound) {
  hold_bytes = 8u << 20;
  start_peers();
  const auto key = crypto::load_key(p.net.home(3) + "/node.key");
  ASSERT_TRUE(key);
  RawPeer liar(p.net.genesis().nodes[0].port, *key, 4096);
  ASSERT_TRUE(liar.greet(p.net.genesis().context().chain));
  const auto say = [&](std::uint8_t kind, const Bytes& control) {
    return liar.write(bytes_of({kind, control, {}}));
  };
  ASSERT_TRUE(say(kWantSnapshots, encode(WantSnapshots{})));
  std::optional<Frame> answer;
  do {
    answer = liar.frame();
  } while (answer && answer->kind != kSnapshots);
  ASSERT_TRUE(answer);
  const auto own = decode_own_snapshots(answer->control.view(), 4);
  ASSERT_TRUE(own && !own->offers.empty());
  const Checkpoint taken = own->offers.front().certificate.checkpoint;
  const auto asks = [&] {
    // The node may have had enough of somebody who reads nothing.
    return say(kWantSnapshots, encode(WantSnapshots{taken.slot, {}})) &&
           say(kWantPart, encode(SnapshotPart{taken.slot, SnapshotFileName::kState, 0}));
  };
  const std::string folder =
      p.net.home(0) + "/data/snapshots/" + std::to_string(taken.slot.value) + "/manifest";
  ASSERT_TRUE(asks());
  for (int k = 0; k < 60; ++k) p.submit("the log grows by less than the bound");
  EXPECT_LE(p.begins(0), taken.length);
  EXPECT_TRUE(fs::exists(folder)) << folder;
  EXPECT_TRUE(Network::eventually([&] {
    (void)asks();
    for (int k = 0; k < 4; ++k) p.submit("and now by more");
    return p.begins(0) > taken.length && !fs::exists(folder);
  })) << p.begins(0);
  const std::lock_guard lock(p.mutex);
  const auto told = std::ranges::find_if(p.warnings, [](const std::string& line) {
    return line.find("raise retention.hold_bytes") != std::string::npos;
  });
  ASSERT_NE(told, p.warnings.end());
  EXPECT_EQ(told->rfind("node 3 takes its state from here and was not done in time", 0), 0u)
      << *told;
}

}  // namespace
}  // namespace thresher::net
