#include "machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "verb.hpp"

namespace thresher::cli {
namespace {

constexpr std::array kRefusals = {ENOSPC, EDQUOT, EFBIG,  EMFILE, ENFILE,     EROFS, EACCES,
                                  EPERM,  EIO,    ENOMEM, EAGAIN, EADDRINUSE, EBUSY, ETXTBSY};
/// In the program's own words: of a disk that refuses while a node runs (the reason of the library
/// that writes stands behind), of a limit that is found too low before anything fails, and of a
/// clock that is not set yet.
constexpr std::array kOwnWords = {"refused a write; free space", "raise the limit of open files",
                                  "broke off: out of memory",
                                  "the clock of this machine says a time"};

bool is_reason(std::string_view why, std::string_view words) {
  for (std::size_t at = why.find(words); at != why.npos; at = why.find(words, at + 1)) {
    if (at == 0 || why[at - 1] == '(' || why.substr(0, at).ends_with(": ")) return true;
  }
  return false;
}

}  // namespace

int status_of(int status, std::string_view why) {
  if (status != kFailed && status != kUsage) return status;
  const bool by_errno = std::any_of(kRefusals.begin(), kRefusals.end(), [&](int error) {
    return is_reason(why, std::strerror(error));
  });
  const bool by_words = std::any_of(kOwnWords.begin(), kOwnWords.end(),
                                    [&](const char* words) { return why.find(words) != why.npos; });
  return by_errno || by_words ? kResourceMissing : status;
}

std::string refused_by_machine(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    return "out of memory; ask for less at once (fewer nodes, a shorter run, fewer --jobs), or "
           "give "
           "the process more";
  } catch (const std::runtime_error& error) {
    if (status_of(kFailed, error.what()) != kResourceMissing) return {};
    return std::string("the machine refused: ") + error.what() +
           "; raise the limits of this process (ulimit -a) or end others";
  } catch (...) {
    return {};
  }
}

void tell_what_machine_refused() {
  std::set_terminate([] {
    const std::exception_ptr exception = std::current_exception();
    const std::string why = exception ? refused_by_machine(exception) : std::string();
    if (why.empty()) std::abort();
    const std::string line = "thresher: " + why + "\n";
    (void)!::write(STDERR_FILENO, line.data(), line.size());
    ::_exit(kResourceMissing);
  });
}

}  // namespace thresher::cli
