// The tree of one checkpoint of this node, kept from one question about it to the next: whoever
// asks about a tree asks for many of its parts, and each takes a piece of the log. Private to net/.
//
//   KeptTree kept(store, log, committee.size());
//   if (TreeReader* tree = kept.at(Round{8})) ... tree->part(0, 4) ...
//   kept.forget();                                     // the front of the log is about to go
//
// Guarantees: holds one tree, the one that was asked for last; asking for the same again keeps what
// was read for it. A slot without a checkpoint of this node takes the place of none.
#pragma once

#include <optional>
#include <utility>

#include "life/log_tree.hpp"

namespace thresher::net {

class KeptTree {
 public:
  /// The references live longer than this. `n`: members.
  KeptTree(const NodeStore& store, const LogReader& log, std::uint32_t n)
      : store_(store), log_(log), n_(n) {}

  /// Null: this node has written down no checkpoint of the slot. Valid until another slot is asked
  /// for, or forget().
  TreeReader* at(Round slot) {
    if (tree_ && tree_->at().slot == slot) return &*tree_;
    auto own = load_own_checkpoint(store_, slot, n_);
    if (!own) return nullptr;
    tree_.emplace(store_, log_, std::move(*own));
    return &*tree_;
  }
  /// A tree that was begun before the front of the log went would look for what is gone.
  void forget() { tree_.reset(); }

 private:
  const NodeStore& store_;
  const LogReader& log_;
  std::uint32_t n_;
  std::optional<TreeReader> tree_;
};

}  // namespace thresher::net
