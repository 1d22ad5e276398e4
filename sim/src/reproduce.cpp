#include "thresher/sim/reproduce.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <utility>

#include "../models/black_hole.hpp"
#include "../models/finality.hpp"
#include "../models/incremental_voting.hpp"
#include "../models/ordered_agents.hpp"
#include "committee_coin_claims.hpp"

namespace thresher::sim {
namespace {

using Claims = std::vector<CheckedClaim>;

// --- finality
// -------------------------------------------------------------------------------------

/// The fewest epochs after which the bound for chains of `blocks` an epoch is 2^-30.
std::size_t epochs_until_final(const FinalityCalculator& calculator, std::uint32_t blocks) {
  constexpr std::size_t kBefore = 900;
  std::size_t depth = 3;
  while (depth < 200) {
    const std::vector<std::uint32_t> chain(kBefore + depth, blocks);
    if (calculator.error(chain, kBefore) <= 0x1p-30) break;
    ++depth;
  }
  return depth;
}

struct Replaced {
  double measured = 0;
  double careful = 0;  ///< mean of the bounds, with the target's epoch
  double listed = 0;   ///< without it
};

Replaced replaced(const ReproduceOptions& o, std::size_t depth, const FinalityCalculator& careful,
                  const FinalityCalculator& listed) {
  constexpr std::size_t kEpochs = 100;  // before, and after: longer ones change nothing here
  Prng prng(o.seed, depth);
  Replaced out;
  const double runs = static_cast<double>(o.runs);
  for (std::uint64_t run = 0; run < o.runs; ++run) {
    const WithheldChain attack = withhold(prng, 0.3, kEpochs, depth, kEpochs);
    out.careful += careful.error(attack.chain, kEpochs) / runs;
    out.listed += listed.error(attack.chain, kEpochs) / runs;
    out.measured += attack.replaced ? 1 / runs : 0;
  }
  return out;
}

// Until it is as small as nobody asks for.
Chart bounds_by_depth(const FinalityCalculator& calculator) {
  constexpr std::size_t kBefore = 900;
  Chart out{"Bound on a block's replacement", "epochs", "log2 of the bound", {}};
  for (const std::uint32_t blocks : {3u, 4u, 5u}) {
    Series& line = out.series.emplace_back();
    line.name = std::to_string(blocks) + " blocks an epoch";
    for (std::size_t depth = 3; depth <= 60; depth += 3) {
      const std::vector<std::uint32_t> chain(kBefore + depth, blocks);
      const double bound = calculator.error(chain, kBefore);
      if (bound < 0x1p-40) break;
      line.points.push_back({static_cast<double>(depth), std::log2(bound)});
    }
  }
  return out;
}

Reproduction finality(const ReproduceOptions& o) {
  const FinalityCalculator calculator({});
  const FinalityCalculator careful({.counts_target = true});
  const std::string computed = "computed, not drawn";
  Claims out;
  Chart ages{"Blocks replaced by 30 % that withhold", "age in epochs", "share",
             std::vector<Series>(2)};
  ages.series[0].name = "measured";
  ages.series[1].name = "bound, the target counts";
  for (const auto& [which, how] :
       {std::pair(&calculator, ""), std::pair(&careful, ", and the target counts")}) {
    const auto epochs = [&, which = which](std::uint32_t blocks) {
      return static_cast<double>(epochs_until_final(*which, blocks));
    };
    const std::string after = std::string("epochs until the bound is 2^-30") + how + ", with ";
    out.push_back(
        {after + "5 blocks in each", 3, 30, epochs(5), "30 full epochs are enough; " + computed});
    out.push_back({after + "4 blocks in each", 25, 35, epochs(4),
                   "published as about 30 as the network runs; " + computed});
    out.push_back({after + "3 blocks in each", 36, 200, epochs(3),
                   "longer where epochs are not full; " + computed});
  }
  for (const std::size_t depth : {1, 3, 6, 10}) {
    const Replaced share = replaced(o, depth, careful, calculator);
    const double runs = static_cast<double>(o.runs);
    const std::string age = std::to_string(depth) + " epochs old";
    const double deviation = std::sqrt(share.measured * (1 - share.measured) / runs);
    ages.series[0].points.push_back({static_cast<double>(depth), share.measured, 1.96 * deviation});
    ages.series[1].points.push_back({static_cast<double>(depth), share.careful});
    out.push_back({"share of blocks replaced when " + age + ", by 30 % that withhold", 0,
                   share.careful + 4 * std::sqrt(share.careful * (1 - share.careful) / runs),
                   share.measured,
                   "at most the mean of the bounds of the same chains, the target counts, and four "
                   "deviations"});
    if (depth > 1) continue;
    out.push_back(
        {"the same, less the bound of the listing, which leaves the target out", 0.02, 0.25,
         share.measured - share.listed,
         "0.13 over many runs, less and more four deviations: the listing is no bound here"});
  }
  return {{}, {}, std::move(out), {bounds_by_depth(careful), std::move(ages)}};
}

// --- incremental voting
// ---------------------------------------------------------------------------

struct Votes {
  double rounded = 0;  ///< share of runs that ended at the floor or the ceiling of the mean
  double drift = 0;    ///< mean of the last opinion, less the first mean
  double steps = 0;    ///< mean
};

/// Opinions from 1 to `opinions`; on the cycle they stand sorted, which is the worst for it.
Votes vote(const ReproduceOptions& o, std::uint64_t stream, bool expander, std::uint32_t n,
           std::uint64_t opinions) {
  Prng prng(o.seed, stream);
  Votes out;
  const double runs = static_cast<double>(o.runs);
  for (std::uint64_t run = 0; run < o.runs; ++run) {
    std::vector<std::int64_t> first;
    for (std::uint32_t i = 0; i < n; ++i) {
      first.push_back(static_cast<std::int64_t>(
          1 + (expander ? prng.below(opinions) : std::uint64_t{i} * opinions / n)));
    }
    IncrementalVoting voting(expander ? random_regular(prng, n, 8) : cycle(n), first);
    const double mean = voting.mean();
    out.steps += static_cast<double>(voting.run(prng, ~std::uint64_t{0})) / runs;
    const auto last = static_cast<double>(*voting.consensus());
    out.rounded += std::abs(last - mean) < 1 ? 1 / runs : 0;
    out.drift += (last - mean) / runs;
  }
  return out;
}

// Flat where the time is what is claimed.
Chart times(std::initializer_list<std::pair<std::uint32_t, double>> regular,
            std::initializer_list<std::pair<std::uint32_t, double>> cycles) {
  Chart out{"Steps until all agree", "nodes", "steps over n^2, on cycles over n^3",
            std::vector<Series>(2)};
  out.series[0].name = "8-regular graphs, over n^2";
  for (const auto& [n, steps] : regular)
    out.series[0].points.push_back({static_cast<double>(n), steps / std::pow(n, 2)});
  out.series[1].name = "cycles, over n^3";
  for (const auto& [n, steps] : cycles)
    out.series[1].points.push_back({static_cast<double>(n), steps / std::pow(n, 3)});
  return out;
}

Reproduction incremental_voting(const ReproduceOptions& o) {
  const Votes small = vote(o, 1, true, 100, 5);
  const Votes large = vote(o, 2, true, 200, 5);
  const Votes short_cycle = vote(o, 3, false, 24, 5);
  const Votes long_cycle = vote(o, 4, false, 48, 5);
  // The mean of a time whose deviation is about itself is off by 1 / sqrt(runs); of a ratio of two,
  // four deviations are 4 sqrt(2 / runs).
  const double off = 4 * std::sqrt(2.0 / static_cast<double>(o.runs));
  const std::string ratio = "the deviation of a time is about its mean; four of their ratio's";
  Chart chart = times(
      {{50, vote(o, 5, true, 50, 5).steps}, {100, small.steps}, {200, large.steps}},
      {{12, vote(o, 6, false, 12, 5).steps}, {24, short_cycle.steps}, {48, long_cycle.steps}});
  Claims claims{
      {"share that ends at the rounded mean, 8-regular graphs of 200", 0.88, 1, large.rounded,
       "with high probability as n grows; 0.94 over many runs here, less four deviations"},
      {"how far the last opinion is from the mean on average, of the same",
       -four_deviations(o.runs), four_deviations(o.runs), large.drift,
       "a martingale, so the ceiling comes as often as the fraction of the mean says; that ends "
       "within "
       "1 of its mean as a rule: a deviation of about a half"},
      {"share that ends at the rounded mean, cycle of 48", 0, 0.88, long_cycle.rounded,
       "nothing is claimed of the cycle, which must differ from the graphs above; 0.78 over many "
       "runs"},
      {"time for twice as many nodes, 8-regular graphs", 4 * (1 - off), 4 * (1 + off),
       large.steps / small.steps, "n^2 steps; " + ratio},
      {"time for twice as many nodes, cycle", 8 * (1 - off), 8 * (1 + off),
       long_cycle.steps / short_cycle.steps, "n^3 steps; " + ratio},
  };
  return {{}, {}, std::move(claims), {std::move(chart)}};
}

// --- ordered agents
// -------------------------------------------------------------------------------

/// Words of up to `longest` letters, of three, from which some fair run does not decide.
double undecided_words(const OrderedProtocol& p, std::size_t longest) {
  std::uint64_t bad = 0;
  std::vector<std::vector<std::uint8_t>> words{{0}, {1}, {2}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() > 1 && !every_run_decides(p, words[i])) ++bad;
    if (words[i].size() == longest) continue;
    for (std::uint8_t letter = 0; letter < 3; ++letter) {
      words.push_back(words[i]);
      words.back().push_back(letter);
    }
  }
  return static_cast<double>(bad);
}

std::vector<std::uint8_t> drawn_word(Prng& prng, std::uint64_t letters) {
  std::vector<std::uint8_t> out;
  for (std::uint64_t i = 0; i < letters; ++i)
    out.push_back(static_cast<std::uint8_t>(prng.below(3)));
  return out;
}

Chart times_to_answer(const ReproduceOptions& o) {
  Chart out{"Steps until all answer 'the first is 0'", "agents", "mean steps over n^2",
            std::vector<Series>(1)};
  out.series[0].name = "drawn words";
  Prng prng(o.seed, 2);
  for (const std::uint64_t agents : {5u, 10u, 20u, 40u}) {
    double steps = 0;
    for (std::uint64_t run = 0; run < o.runs; ++run) {
      steps += static_cast<double>(run_until_answered(first_is_zero(), drawn_word(prng, agents),
                                                      prng, 100 * agents * agents));
    }
    const auto n = static_cast<double>(agents);
    out.series[0].points.push_back({n, steps / static_cast<double>(o.runs) / (n * n)});
  }
  return out;
}

Reproduction ordered_agents(const ReproduceOptions& o) {
  OrderedProtocol blind = some_zero_before_a_one();
  blind.observe = [sees = blind.observe](AgentState observer, AgentState seen, bool) {
    return sees(observer, seen, true);
  };
  Prng prng(o.seed, 1);
  std::uint64_t late = 0;
  constexpr std::uint64_t kAgents = 30;
  for (std::uint64_t run = 0; run < o.runs; ++run) {
    const std::vector<std::uint8_t> word = drawn_word(prng, kAgents);
    const std::uint64_t most = 100 * kAgents * kAgents;
    late += run_until_answered(first_is_zero(), word, prng, most) == most ? 1 : 0;
  }
  const std::string all = "all configurations of every word are looked at";
  Claims claims{
      {"words of up to 7 letters on which 'some 0 before some 1' can fail", 0, 0,
       undecided_words(some_zero_before_a_one(), 7), all},
      {"words of up to 5 letters on which 'the first is 0' can fail", 0, 0,
       undecided_words(first_is_zero(), 5), all},
      {"words of up to 4 letters on which the first can fail if agents do not know left from right",
       1, 120, undecided_words(blind, 4), all + "; without the order the word is lost"},
      {"runs of 30 agents without the answer after 100 n^2 steps", 0, 0, static_cast<double>(late),
       "an agent waits for n (n-1) steps on average for each of at most two meetings that it "
       "needs"},
  };
  return {{}, {}, std::move(claims), {times_to_answer(o)}};
}

// --- black hole
// -----------------------------------------------------------------------------------

Chart plays_by_ring(const std::map<std::int32_t, WorstPlay>& worst) {
  Chart out{"The longest play of a ring", "nodes of the ring", "rounds, moves",
            std::vector<Series>(3)};
  out.series[0].name = "moves of all agents";
  out.series[1].name = "rounds";
  out.series[2].name = "n^2 - 3n + 3";
  for (const auto& [n, play] : worst) {
    const auto x = static_cast<double>(n);
    out.series[0].points.push_back({x, static_cast<double>(play.moves)});
    out.series[1].points.push_back({x, static_cast<double>(play.rounds)});
    out.series[2].points.push_back({x, x * x - 3 * x + 3});
  }
  return out;
}

Reproduction black_hole(const ReproduceOptions&) {
  Claims out;
  constexpr std::int32_t kLargest = 12;
  std::uint64_t wrong = 0;
  std::map<std::int32_t, WorstPlay> worst;
  for (std::int32_t n = 3; n <= kLargest; ++n) {
    for (std::int32_t hole = 1; hole < n; ++hole) {
      const WorstPlay play = worst_play(n, hole);
      wrong += play.wrong;
      worst[n].rounds = std::max(worst[n].rounds, play.rounds);
      worst[n].moves = std::max(worst[n].moves, play.moves);
    }
  }
  const std::string all = "all that the adversary can do is looked at, for every place of the hole";
  out.push_back(
      {"plays that name another node, rings of 3 to 12", 0, 0, static_cast<double>(wrong), all});
  const auto share = [](std::uint64_t of, std::int32_t n) {
    return static_cast<double>(of) / static_cast<double>(n * n);
  };
  out.push_back({"most rounds over n^2, ring of 12", 0.5, 1,
                 share(worst[kLargest].rounds, kLargest), "O(n^2): n^2 - 3n + 3 here; " + all});
  out.push_back({"most moves over n^2, ring of 12", 0.5, 3, share(worst[kLargest].moves, kLargest),
                 "O(n^2) and no less for three agents; " + all});
  out.push_back({"most moves of a ring of 12 over those of 6", 3, 5.5,
                 static_cast<double>(worst[12].moves) / static_cast<double>(worst[6].moves),
                 "four times as many in the limit, from above: lower terms are negative"});
  return {{}, {}, std::move(out), {plays_by_ring(worst)}};
}

struct Model {
  std::string source;
  Reproduction (*made)(const ReproduceOptions&);  ///< without name and source
};

const std::map<std::string, Model>& models() {
  static const std::map<std::string, Model> all{
      {"black-hole", {"Di Luna and others, ICDCS 2021; arXiv 2404.15132", &black_hole}},
      {"committee-coin", {"Mizrahi and Wattenhofer; arXiv 2603.02071", &committee_coin}},
      {"finality", {"FRC-0089; arXiv 2603.01307", &finality}},
      {"incremental-voting", {"arXiv 2409.12615, 2606.06381", &incremental_voting}},
      {"ordered-agents", {"arXiv 2605.09937", &ordered_agents}},
  };
  return all;
}

}  // namespace

std::vector<std::string> reproductions() {
  std::vector<std::string> out;
  for (const auto& [name, model] : models()) out.push_back(name);
  return out;
}

Reproduction reproduce(const std::string& name, const ReproduceOptions& options) {
  const Model& model = models().at(name);
  Reproduction out = model.made(options);
  out.name = name;
  out.source = model.source;
  return out;
}

}  // namespace thresher::sim
