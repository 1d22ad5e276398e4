#include "thresher/sim/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>

#include "thresher/sim/results.hpp"
#include "thresher/sim/statistics.hpp"

namespace thresher::sim {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// An engine of the test's own: measures that follow from n and seed.
Outcome sample(const Experiment& e) {
  Outcome out;
  out.verdict = e.seed == 13 ? Verdict::kViolated : Verdict::kPass;
  out.oracle = e.seed == 13 ? "agreement" : "";
  out.messages = e.n * 100 + e.seed;
  out.decisions = e.n;
  out.time = 1500;
  for (Ticks t = 100; t >= 1; --t) out.latencies.push_back(t * kUnit);
  out.nodes.resize(2);
  out.nodes[1].faulty = true;
  out.measures = {{"hops", e.n / 2.0}, {"a, b", 1}};
  out.cpu_s = 0.5;
  return out;
}

class Sweep : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    root_ =
        fs::temp_directory_path() / ("thresher-sweep-" + std::to_string(::getpid()) + info->name());
    fs::create_directories(root_);
    cells_ = *read_experiments(
        R"({"schema": 1, "protocol": {"name": "thresher"}, "repeats": 3, "seed": 10,
        "sweep": {"committee.n": [4, 7], "network.delay": [1, {"min": 1, "max": 2}]}})",
        {"f", {}, protocols_});
  }
  void TearDown() override { fs::remove_all(root_); }

  SweepReport run(const std::string& folder, SweepOptions options = {}) {
    options.out = root_ / folder;
    options.version = "1";
    auto report = run_sweep(
        cells_,
        [this](const Experiment& e) {
          ++runs_;
          return sample(e);
        },
        options);
    EXPECT_TRUE(report) << (report ? "" : report.error().text());
    return report ? *report : SweepReport{};
  }
  std::string content(const std::string& path) const { return load_file(root_ / path)->text; }

  fs::path root_;
  std::vector<ProtocolInfo> protocols_{{"thresher", "", "", 3, {}, {}}};
  std::vector<Cell> cells_;
  std::atomic<int> runs_{0};
};

TEST_F(Sweep, RunsEveryCellAndSumsUp) {
  std::size_t last = 0;
  const SweepReport report = run("all", {.jobs = 3, .progress = [&](const SweepProgress& p) {
                                           EXPECT_EQ(p.done, last + 1);
                                           EXPECT_EQ(p.total, 12U);
                                           last = p.done;
                                         }});
  EXPECT_EQ(report.ran, 12U);
  EXPECT_EQ(report.missing, 0U);
  EXPECT_EQ(report.violated, 0U);
  EXPECT_EQ(runs_, 12);
  const std::string summary = content("all/summary.csv");
  EXPECT_THAT(summary, HasSubstr("committee.n,network.delay,runs,pass,no_progress,violated,"));
  // Messages 410, 411, 412: a mean of 411 within 4.303 / sqrt(3).
  EXPECT_THAT(summary, HasSubstr("4,\"{\"\"min\"\":1,\"\"max\"\":2}\",3,3,0,0,"));
  EXPECT_THAT(summary, HasSubstr(",411.0,2.48"));
  EXPECT_THAT(content("all/runs.csv"), HasSubstr(",0,10,Pass,,000000"));
  EXPECT_THAT(
      summary,
      HasSubstr(",longest_gap_ms,longest_gap_ms_ci95,hops,hops_ci95,\"a, b\",\"a, b_ci95\"\n"));
  EXPECT_THAT(summary, HasSubstr(",3.5,0.0,1.0,0.0\n"));
  EXPECT_THAT(content("all/runs.csv"), HasSubstr(",2.0,1.0\n"));
  const std::string folder = "all/runs/" + run_id(cells_[0].experiment, "1");
  EXPECT_THAT(content(folder + "/nodes.ndjson"), HasSubstr("\"faulty\":true}\n"));
  EXPECT_THAT(content(folder + "/cost.json"), HasSubstr("\"cpu_s\":0.5"));
  EXPECT_EQ(content(folder + "/result.json").find("cpu_s"), std::string::npos);
  EXPECT_EQ(content(folder + "/experiment.json"), write_experiment(cells_[0].experiment) + "\n");
}

TEST_F(Sweep, TakesUpWhereItStopped) {
  (void)run("all");
  fs::remove_all(root_ / "all/runs" / run_id(cells_[5].experiment, "1"));
  const std::string before = content("all/results.ndjson");
  const SweepReport report = run("all");
  EXPECT_EQ(report.ran, 1U);
  EXPECT_EQ(report.reused, 11U);
  EXPECT_EQ(runs_, 13);
  EXPECT_EQ(content("all/results.ndjson"), before);
}

TEST_F(Sweep, ShardsMergeToTheBytesOfOneProcess) {
  (void)run("all", {.jobs = 2});
  std::vector<fs::path> shards;
  for (std::uint32_t i = 0; i < 5; ++i) {
    const std::string name = "shard" + std::to_string(i);
    const SweepReport report = run(name, {.shard = i, .shards = 5});
    EXPECT_EQ(report.missing, 12 - report.ran);
    EXPECT_FALSE(fs::exists(root_ / name / "summary.csv"));
    shards.push_back(root_ / name);
  }
  EXPECT_EQ(runs_, 24);
  const std::vector<fs::path> some(shards.begin(), shards.begin() + 3);
  EXPECT_EQ(merge_sweeps(some, root_ / "some")->missing, 4U);
  const Error missing = summary_of(root_ / "some").error();
  EXPECT_EQ(missing.code, ErrorCode::kMissing);
  EXPECT_EQ(missing.where, (root_ / "some").string());
  EXPECT_THAT(missing.text(), HasSubstr("4 of 12 runs"));
  const auto whole = merge_sweeps(shards, root_ / "whole");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->missing, 0U);
  const auto table = summary_of(root_ / "whole");
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows.size(), 5U);
  EXPECT_EQ(table->rows[0][1], "network.delay");
  EXPECT_EQ(table->rows[1][2], "3");
  for (const char* file : {"cells.ndjson", "results.ndjson", "runs.csv", "summary.csv"}) {
    EXPECT_EQ(content(std::string("whole/") + file), content(std::string("all/") + file)) << file;
  }
}

TEST_F(Sweep, ShardsMayShareAFolder) {
  (void)run("all");
  EXPECT_EQ(run("shared", {.shard = 1, .shards = 2}).missing, 6U);
  EXPECT_EQ(run("shared", {.shard = 0, .shards = 2}).missing, 0U);
  EXPECT_EQ(content("shared/summary.csv"), content("all/summary.csv"));
}

TEST_F(Sweep, RefusesTheFolderOfAnother) {
  (void)run("all");
  const std::vector<Cell> fewer(cells_.begin(), cells_.begin() + 2);
  const auto other = run_sweep(fewer, sample, {.out = root_ / "all", .version = "1"});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kMismatch);
  EXPECT_THAT(other.error().text(), HasSubstr("holds another sweep"));
  ASSERT_TRUE(run_sweep(fewer, sample, {.out = root_ / "few", .version = "1"}));
  const auto merged = merge_sweeps({root_ / "all", root_ / "few"}, root_ / "both");
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().text(), HasSubstr("different sweeps"));
  EXPECT_FALSE(merge_sweeps({root_ / "nothing"}, root_ / "both"));
}

TEST_F(Sweep, AFileThatCannotBeReadHasACodeAndItsPath) {
  const std::string path = (root_ / "none.json").string();
  const Error missing = load_file(path).error();
  EXPECT_EQ(missing.code, ErrorCode::kMissing);
  EXPECT_EQ(missing.where, path);
  EXPECT_EQ(load_file(root_).error().code, ErrorCode::kMalformed);
  EXPECT_EQ(save_file(root_, "x").error().code, ErrorCode::kMalformed);
  EXPECT_EQ(save_file(root_ / "none" / "file", "x").error().code, ErrorCode::kMissing);
}

TEST_F(Sweep, ARunThatBreaksOffFailsTheSweepInWords) {
  const auto report = run_sweep(cells_,
                                [](const Experiment& e) -> Outcome {
                                  if (e.n == 7) throw std::bad_alloc();
                                  return sample(e);
                                },
                                {.out = root_ / "broken", .jobs = 2, .version = "1"});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().text(), HasSubstr("(n = 7, seed 1"));
  EXPECT_GE(run("broken").reused, 1U);
}

TEST_F(Sweep, NamesWhatWasViolated) {
  cells_.resize(1);
  cells_[0].experiment.seed = 13;
  const SweepReport report = run("bad");
  EXPECT_EQ(report.violated, 1U);
  ASSERT_EQ(report.counterexamples.size(), 1U);
  const auto again =
      read_experiments(load_file(report.counterexamples[0])->text, {"f", {}, protocols_});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->front().experiment.seed, 13U);
}

TEST(OutcomeJson, HasTheIssuesKeysInOrder) {
  Experiment e;
  e.seed = 13;
  const std::string line = text::write(outcome_json(e, sample(e)));
  EXPECT_THAT(line, testing::StartsWith(R"({"verdict":"Violated","seed":13,"trace_hash":"00)"));
  EXPECT_THAT(line, HasSubstr(R"("latency_ms":{"mean":50.5,"p50":50.0,"p99":99.0},"requests":{)"));
  EXPECT_THAT(line, HasSubstr(R"("cpu_s":0.5,"rss_bytes":0)"));
  EXPECT_THAT(line, HasSubstr(R"("oracle":"agreement")"));
}

TEST(Statistics, StudentsIntervals) {
  // Textbook: 8 values of mean 5 and deviation 2.138, t(7) = 2.365.
  const MeanWithin m = mean_within({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(m.mean, 5);
  EXPECT_NEAR(*m.half, 1.7875, 1e-3);
  EXPECT_EQ(mean_within({3}).half, std::nullopt);
  EXPECT_EQ(mean_within({1013.7, 1013.7, 1013.7}).half, 0.0);
  EXPECT_EQ(percentile({1, 2, 3, 4}, 0.5), 2);
  EXPECT_EQ(percentile({7}, 0.99), 7);
}

TEST(TraceFile, WritesOneObjectALine) {
  const fs::path path =
      fs::temp_directory_path() / ("thresher-trace-" + std::to_string(::getpid()));
  TraceFile trace(path);
  TraceEvent send;
  send.at = 1500;
  send.node = NodeId{2};
  send.peer = NodeId{1};
  send.number = 7;
  send.round = 3;
  send.label = "pre\"pare";
  send.bytes = 60;
  trace.event(send);
  TraceEvent timer;
  timer.kind = TraceEvent::Kind::kTimer;
  timer.at = 2000;
  timer.node = NodeId{2};
  trace.event(timer);
  EXPECT_TRUE(trace.close());
  EXPECT_EQ(
      load_file(path)->text,
      "{\"at\":1.5,\"event\":\"send\",\"node\":2,\"peer\":1,\"number\":7,\"count\":0,\"bytes\":60,"
      "\"round\":3,\"label\":\"pre\\\"pare\"}\n"
      "{\"at\":2.0,\"event\":\"timer\",\"node\":2,\"round\":0}\n");
  fs::remove(path);
  EXPECT_FALSE(TraceFile("/nowhere/at/all").close());
}

}  // namespace
}  // namespace thresher::sim
