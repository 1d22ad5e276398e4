// What a test asks for and cannot have, or never gets, is told in words; so is the seed of a run
// that ends in any other way than a verdict.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>

#include "thresher/core/prng.hpp"
#include "thresher/core/transcript.hpp"
#include "thresher/testing/check.hpp"
#include "thresher/testing/draw.hpp"

namespace thresher {
namespace {

enum class Habit : std::uint8_t { kNone, kThrows, kThrowsAnything, kCrashes, kAborts, kGlobal };

// Its nodes output their own requests at once, keep how many there were, and say so to all.
template <Habit H>
struct Own {
  struct Message {
    std::uint64_t number = 0;
    Bytes payload;
  };
  struct Output {
    NodeId who;
    std::uint64_t number = 0;
    Bytes payload;
  };
  struct Request {
    Bytes payload;
  };
  using Fx = EffectsOf<Own>;

  void on(const Requested<Request>& r, Fx& fx) {
    ++count;
    fx.push(Persist{1, Bytes::copy_of(as_view("n")), Bytes::from(Writer().u64(count).take())});
    fx.broadcast({count, r.request.payload});
    fx.deliver({self, count, r.request.payload});
  }
  void on(const Restored& r, Fx&) { count = Reader(r.value.view()).u64(); }
  void on(const Received<Message>& m, Fx& fx) {
    static Prng shared(1);
    if (H == Habit::kGlobal && shared.below(8) == 0) fx.broadcast({0, {}});
    if (m.message.number != 3) return;
    if (H == Habit::kThrows) throw std::runtime_error("boom at 3");
    if (H == Habit::kThrowsAnything) throw 42;
    if (H == Habit::kCrashes) ::raise(SIGSEGV);
    if (H == Habit::kAborts) std::abort();
  }

  Committee committee;
  NodeId self;
  std::uint64_t count = 0;
};

template <Habit H>
struct OwnSubject : ::thresher::testing::SubjectBase<Own<H>> {
  using Base = ::thresher::testing::SubjectBase<Own<H>>;
  using Base::Base;
  using Base::facts_of;
  static constexpr bool kOrdered = false;
  sim::OutputFacts facts_of(const typename Own<H>::Output& o) const {
    return {.key = o.number * this->committee.size() + o.who.value,
            .digest = hash(o.payload.view())};
  }
  bool mutate(typename Own<H>::Message& m, NodeId, std::string_view field, std::uint64_t) const {
    if (field != "number") return false;
    ++m.number;
    return true;
  }
};

testing::Options options(std::uint64_t runs) {
  testing::Options o;
  o.runs = runs;
  o.jobs = 1;
  o.folder = std::filesystem::temp_directory_path();
  return o;
}

template <Habit H = Habit::kNone>
testing::Report check(const testing::Options& o,
                      const std::vector<testing::Property>& properties = {testing::integrity()}) {
  const auto run = [](const sim::Experiment& e, const sim::RunOptions& to) {
    return sim::run(OwnSubject<H>(e), e, to);
  };
  const auto report =
      testing::check("own-" + std::to_string(::getpid()), run, properties, o, "./test");
  if (!report.scenario.empty()) std::filesystem::remove(report.scenario);
  return report;
}

void expect_told(const testing::Report& report, const std::vector<std::string>& words) {
  EXPECT_FALSE(report.passed);
  for (const std::string& word : words)
    EXPECT_NE(report.text.find(word), std::string::npos) << word << " in: " << report.text;
}

using Change = std::function<void(sim::Experiment&)>;
struct Wrong {
  Change change;
  const char* word;
};

const std::vector<Wrong>& wrong_experiments() {
  static const std::vector<Wrong> list{
      {[](auto& e) { e.network.loss_ppm = 2'000'000; }, "loss"},
      {[](auto& e) {
         e.network.delay = {sim::DelayLaw::Kind::kUniform, 3000, 0, 5000, 1000};
       },
       "min"},
      {[](auto& e) { e.stop.rounds = 0; }, "rounds"},
      {[](auto& e) { e.engine = sim::Engine::kSockets; }, "sockets"},
      {[](auto& e) { e.faults.push_back({.who = {NodeId{9}}, .what = sim::FaultKind::kSilent}); },
       "9"},
      {[](auto& e) {
         e.faults.push_back(
             {.who = {NodeId{1}, NodeId{2}}, .what = sim::FaultKind::kTwins, .group = {NodeId{0}}});
       },
       "2 nodes are faulty"},
      {[](auto& e) {
         e.faults.push_back(
             {.who = {NodeId{1}}, .what = sim::FaultKind::kMutate, .field = "nosuchfield"});
       },
       "nosuchfield"},
  };
  return list;
}

TEST(Campaign, ABaseThatIsNoExperimentIsRefused) {
  for (const Wrong& wrong : wrong_experiments()) {
    auto o = options(10);
    o.sizes = {4};
    wrong.change(o.base);
    const auto report = check(o);
    expect_told(report, {"Options::base, with n = 4: ", wrong.word});
    EXPECT_EQ(report.text.find(": :"), std::string::npos) << report.text;
  }
}

TEST(Campaign, SoIsWhatIsDrawn) {
  auto all = wrong_experiments();
  all.push_back({[](auto& e) { e.n = 0; }, "n:"});
  all.push_back({[](auto& e) { e.f = 3; }, "tolerates at most 1"});
  for (const Wrong& wrong : all) {
    auto o = options(10);
    o.sizes = {4};
    o.draw = [&](const sim::Experiment& base, std::uint64_t seed) {
      sim::Experiment e = base;
      e.seed = seed;
      if (seed == 5) wrong.change(e);
      return e;
    };
    expect_told(check(o), {"seed 5", "Options::draw", wrong.word, "THRESHER_SEED=5 ./test"});
  }
}

TEST(Campaign, BoundsItsThreads) {
  auto o = options(10);
  o.jobs = 100'000;
  expect_told(check(o), {"Options::jobs is 100000"});
}

TEST(Campaign, FailsIfItsDrawMakesNothingOfSeeds) {
  auto o = options(30);
  o.draw = [](const sim::Experiment& base, std::uint64_t) { return base; };
  expect_told(check(o), {"one and the same"});
}

TEST(Campaign, FailsOverNamesThatTheProtocolDoesNotHave) {
  auto o = options(300);
  o.menu.labels = {"nosuchlabel"};
  expect_told(check(o), {"`nosuchlabel`", "message"});
  o.menu.labels.clear();
  o.menu.fields = {"number", "nosuchfield"};
  o.menu.faults = {sim::FaultKind::kMutate};
  expect_told(check(o), {"`nosuchfield`"});
  o.menu.fields = {"number"};
  EXPECT_TRUE(check(o).passed);
}

TEST(Campaign, JudgesSomething) {
  EXPECT_NE(testing::unjudgeable({}, true, false), "");
  EXPECT_EQ(testing::unjudgeable({}, true, true), "");
  EXPECT_NE(testing::unjudgeable({testing::prefix_order()}, false, false), "");
  EXPECT_EQ(testing::unjudgeable({testing::prefix_order()}, true, false), "");
  const auto report = check(options(10), {testing::accountability()});
  EXPECT_TRUE(report.passed) << report.text;
  EXPECT_NE(report.text.find("nobody accused anybody"), std::string::npos) << report.text;
}

// A node that is down when its request comes never heard of it, and liveness blamed it for that.
TEST(Campaign, ANodeThatIsDownIsAskedAgainWhenItIsBack) {
  auto o = options(20);
  o.draw = [](const sim::Experiment& base, std::uint64_t seed) {
    sim::Experiment e = base;
    e.seed = seed;
    e.faults = {testing::crash_of(NodeId{1}, seed % 3, 3 + seed)};
    return e;
  };
  const auto report = check(o, {testing::bounded_liveness()});
  EXPECT_TRUE(report.passed) << report.text;
}

TEST(Campaign, AnExceptionIsAFindingOfANode) {
  expect_told(check<Habit::kThrows>(options(10)),
              {"invariant: node", "boom at 3", "replay: THRESHER_SCENARIO="});
  expect_told(check<Habit::kThrowsAnything>(options(10)),
              {"invariant: node", "no std::exception", "replay: THRESHER_SCENARIO="});
}

TEST(Campaign, AThrowOutsideOfNodesHasItsSeed) {
  const auto run = [](const sim::Experiment& e, const sim::RunOptions&) -> sim::Outcome {
    if (e.seed == 7) throw 42;
    return {};
  };
  auto o = options(10);
  o.menu.tactics = false;
  const auto report = testing::check("thrower", run, {}, o, "./test");
  expect_told(report, {"seed 7", "no std::exception", "THRESHER_SEED=7 ./test"});
}

TEST(CampaignDeathTest, ACrashHasItsSeed) {
  const char* told = "seed 1 crashed the process .*THRESHER_SEED=1 ./test";
  EXPECT_DEATH(check<Habit::kCrashes>(options(10)), told);
  EXPECT_DEATH(check<Habit::kAborts>(options(10)), told);
}

TEST(Campaign, ARunThatLastsHasItsSeed) {
  const auto run = [](const sim::Experiment& e, const sim::RunOptions&) -> sim::Outcome {
    if (e.seed == 3) ::usleep(1'500'000);
    return {};
  };
  auto o = options(3);
  o.menu.tactics = false;
  o.run_seconds = 1;
  ::testing::internal::CaptureStderr();
  (void)testing::check("sleeper", run, {}, o, "./test");
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("seed 3 has been running"), std::string::npos) << told;
  EXPECT_NE(told.find("THRESHER_SEED=3 ./test"), std::string::npos) << told;
  EXPECT_EQ(told.find("seed 2"), std::string::npos) << told;
}

TEST(Campaign, RunsOneSeedAlone) {
  auto o = options(50);
  std::vector<std::uint64_t> seeds;
  o.observe = [&](const sim::Experiment& e, const sim::Outcome&) { seeds.push_back(e.seed); };
  ::setenv("THRESHER_SEED", "17", 1);
  const auto one = check(o);
  ::setenv("THRESHER_SEED", "x", 1);
  const auto none = check(o);
  ::unsetenv("THRESHER_SEED");
  EXPECT_TRUE(one.passed) << one.text;
  EXPECT_EQ(seeds, std::vector<std::uint64_t>{17});
  expect_told(none, {"THRESHER_SEED is `x`"});
}

// Nothing fails in it, so it passed before.
TEST(Campaign, WhatIsNotDeterministicIsToldWithoutAFailure) {
  expect_told(check<Habit::kGlobal>(options(10)),
              {"not deterministic", "seed 1", "the first difference, at step"});
}

}  // namespace
}  // namespace thresher
