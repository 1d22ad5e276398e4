// What the harness finds by default, and what it says of a campaign that exercised nothing.
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "../../how_many.hpp"
#include "echo_subject.hpp"
#include "signed_broadcast.hpp"
#include "thresher/testing/check.hpp"

namespace thresher {
namespace {

using ::testing::HasSubstr;

testing::Options defaults() {
  testing::Options o;
  o.folder = std::filesystem::temp_directory_path() / ("coverage-" + std::to_string(::getpid()));
  std::filesystem::create_directories(o.folder);
  o.shrink_runs = 100;  // what is found counts here, not how small it can be made
  return o;
}

template <class S>
testing::Report check(const std::vector<testing::Property>& properties, const testing::Options& o) {
  const auto run = [](const sim::Experiment& e, const sim::RunOptions& options) {
    return sim::run(S(e), e, options);
  };
  auto report = testing::check("broadcast", run, properties, o, "./test");
  std::filesystem::remove_all(o.folder);
  return report;
}

const std::vector<testing::Property>& promised() {
  static const std::vector<testing::Property> all{testing::agreement(), testing::integrity(),
                                                  testing::validity()};
  return all;
}

// Three of the four passed 2000 runs while a liar spoke once a run and a liar and a restart never
// met in a committee of four.
template <Bug kBug>
void is_found() {
  const auto report = check<SignedBroadcastSubject<kBug>>(promised(), defaults());
  EXPECT_FALSE(report.passed) << report.text;
  EXPECT_TRUE(report.text.starts_with("agreement: ")) << report.text;
}
TEST(SignedBroadcastBugs, ASignerThatCountsTwice) {
  is_found<Bug::kSignersTwice>();
}
TEST(SignedBroadcastBugs, AQuorumMinusOne) {
  is_found<Bug::kOneLess>();
}
TEST(SignedBroadcastBugs, ASecondValueSigned) {
  is_found<Bug::kSecondValue>();
}
TEST(SignedBroadcastBugs, SignaturesForgottenInARestart) {
  is_found<Bug::kForgetsAfterRestart>();
}

TEST(Coverage, OfWhatIsRightIsSaid) {
  testing::Options o = defaults();
  o.runs = how_many(200, 800);
  const auto report = check<SignedBroadcastSubject<Bug::kNone>>(promised(), o);
  EXPECT_TRUE(report.passed) << report.text;
  const std::string schedules = std::to_string(o.runs) + " schedules, ";
  for (const std::string& part :
       {schedules, std::string(" requests handed to liars, "), std::string(" forks offered, "),
        std::string(" restarts, "), std::string("twins ")}) {
    EXPECT_NE(report.text.find(part), std::string::npos) << report.text;
  }
  EXPECT_EQ(report.text.find(" 0 restarts"), std::string::npos) << report.text;
  EXPECT_EQ(report.text.find(" 0 requests handed"), std::string::npos) << report.text;
}

// Echo says nothing that holds a coin share, and nobody asks anybody.
TEST(Coverage, AFaultThatNeverDidAnythingFails) {
  for (const auto kind : {sim::FaultKind::kNoShare, sim::FaultKind::kDeny}) {
    testing::Options o = defaults();
    o.runs = how_many(80, 200);
    o.menu.faults = {sim::FaultKind::kTwins, kind};
    const auto report = check<EchoSubject<kQuorum>>({testing::agreement()}, o);
    EXPECT_FALSE(report.passed) << report.text;
    EXPECT_NE(report.text.find("the menu asks for `" + std::string(to_string(kind)) + "`"),
              std::string::npos)
        << report.text;
  }
}

// Its outputs show nothing of what was asked for.
struct MuteEcho : EchoSubject<kQuorum> {
  explicit MuteEcho(const sim::Experiment& e) : EchoSubject<kQuorum>(e) {}
  template <class F>
  void payloads(const Output&, std::optional<NodeId>, F) const {}
};

// Both passed, whatever was output.
TEST(Coverage, AnOracleOfRequestsThatSawNoneFails) {
  testing::Options o = defaults();
  o.runs = how_many(80, 200);
  for (const auto& [property, name] :
       {std::pair{testing::validity(), "`validity`"}, std::pair{testing::once(), "`once`"}}) {
    const auto mute = check<MuteEcho>({property}, o);
    EXPECT_FALSE(mute.passed) << mute.text;
    EXPECT_NE(mute.text.find(std::string(name) + " judged nothing"), std::string::npos)
        << mute.text;
  }
  const auto report =
      check<SignedBroadcastSubject<Bug::kNone>>({testing::validity(), testing::once()}, o);
  EXPECT_TRUE(report.passed) << report.text;
  EXPECT_NE(report.text.find(", judged of requests: validity "), std::string::npos) << report.text;
  EXPECT_NE(report.text.find(", once "), std::string::npos) << report.text;
}

// Of such a one nothing could be shrunk or replayed, and nothing said so.
TEST(Coverage, AProtocolThatIsNotDeterministicIsToldSo) {
  std::atomic<int> runs{0};
  const testing::TracedRunner once_only = [&](const sim::Experiment& e, const sim::RunOptions& o) {
    sim::Outcome out = sim::run(EchoSubject<kQuorum>(e), e, o);
    if (++runs == 7) {  // the first one tells what labels there are, and seed 1 runs twice
      out.verdict = sim::Verdict::kViolated;
      out.oracle = "agreement";
      out.why = "a static counter was 5";
    }
    return out;
  };
  testing::Options o = defaults();
  o.runs = 20;
  o.jobs = 1;
  const auto report = testing::check("Echo", once_only, {testing::agreement()}, o, "./test");
  EXPECT_FALSE(report.passed);
  EXPECT_THAT(
      report.text,
      HasSubstr("the protocol is not deterministic: a run of seed 5 fails (agreement: a static "
                "counter was 5), and a second run of the same schedule goes another way, "
                "and passes"));
}

// Each ended the program, or hung.
TEST(Coverage, OptionsThatNothingCanBeRunWithAreNamed) {
  const auto why = [](auto change) {
    testing::Options o = defaults();
    change(o);
    const auto report = check<EchoSubject<kQuorum>>({testing::agreement()}, o);
    EXPECT_FALSE(report.passed);
    return report.text;
  };
  EXPECT_THAT(why([](auto& o) { o.sizes = {}; }), HasSubstr("Options::sizes is empty"));
  EXPECT_THAT(why([](auto& o) { o.sizes = {4, 0}; }), HasSubstr("Options::sizes has 0"));
  EXPECT_THAT(why([](auto& o) { o.sizes = {5000}; }), HasSubstr("Options::sizes has 5000"));
  EXPECT_THAT(why([](auto& o) { o.runs = 0; }), HasSubstr("Options::runs is 0"));
}

/// Sends to a node that is none, or arms a timer of no length for ever.
template <bool kToNobody>
struct Stray {
  struct Message {};
  struct Output {};
  struct Request {
    Bytes payload;
  };
  using Fx = Effects<Message, Output>;
  Stray(const Committee&, NodeId) {}
  void on(const Start&, Fx& fx) {
    if (kToNobody) fx.send(NodeId{4}, {});
    if (!kToNobody) fx.push(ArmTimer{{1, {}}, Delay{0}});
  }
  void on(const Expired&, Fx& fx) { fx.push(ArmTimer{{1, {}}, Delay{0}}); }
  void on(const Restored&, Fx&) {}
  void on(const Received<Message>&, Fx&) {}
  void on(const Requested<Request>&, Fx&) {}
};

template <bool kToNobody>
struct StraySubject : testing::SubjectBase<Stray<kToNobody>> {
  using Base = testing::SubjectBase<Stray<kToNobody>>;
  using Base::Base;
  using Base::facts_of;
  sim::OutputFacts facts_of(const typename Stray<kToNobody>::Output&) const { return {}; }
};

// The one crashed the test, the other hung it.
TEST(Coverage, AProtocolThatStraysEndsItsRunInWords) {
  testing::Options o = defaults();
  o.sizes = {4};
  o.runs = 2;
  EXPECT_THAT(check<StraySubject<true>>({testing::agreement()}, o).text,
              HasSubstr("invariant: node 0: its step broke off: node 0 sends to node 4, and the "
                        "committee has nodes 0 to 3"));
  EXPECT_THAT(check<StraySubject<false>>({testing::agreement()}, o).text,
              HasSubstr("arms a timer of no length for the 1000000th time at one moment"));
}

TEST(Coverage, ARunThatOutputNothingFails) {
  testing::Options o = defaults();
  o.runs = 20;
  o.base.workload.kind = sim::Workload::Kind::kNone;
  const auto report = check<EchoSubject<kQuorum>>({testing::agreement()}, o);
  EXPECT_FALSE(report.passed);
  EXPECT_NE(report.text.find("no correct node output anything"), std::string::npos) << report.text;
}

}  // namespace
}  // namespace thresher
