// The harness itself: it passes what is right, finds what is wrong, makes it small, replays it.
#include "thresher/testing/check.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "echo_subject.hpp"
#include "thresher/sim/results.hpp"
#include "thresher/testing/draw.hpp"

namespace thresher {
namespace {

template <Threshold kEnough>
testing::Report check_echo(const std::vector<testing::Property>& properties,
                           const testing::Options& options) {
  const auto run = [](const sim::Experiment& e, const sim::RunOptions& o) {
    return sim::run(EchoSubject<kEnough>(e), e, o);
  };
  return testing::check("echo", run, properties, options, "./test");
}

testing::Options options(std::uint64_t runs) {
  testing::Options o;
  o.runs = runs;
  o.folder = std::filesystem::temp_directory_path() / ("thresher-" + std::to_string(::getpid()));
  std::filesystem::create_directories(o.folder);
  return o;
}

TEST(Check, PassesWhatIsRight) {
  const auto report = check_echo<kQuorum>(
      {testing::agreement(), testing::integrity(), testing::validity()}, options(500));
  EXPECT_TRUE(report.passed) << report.text;
  EXPECT_EQ(report.runs, 500U);
}

TEST(Check, FindsThePlantedBugAndReplaysIt) {
  const auto o = options(2000);
  const auto report = check_echo<kValidity>({testing::agreement()}, o);
  ASSERT_FALSE(report.passed);
  EXPECT_NE(report.text.find("agreement"), std::string::npos) << report.text;
  EXPECT_NE(report.text.find("replay: THRESHER_SCENARIO=" + report.scenario + " ./test"),
            std::string::npos)
      << report.text;
  ::setenv("THRESHER_SCENARIO", report.scenario.c_str(), 1);
  ::testing::internal::CaptureStdout();
  const auto again = check_echo<kValidity>({testing::agreement()}, o);
  const std::string story = ::testing::internal::GetCapturedStdout();
  const auto mended = check_echo<kQuorum>({testing::agreement()}, o);
  ::unsetenv("THRESHER_SCENARIO");
  EXPECT_FALSE(again.passed);
  EXPECT_NE(again.text.find("agreement"), std::string::npos) << again.text;
  EXPECT_NE(story.find("fault `"), std::string::npos) << story;
  EXPECT_TRUE(mended.passed) << mended.text;
  std::filesystem::remove_all(o.folder);
}

TEST(Check, ANamelessPropertyIsNotJudged) {
  const auto report = check_echo<kValidity>({testing::integrity()}, options(200));
  EXPECT_TRUE(report.passed) << report.text;
}

TEST(Check, BoundsMemory) {
  const auto o = options(200);
  EXPECT_TRUE(check_echo<kQuorum>({testing::bounded_memory(56)}, o).passed);
  const auto report = check_echo<kQuorum>({testing::bounded_memory(1)}, o);
  EXPECT_FALSE(report.passed);
  EXPECT_NE(report.text.find("bounded memory: node"), std::string::npos) << report.text;
  std::filesystem::remove_all(o.folder);
}

// A subject that does not say what its nodes hold was within any bound.
struct SilentEcho : EchoSubject<kQuorum> {
  explicit SilentEcho(const sim::Experiment& e) : EchoSubject<kQuorum>(e) {}
  void held(const Echo<kQuorum>&) const = delete;
};

TEST(Check, BoundsNoMemoryThatNobodyTells) {
  const auto run = [](const sim::Experiment& e, const sim::RunOptions& o) {
    return sim::run(SilentEcho(e), e, o);
  };
  const auto o = options(20);
  const auto check = [&](std::uint64_t most) {
    return testing::check("silent", run, {testing::bounded_memory(most)}, o, "./test");
  };
  for (const std::uint64_t most : {0U, 56U}) {
    EXPECT_FALSE(check(most).passed);
    EXPECT_NE(check(most).text.find("give the subject a `held`"), std::string::npos);
  }
  std::filesystem::remove_all(o.folder);
}

// Echo broadcast promises nothing of the kind: a liar's payload may reach some only.
TEST(Check, MissesTotality) {
  const auto o = options(2000);
  const auto report = check_echo<kQuorum>({testing::totality()}, o);
  EXPECT_FALSE(report.passed);
  EXPECT_NE(report.text.find("totality"), std::string::npos) << report.text;
  std::filesystem::remove_all(o.folder);
}

// A property of one's own looks at the nodes; what it says is shrunk and replayed like any other.
struct AuditedEcho : EchoSubject<kQuorum> {
  AuditedEcho(const sim::Experiment& e, std::size_t bound) : EchoSubject<kQuorum>(e), most(bound) {}
  std::optional<sim::Finding> audit(const std::vector<const Node*>& nodes) const {
    for (const Node* node : nodes) {
      if (held(*node) > most) return sim::Finding{"open", std::to_string(held(*node)) + " open"};
    }
    return std::nullopt;
  }
  std::size_t most;
};

TEST(Check, AsksTheSubjectsOwnJudge) {
  const auto o = options(50);
  for (const std::size_t most : {std::size_t{1'000'000}, std::size_t{0}}) {
    const auto run = [most](const sim::Experiment& e, const sim::RunOptions& to) {
      return sim::run(AuditedEcho(e, most), e, to);
    };
    const auto report = testing::check("audited", run, {}, o, "./test");
    EXPECT_EQ(report.passed, most > 0) << report.text;
    EXPECT_EQ(report.text.starts_with("open: "), most == 0) << report.text;
  }
  std::filesystem::remove_all(o.folder);
}

TEST(Check, DrawsAsItIsToldAndShowsEveryRun) {
  auto o = options(30);
  o.jobs = 2;
  o.draw = [](const sim::Experiment& base, std::uint64_t seed) {
    sim::Experiment e = base;
    e.seed = seed;
    e.stop.time = 10 * sim::kUnit;
    e.faults = {testing::crash_of(NodeId{3}, 2, 4)};
    return e;
  };
  std::set<std::uint64_t> seeds;
  std::uint64_t fired = 0;
  o.observe = [&](const sim::Experiment& e, const sim::Outcome& out) {
    seeds.insert(e.seed);
    fired += out.faults_fired;
    EXPECT_TRUE(out.nodes[3].faulty);
  };
  const auto report = check_echo<kQuorum>({testing::agreement(), testing::once()}, o);
  EXPECT_TRUE(report.passed) << report.text;
  EXPECT_EQ(seeds.size(), 30U);
  EXPECT_EQ(fired, 30U);
}

// Over links of four rounds nothing is output in three.
TEST(Check, SaysWhoseRequestWaits) {
  auto o = options(10);
  o.draw = [](const sim::Experiment& base, std::uint64_t seed) {
    sim::Experiment e = base;
    e.seed = seed;
    e.network.delay = {.mean = 4 * sim::kUnit, .min = 4 * sim::kUnit, .max = 4 * sim::kUnit};
    e.workload.requests = e.n;
    return e;
  };
  EXPECT_TRUE(check_echo<kQuorum>({testing::inclusion(20)}, o).passed);
  const auto report = check_echo<kQuorum>({testing::inclusion(3)}, o);
  EXPECT_FALSE(report.passed);
  EXPECT_NE(report.text.find("inclusion: request 1 of node"), std::string::npos) << report.text;
  std::filesystem::remove_all(o.folder);
}

// It delivers what it is handed, before the call returns.
struct Mirror {
  struct Message {};
  struct Output {
    std::uint64_t number = 0;
    Bytes payload;
  };
  struct Request {
    Bytes payload;
  };
  using Fx = EffectsOf<Mirror>;

  Mirror(const Committee&, NodeId id) : first(std::uint64_t{id.value} << 32) {}
  void on(const Requested<Request>& r, Fx& fx) { fx.deliver({first + ++seen, r.request.payload}); }
  void on(const Received<Message>&, Fx&) {}

  std::uint64_t first;
  std::uint64_t seen = 0;
};
struct MirrorSubject : ::thresher::testing::SubjectBase<Mirror> {
  using SubjectBase::facts_of;
  using SubjectBase::SubjectBase;
  static constexpr bool kOrdered = false;
  sim::OutputFacts facts_of(const Mirror::Output& o) const { return {.key = o.number}; }
};

// A closed workload hands the next request out when the last one is delivered.
TEST(Check, AnInstantEndsThoughRequestsAreAnsweredInIt) {
  constexpr std::uint64_t kRounds = 20;
  constexpr std::uint64_t kClients = 3;
  sim::Experiment e;
  e.oracles.totality = false;
  e.workload.clients = kClients;
  e.stop.time = kRounds * sim::kUnit;
  for (const sim::Engine engine : {sim::Engine::kRounds, sim::Engine::kEvents}) {
    e.engine = engine;
    e.workload.one_at_a_time = false;
    const sim::Outcome busy = sim::run(MirrorSubject(e), e, {});
    EXPECT_EQ(busy.verdict, sim::Verdict::kPass) << busy.why;
    EXPECT_EQ(busy.decisions, (kRounds + 1) * kClients);
    e.workload.one_at_a_time = true;
    const sim::Outcome lone = sim::run(MirrorSubject(e), e, {});
    EXPECT_EQ(lone.verdict, sim::Verdict::kPass) << lone.why;
    EXPECT_EQ(lone.decisions, kRounds + 1);
  }
}

// More faulty nodes than PBFT bears, in a committee whose parameters are not the standard ones.
TEST(Check, ASimulatedProtocolsScenarioReplays) {
  auto o = options(20);
  o.base.beyond_f = true;
  o.base.parameters["window"] = std::int64_t{4};
  o.base.faults = {{.who = {NodeId{0}, NodeId{1}}, .what = sim::FaultKind::kSilent}};
  o.sizes = {4};
  o.shrink_runs = 30;
  const std::vector<testing::Property> properties{testing::bounded_liveness(100)};
  const auto report = testing::check("pbft", sim::simulate, properties, o, "./test");
  ASSERT_FALSE(report.passed);
  ::setenv("THRESHER_SCENARIO", report.scenario.c_str(), 1);
  ::testing::internal::CaptureStdout();
  const auto again = testing::check("pbft", sim::simulate, properties, o, "./test");
  const std::string story = ::testing::internal::GetCapturedStdout();
  ::unsetenv("THRESHER_SCENARIO");
  EXPECT_FALSE(again.passed);
  EXPECT_NE(again.text.find("liveness"), std::string::npos) << again.text;
  EXPECT_NE(story.find("fault `silent` fires"), std::string::npos) << story;
  std::filesystem::remove_all(o.folder);
}

TEST(Check, CommandsAreReadBackByAShell) {
  EXPECT_EQ(testing::for_shell("/a/b-c.json"), "/a/b-c.json");
  EXPECT_EQ(testing::for_shell("/my files/it's"), "'/my files/it'\\''s'");
  EXPECT_EQ(testing::for_shell(""), "''");
}

TEST(Check, AScenarioOfAnotherTestIsRefusedInWords) {
  const auto o = options(1);
  ::setenv("THRESHER_SCENARIO", (std::filesystem::path(o.folder) / "none.json").c_str(), 1);
  const auto report = check_echo<kQuorum>({testing::agreement()}, o);
  ::unsetenv("THRESHER_SCENARIO");
  EXPECT_FALSE(report.passed);
  EXPECT_NE(report.text.find("none.json"), std::string::npos) << report.text;
  std::filesystem::remove_all(o.folder);
}

}  // namespace
}  // namespace thresher
