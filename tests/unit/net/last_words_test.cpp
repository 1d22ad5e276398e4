// What an operator reads when a node stops: what is wrong, where, and what to do about it.
#include "node/last_words.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "files/advice.hpp"

namespace thresher::net {
namespace {

NodeOptions options() {
  NodeOptions o;
  o.home = "net/node2";
  o.data = "net/node2/data";
  o.genesis = "net/genesis.json";
  return o;
}
const LastWords kWords(options(), 2);

bool says(const Error& e, const std::string& part) {
  return e.text().find(part) != std::string::npos;
}

TEST(LastWords, ADamagedLogIsToldApartFromADiskThatDoesNotRead) {
  const Error damaged = kWords.unreadable(Errc::kCorrupt, "a payload of slot 7");
  EXPECT_EQ(damaged.code, ErrorCode::kCorrupt);
  EXPECT_TRUE(says(damaged, "'net/node2' is damaged (a payload of slot 7)"));
  EXPECT_TRUE(says(damaged, std::string(kObserve)));
  errno = EIO;
  const Error failed = kWords.unreadable(Errc::kIo, "a payload of slot 7");
  EXPECT_NE(failed.code, ErrorCode::kCorrupt);
  EXPECT_TRUE(says(failed, "a payload of slot 7"));
}

TEST(LastWords, AWriteThatFailedSaysWhoseFaultItIs) {
  using Failure = WriterThread::Failure;
  const Error defect = kWords.not_written({ErrorCode::kRejected, "a gap"}, Failure::kDefect);
  EXPECT_TRUE(says(defect, "this is a defect of the program"));
  const Error full = kWords.not_written({ErrorCode::kIo, std::strerror(ENOSPC)}, Failure::kDisk);
  EXPECT_TRUE(says(full, "free space or replace it"));
  const Error files = kWords.not_written({ErrorCode::kIo, std::strerror(EMFILE)}, Failure::kDisk);
  EXPECT_TRUE(says(files, "nothing can be written under 'net/node2'"));
  const Error gone =
      kWords.not_written({ErrorCode::kMissing, "the folder is gone"}, Failure::kDisk);
  EXPECT_TRUE(says(gone, "nothing more was signed: the folder is gone"));
}

// What a pruned log cannot give is not thrown away.
TEST(LastWords, SnapshotsBehindWhichALogBeginsAreKept) {
  const std::string folder = "net/node2/data/snapshots";
  EXPECT_TRUE(says(kWords.restored_wrongly("s", "it", folder, 0), "remove '" + folder + "'"));
  EXPECT_TRUE(says(kWords.restored_wrongly("s", "it", folder, 7), "Keep '" + folder + "'"));
  EXPECT_TRUE(says(kWords.pruned_too_far(7, true), "keep them, mend the application"));
  EXPECT_TRUE(says(kWords.pruned_too_far(7, false), "put 'snapshots' or 'snapshot'"));
}

// Whoever starts it again with the same data might have it sign twice.
TEST(LastWords, AKeyThatMayHaveSignedMoreIsNotStartedAgain) {
  const Error e = kWords.never_twice("peers know more");
  EXPECT_TRUE(says(e, "peers know more: another process runs with this key"));
  EXPECT_TRUE(says(e, std::string(kKeyMayNotSign)));
}

TEST(LastWords, ADifferenceBetweenLogsNamesTheSlotOrWhereItLies) {
  EXPECT_TRUE(says(kWords.differs_from_peers(Round{7}), "that of 2 peers in slot 7"));
  StandingCheck::Finding found{Round{6}, Round{7}, {}, {}};
  EXPECT_TRUE(says(kWords.differs_from_peers(found), "The first slot that differs is 7:"));
  found.first = Round{9};
  EXPECT_TRUE(says(kWords.differs_from_peers(found), "is between 7 and 9:"));
}

TEST(LastWords, TheRemedyForAStateThatDiffersDependsOnWhatIsLeftOfTheLog) {
  Checkpoints::Difference d;
  d.peers = {NodeId{1}, NodeId{3}};
  const Error whole = kWords.differs_in_state(d, false);
  EXPECT_TRUE(says(whole, "those of 2 peers"));
  EXPECT_TRUE(says(whole, "applies its log anew"));
  EXPECT_FALSE(says(whole, "certified snapshot"));
  EXPECT_TRUE(says(kWords.differs_in_state(d, true), "from a certified snapshot on"));
}

TEST(LastWords, EachNamesWhatItIsAbout) {
  EXPECT_EQ(kWords.of_other_genesis("slot 1").where, "net/genesis.json");
  EXPECT_EQ(kWords.pruned_too_far(40, false).where, "net/node2/data");
  EXPECT_TRUE(says(kWords.pruned_too_far(40, false), "begins at position 40"));
  EXPECT_EQ(kWords.restored_wrongly("s", "the state", "r", 0).where, "net/node2/data");
  EXPECT_EQ(kWords.app_threw("it threw").where, "net/node2");
  EXPECT_NE(kWords.app_threw("it threw").remedy, kWords.app_threw_in_log("it threw").remedy);
  EXPECT_TRUE(says(kWords.broken_invariant("pbft", 1, "no two"), "more than 1 members"));
}

}  // namespace
}  // namespace thresher::net
