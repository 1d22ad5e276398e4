// The vertices of a round, asked for before they are looked at: they are shared by all nodes of a
// simulation and far from each other in memory, and walks through histories look at all of them.
//
//   walk(store, round, authors, [](NodeId author, Cell& cell) { ... });
//
// Guarantees: visits what is held, in the order of the authors.
#pragma once

#include "thresher/protocols/certified/store.hpp"

namespace thresher::certified {

/// Pre: `visit` does not change `authors`.
template <class S, class F>
void walk(S& store, Round round, const NodeSet& authors, F visit) {
  constexpr std::size_t kLine = 64;  // of a cache
  authors.for_each([&](NodeId author) {
    const auto* cell = store.find({author, round});
    if (cell == nullptr) return;
    const auto* bytes = reinterpret_cast<const char*>(cell->vertex.get());
    for (std::size_t i = 0; i < sizeof(Header); i += kLine) __builtin_prefetch(bytes + i);
  });
  authors.for_each([&](NodeId author) {
    auto* cell = store.find({author, round});
    if (cell != nullptr) visit(author, *cell);
  });
}

}  // namespace thresher::certified
