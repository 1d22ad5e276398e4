// What the harness finds by default, and what it says of a campaign that exercised nothing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "echo_subject.hpp"
#include "signed_broadcast.hpp"
#include "thresher/testing/check.hpp"

namespace thresher {
namespace {

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
  o.runs = 800;
  const auto report = check<SignedBroadcastSubject<Bug::kNone>>(promised(), o);
  EXPECT_TRUE(report.passed) << report.text;
  for (const char* part : {"800 schedules, ", " instances begun by liars, ", " forks offered, ",
                           " restarts, ", "twins "}) {
    EXPECT_NE(report.text.find(part), std::string::npos) << report.text;
  }
  EXPECT_EQ(report.text.find(" 0 restarts"), std::string::npos) << report.text;
  EXPECT_EQ(report.text.find(" 0 instances begun"), std::string::npos) << report.text;
}

// Echo says nothing that holds a coin share, and nobody asks anybody.
TEST(Coverage, AFaultThatNeverDidAnythingFails) {
  for (const auto kind : {sim::FaultKind::kNoShare, sim::FaultKind::kDeny}) {
    testing::Options o = defaults();
    o.runs = 200;
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
  o.runs = 200;
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
