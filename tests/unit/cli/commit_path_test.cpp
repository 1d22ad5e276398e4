#include "cluster/commit_path.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "cluster/commit_traces.hpp"

namespace thresher::cli {
namespace {

using net::TraceMark;
using net::TraceRecord;
using Records = std::vector<TraceRecord>;

constexpr std::uint64_t kClient = 99, kPosition = 40;

/// A block of node `author`: composed at `t`, signed 2 later, written 1 later, synced 5 later,
/// noticed 1 later, sent 3 later.
void composes(Records& at, std::uint64_t id, std::uint64_t round, std::uint64_t t) {
  at.push_back({TraceMark::kComposed, 0, t, id, round, 0});
  at.push_back({TraceMark::kSigned, 0, t + 2, id, 0, 0});
  at.push_back({TraceMark::kSynced, 0, t + 8, id, t + 3, 0});
  at.push_back({TraceMark::kWoken, 0, t + 9, id, 0, 0});
  at.push_back({TraceMark::kSent, 0, t + 12, id, 0, 0});
}

/// Read at `t`, verified 4 later, accepted 1 later.
void receives(Records& at, std::uint64_t id, std::uint16_t author, std::uint64_t round,
              std::uint64_t t) {
  at.push_back({TraceMark::kReceived, author, t, id, 0, 0});
  at.push_back({TraceMark::kAsked, author, t, id, 0, 0});
  at.push_back({TraceMark::kVerified, 0, t + 4, id, 0, 0});
  at.push_back({TraceMark::kAccepted, author, t + 5, id, round, 0});
}

/// Node 0 takes a transaction; node 1 answers its block with one of the next round, on which the
/// transaction is ordered.
std::vector<Records> there_and_back() {
  Records zero, one;
  zero.push_back({TraceMark::kTaken, 0, 1010, kClient, 5, 9});
  zero.push_back({TraceMark::kPacked, 0, 1013, 0, 0, 0});
  composes(zero, 7, 3, 1020);
  receives(one, 7, 0, 3, 1040);
  composes(one, 8, 4, 1050);
  receives(zero, 8, 1, 4, 1070);
  zero.push_back({TraceMark::kOrdered, 0, 1076, 7, 3, 0});
  zero.push_back({TraceMark::kAnswered, 0, 1080, 7, kPosition - 2, 5});
  return {zero, one};
}

std::vector<NodeTrace> traces_of(const std::vector<Records>& records) {
  std::vector<NodeTrace> out(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) out[i].add(records[i]);
  return out;
}

TracedTransaction transaction() {
  return {kClient, 6, kPosition, 0, 1000, 1090};
}

std::uint64_t of(const CommitPath& path, Step step) {
  return path.us[static_cast<std::size_t>(step)];
}

TEST(CommitPath, EveryStepHasItsTimeAndTheyAddUp) {
  const auto path = path_of(traces_of(there_and_back()), transaction());
  ASSERT_TRUE(path);
  EXPECT_EQ(path->blocks, 2u);
  EXPECT_EQ(of(*path, Step::kToNode), 10u);
  EXPECT_EQ(of(*path, Step::kPool), 3u);
  EXPECT_EQ(of(*path, Step::kBlock), 7u);
  EXPECT_EQ(of(*path, Step::kSign), 2u * 2);
  EXPECT_EQ(of(*path, Step::kWriterWakes), 2u * 1);
  EXPECT_EQ(of(*path, Step::kSync), 2u * 5);
  EXPECT_EQ(of(*path, Step::kLoopWakes), 2u * 1);
  EXPECT_EQ(of(*path, Step::kSend), 2u * 3);
  EXPECT_EQ(of(*path, Step::kLink), 8u + 8);
  EXPECT_EQ(of(*path, Step::kVerify), 2u * 4);
  EXPECT_EQ(of(*path, Step::kParents), 2u * 1);
  EXPECT_EQ(of(*path, Step::kHeld), 5u);
  EXPECT_EQ(of(*path, Step::kOrder), 1u);
  EXPECT_EQ(of(*path, Step::kOwnDisk), 0u);
  EXPECT_EQ(of(*path, Step::kApply), 4u);
  EXPECT_EQ(of(*path, Step::kToClient), 10u);
  EXPECT_EQ(std::accumulate(path->us.begin(), path->us.end(), std::uint64_t{0}), 90u);
}

// A decision waits until an own block is durable, as does everything that others see.
TEST(CommitPath, TheOwnDiskHasAShareOfItsOwn) {
  auto records = there_and_back();
  Records& zero = records[0];
  zero.resize(zero.size() - 2);
  composes(zero, 9, 4, 1068);  // durable and noticed at 1077
  zero.push_back({TraceMark::kOrdered, 0, 1078, 7, 3, 0});
  zero.push_back({TraceMark::kAnswered, 0, 1080, 7, kPosition, 1});
  const auto path = path_of(traces_of(records), transaction());
  ASSERT_TRUE(path);
  EXPECT_EQ(of(*path, Step::kOrder), 1u);
  EXPECT_EQ(of(*path, Step::kOwnDisk), 2u);
  EXPECT_EQ(std::accumulate(path->us.begin(), path->us.end(), std::uint64_t{0}), 90u);
}

TEST(CommitPath, WithoutAllOfItThereIsNone) {
  const auto traces = traces_of(there_and_back());
  const auto none = [&](TracedTransaction t) { return !path_of(traces, t).has_value(); };
  TracedTransaction t = transaction();
  EXPECT_FALSE(none(t));
  t.position = kPosition + 5;  // of no block
  EXPECT_TRUE(none(t));
  t = transaction();
  t.sequence = 4;  // nobody took it
  EXPECT_TRUE(none(t));
  t = transaction();
  t.client = kClient + 1;
  EXPECT_TRUE(none(t));
  t = transaction();
  t.node = 1;  // that ordered nothing
  EXPECT_TRUE(none(t));
  t.node = 2;  // there is none
  EXPECT_TRUE(none(t));
  auto records = there_and_back();
  records[1].clear();  // it was killed before it wrote
  EXPECT_FALSE(path_of(traces_of(records), transaction()));
}

TEST(NodeTrace, DutiesCountBetweenTwoTimesAndAcrossARestart) {
  NodeTrace trace;
  const auto spent = [](std::uint64_t at, std::uint64_t ns, std::uint64_t turns) {
    return TraceRecord{TraceMark::kSpent, 3, at, 0, ns, turns};
  };
  trace.add({spent(10, 100, 1), spent(20, 300, 2)});
  trace.add({spent(40, 50, 1), spent(50, 70, 2)});
  ASSERT_EQ(trace.spent(15, 45).size(), 4u);
  EXPECT_EQ(trace.spent(15, 45)[3].ns, 370u - 100);
  EXPECT_EQ(trace.spent(15, 45)[3].turns, 4u - 1);
  EXPECT_EQ(trace.spent(0, 100)[3].ns, 370u);
}

class TraceFiles : public testing::Test {
 protected:
  void SetUp() override {
    home_ = testing::TempDir() + "traces" + std::to_string(::getpid());
    std::filesystem::create_directories(home_ + "/node0");
    std::filesystem::create_directories(home_ + "/node1");
  }
  void TearDown() override { std::filesystem::remove_all(home_); }
  static void write(const std::string& file, const Records& records) {
    std::ofstream out(file, std::ios::binary);
    for (const TraceRecord& r : records) {
      const auto bytes = net::encode_trace(r);
      out.write(reinterpret_cast<const char*>(bytes.data()),
                static_cast<std::streamsize>(bytes.size()));
    }
  }
  std::string home_;
};

TEST_F(TraceFiles, ATableHasTheSpreadOfEachStep) {
  CommitTraces traces(home_, 2);
  for (std::size_t i = 0; i < 2; ++i) write(traces.verb(i).back(), there_and_back()[i]);
  traces.answered(transaction());
  TracedTransaction unknown = transaction();
  unknown.position = 1;
  traces.answered(unknown);
  const auto table = traces.table(0, ~std::uint64_t{0});
  ASSERT_TRUE(table) << table.error();
  EXPECT_EQ(table->transactions, 1u);
  EXPECT_EQ(table->left_out, 1u);
  EXPECT_DOUBLE_EQ(table->latency.p50, 0.09);
  EXPECT_DOUBLE_EQ(table->steps[static_cast<std::size_t>(Step::kSync)].p99, 0.01);
  EXPECT_DOUBLE_EQ(table->blocks_p50, 2);
}

TEST_F(TraceFiles, EachStartOfANodeHasAFileOfItsOwn) {
  CommitTraces traces(home_, 2);
  EXPECT_NE(traces.verb(0).back(), traces.verb(0).back());
}

TEST_F(TraceFiles, AFileThatIsMissingIsSaid) {
  CommitTraces traces(home_, 1);
  const std::string file = traces.verb(0).back();
  const auto table = traces.table(0, 1);
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().text().find(file), std::string::npos) << table.error();
}

TEST_F(TraceFiles, OfManyTransactionsSomeAreKept) {
  CommitTraces traces(home_, 0);
  for (std::size_t i = 0; i < 3 * CommitTraces::kMost; ++i) traces.answered(transaction());
  const auto table = traces.table(0, 1);
  ASSERT_TRUE(table);
  EXPECT_LT(table->left_out, CommitTraces::kMost);
  EXPECT_GE(table->left_out, CommitTraces::kMost / 2);
}

}  // namespace
}  // namespace thresher::cli
