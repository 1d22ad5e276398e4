#include "verbs.hpp"
#include "versions.hpp"

int main(int argc, char** argv) {
  return thresher::cli::dispatch(thresher::cli::all_verbs(), argc, argv, thresher::cli::versions());
}
