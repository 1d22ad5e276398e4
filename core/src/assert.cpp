#include "thresher/core/assert.hpp"

#include <algorithm>
#include <string_view>

namespace thresher {

void invariant_broken(const char* promise, const char* condition, const char* file) {
  // The folders above the repository say where it was built, which is of no use.
  std::string_view name = file;
  name.remove_prefix(std::min(name.size(), name.find_last_of('/') + 1));
  throw InvariantBroken(std::string(promise) + " (" + condition + " does not hold in " +
                        std::string(name) + ")");
}

}  // namespace thresher
