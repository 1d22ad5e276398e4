// Runs whose nodes pack requests into blocks, and what they tell of throughput.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "thresher/sim/commits.hpp"
#include "thresher/sim/outcome.hpp"
#include "thresher/sim/read.hpp"

namespace thresher::sim {
namespace {

Experiment read(const std::string& members) {
  const auto out =
      read_experiments("{\"schema\": 1, " + members + "}", {"e", {}, simulated_protocols()});
  if (!out) {
    ADD_FAILURE() << testing::PrintToString(out.error());
    return {};
  }
  return out->front().experiment;
}

// 4,000 requests of 100 bytes a second over ten regions: 40 at each of 10 nodes every 100 ms.
Experiment loaded(const std::string& protocol = "thresher", const std::string& more = "") {
  return read(R"("protocol": {"name": ")" + protocol + R"("}, "committee": {"n": 10},
    "engine": "events", "network": {"wan": "aws", "nic": {"mbit_per_s": 1000}},
    "workload": {"kind": "open", "interval": 100, "burst": 40, "bytes": 100,
                 "block_bytes": 65536}, "stop": {"time": 8000})" +
              more);
}

std::uint64_t bytes_sent(const Outcome& out) {
  return std::accumulate(
      out.nodes.begin(), out.nodes.end(), std::uint64_t{0},
      [](std::uint64_t sum, const NodeMeasures& n) { return sum + n.bytes_sent; });
}

// In eight seconds, what is under way at the stop counts: of anchored-bullshark what came since the
// last anchor, of PBFT four payloads a node and half a second of requests in the pools. In thirty
// seconds PBFT delivers 3,800 a second.
TEST(Throughput, WhatIsOfferedIsDelivered) {
  struct Case {
    const char* protocol;
    double share;  // of what is offered
    std::uint64_t backlog;
  };
  for (const Case& c :
       {Case{"thresher", 0.96, 1000}, Case{"mysticeti", 0.96, 1000}, Case{"hotstuff2", 0.96, 1000},
        Case{"anchored-bullshark", 0.9, 1000}, Case{"pbft", 0.75, 4000}}) {
    const Outcome out = simulate(loaded(c.protocol), {});
    EXPECT_EQ(out.verdict, Verdict::kPass) << c.protocol << ": " << out.why;
    EXPECT_GE(out.throughput.per_second, 4000 * c.share) << c.protocol;
    EXPECT_LE(out.throughput.per_second, 4160) << c.protocol;
    EXPECT_GT(out.latencies.size(), 4000U * 5) << c.protocol;
    EXPECT_LT(out.throughput.backlog, c.backlog) << c.protocol;
  }
}

// The engine goes node by node through a stretch of time, so notes of several nodes come in any
// order; the first and the last of them were those that came first and last.
TEST(Throughput, IsFromTheFirstDeliveryToTheLastHoweverTheyAreTold) {
  std::vector<Ticks> notes{3000, 3000, 4000, 7000};
  do {
    Served served;
    for (const Ticks at : notes) served.note(at);
    EXPECT_DOUBLE_EQ(served.per_second(), 2 * 1e6 / 4000) << testing::PrintToString(notes);
  } while (std::next_permutation(notes.begin(), notes.end()));
}

TEST(Throughput, SameSeedIsSameRun) {
  const Experiment e = loaded();
  const Outcome one = simulate(e, {});
  EXPECT_EQ(one.trace_hash, simulate(e, {}).trace_hash);
  Experiment apart = e;
  apart.workload.block_bytes = 1000;
  EXPECT_NE(one.trace_hash, simulate(apart, {}).trace_hash);
}

TEST(Throughput, ACardThatIsTooSlowLeavesABacklog) {
  Experiment e = loaded();
  e.network.nic_bits_per_s = 1'000'000;  // each node has 3.6 Mbit/s to send
  const Outcome out = simulate(e, {});
  EXPECT_NE(out.verdict, Verdict::kViolated) << out.why;
  EXPECT_LT(out.throughput.per_second, 2000);
  EXPECT_GT(out.throughput.backlog, 5000U);
  EXPECT_GE(out.throughput.most_backlog, out.throughput.backlog);
}

// Whatever comes finds a payload that leaves at once; only a liar's requests wait, for ever.
TEST(Throughput, NoBacklogIsCountedWhereOnlyLiarsHaveOne) {
  const Experiment e = read(R"("protocol": {"name": "pbft"}, "committee": {"n": 4},
    "workload": {"kind": "open", "interval": 50, "burst": 8, "bytes": 20, "block_bytes": 200},
    "faults": [{"who": [3], "what": "silent"}], "stop": {"time": 400})");
  const Outcome out = simulate(e, {});
  EXPECT_EQ(out.verdict, Verdict::kPass) << out.why;
  EXPECT_EQ(out.throughput.backlog, 0U);
  EXPECT_EQ(out.throughput.most_backlog, 0U);
}

TEST(Throughput, KindsAddUpToWhatNodesSent) {
  const Outcome out = simulate(loaded(), {});
  std::uint64_t bytes = 0;
  std::uint64_t payload = 0;
  for (const SentKind& kind : out.sent) {
    EXPECT_LE(kind.payload_bytes, kind.bytes) << kind.label;
    bytes += kind.bytes;
    payload += kind.payload_bytes;
  }
  EXPECT_EQ(bytes, bytes_sent(out));
  // Every node gets every payload once, less what is under way at the end.
  const double delivered = static_cast<double>(out.latencies.size()) * 100;
  EXPECT_GT(static_cast<double>(payload), 9 * delivered);
  EXPECT_LT(static_cast<double>(payload), 10 * delivered);
}

TEST(Throughput, ClosedClientsArePackedToo) {
  Experiment e = loaded();
  e.workload.kind = Workload::Kind::kClosed;
  e.workload.burst = 1;
  e.workload.clients = 300;
  const Outcome out = simulate(e, {});
  EXPECT_EQ(out.verdict, Verdict::kPass) << out.why;
  // 3,000 in flight, each a little more than half a second: none of them is left behind.
  EXPECT_GT(out.throughput.per_second, 3000);
  EXPECT_LT(*std::max_element(out.latencies.begin(), out.latencies.end()), Ticks{2'000'000});
}

// A payload that grew was handed over when a block already had the one that it replaces, so that
// requests were delivered twice.
TEST(Throughput, NoRequestIsDeliveredTwiceWhereAPayloadGrows) {
  for (const char* engine : {"rounds", "events"}) {
    for (const char* protocol : {"thresher", "mysticeti", "mahi-mahi"}) {
      Experiment e = read(std::string(R"("protocol": {"name": ")") + protocol +
                          R"("}, "committee": {"n": 4}, "engine": ")" + engine +
                          R"(", "workload": {"kind": "closed", "clients": 2,
                          "block_bytes": 65536}, "oracles": {"once": true},
                          "stop": {"time": 60})");
      for (e.seed = 1; e.seed <= 20; ++e.seed) {
        const Outcome out = simulate(e, {});
        EXPECT_EQ(out.verdict, Verdict::kPass)
            << protocol << ", " << engine << ", seed " << e.seed << ": " << out.why;
        EXPECT_GT(out.latencies.size(), 20U);
      }
    }
  }
}

// Valid was one request and nothing else, so that no instance ever had valid values of enough
// nodes.
TEST(Throughput, AgreementOnAnyValueIsReachedOnPackedRequests) {
  for (const char* engine : {"rounds", "events"}) {
    const Outcome out = simulate(read(R"("protocol": {"name": "mvba"}, "committee": {"n": 4},
        "engine": ")" + std::string(engine) +
                                      R"(", "workload": {"kind": "closed", "clients": 3,
        "block_bytes": 4096}, "stop": {"time": 400})"),
                                 {});
    EXPECT_EQ(out.verdict, Verdict::kPass) << engine << ": " << out.why;
    EXPECT_GT(out.decisions, 20U) << engine;
    EXPECT_GT(out.latencies.size(), 4 * 3 * out.decisions / 8) << engine;
  }
}

// Liars, crashes, restarts and loss over packed requests, in both engines.
TEST(Throughput, FaultsChangeNoVerdict) {
  const char* faults[] = {
      R"({"who": {"count": "f"}, "what": "twins"})",
      R"({"who": {"count": "f"}, "what": "equivocate"})",
      R"({"who": {"count": "f"}, "what": "withhold"})",
      R"({"who": {"count": "f"}, "what": "crash", "from": 20, "to": 60})",
      R"({"who": [1, 4], "what": "restart", "from": 20, "to": 60})",
      R"({"who": {"count": "f"}, "what": "flood", "copies": 2})",
  };
  for (const char* engine : {"rounds", "events"}) {
    for (const char* protocol : {"thresher", "anchored-bullshark"}) {
      for (const char* fault : faults) {
        const Experiment e = read(std::string(R"("protocol": {"name": ")") + protocol +
                                  R"("}, "committee": {"n": 7}, "engine": ")" + engine +
                                  R"(", "workload": {"kind": "open", "interval": 1, "burst": 5,
                                  "bytes": 32, "block_bytes": 512}, "faults": [)" +
                                  fault + R"(], "stop": {"time": 150})");
        const Outcome out = simulate(e, {});
        EXPECT_EQ(out.verdict, Verdict::kPass)
            << protocol << ", " << engine << ", " << fault << ": " << out.why;
      }
    }
  }
}

}  // namespace
}  // namespace thresher::sim
