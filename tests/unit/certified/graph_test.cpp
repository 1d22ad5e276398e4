// What is tested of docs/protocols/anchored.md: (t1) the rule against the worst scheduler, (t2) the
// rule with a part taken away, (t3) the published rule's failures at their computed rate.
#include "graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "../../property/certified/policies.hpp"
#include "thresher/protocols/certified/legal.hpp"

namespace thresher {
namespace {

using certified::Rules;

constexpr std::uint32_t kSizes[] = {4, 5, 6, 7, 10};
/// Standard deviations on either side that hold 99 of 100 measurements.
constexpr double kConfidence = 2.576;

TEST(AnchoredGraph, EveryAnchorReachesTheCommittedOnesAtEverySampleSize) {
  std::uint64_t judged = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    for (const std::uint32_t n : kSizes) {
      for (const std::uint32_t sample : {0u, 1u, 3u}) {
        const Schedule s = starve(Rules::anchored_in_order(sample), n, seed);
        const Reach reach = reach_of(s);
        ASSERT_EQ(reach.missed, 0u) << "n " << n << " D " << sample << " seed " << seed;
        judged += reach.judged;
        ASSERT_FALSE(seed <= 100 && forks(s)) << "n " << n << " seed " << seed;
      }
    }
  }
  EXPECT_GT(judged, 6'000u);  // else nothing was judged
}

TEST(AnchoredGraph, EveryAnchorReachesTheCommittedOnesInLargeCommittees) {
  std::uint64_t judged = 0;
  for (const std::uint32_t n : {31u, 100u}) {
    for (std::uint64_t seed = 1; seed <= (n == 31 ? 200u : 40u); ++seed) {
      const Reach reach = reach_of(starve(Rules::anchored_in_order(0), n, seed));
      ASSERT_EQ(reach.missed, 0u) << "n " << n << " seed " << seed;
      judged += reach.judged;
    }
  }
  EXPECT_GT(judged, 400u);
}

TEST(DenseGraph, EveryAnchorReachesTheCommittedOnes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const std::uint32_t n : kSizes) {
      ASSERT_EQ(reach_of(starve(Rules::bullshark(), n, seed)).missed, 0u) << "n " << n;
    }
  }
}

struct Mutant {
  const char* name;
  Rules rules;
};

std::vector<Mutant> mutants() {
  Rules sparse_anchor = Rules::anchored_in_order(0);
  sparse_anchor.dense_anchor = false;
  Rules no_self = Rules::anchored_in_order(0);
  no_self.policy = &certified::kOne<certified::NoSelfEdge>;
  Rules few_votes = Rules::anchored_in_order(0);
  few_votes.commit = kValidity;
  return {{"AnchorNotDense", sparse_anchor}, {"NoSelfEdge", no_self}, {"FewVotes", few_votes}};
}

TEST(CertifiedLegal, NamesTheHypothesisThatAMutantBreaks) {
  const std::map<std::string, std::string_view> expected = {
      {"AnchorNotDense", "must_be_dense"}, {"NoSelfEdge", "policy"}, {"FewVotes", "C2"}};
  const Committee four = *Committee::of(4);
  for (const Mutant& mutant : mutants()) {
    const std::string_view broken = certified::broken_hypothesis(mutant.rules, four);
    EXPECT_TRUE(broken.starts_with(expected.at(mutant.name))) << mutant.name << ": " << broken;
  }
  EXPECT_TRUE(
      certified::broken_hypothesis(Rules::sparse_bullshark(6), four).starts_with("must_be_dense"));
}

class CertifiedMutants : public ::testing::TestWithParam<Mutant> {};
INSTANTIATE_TEST_SUITE_P(Each, CertifiedMutants, ::testing::ValuesIn(mutants()),
                         [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(CertifiedMutants, ForkAndShrinkToTwelveActions) {
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    const Schedule found = starve(GetParam().rules, kSizes[seed % std::size(kSizes)], seed);
    if (!forks(found)) continue;
    const Schedule small = shrunk(found);
    std::printf("  seed %llu, n %u: %zu actions, shrunk to %zu\n",
                static_cast<unsigned long long>(seed), found.committee.size(), found.actions.size(),
                small.actions.size());
    EXPECT_TRUE(forks(small));
    EXPECT_LE(small.actions.size(), 12u);
    // Only the mutant forks on it.
    Schedule repaired = small;
    repaired.rules = Rules::anchored_in_order(0);
    EXPECT_FALSE(forks(repaired));
    return;
  }
  FAIL() << "no fork in 10,000 seeds";
}

// q voters for the anchor of round 2, and the anchor of round 4 among those that did not vote.
class Published : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kN = 31;
  static constexpr std::uint64_t kLater = 4;

  Published() {
    Schedule s{Rules::sparse_bullshark(kN), committee_, 1, 3, {}};
    for (std::uint16_t i = 0; i < committee_.faults(); ++i) {
      s.actions.push_back({FaultAction::kNoVote, hidden(i), 3});
    }
    // Full references, but the votes, so that only the rule under test draws.
    s.rules.parents = certified::Parents::kLocal;
    s.rules.sample = 0;
    graph_.build(s);
  }
  // The anchor of round 4 first, then whoever is not the anchor of round 2.
  std::uint16_t hidden(std::uint16_t i) const {
    const std::uint16_t first = certified::anchor_of(Round{kLater}, committee_).value;
    return static_cast<std::uint16_t>((first + i) % kN);
  }
  /// A set of q for the sampler: all who did not vote, the rest drawn among the voters.
  NodeSet worst_set(Prng& random) const {
    NodeSet out(kN);
    for (std::uint16_t i = 0; i < committee_.faults(); ++i) out.insert(NodeId{hidden(i)});
    while (out.size() < committee_.at_least(kAvailability)) {
      out.insert(NodeId{static_cast<std::uint16_t>(random.below(kN))});
    }
    return out;
  }
  /// Every set of q that holds all who did not vote, each once, from a drawn one on.
  class WorstSets {
   public:
    WorstSets(const Published& of, Prng& random) : of_(of) {
      for (std::uint16_t i = 0; i < kN; ++i) voters_.push_back(NodeId{i});
      std::erase_if(voters_, [&](NodeId id) { return of.did_not_vote(id); });
      for (std::size_t k = voters_.size(); k > 1; --k)
        std::swap(voters_[k - 1], voters_[random.below(k)]);
      taken_.assign(voters_.size(), false);
      const std::size_t rest = of.committee_.at_least(kAvailability) - of.committee_.faults();
      std::fill_n(taken_.begin(), rest, true);
    }
    NodeSet set() const {
      NodeSet out(kN);
      for (std::uint16_t i = 0; i < of_.committee_.faults(); ++i) out.insert(NodeId{of_.hidden(i)});
      for (std::size_t k = 0; k < voters_.size(); ++k) {
        if (taken_[k]) out.insert(voters_[k]);
      }
      return out;
    }
    bool next() { return std::prev_permutation(taken_.begin(), taken_.end()); }

   private:
    const Published& of_;
    std::vector<NodeId> voters_;
    std::vector<bool> taken_;
  };
  bool did_not_vote(NodeId id) const {
    for (std::uint16_t i = 0; i < committee_.faults(); ++i) {
      if (hidden(i) == id.value) return true;
    }
    return false;
  }
  /// True when a vertex of round 4 with these parents does not reach the anchor of round 2.
  bool misses(const NodeSet& parents) const {
    const certified::Ref goal{certified::anchor_of(Round{2}, committee_), Round{2}};
    bool reaches = false;
    parents.for_each([&](NodeId p) {
      const auto* cell = graph_.store().find({p, Round{3}});
      reaches = reaches || cell->vertex->header.parents.contains(goal.author);
    });
    return !reaches;
  }
  // The digests of the vertices differ from run to run, and with them what a set is worth.
  Digest unique(const NodeSet& set, int run) const {
    Writer w;
    w.u32(static_cast<std::uint32_t>(run));
    set.for_each([&](NodeId id) { w.u16(id.value); });
    return hash(w.view());
  }
  // Its "What `sparse-bullshark` promises": p1 = C(f, D) / C(n-f, D) when q = n-f voted.
  double computed(std::uint32_t sample) const {
    double p = 1;
    for (std::uint32_t i = 0; i < sample; ++i) {
      p *= static_cast<double>(committee_.faults() - i) /
           static_cast<double>(kN - committee_.faults() - i);
    }
    return p;
  }

  Committee committee_ = *Committee::of(kN);
  Graph graph_{committee_};
};

TEST_F(Published, TheTargetIsCommitted) {
  EXPECT_EQ(graph_.store().votes({certified::anchor_of(Round{2}, committee_), Round{2}}),
            committee_.at_least(kAvailability));
  EXPECT_EQ(ordered_by(graph_.store(), Rules::sparse_bullshark(2)), std::vector<std::uint64_t>{2});
}

TEST_F(Published, SamplesMissItAtTheComputedRate) {
  constexpr int kRuns = 20'000;
  for (const bool verifiable : {false, true}) {
    for (const std::uint32_t sample : {2u, 3u, 4u}) {
      Prng random(7, sample);
      int missed = 0;
      for (int run = 0; run < kRuns; ++run) {
        const NodeSet from = worst_set(random);
        const certified::Ref later{certified::anchor_of(Round{kLater}, committee_), Round{kLater}};
        const NodeSet parents =
            verifiable ? certified::sample_parents(later, from, unique(from, run), sample)
                       : certified::draw(from, sample, random.next(), kLater);
        EXPECT_EQ(parents.size(), sample);
        missed += misses(parents) ? 1 : 0;
      }
      const double p = computed(sample);
      const double rate = missed / double{kRuns};
      const double sigma = std::sqrt(p * (1 - p) / kRuns);
      EXPECT_NEAR(rate, p, kConfidence * sigma) << "D " << sample << " verifiable " << verifiable;
    }
  }
}

// And a miss is a vertex like any other: a node that holds it first orders other anchors.
TEST_F(Published, AMissForksTheOrder) {
  Prng random(3, 1);
  Schedule s{Rules::sparse_bullshark(0), committee_, 1, 5, {}};
  for (std::uint16_t i = 0; i < committee_.faults(); ++i) {
    const auto voter = static_cast<std::uint16_t>(committee_.faults() + i);
    s.actions.push_back({FaultAction::kNoVote, hidden(voter), kLater + 1});
  }
  for (int tries = 0; tries < 1000; ++tries) {
    const NodeSet parents = certified::draw(worst_set(random), 2, random.next(), kLater);
    if (!misses(parents)) continue;
    certified::Header later;
    later.author = certified::anchor_of(Round{kLater}, committee_);
    later.round = Round{kLater};
    later.parents = parents;
    later.parents.insert(later.author);
    later.self = Round{kLater - 1};
    ASSERT_EQ(certified::flaw_of(later, Rules::sparse_bullshark(2), committee_, 50),
              certified::Flaw::kNone);
    graph_.add(later);
    ASSERT_TRUE(graph_.grow(s, kLater));
    ASSERT_TRUE(graph_.grow(s, kLater + 1));
    EXPECT_EQ(ordered_by(view_of(graph_.store(), Round{kLater}), s.rules),
              std::vector<std::uint64_t>{kLater});
    EXPECT_EQ(ordered_by(graph_.store(), s.rules), (std::vector<std::uint64_t>{2, kLater}));
    return;
  }
  FAIL() << "no sample missed in 1,000 tries at a rate of " << computed(2);
}

// A faulty author tries sets until one gives a sample that misses: 1 - (1 - p1)^tries, if no set is
// tried twice. (Drawn anew each time, a sixth of 65,536 are repeats at n = 31: fewer misses.)
double ground_rate(double p, double tries) {
  return 1 - std::exp(tries * std::log1p(-p));
}

struct Grinding {
  std::uint32_t sample;
  int tries;
  int runs;
};
class Ground : public Published, public ::testing::WithParamInterface<Grinding> {};
INSTANTIATE_TEST_SUITE_P(Budgets, Ground,
                         ::testing::Values(Grinding{6, 64, 500}, Grinding{10, 1 << 16, 40}),
                         [](const auto& suite) {
                           return "D" + std::to_string(suite.param.sample);
                         });

TEST_P(Ground, RaisesTheRateAsComputed) {
  const auto [sample, tries, runs] = GetParam();
  const certified::Ref later{certified::anchor_of(Round{kLater}, committee_), Round{kLater}};
  Prng random(17, sample);
  int missed = 0;
  for (int run = 0; run < runs; ++run) {
    bool found = false;
    WorstSets sets(*this, random);
    for (int t = 0; t < tries && !found; ++t) {
      const NodeSet from = sets.set();
      found = misses(certified::sample_parents(later, from, unique(from, run), sample));
      ASSERT_TRUE(sets.next());
    }
    missed += found ? 1 : 0;
  }
  const double p = ground_rate(computed(sample), tries);
  const double sigma = std::sqrt(p * (1 - p) / runs);
  std::printf("  D %u, %d tries: %d of %d, computed %.3f\n", sample, tries, missed, runs, p);
  EXPECT_NEAR(missed / double(runs), p, kConfidence * sigma);
  EXPECT_GT(missed / double(runs), 10 * computed(sample));
}

}  // namespace
}  // namespace thresher
