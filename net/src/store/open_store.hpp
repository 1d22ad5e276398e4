// Where a node's records are opened: in the store that its options name. Private to net/.
//
//   auto store = open_store(options);
//   if (!store) return store.error();
//
// Guarantees: a store, or why there is none.
#pragma once

#include "thresher/net/node.hpp"
#include "thresher/net/node_store.hpp"

namespace thresher::net {

/// Pre: with_paths() filled the options in.
StoreOpened open_store(const NodeOptions& options);

}  // namespace thresher::net
