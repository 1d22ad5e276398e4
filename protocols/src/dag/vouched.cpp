// Blocks that came with the log of peers. A quorum of hashes vouches for their digests, and nobody
// here looked at their signatures, which no hash of the log covers: a liar that hands out the log
// can put false ones in. So they are shown to others only after a look. Rules V1
// and V2 of docs/protocols/thresher.md, "What came with the log".
#include "state.hpp"

namespace thresher::dag {

// V1. Asks for the verdict when it is first needed: a node that catches up adopts far more blocks
// than it is ever asked for. A peer that asked will ask again, or ask another node.
bool Dag::State::may_show(const BlockPtr& block, Fx& fx) {
  const auto it = vouched.find(block->edge());
  if (it == vouched.end()) return true;
  if (it->second == Look::kNone) {
    it->second = Look::kAsked;
    ++stats.signatures_checked;
    const std::uint64_t ticket =
        awaited.keep({.block = block, .from = config.self, .vouched = true});
    fx.push(Verify{{ticket, {}}, block->author(), block->digest, block->signature, config.self});
  }
  return false;
}

// V2
void Dag::State::looked_at(const BlockPtr& block, bool ok) {
  const auto it = vouched.find(block->edge());
  if (it == vouched.end()) return;
  if (ok) {
    vouched.erase(it);
  } else {
    it->second = Look::kFalse;
  }
}

}  // namespace thresher::dag
