// The subcubic coin of Mizrahi and Wattenhofer (arXiv 2603.02071) as a model: the majority of many
// coins, each tossed by a small fixed committee, against an adversary that corrupts after it has
// seen them all.
//
//   CommitteeCoin coin({.n = 64, .k = 3, .size_ppm = 3'000'000, .slack_ppm = 250'000});
//   CommitteeCoin::Toss toss = coin.toss(seed);   // toss.agreed: whatever the adversary shows to
//   whom CommitteeCoin::Cost cost = coin.cost();       // bits of one toss, by part
//
// N = n^(2-2/k) committees of s = c n^(1/k) members, and d = O(log n) members of each committee
// that a party listens to: all public, drawn from a hash of their names (nothing up a sleeve).
// Committees toss ideal strong coins; a strong coin among s parties costs s^k messages. A party
// takes from a committee the bit that most of its d members report, waits for N - 2b bits and
// outputs the sign of their sum, 0 on a tie. The adversary corrupts (1/k' - slack) n parties, k' =
// 3 or 4 as the strong coin bears, chosen greedily after it has seen the committees' bits; says
// what it likes for committees that it overpowers and to parties most of whose listeners it has;
// and withholds 2b bits from each party. Guarantees: everything is counted, nothing estimated; the
// greedy choice is a lower bound on what an adversary can do. Nobody sends anything: the protocol
// is protocols/coin/committee_coin.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "thresher/core/prng.hpp"
#include "thresher/protocols/coin/committee_lists.hpp"

namespace thresher::sim {

/// How large everything is, and what it costs.
class CommitteeCoinShape {
 public:
  struct Setup {
    std::uint32_t n = 64;
    std::uint32_t k = 3;  ///< as those of CommitteeSizes::Setup, with three more
    std::uint64_t size_ppm = 3'000'000;
    std::uint64_t slack_ppm = 250'000;  ///< below the strong coin's resilience, of n
    std::uint64_t gamma_ppm = 100'000;

    coin::CommitteeSizes::Setup sizes() const { return {n, k, size_ppm, gamma_ppm}; }
  };
  /// Unit: bits. A message of a strong coin carries 256, one of publishing 1 and its committee's
  /// number.
  struct Cost {
    double committees = 0;
    double publishing = 0;
    double total() const { return committees + publishing; }
  };
  explicit CommitteeCoinShape(const Setup& setup) : setup_(setup), sizes_(setup.sizes()) {}

  const Setup& setup() const { return setup_; }
  std::uint32_t committees() const { return sizes_.committees; }
  std::uint32_t size() const { return sizes_.size; }
  std::uint32_t listened() const { return sizes_.listened; }
  std::uint32_t bound() const { return sizes_.bound; }
  /// Parties that the adversary corrupts.
  std::uint32_t corrupt() const {
    const double share = 1.0 / setup_.k - static_cast<double>(setup_.slack_ppm) / 1e6;
    return share <= 0 ? 0 : static_cast<std::uint32_t>(share * setup_.n);
  }
  /// Members of a committee in corrupt hands from which on it is overpowered.
  std::uint32_t majority() const { return size() / setup_.k + 1; }

  Cost cost() const {
    const double per_coin = std::pow(size(), setup_.k) * kCoinMessageBits;
    const double told = static_cast<double>(setup_.n) * committees() * listened();
    return {committees() * per_coin, told * (1 + log2_up(committees()))};
  }
  /// What the strong coin alone costs among all n: n^3 messages. Unit: bits.
  double strong_cost() const { return std::pow(setup_.n, 3) * kCoinMessageBits; }
  /// Publishing without what is a power of log n in it: of the fit. Unit: bits.
  double plain_cost() const {
    const Cost c = cost();
    return c.committees + c.publishing / (listened() * (1.0 + log2_up(committees())));
  }

  static std::uint32_t log2_up(std::uint32_t x) {
    std::uint32_t bits = 0;
    while ((std::uint64_t{1} << bits) < x) ++bits;
    return bits;
  }

 private:
  static constexpr double kCoinMessageBits = 256;

  Setup setup_;
  coin::CommitteeSizes sizes_;
};

class CommitteeCoin {
 public:
  struct Toss {
    bool agreed = false;
    bool value = false;             ///< what all output, if they agreed
    bool within_bound = false;      ///< |Z| > 6b: the proof promises agreement
    std::uint32_t overpowered = 0;  ///< committees
    std::uint32_t misled = 0;       ///< of one party, the most: sound committees it is misled about
  };

  explicit CommitteeCoin(const CommitteeCoinShape& shape)
      : shape_(shape),
        lists_(shape.setup().sizes()),
        n_(shape.setup().n),
        committees_(shape.committees()) {}

  Toss toss(std::uint64_t seed) const {
    Prng random(seed);
    std::vector<int> bit(committees_);
    int sum = 0;
    for (int& b : bit) sum += b = random.below(2) == 1 ? 1 : -1;
    // Against who is ahead: there is nothing to gain from committees that say the other.
    const std::vector<bool> bad = corrupted(bit, sum > 0 ? 1 : -1);
    Toss out;
    out.within_bound = std::abs(sum) > 6 * static_cast<int>(shape_.bound());
    std::vector<bool> lost(committees_);
    for (std::uint32_t j = 0; j < committees_; ++j) {
      lost[j] = held(lists_.members(j), bad) >= shape_.majority();
      out.overpowered += lost[j] ? 1 : 0;
    }
    bool all_one = true;
    bool all_zero = true;
    for (std::uint32_t p = 0; p < n_; ++p) {
      if (bad[p]) continue;
      const Range r = range_of(p, bit, lost, bad, out.misled);
      all_one = all_one && r.low > 0;
      all_zero = all_zero && r.high <= 0;
    }
    out.agreed = all_one || all_zero;
    out.value = all_one;
    return out;
  }

 private:
  struct Range {
    int low = 0;
    int high = 0;
  };

  static std::uint32_t held(const std::vector<NodeId>& members, const std::vector<bool>& bad) {
    return static_cast<std::uint32_t>(
        std::count_if(members.begin(), members.end(), [&](NodeId p) { return bad[p.value]; }));
  }
  // One party after the other: the one in most committees that are worth it, where nearly
  // overpowered ones count most.
  std::vector<bool> corrupted(const std::vector<int>& bit, int ahead) const {
    std::vector<bool> bad(n_);
    std::vector<std::uint32_t> have(committees_);
    std::vector<double> score(n_);
    const auto worth = [&](std::uint32_t j) {
      if (bit[j] != ahead || have[j] >= shape_.majority()) return 0.0;
      return std::pow(4.0, have[j]);
    };
    for (std::uint32_t p = 0; p < n_; ++p) {
      for (const std::uint32_t j : of(p)) score[p] += worth(j);
    }
    for (std::uint32_t taken = 0; taken < shape_.corrupt(); ++taken) {
      const auto best = std::max_element(score.begin(), score.end());
      const auto p = static_cast<std::uint32_t>(best - score.begin());
      bad[p] = true;
      for (const std::uint32_t j : of(p)) {
        const double before = worth(j);
        ++have[j];
        const double change = worth(j) - before;
        for (const NodeId q : lists_.members(j)) score[q.value] += change;
      }
      *best = -1e300;
    }
    return bad;
  }
  // The range within which the sum of one party can be moved.
  Range range_of(std::uint32_t p, const std::vector<int>& bit, const std::vector<bool>& lost,
                 const std::vector<bool>& bad, std::uint32_t& most_misled) const {
    int fixed = 0;
    int free = 0;
    int ones = 0;
    int zeros = 0;
    std::uint32_t misled = 0;
    for (std::uint32_t j = 0; j < committees_; ++j) {
      const bool wrong = !lost[j] && misleads(p, j, bad);
      misled += wrong ? 1 : 0;
      if (lost[j] || wrong) {
        ++free;
        continue;
      }
      fixed += bit[j];
      ++(bit[j] > 0 ? ones : zeros);
    }
    most_misled = std::max(most_misled, misled);
    const int withheld = 2 * static_cast<int>(shape_.bound());
    return {fixed - free - std::min(withheld, ones), fixed + free + std::min(withheld, zeros)};
  }
  bool misleads(std::uint32_t p, std::uint32_t j, const std::vector<bool>& bad) const {
    std::uint32_t count = 0;
    for (const std::uint32_t place : lists_.listens(node(p), j))
      count += bad[lists_.members(j)[place].value] ? 1 : 0;
    return 2 * count > shape_.listened();
  }
  static NodeId node(std::uint32_t p) { return NodeId{static_cast<std::uint16_t>(p)}; }
  const std::vector<std::uint32_t>& of(std::uint32_t p) const { return lists_.of(node(p)); }

  CommitteeCoinShape shape_;
  coin::CommitteeLists lists_;
  std::uint32_t n_;
  std::uint32_t committees_;
};

}  // namespace thresher::sim
