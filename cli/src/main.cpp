#include <csignal>

#include "machine.hpp"
#include "verbs.hpp"
#include "versions.hpp"

int main(int argc, char** argv) {
  using namespace thresher::cli;
  // A file over the limit of this process is a failed write with a reason, not a silent death.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  tell_what_machine_refused();
  return flush_output(dispatch(all_verbs(), argc, argv, versions()));
}
