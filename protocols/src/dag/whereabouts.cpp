#include "whereabouts.hpp"

namespace thresher::dag {

bool Whereabouts::ahead(Round seen) const {
  const Round cur = round();
  return seen > cur && (!rounds_.complete(cur) || seen > next());
}

// H3
bool Whereabouts::is_far(Round r) const {
  const Round near{std::max(round(), frontier_.reached()).value + 1};
  return r > near && r > next();
}

}  // namespace thresher::dag
