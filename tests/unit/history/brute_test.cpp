// The levels against their definitions, tried out over all orders: thousands of small random
// histories, 0 differences.
#include <algorithm>
#include <map>
#include <numeric>

#include "samples.hpp"
#include "thresher/core/prng.hpp"

namespace thresher::history {
namespace {

using Ops = std::vector<Operation>;
using Order = std::vector<std::size_t>;

/// Three clients put and get two values of two keys, again and again.
History random_repetitions(std::uint64_t seed) {
  Prng prng(seed, 2);
  std::string text;
  for (int i = 0; i < 7; ++i) {
    const int begin = i / 3 * 4 + static_cast<int>(prng.next() % 2);
    const std::uint64_t end = static_cast<std::uint64_t>(begin) + 1 + prng.next() % 3;
    text += std::string(1, static_cast<char>('a' + i % 3)) + (prng.next() % 3 == 0 ? ":y" : ":x") +
            (prng.next() % 5 < 3 ? "=" : "?") + std::to_string(1 + prng.next() % 2) + "[" +
            std::to_string(begin) + "," + std::to_string(end) + "] ";
  }
  return history_of(text);
}

/// Some operations of three clients on two keys; values are never put twice. Every other history
/// has two puts under one key and then gets: else no two clients would see them in different
/// orders.
History random_history(std::uint64_t seed) {
  Prng prng(seed, 1);
  std::string text;
  std::vector<int> clock(3);
  int value = 0;
  std::vector<std::pair<char, int>> puts;
  const bool two_puts = seed % 2 == 0;
  const int operations = two_puts ? 7 : 4 + static_cast<int>(prng.next() % 4);
  for (int i = 0; i < operations; ++i) {
    const std::size_t client = prng.next() % 3;
    const int begin = clock[client] + static_cast<int>(prng.next() % 3);
    const int end = begin + static_cast<int>(prng.next() % 6);
    clock[client] = end + 1;
    char key = !two_puts && prng.next() % 2 == 0 ? 'y' : 'x';
    const bool put = two_puts ? i < 2 : prng.next() % 5 < 2;
    std::string said = "-";
    if (put) {
      puts.emplace_back(key, ++value);
      said = std::to_string(value);
    } else if (!puts.empty() && prng.next() % 5 != 0) {
      const auto& [k, v] = puts[prng.next() % puts.size()];
      key = k;
      said = std::to_string(v);
    }
    text += std::string(1, static_cast<char>('a' + client)) + ":" + key + (put ? "=" : "?") + said +
            "[" + std::to_string(begin) + "," + std::to_string(end) + "] ";
  }
  return history_of(text);
}

/// Some order of `which` that keeps `before(a, b)`, and in which gets that `reads(get)` names
/// return the last put.
template <class Before, class Counts>
bool some_order(const History& h, Order which, Before before, Counts counts) {
  std::sort(which.begin(), which.end());
  do {
    bool good = true;
    for (std::size_t i = 0; i < which.size() && good; ++i) {
      for (std::size_t k = i + 1; k < which.size() && good; ++k) good = !before(which[k], which[i]);
    }
    std::vector<std::uint32_t> holds(h.keys.size());
    std::iota(holds.begin(), holds.end(), 0);
    for (std::size_t i = 0; i < which.size() && good; ++i) {
      const Operation& op = h.operations[which[i]];
      if (op.kind == Kind::kPut) holds[op.key] = op.version;
      if (op.kind == Kind::kGet && counts(which[i])) good = holds[op.key] == op.version;
    }
    if (good) return true;
  } while (std::next_permutation(which.begin(), which.end()));
  return false;
}

class Definitions {
 public:
  explicit Definitions(const History& h) : h_(h), all_(h.operations.size()) {
    std::iota(all_.begin(), all_.end(), 0);
    const std::size_t n = all_.size();
    causal_.assign(n, std::vector<bool>(n));
    for (const auto a : all_) {
      for (const auto b : all_) causal_[a][b] = session(a, b) || read_from(a, b);
    }
    for (const auto k : all_) {
      for (const auto a : all_) {
        for (const auto b : all_) causal_[a][b] = causal_[a][b] || (causal_[a][k] && causal_[k][b]);
      }
    }
  }

  bool linearizable() const {
    return some_order(
        h_, all_,
        [&](auto a, auto b) {
          return session(a, b) || h_.operations[a].end < h_.operations[b].begin;
        },
        [](auto) { return true; });
  }
  bool sequential() const {
    return some_order(
        h_, all_, [&](auto a, auto b) { return session(a, b); }, [](auto) { return true; });
  }
  // Causal memory: for each operation its past stands in one order that its client's gets fit.
  bool causal() const {
    return std::all_of(all_.begin(), all_.end(), [&](auto last) {
      Order past;
      for (const auto a : all_) {
        if (a == last || causal_[a][last]) past.push_back(a);
      }
      return !causal_[last][last] && some_order(
                                         h_, past, [&](auto a, auto b) { return causal_[a][b]; },
                                         [&](auto a) { return a == last || session(a, last); });
    });
  }
  // One order of all for everybody; a get returns the last put of it that is in its past.
  bool convergent() const {
    for (const auto a : all_) {
      if (causal_[a][a]) return false;
    }
    Order order = all_;
    do {
      bool good = true;
      for (std::size_t i = 0; i < order.size() && good; ++i) {
        for (std::size_t k = 0; k < i && good; ++k) good = !causal_[order[i]][order[k]];
      }
      for (std::size_t i = 0; i < order.size() && good; ++i) good = sees_the_last(order, order[i]);
      if (good) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
  }
  bool pipelined() const {
    return of_clients([&](std::uint32_t client) {
      Order which;
      for (const auto a : all_) {
        if (h_.operations[a].kind == Kind::kPut || h_.operations[a].client == client)
          which.push_back(a);
      }
      return some_order(
          h_, which, [&](auto a, auto b) { return session(a, b); }, [](auto) { return true; });
    });
  }
  enum class Behind { kOwnPuts, kOwnGets, kBoth };
  /// Versions of a key in one order for a client, which its gets after those operations follow.
  bool versions(Behind behind) const {
    return of_clients([&](std::uint32_t client) {
      for (std::uint32_t key = 0; key < h_.keys.size(); ++key) {
        Order puts;
        for (const auto a : all_) {
          if (h_.operations[a].kind == Kind::kPut && h_.operations[a].key == key) puts.push_back(a);
        }
        if (!some_order_of_versions(client, key, puts, behind)) return false;
      }
      return true;
    });
  }

 private:
  bool session(std::size_t a, std::size_t b) const {
    return a < b && h_.operations[a].client == h_.operations[b].client;
  }
  bool read_from(std::size_t a, std::size_t b) const {
    const Operation &put = h_.operations[a], &get = h_.operations[b];
    return put.kind == Kind::kPut && get.kind == Kind::kGet && put.version == get.version;
  }
  template <class F>
  bool of_clients(F holds) const {
    for (std::uint32_t c = 0; c < h_.clients.size(); ++c) {
      if (!holds(c)) return false;
    }
    return true;
  }
  bool sees_the_last(const Order& order, std::size_t get) const {
    const Operation& op = h_.operations[get];
    if (op.kind != Kind::kGet) return true;
    std::uint32_t holds = op.key;
    for (const auto a : order) {
      const Operation& put = h_.operations[a];
      if (put.kind == Kind::kPut && put.key == op.key && causal_[a][get]) holds = put.version;
    }
    return holds == op.version;
  }
  bool some_order_of_versions(std::uint32_t client, std::uint32_t key, Order puts,
                              Behind behind) const {
    std::sort(puts.begin(), puts.end());
    do {
      std::map<std::uint32_t, std::size_t> rank{{key, 0}};
      bool good = true;
      for (std::size_t i = 0; i < puts.size(); ++i) {
        rank[h_.operations[puts[i]].version] = i + 1;
        for (std::size_t k = 0; k < i; ++k) good = good && !session(puts[i], puts[k]);
      }
      std::size_t least = 0;
      for (const auto a : all_) {
        const Operation& op = h_.operations[a];
        if (op.client != client || op.key != key) continue;
        if (op.kind == Kind::kGet) good = good && rank[op.version] >= least;
        const bool put = op.kind == Kind::kPut;
        if (behind == Behind::kBoth || put == (behind == Behind::kOwnPuts))
          least = std::max(least, rank[op.version]);
      }
      if (good) return true;
    } while (std::next_permutation(puts.begin(), puts.end()));
    return false;
  }

  const History& h_;
  Order all_;
  std::vector<std::vector<bool>> causal_;
};

TEST(Levels, AreThoseOfTheirDefinitionsOnSmallHistories) {
  std::map<std::string_view, int> seen;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const History h = random_history(seed);
    const Report r = judge(h, {});
    ++seen[name_of(r.level)];
    const Definitions d(h);
    const auto holds = [&](Level level) { return r.of(level).holds == Holds::kYes; };
    ASSERT_TRUE(r.certain()) << seed;
    ASSERT_EQ(holds(Level::kLinearizable), d.linearizable()) << seed;
    ASSERT_EQ(holds(Level::kSequential), d.sequential()) << seed;
    ASSERT_EQ(holds(Level::kCausal), d.causal()) << seed;
    ASSERT_EQ(holds(Level::kCausalConvergent), d.causal() && d.convergent()) << seed;
    ASSERT_EQ(holds(Level::kPipelined), d.pipelined()) << seed;
    ASSERT_EQ(holds(Level::kReadYourWrites), d.versions(Definitions::Behind::kOwnPuts)) << seed;
    ASSERT_EQ(holds(Level::kMonotonicReads), d.versions(Definitions::Behind::kOwnGets)) << seed;
    ASSERT_EQ(holds(Level::kSession), d.versions(Definitions::Behind::kBoth)) << seed;
    for (std::size_t i = 1; i < kLevels; ++i) {  // a level implies those below it
      const bool half = static_cast<Level>(i) == Level::kMonotonicReads;
      if (!half && r.findings[i - 1].holds == Holds::kYes) {
        ASSERT_EQ(r.findings[i].holds, Holds::kYes) << seed << " " << i;
      }
    }
  }
  EXPECT_EQ(seen.size(), kLevels) << testing::PrintToString(seen);
}

TEST(Levels, OrdersAreFoundAmongEqualValues) {
  int linearizable = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const History h = random_repetitions(seed);
    const Report r = judge(h, {});
    if (r.level == Level::kNothing) continue;
    const Definitions d(h);
    linearizable += d.linearizable() ? 1 : 0;
    ASSERT_EQ(r.of(Level::kLinearizable).holds == Holds::kYes, d.linearizable()) << seed;
    ASSERT_EQ(r.of(Level::kSequential).holds == Holds::kYes, d.sequential()) << seed;
  }
  EXPECT_GT(linearizable, 1000);
}

}  // namespace
}  // namespace thresher::history
