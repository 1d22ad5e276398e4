// What the arena compares over all nodes: what a commit delivers, and who leads after it; and what
// the history of a block holds.
#pragma once

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
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

/// Hashes are as good as random, so their first bytes serve as a table's key.
struct ByPrefix {
  std::size_t operator()(const Digest& d) const { return static_cast<std::size_t>(d.prefix()); }
};
using Known = std::unordered_map<Digest, dag::BlockPtr, ByPrefix>;
using ByRound = std::map<std::uint64_t, std::vector<dag::BlockPtr>>;

/// The blocks from `round` on that claim `leader` in that round, or have a block that does in their
/// history. One walk upwards, since a block's parents are of lower rounds.
inline std::unordered_set<Digest, ByPrefix> with_claim(const ByRound& blocks, std::uint64_t round,
                                                       const Digest& leader) {
  std::unordered_set<Digest, ByPrefix> out;
  for (auto at = blocks.lower_bound(round); at != blocks.end(); ++at) {
    for (const dag::BlockPtr& b : at->second) {
      const dag::Header& h = b->header;
      const auto has = [&](const dag::Edge& e) { return out.contains(e.digest); };
      const bool claims = at->first == round ? h.claim == leader
                                             : has(h.self) || (h.vote && out.contains(*h.vote)) ||
                                                   (h.claim && out.contains(*h.claim)) ||
                                                   std::ranges::any_of(h.refs, has);
      if (claims) out.insert(b->digest);
    }
  }
  return out;
}

}  // namespace thresher
