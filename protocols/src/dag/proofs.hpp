// Headers that are evidence for a claim or a KILL beside the blocks that this node holds: sent by
// peers, or kept because others may ask. Rules E3 and E4 of docs/protocols/thresher.md.
//
//   Proofs proofs;
//   proofs.add(slot, leader, header);                  // a peer sent it, and its signature is good
//   proofs.replace(slot, leader, headers);             // those alone are durable from now on
//   for (const BlockPtr& header : proofs.of(slot, leader)) ...
//   proofs.forget(bottom, [&](Round slot, const Digest& leader) { erase_record(slot, leader); });
//
// Guarantees: headers stay in the order in which they came, until their slot is forgotten, and each
// name is given to `forget` once. Judges nothing: that a header says what it is kept for is the
// caller's, who checks it before. Memory: headers of slots above the bottom of the attic.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "thresher/protocols/dag/block.hpp"

namespace thresher::dag {

class Proofs {
 public:
  void add(Round slot, const Digest& leader, BlockPtr header);
  /// Pre: `headers` is not empty.
  void replace(Round slot, const Digest& leader, std::vector<BlockPtr> headers);
  /// Slots up to and including `bottom` are asked for by nobody any more. Calls `dropped(Round,
  /// const Digest&)` for each claim of them.
  template <class F>
  void forget(Round bottom, F dropped) {
    while (!headers_.empty() && headers_.begin()->first.first <= bottom) {
      const auto& [slot, leader] = headers_.begin()->first;
      dropped(slot, leader);
      headers_.erase(headers_.begin());
    }
  }

  /// Empty: none are kept.
  std::span<const BlockPtr> of(Round slot, const Digest& leader) const;
  /// Calls `visit(Round slot, const Digest& leader, std::span<const BlockPtr>)` for all, by slot.
  template <class F>
  void each(F visit) const {
    for (const auto& [name, headers] : headers_)
      visit(name.first, name.second, std::span<const BlockPtr>(headers));
  }
  /// All headers.
  std::size_t size() const;

 private:
  std::map<std::pair<Round, Digest>, std::vector<BlockPtr>> headers_;
};

}  // namespace thresher::dag
