// What the program of `./dev demo` simulates.
#include "../registry.hpp"

namespace thresher::sim {

SubjectEntry subject_thresher();

std::vector<SubjectEntry> all_subjects() {
  return {subject_thresher()};
}

}  // namespace thresher::sim
