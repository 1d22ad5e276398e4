// What the arena compares over all nodes: what a commit delivers, and who leads after it; and what
// the history of a block holds.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "thresher/protocols/dag/dag.hpp"

namespace thresher {

class Witness {
 public:
  /// True when the commit that makes the log `length` long delivers what it did elsewhere.
  bool same_blocks(std::uint64_t length, const dag::Committed& commit) {
    Writer w;
    for (const dag::BlockPtr& b : commit.blocks) w.bytes(b->digest.bytes);
    delivered_ += commit.blocks.size();
    return blocks_.emplace(length, hash(w.view())).first->second == hash(w.view());
  }
  /// True when the node sees the leaders to come that others saw after as many commits.
  bool same_leaders(std::uint64_t length, const dag::Dag& node, std::uint32_t n) {
    std::vector<std::uint16_t> leaders;
    const std::uint64_t next = node.next_slot().value;
    for (std::uint64_t k = 0; k < 20ull * n; ++k) {
      leaders.push_back(node.leader(Round{next + k}).value);
    }
    passed_over_ += leaders[0] != next % n ? 1 : 0;
    ++compared_;
    return leaders_.emplace(length, leaders).first->second == leaders;
  }
  std::uint64_t delivered() const { return delivered_; }
  std::uint64_t compared() const { return compared_; }
  /// How often the very next round had another leader than the one whose turn it was.
  std::uint64_t passed_over() const { return passed_over_; }

 private:
  std::map<std::uint64_t, Digest> blocks_;                       // by length of the log
  std::map<std::uint64_t, std::vector<std::uint16_t>> leaders_;  // by length of the log
  std::uint64_t delivered_ = 0;
  std::uint64_t compared_ = 0;
  std::uint64_t passed_over_ = 0;
};

/// Whether some block of `round` in the history of `from` claims `leader`.
inline bool claims_in_history(const std::map<Digest, dag::BlockPtr>& known,
                              const dag::BlockPtr& from, std::uint64_t round,
                              const Digest& leader) {
  std::vector<Digest> todo{from->digest};
  std::set<Digest> seen;
  while (!todo.empty()) {
    const Digest at = todo.back();
    todo.pop_back();
    const auto it = known.find(at);
    if (it == known.end() || !seen.insert(at).second) continue;
    const dag::Header& h = it->second->header;
    if (h.round.value == round && h.claim == leader) return true;
    if (h.round.value <= round) continue;
    todo.push_back(h.self.digest);
    if (h.vote) todo.push_back(*h.vote);
    if (h.claim) todo.push_back(*h.claim);
    for (const dag::Edge& e : h.refs) todo.push_back(e.digest);
  }
  return false;
}

}  // namespace thresher
