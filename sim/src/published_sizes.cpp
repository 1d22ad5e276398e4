#include "published_sizes.hpp"

#include "registry.hpp"

namespace thresher::sim {

Sizes sizes_of(const Experiment& experiment) {
  return {choice(experiment, "sizes", "encoded") == "published", experiment.n};
}

ParameterInfo sizes_parameter() {
  return {"sizes",
          std::string("encoded"),
          0,
          0,
          "encoded: bytes as sent; published: as arXiv 2506.13998 counts them",
          {"encoded", "published"}};
}

}  // namespace thresher::sim
