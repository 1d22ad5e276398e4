// A newcomer's protocol gets the part of the log in front of its snapshot, if it is the one that a
// quorum certified.
#include "life/log_window.hpp"

#include <gtest/gtest.h>

#include "told_log.hpp"

namespace thresher::net {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;

/// Commits 1 to 6; the snapshot is of slot 5, and the window begins behind slot 2.
struct Window : testing::Test {
  Window() {
    for (std::uint64_t slot = 1; slot <= 6; ++slot) {
      log.push_back(commit_at(slot, "commit " + std::to_string(slot)));
      hashes.push_back(chained(hashes.empty() ? Digest{} : hashes.back(), log.back()));
    }
    ledger.checkpoint = {Round{5}, 5, hashes[4], {}, {}};
    ledger.window_before = Round{2};
    ledger.window_hash = hashes[1];
    ledger.progress = {{7, Bytes::copy_of(as_view("progress")), {}, {}}};
  }
  std::unique_ptr<LogWindow> begin() {
    auto out = std::make_unique<LogWindow>(
        *Committee::of(4), NodeId{0}, LogForm{{}, 4, &plain_id_of}, ledger,
        LogWindow::Hooks{[this](NodeId to, const Frame& f) {
                           if (f.kind == kWantLog) giver = to;
                         },
                         [](NodeId, const std::string&) {},
                         [this](NodeId who, Round begins) { pruned.emplace_back(who, begins); },
                         [this](const Commit& c, const std::vector<Persist>& progress) {
                           EXPECT_EQ(progress.size(), 1u);
                           given.push_back(c.slot.value);
                           return std::vector<Persist>{{9, slot_key(c.slot), {}, {}}};
                         },
                         [this](bool certified) { ended.push_back(certified); }});
    out->begin(now);
    return out;
  }
  void give(LogWindow& window, const std::vector<Commit>& commits) {
    window.part(giver, part_of(commits, 6), now);
    Digest hash = hashes[commits.front().slot.value - 2];
    for (const Commit& c : commits) hash = chained(hash, c);
    for (std::uint16_t peer = 1; peer < 3; ++peer)
      window.hash(NodeId{peer}, hash_frame(commits.back().slot.value, hash), now);
  }

  std::uint64_t now = 10 * kSecond;
  std::vector<Commit> log;
  std::vector<Digest> hashes;  // after each
  PortableLedger ledger;
  NodeId giver{};
  std::vector<std::pair<NodeId, Round>> pruned;
  std::vector<std::uint64_t> given;
  std::vector<bool> ended;
};

TEST_F(Window, EndsAtTheCheckpointWithTheRecordsOfEachCommit) {
  const auto window = begin();
  give(*window, {log[2], log[3]});
  EXPECT_TRUE(ended.empty());
  give(*window, {log[4], log[5]});
  EXPECT_EQ(ended, std::vector<bool>{true});
  EXPECT_EQ(given, (std::vector<std::uint64_t>{3, 4, 5}));  // nothing behind it
  const auto records = window->take_records();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[2].key, slot_key(Round{5}));
  EXPECT_EQ(window->ledger().checkpoint, ledger.checkpoint);
}

// f + 1 peers are believed about the log, and a quorum about the checkpoint.
TEST_F(Window, IsNotTheOneOfTheSnapshot) {
  const auto window = begin();
  give(*window, {log[2], log[3], commit_at(5, "another")});
  EXPECT_EQ(ended, std::vector<bool>{false});
}

TEST_F(Window, WhoHasPrunedItIsNamed) {
  const auto window = begin();
  wire::LogPart part;
  part.head = Round{9};
  part.begins = Round{4};
  window->part(giver, {kLogPart, wire::encode(part), {}}, now);
  ASSERT_EQ(pruned.size(), 1u);
  EXPECT_EQ(pruned[0].second, Round{4});
  EXPECT_TRUE(ended.empty());
}

}  // namespace
}  // namespace thresher::net
