#include "dag_lemmas.hpp"

#include <algorithm>

#include "thresher/protocols/dag/policy.hpp"
#include "two_delay_lemmas.hpp"

namespace thresher::sim {
namespace {

constexpr std::uint64_t kRoundsAhead = 12;

std::string text(std::uint64_t number) {
  return std::to_string(number);
}

}  // namespace

void DagLemmas::note(const dag::BlockPtr& block) {
  if (known_.emplace(block->digest, block).second) by_round_[block->round().value].push_back(block);
}

std::optional<Finding> DagLemmas::check() const {
  if (rules_.edges != dag::Edges::kSparse) return std::nullopt;
  for (const auto& [round, blocks] : by_round_) {
    if (auto finding = one_certificate(round, blocks)) return finding;
    if (auto finding = skips_kill(round, blocks)) return finding;
    if (auto finding = claims_are_proved(blocks)) return finding;
    if (auto finding = claims_carry(round, blocks)) return finding;
  }
  const auto is_correct = [this](NodeId id) { return plan_.correct(id); };
  return TwoDelayLemmas(committee_, rules_, is_correct, faults()).check(by_round_);
}

std::map<Digest, DagLemmas::Authors> DagLemmas::votes(const Blocks& blocks, bool honest) const {
  std::map<Digest, Authors> votes;
  for (const auto& b : blocks) {
    if (b->header.vote && (!honest || correct(b))) votes[*b->header.vote].insert(b->author());
  }
  return votes;
}

std::optional<Finding> DagLemmas::one_certificate(std::uint64_t round, const Blocks& blocks) const {
  int certified = 0;
  for (const auto& [leader, authors] : votes(blocks, false)) {
    certified += authors.size() >= committee_.at_least(rules_.certify) ? 1 : 0;
  }
  if (certified < 2) return std::nullopt;
  return Finding{"P1", "slot " + text(round - 1) + " has two certificates"};
}

std::optional<Finding> DagLemmas::skips_kill(std::uint64_t round, const Blocks& blocks) const {
  Authors seen;
  for (const auto& b : blocks) {
    if (correct(b)) seen.insert(b->author());
  }
  for (const auto& [leader, voters] : votes(blocks, true)) {
    const std::size_t alive = voters.size() + faults();
    const std::size_t dead = seen.size() - voters.size() + faults();
    if (alive < committee_.at_least(rules_.certify)) continue;
    if (dead < committee_.at_least(rules_.skip)) continue;
    return Finding{"P4", "slot " + text(round - 1) + " can be skipped and certified"};
  }
  return std::nullopt;
}

bool DagLemmas::certified(std::uint64_t round, const Digest& leader) const {
  Authors voters;
  const auto it = by_round_.find(round + 1);
  if (it == by_round_.end()) return false;
  for (const auto& b : it->second) {
    if (b->header.vote == leader) voters.insert(b->author());
  }
  return voters.size() >= committee_.at_least(rules_.certify);
}

// A block that a correct node refers to was accepted, so its claim is certified.
std::optional<Finding> DagLemmas::claims_are_proved(const Blocks& blocks) const {
  for (const auto& b : blocks) {
    if (!correct(b)) continue;
    for (const dag::Edge& e : b->header.refs) {
      const auto parent = known_.find(e.digest);
      if (parent == known_.end() || !parent->second->header.claim) continue;
      if (certified(e.round.value - 2, *parent->second->header.claim)) continue;
      return Finding{"P2", "node " + text(b->author().value) +
                               " refers to a claim without a certificate, slot " +
                               text(e.round.value - 2)};
    }
  }
  return std::nullopt;
}

std::optional<Finding> DagLemmas::claims_carry(std::uint64_t round, const Blocks& blocks) const {
  std::map<Digest, Authors> claims;
  for (const auto& b : blocks) {
    if (b->header.claim && correct(b)) claims[*b->header.claim].insert(b->author());
  }
  for (const auto& [leader, authors] : claims) {
    if (authors.size() + faults() < committee_.at_least(rules_.commit)) continue;
    if (auto finding = carried(round, leader)) return finding;
  }
  return std::nullopt;
}

// Walks upwards with the blocks that have a claim of `round` in their history.
std::optional<Finding> DagLemmas::carried(std::uint64_t round, const Digest& leader) const {
  std::set<Digest> carriers;
  const auto last = by_round_.upper_bound(round + kRoundsAhead);
  for (auto it = by_round_.find(round); it != last; ++it) {
    for (const auto& b : it->second) {
      const dag::Header& h = b->header;
      const auto carries = [&](const Digest& digest) { return carriers.contains(digest); };
      const bool has =
          (it->first == round && h.claim == leader) || carries(h.self.digest) ||
          (h.vote && carries(*h.vote)) || (h.claim && carries(*h.claim)) ||
          std::any_of(h.refs.begin(), h.refs.end(), [&](auto& e) { return carries(e.digest); });
      if (has) carriers.insert(b->digest);
      if (has || it->first == round || !leads(b)) continue;
      return Finding{"P3", "the leader block of node " + text(b->author().value) + " in round " +
                               text(it->first) + " has no claim of round " + text(round) +
                               " for slot " + text(round - 2) + " in its history"};
    }
  }
  return std::nullopt;
}

// With the parents that the rules ask for.
bool DagLemmas::leads(const dag::BlockPtr& b) const {
  const dag::Header& h = b->header;
  const bool may =
      rules_.reputation() ? !h.refs.empty() : dag::leader_of(h.round, committee_) == h.author;
  if (!may || !rules_.policy->each_author_once(h)) return false;
  const auto is_parent = [&](const dag::Edge& e) { return e.round.value + 1 == h.round.value; };
  const auto named = std::count_if(h.refs.begin(), h.refs.end(), is_parent);
  const auto parents = static_cast<std::uint64_t>(named) + (is_parent(h.self) ? 1 : 0);
  return parents >= committee_.at_least(rules_.dense);
}

}  // namespace thresher::sim
