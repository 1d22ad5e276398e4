#include "thresher/sim/outcome.hpp"

namespace thresher::sim {
std::string_view to_string(Verdict verdict) {
  constexpr std::string_view kNames[] = {"Pass", "NoProgress", "Violated"};
  return kNames[static_cast<std::size_t>(verdict)];
}
}  // namespace thresher::sim
