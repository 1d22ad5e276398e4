// One verb of the `thresher` binary, declared as data so that the argument parser sits in one file.
//
//   Verb make_log() {
//     struct Args { std::string home; std::uint64_t from = 0; bool raw = false; };
//     auto args = std::make_shared<Args>();
//     return {{"log"}, "Print the committed log of a node.",
//             {{"--home", "the node's folder", &args->home, true}, {"--from", "first position",
//             &args->from},
//              {"--raw", "one payload a line", &args->raw}},
//             [args] { return print_log(*args); }};
//   }
//
// Guarantees: usage errors never reach `run`; they are printed with the nearest name and exit
// with 2.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace thresher::cli {

/// Exit statuses of every verb.
enum Exit : int {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kSafetyViolated = 3,
  kNoProgress = 4,
  kResourceMissing = 5,
};

/// One option or positional argument (a name without dashes). The pointed-to default stands if
/// absent; --help shows it unless it is empty, 0 or the largest number, which stand for "none".
struct Option {
  std::string name;
  std::string help;
  std::variant<std::string*, std::uint64_t*, double*, bool*, std::vector<std::string>*> target;
  bool required = false;
};

/// A verb: its path (`{"sim", "run"}`), one sentence of help, options, and what to run.
struct Verb {
  std::vector<std::string> path;
  std::string help;
  std::vector<Option> options;
  std::function<int()> run;
};

/// Parses `argv` against `verbs` and runs the chosen one. Returns its exit status.
/// `version` is what --version prints.
int dispatch(const std::vector<Verb>& verbs, int argc, char** argv,
             const std::string& version = {});

}  // namespace thresher::cli
