// How much of each author's payload is kept for nothing yet: in blocks that are not accepted, and
// in accepted ones that are far. Rule H1 of docs/protocols/thresher.md, section "What a peer can
// fill".
//
//   KeptPayload kept(committee);
//   kept.begins_to_wait(*block);               // held, and not accepted
//   if (kept.bytes(author) > limits.waiting_bytes_per_peer) ...   // no more of its payload
//   kept.waits_no_more(*block);                // accepted, or gone
//   kept.counts_until_near(*block);            // accepted, and far
//   kept.near([&](Round round) { return !is_far(round); });
//
// Guarantees: a block counts once, with the payload that it has in memory. Counts, does not keep
// blocks, nor know what is far: the caller says so.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "thresher/core/committee.hpp"
#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

class KeptPayload {
 public:
  explicit KeptPayload(const Committee& committee) : authors_(committee.size()) {}

  void begins_to_wait(const Block& block);
  void waits_no_more(const Block& block);
  /// Pre: waits_no_more() was called.
  void counts_until_near(const Block& block);
  /// Rounds for which `is_near(Round)` is true, from the lowest on, count no more.
  template <class F>
  void near(F is_near) {
    while (!far_.empty() && is_near(far_.begin()->first)) {
      for (const auto& [author, bytes] : far_.begin()->second)
        authors_[author.value].bytes -= bytes;
      far_.erase(far_.begin());
    }
  }
  /// Of a block that waits the payload came, or was dropped.
  void came(NodeId author, std::uint64_t bytes) { authors_[author.value].bytes += bytes; }
  void dropped(NodeId author, std::uint64_t bytes);

  /// Blocks that wait.
  std::uint32_t waiting(NodeId author) const { return authors_[author.value].waiting; }
  std::uint64_t bytes(NodeId author) const { return authors_[author.value].bytes; }

 private:
  struct Author {
    std::uint32_t waiting = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<Author> authors_;
  std::map<Round, std::vector<std::pair<NodeId, std::uint64_t>>> far_;  // accepted, by round
};

}  // namespace thresher::dag
