#include "two_delay_lemmas.hpp"

#include <algorithm>

namespace thresher::sim {
namespace {

constexpr std::uint64_t kRoundsBack = 12;

std::string text(std::uint64_t number) {
  return std::to_string(number);
}

}  // namespace

std::optional<Finding> TwoDelayLemmas::check(const ByRound& by_round) const {
  if (!rules_.two_delays) return std::nullopt;
  Known known;
  for (const auto& [round, blocks] : by_round) {
    for (const dag::BlockPtr& b : blocks) known.emplace(b->digest, b);
  }
  const auto said = of_correct(by_round);
  for (const auto& [round, blocks] : by_round) {
    if (auto finding = blames_leave_few(round, blocks)) return finding;
    for (const dag::BlockPtr& b : blocks) {
      if (auto finding = kills_are_proved(*b, known, by_round)) return finding;
      if (!leads(*b)) continue;
      if (auto finding = anchor_follows(*b, known, said)) return finding;
    }
  }
  return std::nullopt;
}

// By the round that is spoken of.
std::map<std::uint64_t, TwoDelayLemmas::Said> TwoDelayLemmas::of_correct(
    const ByRound& by_round) const {
  std::map<std::uint64_t, Said> out;
  for (const auto& [round, blocks] : by_round) {
    for (const dag::BlockPtr& b : blocks) {
      if (!correct_(b->author())) continue;
      if (b->header.vote) out[round - 1].votes[*b->header.vote].insert(b->author());
      if (b->header.kill) out[round - 2].kills.insert(b->author());
    }
  }
  return out;
}

// T1, over all that was signed.
bool TwoDelayLemmas::dead(const Blocks& voters) const {
  Authors all;
  std::set<Digest> voted;
  for (const dag::BlockPtr& b : voters) {
    all.insert(b->author());
    if (b->header.vote) voted.insert(*b->header.vote);
  }
  const std::uint32_t enough = committee_.at_least(rules_.skip);
  return all.size() >= enough && std::all_of(voted.begin(), voted.end(), [&](const Digest& leader) {
           Authors against;
           for (const dag::BlockPtr& b : voters) {
             if (b->header.vote != leader) against.insert(b->author());
           }
           return against.size() >= enough;
         });
}

// A block that a correct node refers to was accepted.
std::optional<Finding> TwoDelayLemmas::kills_are_proved(const dag::Block& block, const Known& known,
                                                        const ByRound& by_round) const {
  if (!correct_(block.author())) return std::nullopt;
  for (const dag::Edge& e : block.header.refs) {
    const auto parent = known.find(e.digest);
    if (parent == known.end() || !parent->second->header.kill) continue;
    const auto voters = by_round.find(e.round.value - 1);
    if (voters != by_round.end() && dead(voters->second)) continue;
    return Finding{"P2'", "node " + text(block.author().value) +
                              " refers to a KILL of a round that may be certified, " +
                              text(e.round.value - 2)};
  }
  return std::nullopt;
}

std::optional<Finding> TwoDelayLemmas::blames_leave_few(std::uint64_t round,
                                                        const Blocks& voters) const {
  Authors seen;
  std::map<Digest, Authors> votes;
  for (const dag::BlockPtr& b : voters) {
    if (!correct_(b->author())) continue;
    seen.insert(b->author());
    if (b->header.vote) votes[*b->header.vote].insert(b->author());
  }
  for (const auto& [leader, authors] : votes) {
    if (authors.size() + faults_ < committee_.at_least(rules_.seen)) continue;
    if (seen.size() - authors.size() + faults_ < committee_.at_least(rules_.blames)) continue;
    return Finding{"P4'", "slot " + text(round - 1) +
                              " can be skipped by blames and committed by the votes that are seen"};
  }
  return std::nullopt;
}

// What the history of a block says of the last rounds, by the round that is spoken of.
std::map<std::uint64_t, TwoDelayLemmas::Said> TwoDelayLemmas::history(const dag::Block& from,
                                                                      const Known& known) const {
  std::map<std::uint64_t, Said> out;
  std::set<Digest> seen;
  std::vector<Digest> todo{from.digest};
  while (!todo.empty()) {
    const auto it = known.find(todo.back());
    todo.pop_back();
    if (it == known.end() || !seen.insert(it->first).second) continue;
    const dag::Header& h = it->second->header;
    if (h.round.value + kRoundsBack < from.round().value) continue;
    if (h.vote) out[h.round.value - 1].votes[*h.vote].insert(h.author);
    if (h.kill) out[h.round.value - 2].kills.insert(h.author);
    todo.push_back(h.self.digest);
    if (h.vote) todo.push_back(*h.vote);
    if (h.claim) todo.push_back(*h.claim);
    for (const dag::Edge& e : h.refs) todo.push_back(e.digest);
  }
  return out;
}

std::optional<Finding> TwoDelayLemmas::anchor_follows(
    const dag::Block& anchor, const Known& known, const std::map<std::uint64_t, Said>& said) const {
  const std::uint64_t top = anchor.round().value;
  const std::uint64_t seen = committee_.at_least(rules_.seen);
  auto past = history(anchor, known);
  const auto found = [&](const char* lemma, std::uint64_t slot, const std::string& what) {
    return Finding{lemma, "the leader block of node " + text(anchor.author().value) + " in round " +
                              text(top) + " sees " + what + " slot " + text(slot)};
  };
  for (const auto& [slot, words] : said) {
    if (slot + kRoundsBack <= top || slot + rules_.anchor_distance > top) continue;
    const Said& there = past[slot];
    if (words.kills.size() + faults_ >= committee_.at_least(rules_.kills) && there.kills.empty())
      return found("P3'", slot, "no KILL of");
    for (const auto& [leader, authors] : words.votes) {
      if (authors.size() + faults_ < committee_.at_least(rules_.fast)) continue;
      for (const auto& [voted, voters] : there.votes) {
        if (voted != leader && voters.size() >= seen)
          return found("PF", slot, "too many votes for another block of");
      }
      const auto its = there.votes.find(leader);
      if (its == there.votes.end() || its->second.size() < seen)
        return found("PF", slot, "too few votes for the block of");
    }
  }
  return std::nullopt;
}

// With the parents that the rules ask for, whoever led.
bool TwoDelayLemmas::leads(const dag::Block& b) const {
  if (b.header.refs.empty()) return false;
  Authors authors;
  const auto count = [&](const dag::Edge& e) {
    if (e.round.value + 1 == b.round().value) authors.insert(e.author);
  };
  count(b.header.self);
  for (const dag::Edge& e : b.header.refs) count(e);
  return authors.size() >= committee_.at_least(rules_.dense);
}

}  // namespace thresher::sim
