// A second solver, played by scripts: it agrees, contradicts, babbles, hangs or is not there.
#include "thresher/verify/cross_check.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "bracha.hpp"
#include "thresher/verify/text.hpp"

namespace thresher::verify {
namespace {

using Kind = SecondOpinion::Kind;
using testing::HasSubstr;

class CrossCheck : public testing::Test {
 protected:
  CrossCheck() {
    std::string name = testing::TempDir() + "thresher-cross-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~CrossCheck() override { std::filesystem::remove_all(folder_); }

  std::string solver(const std::string& body) const {
    const std::string path = (folder_ / "solver").string();
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
    return path;
  }
  std::string in_folder(const char* name) const { return (folder_ / name).string(); }

  CheckResult outcome_{Safety::kSafe, "", "smt", 0, std::nullopt, {"first", "second"}};
  std::filesystem::path folder_;
};

TEST_F(CrossCheck, AgreesWhenEveryFormulaIsRefuted) {
  const auto o =
      cross_check(outcome_, 10,
                  solver("cat \"$2\" >> " + in_folder("seen") + "; echo >> " + in_folder("seen") +
                         "; echo \"$1\" >> " + in_folder("seen") + "; echo unsat"));
  EXPECT_EQ(o.kind, Kind::kAgreed) << o.said;
  EXPECT_EQ(o.formulas, 2u);
  std::ifstream in(in_folder("seen"));
  const std::string seen{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(seen, "first\n--lang=smt2\nsecond\n--lang=smt2\n");
}

TEST_F(CrossCheck, NamesTheFormulaThatItFindsSatisfiable) {
  const auto o =
      cross_check(outcome_, 10, solver("grep -q second \"$2\" && echo sat && exit; echo unsat"));
  EXPECT_EQ(o.kind, Kind::kDisagreed);
  EXPECT_EQ(o.formula, 2u);
  EXPECT_EQ(o.said, "sat");
}

TEST_F(CrossCheck, WhatIsNoAnswerIsUnknown) {
  for (const char* said : {"unknown", "(error \"what?\")", "unsatisfied", "satisfied", "timeout"}) {
    const auto o = cross_check(outcome_, 10, solver("echo '" + std::string(said) + "'"));
    EXPECT_EQ(o.kind, Kind::kUnknown) << said;
    EXPECT_EQ(o.said, said);
  }
  EXPECT_EQ(cross_check(outcome_, 10, solver("exit 3")).kind, Kind::kUnknown);
  EXPECT_EQ(cross_check(outcome_, 10, solver("yes babble")).kind, Kind::kUnknown);
}

TEST_F(CrossCheck, AHangingSolverIsEndedWithWhatItStarted) {
  const std::string pids = in_folder("pids");
  const auto o =
      cross_check(outcome_, 0.5, solver("sleep 1000 & echo $! > " + pids + "; sleep 1000"));
  EXPECT_EQ(o.kind, Kind::kUnknown);
  EXPECT_THAT(o.said, HasSubstr("no answer in time"));
  std::ifstream in(pids);
  pid_t child = 0;
  ASSERT_TRUE(in >> child);
  // The signal is on its way when the call returns; a killed child then waits for init at most.
  const auto gone = [child] {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string id, name, state;
    return !(stat >> id >> name >> state) || state == "Z";
  };
  for (int k = 0; k < 1000 && !gone(); ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(gone());
}

TEST_F(CrossCheck, WithoutTimeNothingIsAsked) {
  const auto o = cross_check(outcome_, 0, solver("echo unsat"));
  EXPECT_EQ(o.kind, Kind::kUnknown);
  EXPECT_THAT(o.said, HasSubstr("time"));
}

TEST_F(CrossCheck, AMissingSolverIsUnavailable) {
  EXPECT_EQ(cross_check(outcome_, 10, in_folder("none")).kind, Kind::kUnavailable);
  EXPECT_EQ(to_string(Kind::kUnavailable), "unavailable");
}

TEST_F(CrossCheck, NoFormulaIsNoAgreement) {
  outcome_.proofs.clear();
  EXPECT_EQ(cross_check(outcome_, 10, solver("echo unsat")).kind, Kind::kUnknown);
}

// The real one, on what each checker keeps.
TEST_F(CrossCheck, Cvc5Agrees) {
  CheckResult trivial = outcome_;
  trivial.proofs = {"(set-logic QF_LIA)\n(assert false)\n(check-sat)\n"};
  const auto there = cross_check(trivial, 10);
  if (there.kind == Kind::kUnavailable) GTEST_SKIP() << "cvc5 is not installed: " << there.said;
  ASSERT_EQ(there.kind, Kind::kAgreed) << there.said;
  const auto ta = parse_automaton(bracha(), "bracha.ta");
  ASSERT_TRUE(ta) << ta.error();
  for (const char* checker : {"auto", "acs", "zcs"}) {
    CheckOptions options;
    options.keep_proofs = true;
    options.checker = checker;
    options.only = {"unforgeability"};
    if (options.checker == "auto") options.only = {"agreement", "validity"};
    for (const CheckResult& o : check_all(*ta, options)) {
      if (o.verdict != Safety::kSafe) continue;
      const auto opinion = cross_check(o, 300);
      EXPECT_EQ(opinion.kind, Kind::kAgreed) << o.checker << ": " << opinion.said;
    }
  }
}

}  // namespace
}  // namespace thresher::verify
