// What hangs on the verdict on a signature, from the question to the answer.
//
//   AwaitedVerdicts awaited;
//   awaited.ask({.block = block, .from = peer}, stats, fx);
//   if (const auto one = awaited.take(verified.ticket.local)) ...   // the answer
//
// Guarantees: no two tickets are alike, and each is answered once: an answer that comes a second
// time, or to a question that was never asked, finds nothing. The place of what was taken is used
// again, so memory follows the most that ever waited at once. Has no quota of its own: the caller
// counts, by peer, as only it knows when to refuse.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "thresher/protocols/dag/dag.hpp"

namespace thresher::dag {

struct Awaited {
  BlockPtr block{};  ///< whose signature is in question
  NodeId from{};
  std::optional<Edge> proves{};  ///< a header that is evidence for this leader block
  BlockPtr other{};              ///< of a proof of equivocation: the header beside this one
  bool other_good = false;       ///< whose signature is good
  bool attached = false;         ///< it came with a block of `from`
  bool vouched = false;          ///< it is held, and others want to see it
};

class AwaitedVerdicts {
 public:
  /// Asks for the verdict on the signature of `one.block`, which is not null, and counts it in
  /// `stats`.
  template <class Fx>
  void ask(Awaited one, Stats& stats, Fx& fx) {
    ++stats.signatures_checked;
    const Block& block = *one.block;
    const NodeId from = one.from;
    const std::uint64_t ticket = keep(std::move(one));
    fx.push(Verify{{ticket, {}}, block.author(), block.digest, block.signature, from});
  }
  /// The ticket to ask with. Pre: `one.block` is not null.
  std::uint64_t keep(Awaited one);
  /// Empty: nothing waits for this ticket any more.
  std::optional<Awaited> take(std::uint64_t ticket);
  std::size_t size() const { return places_.size() - free_.size(); }

 private:
  /// A ticket is a count above a place.
  static constexpr unsigned kPlaceBits = 24;
  struct Place {
    Awaited what;
    std::uint64_t ticket = 0;  // 0: free
  };
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;
  std::uint64_t next_ = 1;
};

}  // namespace thresher::dag
