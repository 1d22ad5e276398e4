#include "settled.hpp"

#include <algorithm>

namespace thresher::certified {

bool refs_settled(const Store& store, const Header& h) {
  const Round before{h.round.value - 1};
  const auto& accepted = store.accepted_authors(before).members();
  if (before > store.floor() && !h.parents.subset_of(accepted)) return false;
  if (h.self.value > 0 && !store.settled({h.author, h.self})) return false;
  return std::all_of(h.stragglers.begin(), h.stragglers.end(),
                     [&](const Ref& ref) { return store.settled(ref); });
}

}  // namespace thresher::certified
