#include "verbs.hpp"
#include "versions.hpp"

int main(int argc, char** argv) {
  using namespace thresher::cli;
  return flush_output(dispatch(all_verbs(), argc, argv, versions()));
}
