#include "thresher/net/commit_trace.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "node/commit_tracer.hpp"
#include "thresher/protocols/dag/dag.hpp"

namespace thresher::net {
namespace {

class CommitTraceTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::vector<TraceMark> marks() const {
    const auto records = read_commit_trace(path_);
    std::vector<TraceMark> out;
    if (!records) ADD_FAILURE() << records.error();
    if (!records) return out;
    for (const TraceRecord& r : *records) out.push_back(r.mark);
    return out;
  }
  static Digest digest(std::uint8_t n) {
    Digest out;
    out.bytes[0] = std::byte{n};
    return out;
  }
  const std::string path_ = testing::TempDir() + "trace" + std::to_string(::getpid());
};

TEST_F(CommitTraceTest, WhatWasWrittenIsReadAndAnUnfinishedRecordIsNot) {
  const TraceRecord record{TraceMark::kSynced, 3, 4, 5, 6, 7};
  std::ofstream out(path_, std::ios::binary);
  for (int i = 0; i < 2; ++i) {
    const auto bytes = encode_trace(record);
    const std::size_t size = i == 0 ? bytes.size() : bytes.size() - 1;  // the second: killed
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
  }
  out.close();
  const auto records = read_commit_trace(path_);
  ASSERT_TRUE(records) << records.error();
  EXPECT_EQ(*records, std::vector<TraceRecord>{record});
}

TEST_F(CommitTraceTest, WhatIsNoTraceIsRefused) {
  const auto missing = read_commit_trace(path_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kMissing);
  EXPECT_EQ(missing.error().where, path_);
  EXPECT_NE(missing.error().text().find(path_), std::string::npos) << missing.error();
  std::ofstream(path_) << "a text of more than one record's length, which is no trace";
  const auto other = read_commit_trace(path_);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kMalformed);
  EXPECT_NE(other.error().text().find("record 0"), std::string::npos) << other.error();
}

TEST_F(CommitTraceTest, APlaceThatCannotBeWrittenIsSaid) {
  CommitTracer tracer;
  const auto opened = tracer.open(path_ + "/none/trace");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kMissing);
  EXPECT_EQ(opened.error().where, path_ + "/none/trace");
  EXPECT_NE(opened.error().text().find("--trace-commits"), std::string::npos) << opened.error();
}

// One's own block holds everything back until it is durable; those of others only show that they
// count.
TEST_F(CommitTraceTest, AnOwnBlockIsSentWhenItIsDurable) {
  {
    CommitTracer tracer;
    ASSERT_TRUE(tracer.open(path_));
    const auto record = [](std::uint32_t table, std::uint8_t n) {
      return Persist{table,
                     dag::block_key({NodeId{2}, Round{9}, digest(n)}),
                     Bytes::copy_of(as_view("header")),
                     {}};
    };
    const std::vector<Persist> records{record(dag::kBlock, 1), record(dag::kOwn, 2)};
    tracer.persisting(records, 4);
    tracer.durable(3, 10, 11);
    tracer.sent();
    tracer.durable(4, 20, 21);
    tracer.sent();
    tracer.sent();
  }
  const auto records = read_commit_trace(path_);
  ASSERT_TRUE(records) << records.error();
  ASSERT_EQ(marks(), (std::vector{TraceMark::kAccepted, TraceMark::kSynced, TraceMark::kWoken,
                                  TraceMark::kSent}));
  EXPECT_EQ((*records)[0].a, 9u);
  EXPECT_EQ((*records)[0].node, 2u);
  EXPECT_EQ((*records)[1].id, digest(2).prefix());
  EXPECT_EQ((*records)[1].a, 20u);
  EXPECT_EQ((*records)[1].at_us, 21u);
}

TEST_F(CommitTraceTest, AVerdictBelongsToTheBlockThatWasAskedAbout) {
  {
    CommitTracer tracer;
    ASSERT_TRUE(tracer.open(path_));
    tracer.frame_came();
    tracer.asked(Verify{{17, {}}, NodeId{1}, digest(5), {}});
    tracer.verified({16, {}});
    tracer.verified({17, {}});
    tracer.verified({17, {}});
  }
  EXPECT_EQ(marks(), (std::vector{TraceMark::kReceived, TraceMark::kAsked, TraceMark::kVerified}));
}

TEST_F(CommitTraceTest, EachTurnOfADutyCounts) {
  {
    CommitTracer tracer;
    ASSERT_TRUE(tracer.open(path_));
    {
      const auto outer = CommitTracer::on(&tracer, Duty::kProtocol);
      const auto inner = CommitTracer::on(&tracer, Duty::kVerify);
    }
    { const auto again = CommitTracer::on(&tracer, Duty::kVerify); }
    { const auto nobody = CommitTracer::on(nullptr, Duty::kSign); }
    tracer.wrote();
    tracer.tick();
  }
  const auto records = read_commit_trace(path_);
  ASSERT_TRUE(records) << records.error();
  ASSERT_EQ(records->size(), CommitTracer::kDuties);
  const auto turns = [&](Duty d) { return (*records)[static_cast<std::size_t>(d)].b; };
  EXPECT_EQ(turns(Duty::kProtocol), 1u);
  EXPECT_EQ(turns(Duty::kVerify), 2u);
  EXPECT_EQ(turns(Duty::kSign), 0u);
  EXPECT_EQ(turns(Duty::kWrite), 1u);
}

}  // namespace
}  // namespace thresher::net
