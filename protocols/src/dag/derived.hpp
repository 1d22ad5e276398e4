// What a held block votes for and claims, as far as that is read off its references. Rules N2 and
// N3 of docs/protocols/thresher.md; U5 of mahi-mahi.md.
//
//   const Derived derived(config, store, slots);
//   store.count(entry, derived.vote(entry));               // it is placed
//   store.accept(entry, derived.claim(entry));             // it is accepted
//
// Guarantees: a function of what it is made of, which it refers to and does not change; it lasts no
// longer than those. With leaders by a coin votes are not read off here (cones.hpp).
#pragma once

#include <optional>

#include "slots.hpp"
#include "store.hpp"

namespace thresher::dag {

class Derived {
 public:
  Derived(const Config& config, const Store& store, const Slots& slots)
      : config_(config), store_(store), slots_(slots) {}

  /// N2. Sparse rules: what its header says.
  std::optional<Edge> vote(const Entry& entry) const;
  /// N3, U5. Sparse rules: nothing, since the store reads it off the header. Pre: the parents above
  /// the floor are held, as those of an accepted block are.
  std::optional<Edge> claim(const Entry& entry) const;

 private:
  const Config& config_;
  const Store& store_;
  const Slots& slots_;
};

}  // namespace thresher::dag
