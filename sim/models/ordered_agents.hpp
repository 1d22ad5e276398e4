// Population protocols over agents that stand in a row and know only who of two is further left.
//
//   const OrderedProtocol p = some_before(...);
//   every_run_decides(p, {0, 2, 1})              // all fair runs from this word end in its answer
//
// Immediate observation, IO-PP[<]: one agent sees the state of another and which side it is on, and
// changes its own. A word is accepted if all agents say so for ever, in every fair run.
// Source: arXiv 2605.09937: IO-PP[<] decides the unambiguous star-free languages, those of
// first-order logic with two variables and <.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "thresher/core/prng.hpp"

namespace thresher::sim {

using AgentState = std::uint8_t;
using Agents = std::vector<AgentState>;

struct OrderedProtocol {
  /// What the observer becomes; `left`: the agent it sees stands on its left.
  std::function<AgentState(AgentState observer, AgentState seen, bool left)> observe;
  std::function<AgentState(std::uint8_t letter)> begin;
  std::function<bool(AgentState)> says;  ///< the answer that an agent gives
  std::function<bool(const std::vector<std::uint8_t>&)> accepts;  ///< the language
};

/// "Some 0 stands before some 1", a letter being 0, 1 or 2: a 1 that sees a 0 on its left knows,
/// and an agent that sees one that knows, on either side, knows as well.
inline OrderedProtocol some_zero_before_a_one() {
  constexpr AgentState kKnows = 3;
  OrderedProtocol p;
  p.begin = [](std::uint8_t letter) { return letter; };
  p.observe = [](AgentState observer, AgentState seen, bool left) {
    const bool finds = observer == 1 && seen == 0 && left;
    return finds || seen == kKnows ? kKnows : observer;
  };
  p.says = [](AgentState s) { return s == kKnows; };
  p.accepts = [](const std::vector<std::uint8_t>& word) {
    bool zero = false;
    for (const std::uint8_t letter : word) {
      if (letter == 1 && zero) return true;
      zero = zero || letter == 0;
    }
    return false;
  };
  return p;
}

/// "The first letter is 0": an agent that sees one on its left is not the first, and takes the word
/// of those that may still be. No protocol of agents without an order decides this.
inline OrderedProtocol first_is_zero() {
  constexpr AgentState kFirst = 1, kYes = 2;
  OrderedProtocol p;
  p.begin = [](std::uint8_t letter) {
    return static_cast<AgentState>(kFirst | (letter == 0 ? kYes : 0));
  };
  p.observe = [](AgentState observer, AgentState seen, bool left) {
    if (left) observer &= static_cast<AgentState>(~kFirst);
    if ((observer & kFirst) != 0 || (seen & kFirst) == 0) return observer;
    return static_cast<AgentState>((observer & ~kYes) | (seen & kYes));
  };
  p.says = [](AgentState s) { return (s & kYes) != 0; };
  p.accepts = [](const std::vector<std::uint8_t>& word) { return word.front() == 0; };
  return p;
}

/// All agents, one step of a pair (observer, seen). Pre: different positions.
inline void observe(const OrderedProtocol& p, Agents& agents, std::size_t observer,
                    std::size_t seen) {
  agents[observer] = p.observe(agents[observer], agents[seen], seen < observer);
}

/// Whether every fair run from `word` ends with all agents giving the language's answer for ever:
/// from every configuration that can be reached, one can be reached that nothing leads out of the
/// right answer from. Looks at all of them.
inline bool every_run_decides(const OrderedProtocol& p, const std::vector<std::uint8_t>& word) {
  Agents start;
  for (const std::uint8_t letter : word) start.push_back(p.begin(letter));
  std::vector<Agents> configurations{start};
  std::map<Agents, std::size_t> index{{start, 0}};
  std::vector<std::vector<std::size_t>> before(1);
  for (std::size_t c = 0; c < configurations.size(); ++c) {
    for (std::size_t i = 0; i < word.size(); ++i) {
      for (std::size_t k = 0; k < word.size(); ++k) {
        if (i == k) continue;
        Agents next = configurations[c];
        observe(p, next, i, k);
        const auto [it, fresh] = index.emplace(next, configurations.size());
        if (fresh) {
          configurations.push_back(std::move(next));
          before.emplace_back();
        }
        before[it->second].push_back(c);
      }
    }
  }
  // All that reach a configuration of `marked`, itself included.
  const auto reaching = [&](std::vector<char> marked) {
    std::vector<std::size_t> todo;
    for (std::size_t c = 0; c < marked.size(); ++c) {
      if (marked[c] != 0) todo.push_back(c);
    }
    while (!todo.empty()) {
      const std::size_t c = todo.back();
      todo.pop_back();
      for (const std::size_t b : before[c]) {
        if (marked[b] == 0) todo.push_back(b);
        marked[b] = 1;
      }
    }
    return marked;
  };
  const bool answer = p.accepts(word);
  std::vector<char> wrong(configurations.size());
  for (std::size_t c = 0; c < wrong.size(); ++c) {
    for (const AgentState s : configurations[c])
      if (p.says(s) != answer) wrong[c] = 1;
  }
  std::vector<char> settled = reaching(wrong);
  for (char& c : settled) c = c == 0 ? 1 : 0;
  const std::vector<char> settles = reaching(settled);
  return std::find(settles.begin(), settles.end(), 0) == settles.end();
}

/// Steps of pairs drawn at random until all agents give the language's answer, or `most`.
inline std::uint64_t run_until_answered(const OrderedProtocol& p,
                                        const std::vector<std::uint8_t>& word, Prng& prng,
                                        std::uint64_t most) {
  Agents agents;
  for (const std::uint8_t letter : word) agents.push_back(p.begin(letter));
  const bool answer = p.accepts(word);
  std::size_t wrong = 0;
  for (const AgentState s : agents) wrong += p.says(s) != answer ? 1 : 0;
  std::uint64_t steps = 0;
  for (; steps < most && wrong > 0; ++steps) {
    const std::size_t observer = prng.below(agents.size());
    const std::size_t seen = (observer + 1 + prng.below(agents.size() - 1)) % agents.size();
    wrong -= p.says(agents[observer]) != answer ? 1 : 0;
    observe(p, agents, observer, seen);
    wrong += p.says(agents[observer]) != answer ? 1 : 0;
  }
  return steps;
}

}  // namespace thresher::sim
