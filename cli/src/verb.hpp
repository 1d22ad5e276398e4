// One verb of the `thresher` binary, declared as data so that the argument parser sits in one file.
//
//   Verb make_log() {
//     struct Args { std::string home; std::uint64_t from = 0; bool raw = false; };
//     auto args = std::make_shared<Args>();
//     return {{"log"}, "Print the committed log of a node.",
//             {{"--home", "the node's folder", &args->home, true}, {"--from", "first position",
//             &args->from},
//              {"--raw", "one payload a line", &args->raw}},
//             [args] { return print_log(*args); },
//             {{{"--json"}, [args] { return args->raw; }, "--raw prints the bytes alone"}}};
//   }
//
// Guarantees: usage errors never reach `run`; they are printed with the nearest name and exit
// with 2. A verb that runs out of memory says so and exits with 5.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
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
  kResourceMissing = 5,  ///< or the machine refused: machine.hpp
  kInterrupted = 130,    ///< what a shell shows of a process that SIGINT ended
};

/// What each of them says, in --help and on the manual page.
inline constexpr std::pair<Exit, const char*> kExits[] = {
    {kDone, "done"},
    {kFailed, "failed"},
    {kUsage, "usage or configuration"},
    {kSafetyViolated, "safety violated"},
    {kNoProgress, "no progress"},
    {kResourceMissing,
     "resource missing, or the machine refused: a full disk, permissions, a port in use"},
    {kInterrupted, "interrupted by SIGINT"}};

/// A number that may be left out, where every value means something.
using OptionalNumber = std::optional<std::uint64_t>;
/// A text likewise: one that is given and empty is not one that was left out.
using OptionalText = std::optional<std::string>;

/// One option or positional argument (a name without dashes). The pointed-to default stands if
/// absent; --help shows it unless it is empty or 0, which stand for "none". A number that is
/// negative, not finite or too large for its type is a usage error and never reaches the target.
struct Option {
  std::string name;
  std::string help;
  std::variant<std::string*, OptionalText*, std::uint64_t*, OptionalNumber*, double*, bool*,
               std::vector<std::string>*>
      target;
  bool required = false;
};

/// Options that change nothing beside others. A line that has them is a usage error, so that no
/// user is left to think that they did something.
struct Useless {
  std::vector<std::string> options;  ///< long names, or those of positional arguments
  std::function<bool()> when;        ///< asked once the targets are filled
  std::string why;                   ///< as in "--eps goes with --approximate"
};

/// A verb: its path (`{"sim", "run"}`), one sentence of help, options, and what to run.
struct Verb {
  std::vector<std::string> path;
  std::string help;
  std::vector<Option> options;
  std::function<int()> run;
  std::vector<Useless> useless = {};
};

/// Writes out what stdout still holds. Returns `status`, or kFailed in place of kDone where some of
/// the output was lost (a full disk, a closed descriptor), which is then said on stderr.
int flush_output(int status);

/// Parses `argv` against `verbs` and runs the chosen one. Returns its exit status.
/// `version` is what --version prints.
int dispatch(const std::vector<Verb>& verbs, int argc, char** argv,
             const std::string& version = {});

}  // namespace thresher::cli
