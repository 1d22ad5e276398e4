// Thousands of adversarial schedules against a protocol of one's own, in a test of a few lines.
//
//   TEST(MyProtocol, SurvivesItsAdversaries) {
//     using namespace thresher::testing;
//     check_protocol<MyProtocol>({agreement(), prefix_order(), validity(), bounded_liveness()},
//                                {.runs = 5000});
//   }
//
// A property of one's own is `audit(nodes)` of the subject: it looks at the correct nodes of a run
// that ended, at what they told a log that the subject gave them, and says what is wrong, if
// anything (sim/subject.hpp). Options::observe sees what runs do, and a mutant is a subject like
// any other: check() reports what it breaks. Where no schedule of delays and faults will do,
// arena.hpp lets an adversary pick every step, and delayed.hpp holds leaders back.
//
// A schedule that breaks a property is shrunk and written to a scenario file, and the test fails
// with the command that replays it: THRESHER_SCENARIO=file ./test --gtest_filter=... tells the run
// step by step and judges it again, from any folder; of more than 200 steps it tells the first and
// the last ones, unless THRESHER_FULL is set. subject.hpp says what is asked of MyProtocol.
//
// Guarantees: the schedules are a function of the options, whatever the number of threads; no more
// than f nodes are faulty, and beside them correct ones crash and come back. A property that is not
// named is not judged. Where liveness is, a run that was disturbed goes on until it has healed, and
// must. A report says what was exercised, and a campaign that never did what it was asked to do has
// failed. A run in which nothing is violated but too little happens (liveness, inclusion) does not
// end a campaign: a violation is worth more. The first seed and one in a hundred are run twice: a
// protocol that is not deterministic is told so. An exception out of an `on` is a finding
// ("invariant"). A callback that crashes the process or does not return has its seed printed, and
// THRESHER_SEED=7 before the command of the test runs that seed alone. The order of a step's
// effects, a send before its persist, is not seen here: arena.hpp crashes nodes between any two.
// Finds bugs; proves nothing. Inside namespace thresher, GoogleTest's own namespace is spelled
// ::testing beside this header.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "thresher/sim/fuzz.hpp"
#include "thresher/sim/run.hpp"
#include "thresher/testing/subject.hpp"

namespace thresher::testing {

struct Property {
  enum class Kind : std::uint8_t {
    kAgreement,
    kPrefixOrder,
    kIntegrity,
    kValidity,
    kTotality,
    kAccountability,
    kBoundedLiveness,
    kBoundedMemory,
    kInclusion,
    kOnce,
  };
  Kind kind = Kind::kAgreement;
  std::uint64_t bound = 0;
};

/// No two correct nodes output different things under one key.
inline Property agreement() {
  return {Property::Kind::kAgreement, 0};
}
/// One of two correct nodes' outputs is a prefix of the other. Ordered protocols.
inline Property prefix_order() {
  return {Property::Kind::kPrefixOrder, 0};
}
/// Nothing is output twice.
inline Property integrity() {
  return {Property::Kind::kIntegrity, 0};
}
/// Every output was submitted; judged for correct submitters. Where the subject does not say whose
/// a payload is, only runs without liars are judged. A campaign that judged nothing fails.
inline Property validity() {
  return {Property::Kind::kValidity, 0};
}
/// What one correct node outputs, all do.
inline Property totality() {
  return {Property::Kind::kTotality, 0};
}
/// Correct nodes never accuse each other.
inline Property accountability() {
  return {Property::Kind::kAccountability, 0};
}
/// Correct nodes wait no longer than `units` (rounds) for an output once network and faults leave
/// them alone; 0: the subject's promise, or 64 of Delta or what a message takes all its way.
inline Property bounded_liveness(std::uint64_t units = 0) {
  return {Property::Kind::kBoundedLiveness, units};
}
/// `held(node)` of the subject never exceeds `most` at a correct node.
inline Property bounded_memory(std::uint64_t most) {
  return {Property::Kind::kBoundedMemory, most};
}
/// Every request of a correct node is output there within `units` (rounds) once network and faults
/// leave it alone: nobody is left out while others are served.
inline Property inclusion(std::uint64_t units) {
  return {Property::Kind::kInclusion, units};
}
/// No request is output twice, under whatever key. A campaign whose outputs showed none fails.
inline Property once() {
  return {Property::Kind::kOnce, 0};
}

struct Options {
  std::uint64_t runs = 2000;
  std::uint64_t first_seed = 1;
  unsigned jobs = 0;                             ///< threads, up to 1024; 0: all cores
  std::vector<std::uint32_t> sizes = {4, 5, 7};  ///< of committees, taken in turn; 1 to 4096 each
  /// Network, workload and stop to start from; its protocol, n, f and oracles are filled in. A stop
  /// of its own is kept; else 12 decisions where liveness is judged, 100 rounds where it is not.
  sim::Experiment base{};
  /// Which faults are drawn, and the fields that may be changed. Its labels, where none are given,
  /// are those of the messages of a run that nothing disturbs.
  sim::Menu menu{.tactics = true};
  /// A schedule of one's own from a base and a seed, in place of what the menu draws. It may set
  /// anything, more faults than f included (`beyond_f`), `seed` among it. It is held against the
  /// rules of scenario files. Pre: a function of its arguments.
  std::function<sim::Experiment(const sim::Experiment& base, std::uint64_t seed)> draw{};
  /// Sees every run: what nodes did, refused and held, accusations, the subject's own measures. For
  /// what must have happened in some run, else nothing was judged. One call at a time, any order.
  std::function<void(const sim::Experiment&, const sim::Outcome&)> observe{};
  /// Of wall time: a run that takes longer is named on stderr, with the command that runs its seed
  /// alone. It is not ended. 0: none is named.
  std::uint64_t run_seconds = 60;
  std::size_t shrink_runs = 4000;  ///< most runs that shrinking may take
  std::string folder = ".";        ///< where scenarios are written to
};

/// An experiment in, an outcome out: sim::run with some subject.
using TracedRunner = std::function<sim::Outcome(const sim::Experiment&, const sim::RunOptions&)>;

struct Report {
  bool passed = false;
  std::string text;  ///< what failed and how to see it again, or what was exercised
  std::uint64_t runs = 0;
  std::string scenario;  ///< the file, after a failure
};

/// The experiments that check_protocol starts from, one a size.
std::vector<sim::Experiment> bases_of(const std::string& name,
                                      const std::vector<Property>& properties,
                                      const Options& options);

/// What check_protocol does, for a protocol behind a function. `name` is what scenarios call it,
/// `again` the start of the command that replays. With THRESHER_SCENARIO set to a scenario of that
/// name, tells that one run on stdout in place of all others.
Report check(const std::string& name, const TracedRunner& run,
             const std::vector<Property>& properties, const Options& options,
             const std::string& again);

/// Why these properties say nothing of a subject; empty: they do. `ordered` is its kOrdered;
/// `judges`: the subject has an audit, or somebody observes.
std::string unjudgeable(const std::vector<Property>& properties, bool ordered, bool judges);
/// Fails the running test, or says on stdout what was exercised; whether it passed.
bool told_passed(const Report& report, const std::string& name);

/// As a shell has to see it to read `word` back.
std::string for_shell(const std::string& word);
/// "./test --gtest_filter=Suite.Name" of the test that runs.
std::string this_test(const std::string& binary);
/// The path of the running program.
std::string this_program();

/// check_protocol for a protocol that the simulator knows by name (sim::simulated_protocols()),
/// with the parameters of `options.base`. An empty menu is the protocol's own. `thresher sim
/// replay` replays what it finds as well.
bool check_simulated(const std::string& protocol, const std::vector<Property>& properties,
                     const Options& options = {});

/// Fails the running test when a schedule breaks a property; then false. Else says on stdout what
/// was exercised.
template <class P>
bool check_protocol(const std::vector<Property>& properties, const Options& options = {}) {
  using Subject = typename SubjectOf<P>::type;
  static_assert(sim::Subject<Subject>, "see thresher/testing/subject.hpp for what is asked of it");
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string name =
      info == nullptr ? "protocol" : std::string(info->test_suite_name()) + "." + info->name();
  constexpr bool kAudits =
      requires(const Subject& s, const std::vector<const typename Subject::Node*>& nodes) {
    s.audit(nodes);
  }
  || requires(const Subject& s) {
    s.audit();
  };
  if (std::string why = unjudgeable(properties, Subject::kOrdered, kAudits || options.observe);
      !why.empty())
    return told_passed({false, why, 0, {}}, name);
  const Report report = check(
      name,
      [](const sim::Experiment& e, const sim::RunOptions& o) { return sim::run(Subject(e), e, o); },
      properties, options, this_test(this_program()));
  return told_passed(report, name);
}

}  // namespace thresher::testing
